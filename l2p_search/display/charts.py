"""Small charts for the terminal."""

from collections.abc import Sequence

_WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LEVELS = "▁▂▃▄▅▆▇█"


def bar(share: float, width: int = _WIDTH) -> str:
    """A horizontal bar in eighths of a character; a share of 1 fills the width."""
    eighths = round(8 * width * share)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def bar_chart(profile: Sequence[float]) -> str:
    """A line a step: its number, a bar, its probability.

    The steps after the last one that holds a thousandth are summed up in one line.
    """
    shown = max((step for step, share in enumerate(profile) if share >= 0.001), default=0) + 1
    longest = max(profile)
    lines = []
    for step, share in enumerate(profile[:shown]):
        drawn = bar(share / longest) if longest > 0 else ""
        lines.append(f"  step {step:2d}  {share:.3f}  {drawn}".rstrip())
    if shown < len(profile):
        rest = sum(profile[shown:])
        lines.append(f"  steps {shown}-{len(profile) - 1}: {rest:.3f} in all")
    return "\n".join(lines)


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
