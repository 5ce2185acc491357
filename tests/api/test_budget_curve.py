"""The budget curve of a search, as an image and as series over the number of trials."""

from l2p_search.api.budget_curve import budget_image, budget_series
from tests.searching.records.made import outcome, record

_FOUND = outcome([record(n, (80.0 + n, 82.0 + n), K=n + 1) for n in range(3)])


def test_the_step_of_a_series_is_the_number_of_trials() -> None:
    rows = budget_series(_FOUND)
    assert {name for name, _, _ in rows} == {
        "budget/val_accuracy",
        "budget/val_accuracy_low",
        "budget/val_accuracy_high",
        "budget/test_accuracy",
    }
    val = {step: value for name, value, step in rows if name == "budget/val_accuracy"}
    assert val == {1: 82.0, 2: 82.67, 3: 83.0}


def test_there_is_an_image_as_soon_as_there_is_a_curve() -> None:
    image = budget_image(_FOUND)
    assert image is not None
    assert image.startswith(b"\x89PNG")
    assert budget_image(outcome([record(0, (80.0,))])) is None
