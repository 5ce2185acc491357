"""Drawing of a trial's profile q(t): of all nodes with its spread over seeds, by degree, by class.

Every trial of a search gets one, so it is written as SVG directly: that takes a millisecond or
two, a hundredth of matplotlib's time, and stays sharp at any size that MLflow shows it in. Colours
and ticks are matplotlib's own.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from l2p_search.report.drawing import BLUE, MAP, ORANGE, shown_steps
from l2p_search.results import TrialResult

_WIDTH, _HEIGHT = 960, 320
_TOP, _BOTTOM = 64, 264
_NAMED_STEPS = 9
_SHADES = 256
_PANELS = {"nodes": 14, "degree": 322, "class": 630}
"""Where each panel begins."""
_PANEL, _NARROW = 316, 300
"""The width of a panel, and that of its file in pixels: MLflow's notes have 302 on a telephone."""
_LABEL = 13
"""Characters of a row's name, for which there is room between two maps."""
_LINE = 13.0
"""Pixels between two names of rows, at the least."""


def profile_svg(result: TrialResult, title: str, classes: Sequence[str] = ()) -> bytes:
    """Draw the profile of a trial.

    Args:
        result: A trial of which at least one seed has a profile.
        title: Above the drawing.
        classes: The names of the classes, where they have some.

    Returns:
        The content of an SVG file: bars for all nodes, and where the trial has them, heat maps
        by degree and by class.
    """
    head = _text(_WIDTH / 2, 24, title, size=17)
    panels = _panels(result, classes).values()
    return _svg(
        (0, 0, _WIDTH, _HEIGHT), _WIDTH, [head, *(line for each in panels for line in each)]
    )


def profile_panels(result: TrialResult, classes: Sequence[str] = ()) -> dict[str, bytes]:
    """The panels of that drawing one by one, each narrow enough for the screen of a telephone.

    Args:
        result: As of `profile_svg`.
        classes: As of `profile_svg`.

    Returns:
        What it is of (nodes, degree, class) -> the content of an SVG file.
    """
    return {
        what: _svg((_PANELS[what], 36, _PANEL, _HEIGHT - 36), _NARROW, lines)
        for what, lines in _panels(result, classes).items()
    }


def _panels(result: TrialResult, classes: Sequence[str]) -> dict[str, list[str]]:
    """What is drawn of all nodes, and where the trial has them, by degree and by class."""
    seeds = np.array([seed.profile for seed in result.finished if seed.profile is not None])
    steps = shown_steps(seeds.mean(axis=0))
    panels = {"nodes": list(_bars(seeds[:, :steps], left=56, right=316))}
    if result.profiles is not None:
        profiles = result.profiles.with_class_names(classes)
        for left, what, rows in (
            (412, "degree", profiles.by_degree),
            (736, "class", profiles.by_class),
        ):
            if rows:  # where a trial is sealed, classes are not: labels alone tell them
                panels[what] = list(_heatmap(rows, steps, what, left, left + 204))
    return panels


def _svg(box: tuple[int, int, int, int], width: int, lines: list[str]) -> bytes:
    """A file that shows what lies within the box (left, top, width, height)."""
    left, top, broad, high = box
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {broad} {high}"'
            f' width="{width}" height="{width * high / broad:g}"'
            ' font-family="DejaVu Sans, Arial, sans-serif" font-size="13">',
            f'<rect x="{left}" y="{top}" width="{broad}" height="{high}" fill="white"/>',
            *lines,
            "</svg>\n",
        ]
    ).encode()


def _bars(profiles: "np.ndarray", left: float, right: float) -> Iterator[str]:
    mean = profiles.mean(axis=0)
    spread = profiles.std(axis=0, ddof=1) if len(profiles) > 1 else np.zeros_like(mean)
    ticks = MaxNLocator(4).tick_values(0.0, float((mean + spread).max()))
    scale, width = (_BOTTOM - _TOP) / ticks[-1], (right - left) / len(mean)
    yield _text(
        (left + right) / 2, _TOP - 14, f"q(t) of all nodes; lines: sd over {len(profiles)} seeds"
    )
    for step, (share, deviation) in enumerate(zip(mean, spread, strict=True)):
        middle = left + (step + 0.5) * width
        yield (
            f'<rect class="bar" x="{middle - 0.425 * width:.2f}"'
            f' y="{_BOTTOM - scale * share:.2f}" width="{0.85 * width:.2f}"'
            f' height="{scale * share:.2f}" fill="{BLUE}"/>'
        )
        low = max(share - deviation, 0.0)  # a share is never below zero
        yield _line(
            middle,
            _BOTTOM - scale * low,
            middle,
            _BOTTOM - scale * (share + deviation),
            ORANGE,
        )
    yield _line(left, _TOP, left, _BOTTOM)
    yield _line(left, _BOTTOM, right, _BOTTOM)
    for tick in ticks:
        y = _BOTTOM - scale * tick
        yield _line(left - 4, y, left, y)
        yield _text(left - 7, y + 4.5, f"{tick:g}", "end")
    yield from _steps(len(mean), left, right)


def _heatmap(
    rows: Mapping[str, Sequence[float]], steps: int, what: str, left: float, right: float
) -> Iterator[str]:
    values = np.array([list(q)[:steps] for q in rows.values()])
    most = float(values.max())
    # Colours by square roots: otherwise one group with q(t) near 1 would leave all others dark.
    shades = np.rint(np.sqrt(values / most) * (_SHADES - 1)).astype(int).tolist()
    width, height = (right - left) / steps, (_BOTTOM - _TOP) / len(rows)
    # The scale stands in the title: a colour bar would say no more.
    yield _text((left + right) / 2, _TOP - 14, f"q(t) by {what}: 0 (dark) to {most:.2g}")
    yield '<g shape-rendering="crispEdges">'
    for row, shades_of_row in enumerate(shades):
        for first, end, shade in _runs(shades_of_row):
            yield (
                f'<rect class="cell" x="{left + first * width:.2f}" y="{_TOP + row * height:.2f}"'
                f' width="{(end - first) * width:.2f}" height="{height:.2f}"'
                f' fill="{_colors()[shade]}"/>'
            )
    yield "</g>"
    for row, label in list(enumerate(rows))[:: max(1, math.ceil(_LINE / height))]:
        short = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
        yield _text(left - 7, _TOP + (row + 0.5) * height + 4.5, short, "end")
    yield from _steps(steps, left, right)


def _steps(steps: int, left: float, right: float) -> Iterator[str]:
    """The axis below, with at most nine steps numbered."""
    width = (right - left) / steps
    for step in range(0, steps, max(1, -(-steps // _NAMED_STEPS))):
        x = left + (step + 0.5) * width
        yield _line(x, _BOTTOM, x, _BOTTOM + 4)
        yield _text(x, _BOTTOM + 19, str(step))
    yield _text((left + right) / 2, _BOTTOM + 40, "propagation step t")


def _runs(values: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Group equal neighbours: (first place, place after the last, value)."""
    first = 0
    for place in range(1, len(values) + 1):
        if place == len(values) or values[place] != values[first]:
            yield first, place, values[first]
            first = place


@cache
def _colors() -> list[str]:
    table = colormaps[MAP].resampled(_SHADES)
    return [to_hex(table(shade)) for shade in range(_SHADES)]


def _text(x: float, y: float, text: str, anchor: str = "middle", size: int | None = None) -> str:
    own_size = "" if size is None else f' font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{own_size}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, color: str = "black") -> str:
    return f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="{color}"/>'
