"""Drawings for a page, as small SVGs whose colours follow the page: bars, courses, lines, curves.

Text is 12 pixels in a drawing about 360 wide, so that it can be read on a telephone. Values of
single points are told by tooltips, which need no program.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from matplotlib import colormaps
from matplotlib.colors import to_hex
from matplotlib.ticker import MaxNLocator

from l2p_search.effects import Effects
from l2p_search.report.drawing import MAP, shown_steps
from l2p_search.report.search_figures import Point

_WIDTH, _HEIGHT = 380, 230
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 364, 12, 186
_MOST_NUMBERS = 13
_LEAST_ROW = 15
"""The height of a map's row in which its label can be read."""
_MOST_AXES = 5
"""Of one drawing of trials as lines: as many as a telephone has room for."""


def profile_bars(
    profile: Sequence[float], spread: Sequence[float] = (), label: str = "q(t)"
) -> str:
    """A profile as bars: the share of each step, with its standard deviation over the seeds.

    Args:
        profile: q(t): [T].
        spread: One per step, or none.
        label: Of the upright axis.

    Returns:
        SVG.
    """
    shares = list(profile)[: shown_steps(profile)]
    top = max(0.01, *(s + (spread[t] if spread else 0.0) for t, s in enumerate(shares)))
    ticks = [tick for tick in MaxNLocator(4).tick_values(0.0, top) if tick >= 0.0]
    room = (_RIGHT - _LEFT) / len(shares)
    parts = [*_upright(ticks, label)]
    for step, share in enumerate(shares):
        x, y = _LEFT + room * (step + 0.1), _place(share, ticks)
        parts.append(
            f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{0.8 * room:.1f}"'
            f' height="{_BOTTOM - y:.1f}"><title>step {step}: {share:.3f}</title></rect>'
        )
        if spread:
            middle, low = x + 0.4 * room, max(0.0, share - spread[step])
            high = _place(share + spread[step], ticks)
            parts.append(
                f'<path class="spread" d="M{middle:.1f} {_place(low, ticks):.1f}V{high:.1f}"/>'
            )
    parts += _steps(len(shares), _LEFT, room)
    return _svg(parts)


def heat_map(rows: Mapping[str, Sequence[float]], steps: int, what: str) -> str:
    """Profiles of groups of nodes: a row per group, brighter where q(t) is larger.

    Args:
        rows: Group -> q(t).
        steps: How many steps to show.
        what: The groups are by what.

    Returns:
        SVG.
    """
    left = min(150, 26 + 7 * max(map(len, (what, *rows))))
    room, height = (_RIGHT - left) / steps, max(_LEAST_ROW, (_BOTTOM - _TOP) / len(rows))
    bottom = _TOP + len(rows) * height
    most = max(max(list(q)[:steps]) for q in rows.values()) or 1.0
    parts = []
    for row, (label, q) in enumerate(rows.items()):
        y = _TOP + row * height
        for step, share in enumerate(list(q)[:steps]):
            shade = to_hex(colormaps[MAP](math.sqrt(max(0.0, share) / most)))
            parts.append(
                f'<rect x="{left + step * room:.1f}" y="{y:.1f}" width="{room + 0.3:.1f}"'
                f' height="{height + 0.3:.1f}" fill="{shade}">'
                f"<title>{escape(what)} {escape(label)}, step {step}: {share:.3f}</title></rect>"
            )
        short = label if len(label) <= 17 else f"{label[:16]}…"
        parts.append(_text(left - 6, y + height / 2 + 4, short, "end"))
    parts += _steps(steps, left, room, bottom)
    parts.append(_text(left - 6, bottom + 18, what, "end"))
    return _svg(parts, height=bottom + _HEIGHT - _BOTTOM)


