"""Durations as people write them: 90, 45s, 30m, 8h, 1d12h."""

import re

_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_LONGEST = 40
_PART = re.compile(r"(\d+(?:\.\d+)?)([dhms])")


def parse_duration(text: str) -> float:
    """Seconds. A bare number is seconds too."""
    if len(text) > _LONGEST:
        raise ValueError(f"'{text[:_LONGEST]}..' is no duration; write it such as 30m or 8h")
    compact = text.strip().lower().replace(" ", "")
    parts = _PART.findall(compact)
    if "".join(number + unit for number, unit in parts) == compact and compact:
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    else:
        try:
            seconds = float(compact)
        except ValueError:
            seconds = -1.0
    if not 0.0 < seconds < float("inf"):
        raise ValueError(f"'{text}' is no duration; write it such as 30m, 8h or 1d12h")
    return seconds


def format_duration(seconds: float) -> str:
    """The two largest units: 45 s, 3 min 20 s, 8 h 5 min, 2 d 3 h."""
    whole = round(seconds)
    for large, size, small, part in (
        ("d", 86400, "h", 3600),
        ("h", 3600, "min", 60),
        ("min", 60, "s", 1),
    ):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {large}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"
