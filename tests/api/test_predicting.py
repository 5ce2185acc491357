"""A saved model on a graph becomes a table, and a file of it."""

from pathlib import Path

import pandas
import pytest
import torch

from l2p_search.api.fitting import fit
from l2p_search.api.predicting import as_csv, check_ending, predict, write_predictions
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.saved.trained_model import Model


@pytest.fixture(scope="module")
def model(small_graph: Graph) -> Model:
    return fit(small_graph, K=2, epochs=3, hidden=4, seeds=2).model


def test_a_row_per_node_with_as_many_threads_as_asked(model: Model, small_graph: Graph) -> None:
    table = predict(model, small_graph, threads=2)
    assert table["p(0)"].tolist() == pytest.approx(model.predict_proba(small_graph)[:, 0].tolist())
    assert torch.get_num_threads() == 1


def test_one_seed_alone(model: Model, small_graph: Graph) -> None:
    alone = predict(model, small_graph, seed=1)["p(1)"].tolist()
    assert alone == model.predict_proba(small_graph, seed=1)[:, 1].tolist()


def test_ids_of_two_types_are_text_in_parquet(tmp_path: Path) -> None:
    table = pandas.DataFrame({"node": [1, "b"], "class": ["x", "y"]}, dtype=object)
    write_predictions(tmp_path / "p.parquet", table)
    assert pandas.read_parquet(tmp_path / "p.parquet")["node"].tolist() == ["1", "b"]


def test_csv_keeps_every_digit(model: Model, small_graph: Graph) -> None:
    table = predict(model, small_graph)
    lines = as_csv(table).decode().splitlines()
    assert len(lines) == 13
    assert [float(line.split(",")[2]) for line in lines[1:]] == table["p(0)"].tolist()


@pytest.mark.parametrize("name", ["p", "p.xlsx", "p.csv.gz"])
def test_an_unknown_ending_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=r"end the name with \.csv, \.json or \.parquet"):
        check_ending(Path(name))
