"""Small charts for the terminal."""

from collections.abc import Sequence

_WIDTH = 40
_EIGHTHS = " ▏▎▍▌▋▊▉"


def bar_chart(profile: Sequence[float]) -> str:
    """A line a step: its number, a bar in eighths of a character, its probability.

    The steps after the last one that holds a thousandth are summed up in one line.
    """
    shown = max((step for step, share in enumerate(profile) if share >= 0.001), default=0) + 1
    longest = max(profile)
    lines = []
    for step, share in enumerate(profile[:shown]):
        eighths = round(8 * _WIDTH * share / longest) if longest > 0 else 0
        bar = "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()
        lines.append(f"  step {step:2d}  {share:.3f}  {bar}".rstrip())
    if shown < len(profile):
        rest = sum(profile[shown:])
        lines.append(f"  steps {shown}-{len(profile) - 1}: {rest:.3f} in all")
    return "\n".join(lines)
