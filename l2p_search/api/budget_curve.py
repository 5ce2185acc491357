"""What fewer trials would have found, as a figure and as series for MLflow."""

from l2p_search.report.budget_figure import budget_figure
from l2p_search.report.drawing import rendered
from l2p_search.searching.records.expected_best import ExpectedBest, expected_best
from l2p_search.searching.records.outcome import Outcome

Logged = tuple[str, float, int]


def budget_image(outcome: Outcome, dpi: int = 100, *, small: bool = False) -> bytes | None:
    """The budget curve of a search.

    Args:
        outcome: What it found.
        dpi: Dots per inch.
        small: Whether it is to fit on the screen of a telephone.

    Returns:
        A PNG, or an SVG where it is small; None with fewer than two numbers of trials to draw.
    """
    points = expected_best(outcome.records)
    if len(points) < 2:
        return None
    tests = _tests(points)
    figure = budget_figure(
        [each.trials for each in points],
        [each.val for each in points],
        [each.low for each in points],
        [each.high for each in points],
        tests,
        outcome.settings.metric,
        small=small,
    )
    return rendered(figure, "svg" if small else "png", dpi)


def budget_series(outcome: Outcome) -> tuple[Logged, ...]:
    """The same for MLflow: name, value, and the number of trials as the step."""
    metric = outcome.settings.metric
    rows: list[Logged] = []
    for each in expected_best(outcome.records):
        values = {"val": each.val, "val_low": each.low, "val_high": each.high, "test": each.test}
        for part, value in values.items():
            if value is not None:
                part, _, bound = part.partition("_")
                name = f"budget/{part}_{metric}" + (f"_{bound}" if bound else "")
                rows.append((name, round(value, 2), each.trials))
    return tuple(rows)


def _tests(points: list[ExpectedBest]) -> list[float] | None:
    known = [each.test for each in points if each.test is not None]
    return known if len(known) == len(points) else None
