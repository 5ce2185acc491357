"""A model's entry has a name that MLflow takes, and knows how much is sent."""

from pathlib import Path

from l2p_search.saved.trained_model import Model
from l2p_search.tracking.model_entry import ModelEntry


def test_a_searchs_name_becomes_one_that_mlflow_takes(kept: tuple[Path, Model]) -> None:
    folder, model = kept
    entry = ModelEntry(uid="u", folder=folder, model=model, name="my graph.v2/it's")
    assert entry.logged_name == "my graph-v2-it-s"


def test_the_size_is_that_of_all_files(kept: tuple[Path, Model]) -> None:
    folder, model = kept
    entry = ModelEntry(uid="u", folder=folder, model=model, name="s")
    sizes = [path.stat().st_size for path in folder.iterdir()]
    assert entry.megabytes == sum(sizes) / 1e6
    assert len(sizes) == 5
