import os
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, in_shell
from l2p_search.node_hits import NodeHits
from l2p_search.results import SeedResult, TrialStatus
from l2p_search.searching.records import journal as journal_module
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import DirectoryLock, is_locked
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.axes import Axes
from tests.searching.pretend import SPACE, begin, drive, outcomes, searched, settings
from tests.searching.records.made import result

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


def test_the_start_of_an_invocation_is_noted_as_a_moment_that_any_program_can_read(
    tmp_path: Path,
) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    journal = begin(tmp_path / "s")
    journal.begin(_GOAL, {})
    started = datetime.fromisoformat(str(journal.invocations[-1]["started"]))
    assert before <= started <= datetime.now(UTC)


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
    told = [(trial.state, trial.value) for trial in journal._stored.trials()]
    assert told == [(TrialState.COMPLETE, record.objective) for record in journal.records()]
    assert Coordinator(journal, Goal(trials=2, confirm=0), concurrency=1).next_task() is None


def test_resuming_drops_a_cut_off_line_and_what_was_only_asked_for(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    journal.proposals.ask(RandomSampler(0), Axes(SPACE).distributions)
    journal.close()
    with open(tmp_path / "s" / "journal.log", "ab") as file:
        file.write(b'{"op_code":')
    journal = Journal.resume(tmp_path / "s")
    assert [trial.state for trial in journal._stored.trials()] == [TrialState.FAIL]
    journal.close()
    assert (tmp_path / "s" / "journal.log").read_bytes().endswith(b"}\n")
    assert Journal.read(tmp_path / "s").records() == []


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


def test_a_search_begins_in_new_folders_and_never_over_another(tmp_path: Path) -> None:
    begin(tmp_path / "new" / "s").close()
    before = (tmp_path / "new" / "s" / "journal.log").read_bytes()
    with pytest.raises(SearchError) as raised:
        begin(tmp_path / "new" / "s")
    assert in_shell(raised.value.message).endswith("a search lives there already; add --resume")
    assert (tmp_path / "new" / "s" / "journal.log").read_bytes() == before
    assert not is_locked(tmp_path / "new" / "s")


@pytest.mark.parametrize("left", [b"", b'{"op_code":0,"study_na'])
def test_a_search_that_is_just_being_created_is_told_from_one_that_never_began(
    left: bytes, tmp_path: Path
) -> None:
    (tmp_path / "journal.log").write_bytes(left)
    lock = DirectoryLock(tmp_path)
    with pytest.raises(SearchError, match="has just begun; try again"):
        Journal.read(tmp_path)
    lock.release()
    with pytest.raises(SearchError, match="was stopped before it began; start it again without"):
        Journal.read(tmp_path)
    begin(tmp_path).close()  # what it left is replaced
    assert (tmp_path / "journal.log").read_bytes().endswith(b"\n")
    assert Journal.read(tmp_path).settings == settings()


@pytest.mark.parametrize("left", [b"", b'{"op_code":0}\n' * 5])
def test_a_search_that_cannot_be_resumed_is_not_kept_locked(left: bytes, tmp_path: Path) -> None:
    (tmp_path / "journal.log").write_bytes(left)
    with pytest.raises(SearchError) as raised:
        Journal.resume(tmp_path)
    assert str(tmp_path) in str(raised.value)
    assert not is_locked(tmp_path)


def test_it_spans_the_first_invocation_to_the_last_end(tmp_path: Path, small_graph: Graph) -> None:
    before = time.time()
    journal = begin(tmp_path / "s")
    assert journal.span == (None, None)
    journal._stored.set("invocations", [{"command": "of an early version, without its time"}])
    assert journal.span == (None, None)
    journal.begin(_GOAL, {})
    began, ended = journal.span
    assert began is not None
    assert int(before) <= began <= time.time()  # noted in whole seconds
    assert ended is None
    assert Coordinator(journal, _GOAL).next_task() is not None
    assert journal.span == (began, None)  # what runs has not ended
    drive(Coordinator(journal, Goal(trials=2, confirm=0)), small_graph)
    first = journal.span[1]
    journal.begin(_GOAL, {"started": "2999-01-01T00:00:00+0000"})
    drive(Coordinator(journal, Goal(trials=2, confirm=3)), small_graph)
    assert journal.span[0] == began
    assert first is not None
    assert journal.span[1] is not None
    assert began <= first <= journal.span[1] <= time.time()
    assert journal.span[1] > first  # a confirmation is the last that ended


def test_trials_come_by_their_number_whatever_the_order_of_their_proposals(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    for number in (1, 0, 2):
        asked = journal.proposals.ask(RandomSampler(number), Axes(SPACE).distributions)
        config = journal.settings.config(Axes(SPACE).point(asked.params))
        journal.proposals.accept(asked, number, config)
    assert [record.number for record in journal.records()] == [0, 1, 2]
    assert [record.number for record in Journal.read(tmp_path / "s").records()] == [0, 1, 2]


def test_results_on_fresh_splits_are_kept_apart_from_those_on_the_graphs_own(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s")
    own, fresh = result([80.0, 81.0], first_seed=20), result([70.0, 71.0], first_seed=20)
    journal.confirm(own)
    journal.confirm(fresh, splits="60/20/20")
    key = own.config.config_id, (20, 21)
    read = Journal.read(tmp_path / "s")
    assert read.confirmations() == {key: own}
    assert read.checked() == {(*key, None): own, (*key, "60/20/20"): fresh}


def test_a_confirmation_keeps_what_each_node_contributes_and_one_without_scores_is_kept(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s")
    hits = NodeHits(np.array([1, 4]), np.array([100.0, 0.0]))
    found = result([51.0], first_seed=20)
    found = replace(found, seeds=(replace(found.seeds[0], hits=hits),))
    journal.confirm(found)
    failed = SeedResult(seed=21, split=0, reason="diverged at epoch 3", epochs=3)
    nothing = replace(found, seeds=(failed,))
    journal.confirm(nothing)
    kept, without = Journal.read(tmp_path / "s").checked().values()
    assert kept.seeds[0].hits.nodes.tolist() == [1, 4]
    assert kept.seeds[0].hits.values.tolist() == [100.0, 0.0]
    assert without == nothing


def test_a_look_is_noted_with_its_time_behind_a_line_that_was_cut_off(tmp_path: Path) -> None:
    begin(tmp_path / "s").close()
    with open(tmp_path / "s" / "journal.log", "ab") as file:
        file.write(b'{"op_code":')
    Journal.note_look(tmp_path / "s", {"by": "train", "seeds": 2})
    assert not is_locked(tmp_path / "s")
    (look,) = Journal.read(tmp_path / "s").looks
    assert (look["by"], look["seeds"]) == ("train", 2)
    assert look["when"].startswith(time.strftime("%Y-"))


def test_a_look_at_a_search_that_never_began_is_refused_and_locks_nothing(tmp_path: Path) -> None:
    (tmp_path / "journal.log").write_bytes(b"")
    with pytest.raises(SearchError, match="was stopped before it began") as raised:
        Journal.note_look(tmp_path, {"by": "train", "seeds": 2})
    assert not is_locked(tmp_path), raised
    assert (tmp_path / "journal.log").read_bytes() == b""


def test_its_brief_is_kept_once_per_so_many_bytes_of_results(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    step = 5_000
    monkeypatch.setattr(journal_module, "STEP", step)
    monkeypatch.setattr(
        journal_module,
        "keep_brief",
        lambda directory: kept.append((directory / "journal.log").stat().st_size),
    )
    searched(tmp_path / "s", small_graph, Goal(trials=12, confirm=0)).close()
    steps = [after - before for before, after in zip([0, *kept], kept, strict=False)]
    assert len(kept) > 2
    assert all(step <= each < 2 * step for each in steps)  # a trial is shorter than a step
