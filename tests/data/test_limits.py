from pathlib import Path

import psutil
import pytest

from l2p_search.data import limits
from l2p_search.errors import DataError


def test_what_does_not_fit_is_refused_with_both_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free_bytes", lambda: 3 * 2**30)
    limits.check_fits("features", 3 * 2**30, "give fewer")
    with pytest.raises(DataError) as error:
        limits.check_fits("features", 50 * 2**30, "give fewer")
    assert str(error.value) == (
        "features would take 50 GB of memory, and 3.0 GB can be used; give fewer"
    )


def test_less_than_the_whole_machine_can_be_used() -> None:
    assert 0 < limits.free_bytes() < psutil.virtual_memory().total


def _container(folder: Path, most: str) -> Path:
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text("700\n")
    (folder / "memory.stat").write_text("anon 300\nfile 400\ninactive_file 150\nslab 3\n")
    return folder


def test_the_limit_of_a_container_counts_and_pages_of_files_can_be_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_CONTAINER", _container(tmp_path, "1000"))
    assert limits.available_bytes() == 1000 - 700 + 150


@pytest.mark.parametrize("most", ["max", str(2**60)])
def test_without_a_limit_of_a_container_the_machine_counts(
    most: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_CONTAINER", _container(tmp_path, most))
    assert 0 < limits.available_bytes() <= psutil.virtual_memory().total


def test_a_size_is_shown_with_as_many_digits_as_matter() -> None:
    assert [limits.gigabytes(size) for size in (2**29, 10 * 2**30, 2**41)] == [
        "0.5",
        "10",
        "2,048",
    ]
