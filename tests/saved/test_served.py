"""What MLflow loads predicts a table of nodes as the model predicts the graph."""

import sys
from pathlib import Path
from typing import Any

import pandas
import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import DataError
from l2p_search.saved.served import LOADER, _load_pyfunc
from l2p_search.saved.trained_model import Model
from l2p_search.training.fit import fit
from tests.saved.tables import table_of


def test_mlflow_finds_the_loader_by_its_name() -> None:
    assert LOADER == "l2p_search.saved.served"
    assert sys.modules[LOADER]._load_pyfunc is _load_pyfunc


@pytest.mark.parametrize("network", [{}, {"model": "mlp"}, {"model": "linkx"}], ids=str)
def test_a_table_is_predicted_as_the_graph_is(
    network: dict[str, Any], small_graph: Graph, tmp_path: Path
) -> None:
    config = TrialConfig.recorded({"K": 2, "hidden": 4, "epochs": 3, **network})
    model = Model.of(small_graph, fit(small_graph, config, [0, 1]))
    model.save(tmp_path / "kept")
    served = _load_pyfunc(str(tmp_path / "kept"))
    table = table_of(small_graph)
    pandas.testing.assert_frame_equal(served.predict(table), model.predictions(small_graph))
    shifted = table.set_axis(range(100, 112))  # a part of a larger DataFrame
    assert (
        served.predict(shifted, params={})["class"].tolist()
        == served.predict(table)["class"].tolist()
    )


def test_new_nodes_are_predicted_under_their_own_ids(
    model: Model, grown: Graph, tmp_path: Path
) -> None:
    model.save(tmp_path / "kept")
    table = table_of(grown).assign(node=[f"n{at}" for at in range(14)])
    table["neighbours"] = [[f"n{at}" for at in row] for row in table["neighbours"]]
    found = _load_pyfunc(str(tmp_path / "kept")).predict(table)
    assert found["node"].tolist() == table["node"].tolist()
    assert found["p(0)"].tolist() == model.predict_proba(grown)[:, 0].tolist()
    assert found.columns[:5].tolist() == ["node", "class", "p(0)", "p(1)", "p(2)"]
    assert "expected_step" in found


def test_what_has_no_columns_is_refused(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "kept")
    with pytest.raises(DataError, match="the table: give a row per node with named columns"):
        _load_pyfunc(str(tmp_path / "kept")).predict([[1.0, 2.0]])  # type: ignore[arg-type]
