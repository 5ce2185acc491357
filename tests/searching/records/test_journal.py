import os
import shutil
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import SPACE, begin, drive, outcomes, searched, settings

_GOAL = Goal(trials=5, confirm=3)


def test_what_was_written_is_read_back(tmp_path: Path, small_graph: Graph) -> None:
    written = searched(tmp_path / "s", small_graph, _GOAL, race="paired")
    read = Journal.read(tmp_path / "s")
    assert read.settings == settings(race="paired")
    assert read.goal == _GOAL
    assert read.records() == written.records()
    assert read.confirmations() == written.confirmations()
    assert len(read.confirmations()) >= 1


def test_each_invocation_is_noted(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    journal.begin(_GOAL, {"command": "first"})
    journal.begin(Goal(trials=9), {"command": "second"})
    assert [each["command"] for each in journal.invocations] == ["first", "second"]
    assert journal.goal == Goal(trials=9)


def test_a_journal_cut_off_at_any_byte_is_resumed_without_loss_of_a_whole_line(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=4, confirm=0)
    whole = searched(tmp_path / "whole", small_graph, goal)
    whole.close()
    data = (tmp_path / "whole" / "journal.log").read_bytes()
    begun = data.index(b'"settings"')
    begun = data.index(b"\n", begun) + 1
    # Every end of a line, and bytes around it; the bytes in the middle of lines are alike.
    ends = [place + 1 for place in range(begun, len(data)) if data[place : place + 1] == b"\n"]
    cuts = sorted({begun + 7} | {end + off for end in ends for off in (-2, -1, 0, 9)})
    for cut in cuts[::3]:
        shutil.rmtree(tmp_path / "cut", ignore_errors=True)
        (tmp_path / "cut").mkdir()
        (tmp_path / "cut" / "journal.log").write_bytes(data[:cut])
        recorded = Journal.read(tmp_path / "cut").records()
        journal = Journal.resume(tmp_path / "cut")
        assert [r for r in journal.records() if r.status is TrialStatus.COMPLETE] == [
            r for r in recorded if r.status is TrialStatus.COMPLETE
        ]
        drive(Coordinator(journal, goal, concurrency=1), small_graph)
        assert outcomes(journal) == outcomes(whole), f"cut at byte {cut} of {len(data)}"
        journal.close()


def test_a_result_whose_state_was_not_yet_told_counts_as_finished(
    tmp_path: Path, small_graph: Graph
) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "s" / "journal.log"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    journal = Journal.resume(tmp_path / "s")
    assert [record.status for record in journal.records()] == [TrialStatus.COMPLETE] * 2
    assert Coordinator(journal, Goal(trials=2, confirm=0), concurrency=1).next_task() is None


def test_two_writers_are_refused_and_the_second_is_told_who_the_first_is(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    assert is_locked(tmp_path / "s")
    with pytest.raises(SearchError, match=f"is being run by process {os.getpid()}"):
        Journal.resume(tmp_path / "s")
    journal.close()
    assert not is_locked(tmp_path / "s")
    Journal.resume(tmp_path / "s").close()


def test_a_reader_needs_no_lock_and_sees_what_is_there(tmp_path: Path, small_graph: Graph) -> None:
    journal = begin(tmp_path / "s")
    coordinator = Coordinator(journal, Goal(trials=5), concurrency=2)
    drive(coordinator, small_graph, stop_after=2)
    records = Journal.read(tmp_path / "s").records()
    assert [record.status.value for record in records] == ["complete", "complete", "running"]


def test_a_full_disk_is_one_clear_line_and_the_search_can_be_resumed(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    goal = Goal(trials=6, confirm=0)
    whole = searched(tmp_path / "whole", small_graph, goal)
    journal = begin(tmp_path / "s")
    coordinator = Coordinator(journal, goal, concurrency=1)
    sync, left = os.fsync, 7

    def full(fd: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            os.ftruncate(fd, os.fstat(fd).st_size - 5)  # the line got only half through
            raise OSError(28, "No space left on device")
        sync(fd)

    monkeypatch.setattr(os, "fsync", full)
    drive(coordinator, small_graph)
    assert "No space left on device" in str(coordinator.fatal)
    assert "resume=True" in str(coordinator.fatal)
    monkeypatch.undo()
    journal.close()
    journal = Journal.resume(tmp_path / "s")
    assert journal.records()
    drive(Coordinator(journal, goal, concurrency=1), small_graph)
    assert outcomes(journal) == outcomes(whole)


def test_a_folder_without_a_search_is_named(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match="no search lives there"):
        Journal.read(tmp_path)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchError, match="cannot be written"):
        Journal.create(tmp_path / "file" / "s", settings(SPACE))


def test_its_identifier_is_random_and_stays(tmp_path: Path) -> None:
    first, second = begin(tmp_path / "first"), begin(tmp_path / "second")
    assert len(first.uid) == 32
    assert first.uid != second.uid
    assert Journal.read(tmp_path / "first").uid == first.uid
