"""The table of what was tried: each test of faults says what it tried, and how often."""

from collections.abc import Callable

import pytest

Tried = Callable[[str, int], None]
_counts: dict[str, int] = {}


@pytest.fixture
def tried() -> Tried:
    """Add to the table, once everything that was tried has gone well."""

    def add(what: str, times: int) -> None:
        _counts[what] = _counts.get(what, 0) + times

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table at the end."""
    if not _counts:
        return
    terminalreporter.section("faults tried, all survived")
    width = max(map(len, _counts))
    for what, times in _counts.items():
        terminalreporter.line(f"{what:{width}}  {times:6}")
    terminalreporter.line(f"{'in all':{width}}  {sum(_counts.values()):6}")
