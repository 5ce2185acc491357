import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from l2p_search.api import statuses as module
from l2p_search.api.statuses import Status, remember_status, status_of, statuses
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import drive, searched

_GOAL = Goal(trials=4, confirm=2)


@pytest.fixture
def directory(tmp_path: Path, small_graph: Graph) -> Path:
    searched(tmp_path / "s", small_graph, _GOAL).close()
    return tmp_path / "s"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The journals that are read in full."""
    done: list[Path] = []
    read = Journal.read

    def counted(directory: Path) -> Journal:
        done.append(directory)
        return read(directory)

    monkeypatch.setattr(module.Journal, "read", counted)
    return done


def test_it_is_what_the_journal_says_and_is_read_once(directory: Path, reads: list[Path]) -> None:
    first = status_of(directory)
    assert (first.ended, first.open, first.trials, first.size) == (4, 0, 4, 4)
    expected = json.loads(json.dumps(read_outcome(Journal.read(directory)).to_mapping()))
    reads.clear()
    again = status_of(directory)
    assert reads == []
    assert again.found == expected
    assert (again.best, again.confirmed) == (first.best, first.confirmed)


def test_a_copy_of_the_folder_is_known_by_its_content(
    directory: Path, tmp_path: Path, reads: list[Path]
) -> None:
    status_of(directory)
    shutil.copytree(directory, tmp_path / "copy")
    os.utime(tmp_path / "copy" / "journal.log", (1, 1))
    reads.clear()
    assert status_of(tmp_path / "copy").ended == 4
    assert reads == []


def test_a_journal_that_goes_on_or_is_damaged_is_read_again(
    directory: Path, small_graph: Graph
) -> None:
    status_of(directory)
    journal = Journal.resume(directory)
    goal = Goal(trials=6, confirm=2)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), small_graph)
    assert status_of(directory).ended == 6  # while it is locked nothing is remembered
    journal.close()
    assert status_of(directory).ended == 6
    path = directory / "journal.log"
    changed = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"complete"', b'"finished"'))
    os.utime(path, ns=(changed.st_mtime_ns, changed.st_mtime_ns + 1))
    with pytest.raises(SearchError, match="is damaged"):
        status_of(directory)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"status": {}}', '{"status": {"best": 1}}', "\x00"]
)
def test_what_is_remembered_wrongly_is_made_anew(directory: Path, text: str) -> None:
    expected = status_of(directory)
    (directory / "status.json").write_text(text)
    assert status_of(directory).found == expected.found


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, mapping: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "remember", full)
    assert status_of(directory).ended == 4


def test_what_a_search_found_is_remembered_when_it_ends(
    directory: Path, reads: list[Path]
) -> None:
    outcome = read_outcome(Journal.read(directory))
    reads.clear()
    remember_status(directory, outcome)
    assert isinstance(status_of(directory), Status)
    assert reads == []


def test_a_search_is_found_by_its_name_and_an_unknown_one_is_refused(directory: Path) -> None:
    ((found, status),) = statuses("s", directory.parent)
    assert found == directory
    assert isinstance(status, Status)
    with pytest.raises(SearchError, match="no search 'x'"):
        statuses("x", directory.parent)


def test_looking_at_searches_does_not_wait_for_torch(directory: Path) -> None:
    look = (
        "import sys; from l2p_search.api.statuses import statuses;"
        f" statuses(None, {str(directory.parent)!r}); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", look], check=True, timeout=120)
