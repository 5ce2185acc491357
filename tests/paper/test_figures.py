import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph, undirected
from l2p_search.errors import SearchError, in_shell
from l2p_search.metrics import Metric
from l2p_search.paper.figures import FIGURES, same_class_shares
from l2p_search.results import TrialResult
from tests.paper.pretended import Asked, failing, training


def _rows(text: str) -> list[list[str]]:
    """The rows of a Markdown table below its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def _drawn(files: object) -> set[str]:
    assert isinstance(files, dict)
    for name, content in files.items():
        if name.endswith(".svg"):
            ElementTree.fromstring(content)
        else:
            assert content.startswith(b"\x89PNG")
    return set(files)


def test_the_share_of_its_own_class_is_counted_within_three_hops(small_graph: Graph) -> None:
    #  0 - 1 - 2 - 3 - 4, classes 0 1 0 1 0; node 4 is four hops from node 0.
    edges = undirected(torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), small_graph.num_nodes)
    y = small_graph.y.clone()
    y[:5] = torch.tensor([0, 1, 0, 1, 0])
    shares = same_class_shares(dataclasses.replace(small_graph, edges=edges, y=y))
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[2] == pytest.approx(2 / 4)
    assert np.isnan(shares[5])


def test_figure_3_has_the_last_losses_of_every_level(asked: Asked, tmp_path: Path) -> None:
    made = FIGURES["figure3"](asked.request(["texas"]))
    rows = _rows(made.text)
    assert [row[:2] for row in rows] == [
        ["texas", "joint"],
        ["texas", "first_order"],
        ["texas", "unrolled"],
    ]
    for row in rows:
        assert row[2:6] == ["0.500", "0.750", "0.250", "0.75"]  # training, validation, gap, q(0)
    assert "Losses at epoch 5" in made.text
    assert _drawn(made.files) == {"figure3.png", "figure3.svg"}


def test_figure_4_has_both_algorithms_beside_the_best_of_appnp(asked: Asked) -> None:
    made = FIGURES["figure4"](asked.request(["texas", "cora"]))
    head = made.text.splitlines()[2]
    assert head == "| | appnp | l2s em | l2s vi | l2q em | l2q vi |"
    rows = _rows(made.text)
    assert [row[0] for row in rows] == ["texas", "cora"]
    assert all(re.fullmatch(r"[\d.]+ ± (over )?[\d.]+", cell) for row in rows for cell in row[1:])
    assert _drawn(made.files) == {"figure4.png", "figure4.svg"}


def test_figures_5_and_6_are_of_the_same_searches(asked: Asked) -> None:
    made = FIGURES["figure5"](asked.request(["texas", "cora"]))
    assert _rows(made.text) == [
        ["texas", "quit", "0.750", "0.25"],  # q(0) and the mean step of (0.75, 0.25)
        ["cora", "quit", "0.750", "0.25"],
        ["texas", "select", "0.500", "0.50"],
        ["cora", "select", "0.500", "0.50"],
    ]
    assert _drawn(made.files) == {"figure5.png", "figure5.svg"}
    cosines = FIGURES["figure6"](asked.request(["texas", "cora"]))
    assert _drawn(cosines.files) == {"figure6.png", "figure6.svg"}
    assert asked.started == [2]


def test_without_datasets_profiles_are_of_the_papers_seven(asked: Asked) -> None:
    made = FIGURES["figure5"](asked.request())
    seven = {name for name, dataset in DATASETS.items() if dataset.paper is not None}
    assert len(seven) == 7
    assert {row[0] for row in _rows(made.text)} == seven


def test_figures_7_and_8_draw_nodes_and_correlate_their_steps(asked: Asked) -> None:
    made = FIGURES["figure7"](asked.request(["texas"]))
    # Of the test nodes 9 to 11 of the small graph only 9 has two neighbours or more.
    assert _drawn(made.files) == {"figure7-texas-9.png", "figure7-texas-9.svg"}
    assert re.match(
        r"texas: rank correlation -?[\d.]+ between a node's expected step and the share", made.text
    )
    usual = FIGURES["figure8"](asked.request())
    names = {name.rpartition("-")[0] for name in usual.files}
    assert names == {"figure8-wisconsin", "figure8-texas"}


@pytest.mark.parametrize("figure", ["figure3", "figure4", "figure5", "figure6"])
def test_a_figure_of_which_every_trial_failed_is_refused_in_one_line(
    figure: str, tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(tmp_path, small_graph, monkeypatch, failing)
    with pytest.raises(SearchError) as raised:
        FIGURES[figure](asked.request(["texas"]))
    said = in_shell(raised.value.message)
    assert said.startswith(f"figure {figure[-1]}: no trial of its searches has a result; see why")
    assert "l2p-search trials paper-smoke-texas-" in said


def test_what_failed_is_left_out_and_the_rest_is_drawn(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        fails = config.posterior == "select" or config.algorithm == "em" or graph.name == "cora"
        return (failing if fails else training)(graph, config, seeds)

    asked = Asked(tmp_path, small_graph, monkeypatch, train)
    profiles = FIGURES["figure5"](asked.request(["texas"]))
    assert [row[:2] for row in _rows(profiles.text)] == [["texas", "quit"]]
    algorithms = FIGURES["figure4"](asked.request(["cora", "texas"]))
    assert algorithms.text.splitlines()[2] == "| | appnp | l2q vi |"
    assert [row[0] for row in _rows(algorithms.text)] == ["texas"]
    assert FIGURES["figure7"](asked.request(["cora"])).files == {}
