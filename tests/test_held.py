"""Verdicts of the winner against another, and when L2P counts as an MLP."""

from dataclasses import replace

import numpy as np
import pytest

from l2p_search.held import Against, HeldAgainst, judged_together, label_access, paired
from l2p_search.intervals import Interval
from l2p_search.node_hits import NodeHits
from l2p_search.results import TrialResult
from tests.searching.records.made import result


def _against(low: float | None, high: float | None) -> Against:
    mean = 0.0 if low is None or high is None else (low + high) / 2
    alone = Against("mlp", "MLP", result((80.0,)), Interval(mean, low, high, 10))
    return judged_together([alone])[0]


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 2.0, "better"),
        (-2.0, -0.1, "worse"),
        (-3.0, 4.0, "undecided"),
        (-0.3, 0.4, "equivalent within 1 point"),
        (None, None, "undecided"),
    ],
)
def test_a_difference_is_called_what_is_known_of_it(
    low: float | None, high: float | None, verdict: str
) -> None:
    assert _against(low, high).verdict == verdict


@pytest.mark.parametrize(("share", "is_mlp"), [(0.91, True), (0.9, False), (None, False)])
def test_l2p_counts_as_an_mlp_where_nine_tenths_of_q_are_at_step_0(
    share: float | None, is_mlp: bool
) -> None:
    assert HeldAgainst(own_share=share).is_mlp is is_mlp


def test_only_seeds_that_both_finished_are_paired() -> None:
    first, second = result((80.0, 81.0)), result((81.0, 83.0, 99.0))
    found = paired(first, second)
    assert found is not None
    assert (found.mean, found.units) == (1.5, 2)
    assert paired(first, replace(second, seeds=second.seeds[2:])) is None


def test_values_are_json_with_the_metric_in_their_names() -> None:
    held = HeldAgainst((_against(-1.0, 1.0),), result((80.0, 81.0)), "2x48/32/20", None, 0.95)
    told = held.to_mapping("macro_f1")
    assert told["learned_to_be_an_mlp"] is True
    assert told["against"][0]["test_macro_f1"]["mean"] == 79.0
    assert told["fresh_splits_test_macro_f1"]["rule"] == "2x48/32/20"
    assert told["fresh_splits_test_macro_f1"]["mean"] == 79.5


def test_verdicts_of_one_search_are_adjusted_for_their_number() -> None:
    barely = _against(0.05, 2.0)
    assert barely.verdict == "better"
    assert {each.verdict for each in judged_together([barely, barely, barely])} == {"undecided"}
    itself = replace(barely, is_winner=True)
    assert judged_together([barely, itself])[0].verdict == "better"


def test_why_a_verdict_is_undecided_though_its_interval_leaves_out_zero_is_told() -> None:
    barely, wide = _against(0.05, 2.0), _against(-3.0, 4.0)
    assert HeldAgainst((barely,)).together is None
    assert HeldAgainst((wide,)).together is None
    by_holm = HeldAgainst(judged_together([barely, barely, barely])).together
    assert by_holm is not None
    assert "the 3 verdicts are to hold together (Holm)" in by_holm
    alike = replace(barely, difference=Interval(10.0, 10.0, 10.0, 3))
    by_chance = HeldAgainst(judged_together([alike, wide])).together
    assert by_chance is not None
    assert "on 3 splits or seeds alone, differences are alike by chance too often" in by_chance


def test_optimism_is_phis_nodes_minus_those_that_judge_paired_by_seed() -> None:
    plain = result((80.0, 81.0, 82.0), splits=3)
    assert label_access(0.5, plain, None, "APPNP") is None
    seeds = tuple(replace(s, phi_val=(s.val or 0.0) + 2.0) for s in plain.seeds)
    found = label_access(0.5, replace(plain, seeds=seeds), result((79.0, 80.0, 81.0)), "APPNP")
    assert found is not None
    assert found.optimism.mean == pytest.approx(2.0)
    assert found.difference is not None
    assert found.difference.mean == pytest.approx(1.0)
    told = found.to_mapping("accuracy")
    assert (told["phi_share"], told["control_test_accuracy"]["mean"]) == (0.5, 79.0)


def test_at_equal_labels_both_intervals_are_told() -> None:
    nodes = np.arange(20)

    def with_nodes(right: int) -> TrialResult:
        plain = result((80.0, 81.0, 82.0), splits=3)
        hits = [NodeHits(nodes, 100.0 * (nodes < right + each)) for each in range(3)]
        seeds = [
            replace(seed, test=float(hit.values.mean()), hits=hit, phi_val=83.0)
            for seed, hit in zip(plain.seeds, hits, strict=True)
        ]
        return replace(plain, seeds=tuple(seeds))

    found = label_access(0.5, with_nodes(14), with_nodes(9), "APPNP")
    assert found is not None
    assert found.control_test is not None
    assert found.difference is not None
    for each in (found.test, found.control_test, found.difference):
        assert each.other_nodes is not None
        assert each.other_nodes.mean == pytest.approx(each.mean)
    assert found.difference.mean == pytest.approx(25.0)
    told = found.to_mapping("accuracy")
    for key in ("test_accuracy", "control_test_accuracy", "winner_minus_control"):
        assert told[key]["other_nodes_of_this_kind"]["low"] is not None
