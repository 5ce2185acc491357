import io

import pytest
from PIL import Image

from l2p_search.report.drawing import BLUE
from l2p_search.report.profile_picture import profile_png

_BLUE = tuple(bytes.fromhex(BLUE[1:]))


def _opened(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content))
    assert image.format == "PNG"
    return image.convert("RGB")


def _blue(image: Image.Image) -> int:
    near = 12  # colours are reduced to sixteen
    pixels = [image.getpixel((x, y)) for x in range(image.width) for y in range(image.height)]
    return sum(all(abs(a - b) <= near for a, b in zip(p, _BLUE, strict=True)) for p in pixels)


@pytest.mark.parametrize("size", [(480, 300), (200, 200)])
def test_the_picture_has_the_size_that_was_asked_for(size: tuple[int, int]) -> None:
    assert _opened(profile_png((0.5, 0.5), "s/001", *size)).size == size


def test_a_larger_share_is_a_larger_bar_on_one_scale_for_all_pictures() -> None:
    whole = _blue(_opened(profile_png((1.0, 0.0, 0.0), "x")))
    half = _blue(_opened(profile_png((0.5, 0.0, 0.0), "x")))
    assert whole > 0
    assert 0.4 * whole < half < 0.6 * whole


@pytest.mark.parametrize("title", ["", "x" * 500, "grün <b>&", "漢字"])
def test_any_title_and_many_steps_can_be_drawn(title: str) -> None:
    content = profile_png([1 / 65] * 65, title, 200, 200)
    assert len(content) < 10_000
    _opened(content)
