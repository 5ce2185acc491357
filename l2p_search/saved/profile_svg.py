"""The profile of a model as a small SVG: one column per step, as high as its probability."""

from collections.abc import Sequence

_WIDTH, _HEIGHT, _TOP, _LEFT = 640, 220, 30, 10
_MOST_NUMBERS = 17
"""More steps than this are not all numbered."""


def profile_svg(profile: Sequence[float]) -> str:
    """Draw q(t) over the steps.

    Args:
        profile: Probabilities of the steps 0 .. K, [T].

    Returns:
        The text of an SVG file.

    Example:
        >>> profile_svg([0.75, 0.25]).count("<rect")
        2
    """
    room, base = (_WIDTH - 2 * _LEFT) / len(profile), _HEIGHT - 35
    highest, every = max(profile), -(-len(profile) // _MOST_NUMBERS)
    drawn = []
    for step, share in enumerate(profile):
        height = (base - _TOP) * share / highest if highest > 0 else 0.0
        left, middle = _LEFT + room * (step + 0.1), _LEFT + room * (step + 0.5)
        drawn.append(
            f'<rect x="{left:.1f}" y="{base - height:.1f}" width="{0.8 * room:.1f}"'
            f' height="{height:.1f}" fill="#3568a8"/>'
        )
        if step % every == 0:
            drawn.append(f'<text x="{middle:.1f}" y="{base + 15}">{step}</text>')
    drawn.append(
        f'<text x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 5}">propagation step t</text>'
        f'<text x="{_WIDTH / 2:.0f}" y="18">q(t), the mean over nodes and seeds; the highest is'
        f" {highest:.3f}</text>"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}"'
        ' font-family="sans-serif" font-size="12" text-anchor="middle"'
        ' style="background: white">\n' + "\n".join(drawn) + "\n</svg>\n"
    )
