"""MLflow's folder of a model: what it loads, what its tables look like, and no pickle in it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.tracking.pyfunc_folder import signature_of, write_pyfunc
from l2p_search.tracking.quiet import quiet_mlflow
from l2p_search.training.fit import fit
from tests.saved.tables import table_of


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with quiet_mlflow():
        yield


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, kept: tuple[Path, Model]) -> Path:
    path = tmp_path_factory.mktemp("pyfunc") / "model"
    with quiet_mlflow():
        write_pyfunc(path, *kept, model_id="m-1", run_id="r-1", location="file:///x")
    return path


def test_mlflow_loads_it_where_pickles_are_forbidden(
    written: Path, kept: tuple[Path, Model], small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_PICKLE_DESERIALIZATION", "false")
    served = mlflow.pyfunc.load_model(str(written))
    found = served.predict(table_of(small_graph))
    wanted = kept[1].predictions(small_graph)
    assert found["class"].tolist() == wanted["class"].tolist()
    assert found["p(1)"].tolist() == wanted["p(1)"].tolist()
    assert not [path for path in written.rglob("*") if path.suffix in (".pkl", ".pickle", ".pt")]


def test_its_own_example_is_predicted(written: Path) -> None:
    import mlflow

    served = mlflow.pyfunc.load_model(str(written))
    found = served.predict(served.input_example)
    assert found["node"].tolist() == ["a", "b", "c"]


def test_whole_numbers_and_lists_as_text_pass_the_signature(written: Path) -> None:
    import mlflow
    import pandas

    served = mlflow.pyfunc.load_model(str(written))
    table = pandas.DataFrame(
        {"features": ["[1, 0, 0, 2, 0, 0, 0]"] * 2, "neighbours": ["[1]", None]}
    )
    assert served.predict(table)["node"].tolist() == [0, 1]


def test_it_knows_its_run_and_is_the_folder_that_was_saved(
    written: Path, kept: tuple[Path, Model], small_graph: Graph
) -> None:
    import mlflow

    info = mlflow.models.Model.load(written)
    assert (info.run_id, info.model_id) == ("r-1", "m-1")
    folder, model = kept
    for path in folder.iterdir():
        assert (written / "data" / "model" / path.name).read_bytes() == path.read_bytes()
    again = load_model(written)
    assert torch.equal(again.predict_proba(small_graph), model.predict_proba(small_graph))


def test_the_requirements_have_what_serves_it_and_no_local_versions(written: Path) -> None:
    lines = (written / "requirements.txt").read_text().splitlines()
    names = {line.partition("==")[0] for line in lines}
    assert {"l2p-search", "mlflow", "torch", "safetensors"} <= names
    assert not [line for line in lines if "+" in line]


@pytest.mark.parametrize("network", [{"K": 3}, {"model": "mlp"}, {"model": "linkx"}], ids=str)
def test_the_signature_has_the_columns_that_come_out(
    network: dict[str, Any], small_graph: Graph, tmp_path: Path
) -> None:
    config = TrialConfig.recorded({"hidden": 4, "epochs": 2, **network})
    model = Model.of(small_graph, fit(small_graph, config, [0]))
    signature = signature_of(model)
    assert signature.inputs.input_names() == ["node", "features", "neighbours", "weights"]
    out = model.predictions(small_graph).columns.tolist()
    assert signature.outputs.input_names() == out
