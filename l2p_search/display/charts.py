"""Small charts for the terminal."""

from collections.abc import Sequence

_WIDTH = 40
_MOST_LINES = 12
_ALONE = 8
"""Steps that have a line each where there are more than fit."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LEVELS = "▁▂▃▄▅▆▇█"


def bar(share: float, width: int = _WIDTH) -> str:
    """A horizontal bar in eighths of a character; a share of 1 fills the width."""
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def bar_chart(profile: Sequence[float]) -> str:
    """A line a step: its number, its probability, a bar.

    Of more than twelve steps those from the eighth on are told in ranges that double, each with
    its sum. The steps after the last one that holds a thousandth are summed up in one line.
    """
    shown = max((step for step, share in enumerate(profile) if share >= 0.001), default=0) + 1
    ranges = _ranges(shown)
    sums = [sum(profile[first : last + 1]) for first, last in ranges]
    names = [f"{first}" if first == last else f"{first}-{last}" for first, last in ranges]
    width, longest = max(2, *map(len, names)), max(sums)
    lines = []
    for name, share in zip(names, sums, strict=True):
        drawn = bar(share / longest) if longest > 0 else ""
        lines.append(f"  step {name:>{width}}  {share:.3f}  {drawn}".rstrip())
    if shown < len(profile):
        rest = sum(profile[shown:])
        lines.append(f"  steps {shown}-{len(profile) - 1}: {rest:.3f} in all")
    return "\n".join(lines)


def _ranges(steps: int) -> list[tuple[int, int]]:
    """First and last step of each line."""
    alone = steps if steps <= _MOST_LINES else _ALONE
    found, first = [(step, step) for step in range(alone)], alone
    while first < steps:
        last = min(2 * first, steps) - 1
        found.append((first, last))
        first = last + 1
    return found


def sparkline(values: Sequence[float], width: int = 30) -> str:
    """The values as a line of small columns, the lowest to the highest; thinned to the width."""
    if not values:
        return ""
    if len(values) > width:
        values = [values[(index + 1) * len(values) // width - 1] for index in range(width)]
    low, high = min(values), max(values)
    if high == low:
        return _LEVELS[-1] * len(values)
    scale = (len(_LEVELS) - 1) / (high - low)
    return "".join(_LEVELS[round((value - low) * scale)] for value in values)
