"""What the fault tests share: each records what it tried, and the end of a run shows the table.

A test takes `tried` and calls it once it knows what it is about to do:

    def test_a_full_disk_loses_no_trial(tried: Tried) -> None:
        tried("machine", "full disk while a search runs", times=3)

Rows of the same area and words are added up. A row holds if its test passes.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Tried = Callable[..., None]
_ROW = "fault"
_HEADINGS = ("area", "what was tried", "times", "held")


@pytest.fixture
def tried(record_property: Callable[[str, object], None]) -> Tried:
    """Records a row: the area, what was tried, and how many times."""

    def record(area: str, what: str, times: int = 1) -> None:
        record_property(_ROW, [area, what, times])

    return record


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a file system in memory with the given options."""
    folders: list[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / f"disk{len(folders)}"
        folder.mkdir()
        if os.system(f"mount -t tmpfs -o {options} tmpfs {folder} 2>/dev/null") != 0:
            pytest.skip("a tmpfs cannot be mounted here (it takes root)")
        folders.append(folder)
        return folder

    yield mount
    for folder in folders:
        os.system(f"umount --lazy {folder}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long fault tests are slow ones too: the command for quick tests leaves them out."""
    for item in items:
        if item.get_closest_marker("faults") is not None:
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what was tried, and how much of it held."""
    counts: dict[tuple[str, str], list[int]] = {}
    for area, what, times, held in _rows(terminalreporter):
        row = counts.setdefault((area, what), [0, 0])
        row[0] += times
        row[1] += times if held else 0
    if not counts:
        return
    rows = [(area, what, str(n), str(held)) for (area, what), (n, held) in sorted(counts.items())]
    total = ("", "in all", *(str(sum(each)) for each in zip(*counts.values(), strict=True)))
    terminalreporter.section("faults")
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, total, strict=True)]
    for area, what, n, held in (_HEADINGS, *rows, total):
        line = f"{area:<{widths[0]}}  {what:<{widths[1]}}  {n:>{widths[2]}}  {held:>{widths[3]}}"
        terminalreporter.write_line(line)


def _rows(reporter: pytest.TerminalReporter) -> Iterator[tuple[str, str, int, bool]]:
    for outcome in ("passed", "failed"):
        for report in reporter.stats.get(outcome, []):
            if getattr(report, "when", None) == "call":
                for name, value in report.user_properties:
                    if name == _ROW:
                        yield (*value, outcome == "passed")
