"""A profile q(t) as a small PNG, which MLflow's charts put side by side for several runs.

Every trial of a search gets one, so it is drawn with Pillow, which takes a few milliseconds.
"""

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from matplotlib import get_data_path
from PIL import Image, ImageDraw, ImageFont

from l2p_search.report.drawing import BLUE, GREY, shown_steps

_MARGIN = 12
_MOST_NUMBERS = 17
"""More steps than this are not all numbered."""
_LEAST_ROOM = 28
"""Pixels that a bar needs to have its value above it."""


def profile_png(
    profile: Sequence[float], title: str, width: int = 480, height: int = 300
) -> bytes:
    """Draw q(t) over the steps, with bars on a scale from 0 to 1 in every picture.

    Args:
        profile: Probabilities of the steps 0 .. K: [T].
        title: Above the drawing; cut where it is long.
        width: In pixels.
        height: In pixels.

    Returns:
        The content of a PNG file.
    """
    shares = list(profile)[: shown_steps(profile)]
    image = Image.new("RGB", (width, height), "white")
    draw, black = ImageDraw.Draw(image), "#222222"
    large, small = (_font(17), _font(12)) if width > 300 else (_font(12), _font(10))
    middle, bottom = width / 2, height - 48
    letters = int(width / large.getlength("n"))
    cut = title if len(title) <= letters else f"…{title[1 - letters :]}"
    draw.text((middle, 18), cut, black, large, anchor="mm")
    draw.text((middle, 38), "q(t), mean over nodes and seeds", black, small, anchor="mm")
    room = (width - 2 * _MARGIN) / len(shares)
    every = -(-len(shares) // min(_MOST_NUMBERS, width // 28))
    draw.line((_MARGIN, bottom, width - _MARGIN, bottom), GREY)
    for step, share in enumerate(shares):
        left, place = _MARGIN + room * (step + 0.1), _MARGIN + room * (step + 0.5)
        top = bottom - (bottom - 66) * min(share, 1.0)
        if share > 0:
            draw.rectangle((left, top, left + 0.8 * room, bottom), BLUE)
        if share >= 0.005 and room >= _LEAST_ROOM:
            draw.text((place, top - 8), f"{share:.2f}", black, small, anchor="mm")
        if step % every == 0:
            draw.text((place, bottom + 12), str(step), black, small, anchor="mm")
    draw.text((middle, height - 14), "propagation step t", black, small, anchor="mm")
    file = io.BytesIO()
    image.quantize(16).save(file, "PNG", optimize=True)
    return file.getvalue()


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Matplotlib's own font, which has more letters than Pillow's."""
    return ImageFont.truetype(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"), size)
