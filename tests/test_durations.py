import pytest

from l2p_search.durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("45s", 45), ("30m", 1800), ("8h", 28800), ("1d12h", 129600), ("1.5 h", 5400)],
)
def test_reads_what_people_write(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5m", "0", "8 hours", "inf", "nan", "5mm", "m"])
def test_refuses_what_is_no_duration_and_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="such as 30m, 8h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (59.6, "1 min"),
        (200, "3 min 20 s"),
        (29100, "8 h 5 min"),
        (3600, "1 h"),
        (183600, "2 d 3 h"),
    ],
)
def test_writes_the_two_largest_units(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text
