from dataclasses import replace

import numpy as np
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.node_hits import NodeHits
from l2p_search.paper.studies import Request
from l2p_search.paper.table_verdicts import cell, over_graphs_lines, pair_lines
from l2p_search.results import SeedResult, TrialResult


def _result(tests: list[float], hits: bool = False) -> TrialResult:
    nodes = np.arange(50)
    seeds = tuple(
        SeedResult(
            seed=i,
            split=i,
            epochs=1,
            val=50.0,
            test=test,
            hits=NodeHits(nodes, 100.0 * (nodes < test / 2)) if hits else None,
        )
        for i, test in enumerate(tests)
    )
    return TrialResult(config=TrialConfig(), dataset="d", data_digest="0", seeds=seeds, seconds=1)


class _Loaded(Request):
    """A request whose graphs are made here; the name's first letter is the content."""

    def graphs(self, datasets: object) -> dict[str, Graph]:
        small = demo_graph()
        return {
            name: replace(small, name=name, x=torch.full_like(small.x, float(ord(name[0]))))
            for name in datasets  # type: ignore[attr-defined]
        }


def test_a_cell_has_both_intervals_and_the_nodes_only_where_they_were_recorded() -> None:
    assert cell(_result([80.0, 82.0, 84.0])) == "82.00 ± 4.97"
    both = cell(_result([80.0, 82.0, 84.0], hits=True))
    assert both.startswith("82.00 ± 4.97 [")
    low, high = (float(each) for each in both.split("[")[1].rstrip("]").split(", "))
    assert low < 82.0 - 4.97
    assert high > 82.0 + 4.97
    assert cell(None) == "failed"


def test_the_verdicts_below_a_table_hold_together() -> None:
    noisy = [80.0, 90.0, 70.0, 85.0, 75.0]
    results = {
        ("l2q", "cora"): _result(
            [a + 1.35 + b for a, b in zip(noisy, (4, -4, 3, -3, 0), strict=True)]
        ),
        ("appnp", "cora"): _result(noisy),
        ("l2q", "texas"): _result(
            [a + 9.0 + b for a, b in zip(noisy, (1, -1, 1, -1, 0), strict=True)]
        ),
        ("appnp", "texas"): _result(noisy),
    }
    lines = pair_lines(results, ["cora", "texas"], 1.0)
    assert "adjusted by Holm for 2 comparisons" in lines[0]
    assert "equivalent means within 1 point" in lines[0]
    assert lines[1].startswith("- cora: l2q against appnp 1.35 ± ")
    assert lines[1].endswith("points: undecided")
    assert lines[2].endswith("points: better")
    assert pair_lines({}, [], 1.0) == []


def test_graphs_of_one_content_count_once() -> None:
    results = {
        (method, graph): _result([80.0 + i + 2 * (method == "l2q")] * 2)
        for i, graph in enumerate(("texas", "cora", "tex-again", "wisconsin"))
        for method in ("l2q", "appnp")
    }
    head, line = over_graphs_lines(_Loaded(), results)
    assert "Over 3 distinct graphs" in head
    assert "tex-again is left out: it has the features and labels of texas." in head
    assert "l2q 1.00, appnp 2.00" in head
    assert line.startswith("- l2q against appnp: undecided, ahead on 3, behind on 0")
    alone = {key: value for key, value in results.items() if key[1] == "cora"}
    assert over_graphs_lines(_Loaded(), alone) == []
