import json

import pytest

from l2p_search.effects import Effect, Effects


def _effects(r2: float, trials: int = 50, partial: int = 0) -> Effects:
    shares = {"K": Effect(0.6, 0.5, 0.7), "lr": Effect(0.1, 0.0, 0.2)}
    return Effects(shares, interactions=0.3, r2=r2, trials=trials, partial=partial)


@pytest.mark.parametrize(
    ("r2", "trials", "told"),
    [
        (0.9, 8, True),
        (0.6, 8, True),
        (0.4, 8, False),  # so few trials have such an R² by chance
        (0.4, 50, True),
        (0.25, 50, True),
        (0.15, 50, False),
        (0.15, 400, True),
        (0.05, 10**6, False),
        (-0.3, 400, False),
    ],
)
def test_what_is_no_better_than_chance_is_not_told(r2: float, trials: int, told: bool) -> None:
    assert _effects(r2, trials).told is told


def test_it_is_said_in_a_line_with_what_it_rests_on() -> None:
    assert str(_effects(0.71, partial=12)) == (
        "K 0.60 (0.50 to 0.70), lr 0.10 (0.00 to 0.20), interactions 0.30 (R² 0.71 out of bag, 50"
        " trials, 12 of them raced out)"
    )
    assert str(_effects(-0.2)) == "nothing to be told (R² -0.20 out of bag, 50 trials)"


def test_it_is_plain_json_that_says_what_it_rests_on() -> None:
    told = json.loads(json.dumps(_effects(0.71, partial=12).to_mapping(), allow_nan=False))
    assert told == {
        "told": True,
        "r2_out_of_bag": 0.71,
        "trials": 50,
        "raced_out": 12,
        "interactions": 0.3,
        "shares": {
            "K": {"share": 0.6, "low": 0.5, "high": 0.7},
            "lr": {"share": 0.1, "low": 0.0, "high": 0.2},
        },
    }
