"""Controls, defaults and fresh splits in words."""

from l2p_search.display.beside import (
    control_lines,
    default_text,
    fresh_splits_text,
    held_paragraphs,
    mlp_text,
)
from l2p_search.held import Against, HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.verdicts import verdict_on
from tests.searching.records.made import result

_RESULT = result((81.0, 81.0))


def _one(role: str, name: str, low: float, high: float, **more: object) -> Against:
    interval = Interval((low + high) / 2, low, high, 10)
    return Against(
        role,  # type: ignore[arg-type]
        name,
        _RESULT,
        interval,
        judged=verdict_on(interval),
        **more,  # type: ignore[arg-type]
    )


def test_a_control_says_its_score_and_the_paired_difference_with_its_sign() -> None:
    held = HeldAgainst((_one("mlp", "MLP", -0.82, 1.10), _one("backbone", "APPNP", -3.0, -1.0)))
    assert control_lines(held, "accuracy") == [
        "MLP    80.00 ± 0.00 %   winner minus MLP +0.14 ± 0.96 points: equivalent within 1 point",
        "APPNP  80.00 ± 0.00 %   winner minus APPNP -2.00 ± 1.00 points: worse",
    ]


def test_the_default_is_answered_in_each_of_its_cases() -> None:
    better = HeldAgainst((_one("default", "the default configuration", 1.0, 3.0, trial=7),))
    assert default_text(better, "accuracy") == (
        "better than the default configuration? Better: winner minus default +2.00 ± 1.00 points,"
        " the default has 80.00 ± 0.00 %, which was trial 7."
    )
    itself = HeldAgainst((_one("default", "d", 0.0, 0.0, trial=0, is_winner=True),))
    assert "The winner is the default configuration" in str(default_text(itself, "accuracy"))
    assert default_text(HeldAgainst(), "accuracy") is None


def test_l2p_that_learned_to_be_an_mlp_is_told_with_the_paired_difference() -> None:
    held = HeldAgainst((_one("mlp", "MLP", -0.82, 1.10),), own_share=0.987)
    said = mlp_text(held, "accuracy")
    assert said is not None
    assert said.startswith("It learned to be an MLP: q(0) is 0.99")
    assert "+0.14 ± 0.96 points of test accuracy, equivalent" in said
    assert mlp_text(HeldAgainst(own_share=0.5), "accuracy") is None
    assert str(mlp_text(HeldAgainst(own_share=0.95), "accuracy")).endswith("neighbours.")


def test_fresh_splits_say_how_many_and_by_which_rule() -> None:
    held = HeldAgainst(fresh_splits=_RESULT, rule="20x20-per-class/500/1000")
    assert fresh_splits_text(held) == (
        "80.00 ± 0.00 %   on 20 new splits by 20 per class/500/1000 nodes"
    )
    none = HeldAgainst(no_fresh_splits="splits by time cannot be drawn anew")
    assert fresh_splits_text(none) is None
    assert held_paragraphs(none, "accuracy") == [
        "There are no fresh splits: splits by time cannot be drawn anew."
    ]