def course(points: Sequence[Point], label: str) -> str:
    """Scores over the trials with the best so far; trials that were stopped early are crosses.

    Args:
        points: The trials by number.
        label: Of the upright axis.

    Returns:
        SVG.
    """
    ordered = sorted(points, key=lambda point: point.number)
    scores = [point.score for point in ordered]
    ticks = _ticks(min(scores), max(scores))
    last = max(1, ordered[-1].number)
    parts, best = [*_upright(ticks, label)], -math.inf
    line: list[str] = []
    for point in ordered:
        x = _LEFT + 8 + (_RIGHT - _LEFT - 16) * point.number / last
        y = _place(point.score, ticks)
        said = f"<title>trial {point.number}: {point.score:.2f} %</title>"
        if point.complete:
            parts.append(f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4">{said}</circle>')
            if point.score > best:
                best = point.score
                line.append(f"{'H' if line else 'M'}{x:.1f}{' ' if not line else 'V'}{y:.1f}")
        else:
            parts.append(
                f'<path class="stop" d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6">{said}</path>'
            )
    if line:
        parts.append(f'<path class="best" d="{"".join(line)}H{_RIGHT - 4}"/>')
    for number in _whole(last):
        x = _LEFT + 8 + (_RIGHT - _LEFT - 16) * number / last
        parts.append(_text(x, _BOTTOM + 18, str(number)))
    parts.append(_text((_LEFT + _RIGHT) / 2, _BOTTOM + 38, "trial"))
    return _svg(parts)


def importance_bars(importance: Effects) -> str:
    """Shares of the variance as bars with their intervals, and in grey what is left."""
    rows = [(key, each.share, each.low, each.high) for key, each in importance.shares.items()]
    rows.append(("interactions", importance.interactions, 0.0, 0.0))
    left, height = 118, 26
    wide = _RIGHT - left - 8
    parts = []
    for place, (key, share, low, high) in enumerate(rows):
        y = _TOP + place * height
        kind = "rest" if key == "interactions" else "bar"
        parts.append(
            f'<rect class="{kind}" x="{left}" y="{y}" width="{wide * max(0.0, share):.1f}"'
            f' height="{height - 8}"><title>{escape(key)}: {share:.2f}</title></rect>'
        )
        if high > low:
            middle = y + (height - 8) / 2
            start, end = left + wide * max(0.0, low), left + wide * min(1.0, high)
            parts.append(f'<path class="spread" d="M{start:.1f} {middle:.1f}H{end:.1f}"/>')
        parts.append(_text(left - 6, y + 13, key, "end"))
    bottom = _TOP + len(rows) * height
    for tick in (0.0, 0.5, 1.0):
        parts.append(_text(left + wide * tick, bottom + 12, f"{tick:g}"))
    return _svg(parts, height=bottom + 20)


def curves_lines(
    epochs: Sequence[int], series: Mapping[str, Sequence[float]], label: str, across: str = "epoch"
) -> str:
    """Curves: one line, or two of which the second is blue.

    Args:
        epochs: The horizontal axis.
        series: Name -> values.
        label: Of the upright axis.
        across: Of the other one.

    Returns:
        SVG.
    """
    values = [value for each in series.values() for value in each if math.isfinite(value)]
    ticks = _ticks(min(values), max(values))
    last = max(1, epochs[-1])
    parts = [*_upright(ticks, label)]
    for place, (name, each) in enumerate(series.items()):
        path = " ".join(
            f"{'L' if i else 'M'}{_LEFT + (_RIGHT - _LEFT) * e / last:.1f} {_place(v, ticks):.1f}"
            for i, (e, v) in enumerate(zip(epochs, each, strict=True))
            if math.isfinite(v)
        )
        kind = ("best", "second")[place % 2]
        parts.append(f'<path class="{kind}" d="{path}"><title>{escape(name)}</title></path>')
        if len(series) > 1:  # below the axis, one on either side, where no line can go
            x, y = (_LEFT, _RIGHT - 84)[place % 2], _BOTTOM + 38
            parts.append(f'<path class="{kind}" d="M{x} {y - 4}h16"/>')
            parts.append(_text(x + 22, y, name, "start"))
    for number in _whole(last):
        parts.append(_text(_LEFT + (_RIGHT - _LEFT) * number / last, _BOTTOM + 18, str(number)))
    parts.append(_text((_LEFT + _RIGHT) / 2, _BOTTOM + 38, across))
    return _svg(parts)


def trial_lines(points: Sequence[Point], keys: Sequence[str], label: str) -> list[str]:
    """Complete trials as lines through their hyperparameters to their score.

    Args:
        points: The trials, at least one of them complete.
        keys: The hyperparameters, at least one.
        label: Of the last axis.

    Returns:
        SVGs of few axes each, of which the last is the score; the best trial's line is drawn
        last, and bold.
    """
    charts = -(-len(keys) // (_MOST_AXES - 1))
    most = -(-len(keys) // charts)
    return [
        _lines_through(points, keys[first : first + most], label)
        for first in range(0, len(keys), most)
    ]


def _lines_through(points: Sequence[Point], keys: Sequence[str], label: str) -> str:
    ordered = sorted((each for each in points if each.complete), key=lambda each: each.score)
    scores = [each.score for each in ordered]
    low, high = min(scores), max(scores)
    top, bottom, left, right = 32, _HEIGHT - 10, 46, _RIGHT - 14
    room = (right - left) / len(keys)
    places, parts = [], []
    for index, key in enumerate([*keys, label]):
        x = left + index * room
        if index < len(keys):
            heights, ticks = _axis([each.values[key] for each in ordered])
        else:  # always to scale: scores are what is compared
            heights, ticks = _to_scale(scores)
        places.append([bottom - (bottom - top) * height for height in heights])
        parts.append(f'<path class="axis" d="M{x:.1f} {top}V{bottom}"/>')
        parts.append(_text(x, top - 16, key if len(key) <= 12 else f"{key[:11]}…"))
        for height, text in ticks.items():
            y = bottom - (bottom - top) * height + 4
            parts.append(_text(x - 5, y, text, "end"))
    lines = []
    for place, each in enumerate(ordered):
        path = "L".join(
            f"{left + index * room:.1f} {column[place]:.1f}" for index, column in enumerate(places)
        )
        shown = 0.25 + 0.65 * (each.score - low) / ((high - low) or 1.0)
        best = place == len(ordered) - 1
        kind = 'class="best"' if best else f'class="trial" stroke-opacity="{shown:.2f}"'
        said = f"<title>trial {each.number}: {each.score:.2f} %</title>"
        lines.append(f'<path {kind} d="M{path}">{said}</path>')
    return _svg([*lines, *parts])


def spark(profile: Sequence[float]) -> str:
    """A profile as a few bars without axes, for a cell of a table."""
    shares = list(profile)[: shown_steps(profile)]
    room = 96 / len(shares)
    bars = [
        f'<rect class="bar" x="{room * (t + 0.1):.1f}" y="{28 - 26 * share:.1f}"'
        f' width="{0.8 * room:.1f}" height="{26 * share:.1f}"><title>step {t}: {share:.2f}</title>'
        "</rect>"
        for t, share in enumerate(shares)
    ]
    inner = "".join([*bars, '<path class="axis" d="M0 28H96"/>'])
    return f'<svg viewBox="0 0 96 29" style="width:6rem" role="img">{inner}</svg>'


def _axis(values: Sequence[object]) -> tuple[list[float], dict[float, str]]:
    """Each value's place from 0 to 1, and what stands at the axis."""
    distinct = sorted(set(values), key=lambda v: (isinstance(v, str), v))
    numbers = [float(v) for v in values if isinstance(v, (int, float))]
    if len(distinct) > 8 and len(numbers) == len(values):
        return _to_scale(numbers)
    top = max(1, len(distinct) - 1)
    heights = {value: rank / top for rank, value in enumerate(distinct)}
    named = {
        height: f"{value:.4g}" if isinstance(value, float) else str(value)[:9]
        for value, height in heights.items()
    }
    return [heights[value] for value in values], named


def _to_scale(numbers: Sequence[float]) -> tuple[list[float], dict[float, str]]:
    """The same where distances count; by logarithms where a range is wide."""
    log = min(numbers) > 0.0 and max(numbers) / min(numbers) > 30.0
    scaled = [math.log(v) if log else v for v in numbers]
    low, width = min(scaled), (max(scaled) - min(scaled)) or 1.0
    parts = (0.0, 0.25, 0.5, 0.75, 1.0) if max(scaled) > low else (0.0,)
    marks = {
        part: f"{math.exp(low + part * width) if log else low + part * width:.3g}"
        for part in parts
    }
    return [(v - low) / width for v in scaled], marks


def _ticks(low: float, high: float) -> list[float]:
    """Round values around the data: an axis from 0 would hide what differs."""
    margin = 0.05 * (high - low) or max(0.5, 0.01 * abs(high))
    return [float(tick) for tick in MaxNLocator(4).tick_values(low - margin, high + margin)]


def _place(value: float, ticks: Sequence[float]) -> float:
    width = (ticks[-1] - ticks[0]) or 1.0
    return _BOTTOM - (_BOTTOM - _TOP) * (value - ticks[0]) / width


def _upright(ticks: Sequence[float], label: str) -> Iterator[str]:
    yield f'<path class="axis" d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}"/>'
    for tick in ticks:
        yield _text(_LEFT - 5, _place(tick, ticks) + 4, f"{tick:g}", "end")
    yield (
        f'<text transform="translate(10 {(_TOP + _BOTTOM) / 2:.0f}) rotate(-90)"'
        f' text-anchor="middle" font-size="11">{escape(label)}</text>'
    )


def _steps(steps: int, left: float, room: float, bottom: float = _BOTTOM) -> Iterator[str]:
    for step in range(0, steps, max(1, -(-steps // _MOST_NUMBERS))):
        yield _text(left + room * (step + 0.5), bottom + 18, str(step))
    yield _text(left + room * steps / 2, bottom + 38, "propagation step t")


def _whole(last: int) -> list[int]:
    return [int(t) for t in MaxNLocator(5, integer=True).tick_values(0, last) if 0 <= t <= last]


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(parts: Sequence[str], height: float = _HEIGHT) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img">{"".join(parts)}</svg>'
