"""How far nodes look, in words that are true of the nodes."""

import pytest

from l2p_search.config import TrialConfig
from l2p_search.display.travel import node_in_words, travel_in_words
from l2p_search.learned import Profiles
from l2p_search.results import SeedResult, TrialResult

_EVEN = {"1": (0.5, 0.5)}


def _result(
    settled: dict[int, float],
    *,
    by_degree: dict[str, tuple[float, ...]] | None = None,
    means: tuple[float, ...] = (1.0, 1.0),
    q: tuple[float, ...] = (),
) -> TrialResult:
    """Shares of nodes by the step where they settle, the mean step of each seed, and the mean q.

    Unless q is given, nodes have all of it on the step where they settle, or on step 0.
    """
    shares = tuple(settled.get(step, 0.0) for step in range(17)) if settled else ()
    q = q or (1.0 - sum(shares[1:]), *shares[1:])
    return TrialResult(
        config=TrialConfig(K=16),
        dataset="small",
        data_digest="0",
        seeds=tuple(
            SeedResult(
                seed=seed,
                split=0,
                epochs=1,
                best_epoch=1,
                val_loss=1.0,
                val=50.0,
                test=50.0,
                expected_step=mean,
                profile=q,
            )
            for seed, mean in enumerate(means)
        ),
        seconds=1.0,
        profiles=Profiles(by_degree or _EVEN, _EVEN, (0.0,), shares),
    )


@pytest.mark.parametrize(
    ("settled", "words"),
    [
        ({0: 1.0}, "nearly all nodes stop at once"),
        ({1: 1.0}, "nearly all nodes look one step far"),
        ({4: 0.5, 7: 0.46}, "nearly all nodes look four to seven steps far"),
        ({8: 0.5, 16: 0.5}, "nearly all nodes look eight steps far or more"),
        ({2: 0.4, 3: 0.6}, "nearly all nodes look two to three steps far"),
        ({0: 0.5, 2: 0.5}, "50 % of the nodes stop at once and 50 % look two steps far"),
        ({0: 0.5, 4: 0.5}, "50 % of the nodes stop at once and 50 % look four steps far"),
        ({12: 1.0}, "nearly all nodes look 12 steps far"),
        ({5: 0.992, 6: 0.008}, "nearly all nodes look five steps far"),  # few look further
        (
            {0: 0.5, 1: 0.3},
            "50 % of the nodes stop at once, 30 % look one step far and 20 % mix several steps",
        ),
        ({0: 0.96, 9: 0.04}, "nearly all nodes stop at once"),  # one of 25 is not told of
        ({3: 0.01}, "nearly all nodes mix several steps: nearly all on step 0"),
    ],
)
def test_how_far_nodes_look_is_said_in_shares_of_nodes(
    settled: dict[int, float], words: str
) -> None:
    assert travel_in_words(_result(settled)) == words


@pytest.mark.parametrize(
    ("settled", "q", "words"),
    [
        ({0: 1.0}, (0.73, 0.27), "nearly all nodes stop at once, with 73 % of q there"),
        ({0: 1.0}, (0.9, 0.1), "nearly all nodes stop at once"),
        ({2: 0.5, 3: 0.5}, (0.2, 0.2, 0.3, 0.3), "two to three steps far, with 60 % of q there"),
        (
            {0: 0.6, 1: 0.4},
            (0.5, 0.5),
            "60 % of the nodes stop at once and 40 % look one step far",
        ),
    ],
)
def test_what_nearly_all_nodes_do_is_told_with_its_share_of_q_where_that_is_not_nearly_all(
    settled: dict[int, float], q: tuple[float, ...], words: str
) -> None:
    assert travel_in_words(_result(settled, q=q)).endswith(words)


def test_half_at_none_and_half_at_two_steps_is_not_called_one_step() -> None:
    words = travel_in_words(_result({0: 0.5, 2: 0.5}, means=(1.0, 1.0)))
    assert "one step" not in words
    assert "1.0" not in words


def test_at_most_three_groups_of_nodes_are_told_of() -> None:
    words = travel_in_words(_result({0: 0.3, 1: 0.2, 3: 0.2, 5: 0.1, 9: 0.2}))
    assert words.count("%") == 3
    assert "four to seven" not in words


@pytest.mark.parametrize(
    ("by_degree", "ending"),
    [
        ({"1": (0.0, 1.0), "2": (0.5, 0.5), "3": (1.0, 0.0)}, "few neighbours look further"),
        ({"1": (1.0, 0.0), "2": (0.5, 0.5), "3": (0.0, 1.0)}, "many neighbours look further"),
        ({"1": (0.5, 0.5), "2": (0.0, 1.0), "3": (0.4, 0.6)}, "stop at once"),  # ends agree
        ({"0": (0.0, 1.0), "1": (1.0, 0.0), "2": (1.0, 0.0)}, "stop at once"),  # no neighbours
        ({"1": (0.0, 1.0), "2": (1.0, 0.0)}, "stop at once"),  # two degrees are no trend
    ],
)
def test_a_trend_with_degree_is_told_where_it_is_a_quarter_of_a_step(
    by_degree: dict[str, tuple[float, ...]], ending: str
) -> None:
    assert travel_in_words(_result({0: 1.0}, by_degree=by_degree)).endswith(ending)


@pytest.mark.parametrize(
    ("means", "ending"),
    [
        ((0.0, 3.0, 3.0), "; seeds disagree: their mean step goes from 0.0 to 3.0"),
        ((1.0, 1.4, 1.2), "stop at once"),
        ((10.0, 12.0, 8.0), "stop at once"),  # a fifth of what they have in common
        ((2.0,), "stop at once"),  # one alone does not disagree
    ],
)
def test_seeds_that_learned_different_things_are_told_of(
    means: tuple[float, ...], ending: str
) -> None:
    assert travel_in_words(_result({0: 1.0}, means=means)).endswith(ending)


def test_a_journal_of_an_earlier_version_has_the_mean_of_q_only() -> None:
    old = travel_in_words(_result({}, means=(1.0, 1.5)))
    assert old == "over all nodes q(t) is nearly all on step 0"


def test_a_node_is_told_by_the_steps_that_hold_its_weight() -> None:
    assert node_in_words([0.5, 0.02, 0.48]) == "puts 50 % on step 0 and 48 % on step 2"
    assert node_in_words([0.1] * 10) == "is spread over steps 0 to 9"


def test_a_baseline_says_nothing_of_nodes() -> None:
    baseline = TrialResult(
        config=TrialConfig(), dataset="small", data_digest="0", seeds=(), seconds=1.0
    )
    assert travel_in_words(baseline) == "nothing was learned of how far nodes look"
