"""The folder of a model is found where MLflow puts it."""

from pathlib import Path

import pytest

from l2p_search.errors import ModelError
from l2p_search.saved.downloaded import model_within
from l2p_search.saved.trained_model import Model, load_model


def test_a_model_inside_of_mlflows_folder_is_loaded(model: Model, tmp_path: Path) -> None:
    (tmp_path / "MLmodel").write_text("flavors: {}\n")
    model.save(tmp_path / "data" / "kept")
    assert model_within(tmp_path) == tmp_path / "data" / "kept"
    assert load_model(tmp_path).config == model.config


def test_a_model_of_its_own_is_where_it_is(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "kept")
    assert model_within(tmp_path / "kept") == tmp_path / "kept"


def test_a_folder_of_mlflow_with_another_kind_of_model_is_refused_by_its_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "MLmodel").write_text("flavors: {}\n")
    (tmp_path / "data").mkdir()
    with pytest.raises(ModelError, match=f"{tmp_path}: is no saved model"):
        load_model(tmp_path)
