"""The profile is drawn as columns."""

from xml.etree import ElementTree

import pytest

from l2p_search.saved.profile_svg import profile_svg

_SPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("profile", [(1.0,), (0.6, 0.3, 0.1), tuple([1 / 65] * 65), (0.0, 0.0)])
def test_a_column_per_step_is_as_high_as_its_share(profile: tuple[float, ...]) -> None:
    drawn = ElementTree.fromstring(profile_svg(profile))
    heights = [float(column.attrib["height"]) for column in drawn.iter(f"{_SPACE}rect")]
    assert len(heights) == len(profile)
    for height, share in zip(heights, profile, strict=True):
        assert height == pytest.approx(max(heights) * share / (max(profile) or 1.0), abs=0.06)


def test_at_most_seventeen_steps_are_numbered() -> None:
    drawn = ElementTree.fromstring(profile_svg([1 / 65] * 65))
    numbers = [text.text for text in drawn.iter(f"{_SPACE}text") if (text.text or "").isdigit()]
    assert numbers == [str(step) for step in range(0, 65, 4)]
