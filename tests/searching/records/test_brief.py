import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from optuna.samplers import RandomSampler

from l2p_search.api.statuses import Status, status_of
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.searching.records import journal as journal_module
from l2p_search.searching.records.brief import keep_brief, read_brief
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.remembered import remember
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.standing import Seen
from l2p_search.searching.space.axes import Axes
from tests.searching.pretend import SPACE, begin, pretend_training, searched

_SHOWN = ("dataset", "space", "seeds", "metric", "trials")


@pytest.fixture(params=[None, "halving", "paired"])
def directory(request: pytest.FixtureRequest, tmp_path: Path, small_graph: Graph) -> Path:
    goal = Goal(trials=16, confirm=2)
    searched(tmp_path / "s", small_graph, goal, race=request.param).close()
    return tmp_path / "s"


def _shown(status: Status) -> object:
    best = status.found["best"]
    found = {key: status.found[key] for key in _SHOWN}
    number = None if best is None else best["number"]
    return (status.sampler, status.trials, status.size, status.best, status.confirmed,
            found, number)  # fmt: skip


def test_a_search_cut_anywhere_is_shown_as_its_whole_journal_says(directory: Path) -> None:
    path, chance = directory / "journal.log", random.Random(0)
    lines = path.read_bytes().splitlines(keepends=True)
    goal = next(number for number, line in enumerate(lines) if b'"goal"' in line)
    for end in sorted({len(lines), *chance.sample(range(goal + 2, len(lines)), 12)}):
        kept = chance.randint(goal + 2, end)
        path.write_bytes(b"".join(lines[:kept]))
        (directory / "brief.json").unlink(missing_ok=True)
        keep_brief(directory)
        path.write_bytes(b"".join(lines[:end]) + lines[0][:20])
        assert read_brief(directory) is not None
        briefly = _shown(status_of(directory, whole=False))
        (directory / "brief.json").unlink()
        assert briefly == _shown(status_of(directory))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_equal_trials_the_earlier_one_is_the_best_whichever_ended_first(
    order: tuple[int, int], tmp_path: Path, small_graph: Graph
) -> None:
    goal, journal = Goal(trials=2, confirm=0), begin(tmp_path / "s")
    journal.begin(goal, {})
    coordinator = Coordinator(journal, goal, concurrency=2)
    tasks = [coordinator.next_task(), coordinator.next_task()]
    for number in order:
        task = tasks[number]
        assert task is not None
        equal = pretend_training(small_graph, TrialConfig(), range(20))
        coordinator.report(task, equal.measured())
    journal.close()
    keep_brief(tmp_path / "s")
    brief = read_brief(tmp_path / "s")
    assert brief is not None
    best = brief.best_trial(tmp_path / "s")
    assert best is not None
    assert best.number == 0


def test_points_that_became_no_trial_are_not_kept_and_one_that_runs_is_counted(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s")
    journal.begin(Goal(trials=3), {})
    asked = [journal.proposals.ask(RandomSampler(0), Axes(SPACE).distributions) for _ in range(4)]
    journal.proposals.accept(asked[0], 0, TrialConfig())
    journal.proposals.answer(asked[1], Seen(0, None))
    journal.proposals.skip(asked[2], "they exclude each other")
    keep_brief(tmp_path / "s")
    brief = read_brief(tmp_path / "s")
    assert brief is not None
    assert set(brief.open) == {0, 3}
    assert brief.trials == {"running": 1}
    journal.close()
    Journal.resume(tmp_path / "s").close()  # drops what was only asked for
    brief.read_on(tmp_path / "s")
    assert set(brief.open) == {0}


def test_a_result_on_fresh_splits_is_not_taken_for_the_confirmation(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=2, ties=0))
    ((_, seeds), own), *_ = journal.confirmations().items()
    journal.confirm(replace(own, seconds=99.0), splits="2x48/32/20")
    journal.close()
    keep_brief(tmp_path / "s")
    brief = read_brief(tmp_path / "s")
    assert brief is not None
    assert brief.confirmation(tmp_path / "s", own.config, seeds) == own
    assert brief.confirmation(tmp_path / "s", own.config, (*seeds, 99)) is None


def test_it_is_kept_anew_for_every_256_kilobytes() -> None:
    assert journal_module.STEP == 256 * 1024


def test_it_is_kept_while_a_long_search_runs_and_read_without_all_results(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "STEP", 5_000)
    searched(tmp_path / "s", small_graph, Goal(trials=12, confirm=0)).close()
    kept = json.loads((tmp_path / "s" / "brief.json").read_text())["brief"]
    assert 4 < sum(kept["counts"].values()) <= 12
    assert kept["best"][0]["user_attrs"]["outcome"]["result"] is None, "its place is kept instead"
    monkeypatch.setattr(journal_module.Journal, "read", None)
    assert status_of(tmp_path / "s", whole=False).ended == 12


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(path.read_bytes().replace(b"complete", b"finished")),
        lambda path: path.write_bytes(path.read_bytes()[:-900]),
        lambda path: (path.parent / "brief.json").write_text("[]"),
        lambda path: (path.parent / "brief.json").write_text('{"version": 1, "format": 2}'),
        lambda path: os.truncate(path.parent / "brief.json", 300),
        lambda path: _change(path, lambda kept: kept["brief"]["counts"].update(complete=99)),
        lambda path: _change(path, lambda kept: kept["brief"].pop("confirmed")),
        lambda path: _change(path, lambda kept: kept["brief"].update(size="many")),
        lambda path: _change(path, lambda kept: kept.update(version=99)),
        lambda path: _as_new(path, {"version": 99, "format": 2, "brief": {"other": 1}}),
        lambda path: _as_new(path, {"version": 2, "format": 99, "brief": {"other": 1}}),
        lambda path: _as_new(path, {"other": 1}),
        lambda path: _replaced(path, lambda brief: brief.mkdir()),
        lambda path: _replaced(path, os.mkfifo),
    ],
)
def test_what_is_not_of_this_journal_is_not_trusted(spoil: object, directory: Path) -> None:
    keep_brief(directory)
    spoil(directory / "journal.log")  # type: ignore[operator]
    assert read_brief(directory) is None
    keep_brief(directory)  # no trouble for a search that goes on


def _change(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    kept = json.loads((path.parent / "brief.json").read_text())
    change(kept)
    (path.parent / "brief.json").write_text(json.dumps(kept))


def _as_new(path: Path, mapping: dict[str, Any]) -> None:
    remember(path.parent / "brief.json", mapping)


def _replaced(path: Path, make: Callable[[Path], object]) -> None:
    (path.parent / "brief.json").unlink()
    make(path.parent / "brief.json")


def test_a_brief_of_a_longer_journal_is_not_trusted_wherever_that_was_cut(directory: Path) -> None:
    keep_brief(directory)
    path = directory / "journal.log"
    lines = path.read_bytes().splitlines(keepends=True)
    for end in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:end]))
        assert read_brief(directory) is None


@pytest.mark.filterwarnings("ignore:The distribution is specified")
def test_damage_in_any_later_line_is_found_as_in_the_whole_journal(directory: Path) -> None:
    path, chance = directory / "journal.log", random.Random(1)
    lines = path.read_bytes().splitlines(keepends=True)
    goal, damaged = next(i for i, line in enumerate(lines) if b'"goal"' in line), 0
    for place in range(goal + 2, len(lines)):
        path.write_bytes(b"".join(lines[: chance.randint(goal + 1, place)]))
        (directory / "brief.json").unlink(missing_ok=True)
        keep_brief(directory)
        line = bytearray(lines[place])
        line[chance.randrange(len(line) - 1)] = chance.choice(b'9"{}[],:x')
        path.write_bytes(b"".join([*lines[:place], line, *lines[place + 1 :]]))
        assert (directory / "brief.json").exists()
        briefly = _shown_or_damaged(directory, whole=False)
        (directory / "brief.json").unlink()
        assert briefly == _shown_or_damaged(directory, whole=True), bytes(line)[:300]
        (directory / "status.json").unlink(missing_ok=True)
        damaged += briefly == "damaged"
    assert damaged > 20


def _shown_or_damaged(directory: Path, *, whole: bool) -> object:
    try:
        return _shown(status_of(directory, whole=whole))
    except SearchError as error:
        return "damaged" if "is damaged" in str(error) else str(error)


@pytest.mark.parametrize(
    "line",
    [
        '{"op_code": 8, "trial_id": 0}',
        '{"op_code": 4, "worker_id": "", "study_id": 0, "datetime_start": "yesterday"}',
        '{"op_code": 6, "trial_id": 0, "state": 1, "values": [80.0], "datetime_complete": "soon"}',
        '{"op_code": 77}',
        "{}",
    ],
)
def test_damage_after_it_is_found(line: str, directory: Path) -> None:
    keep_brief(directory)
    with open(directory / "journal.log", "a") as file:
        file.write(line + "\n")
    with pytest.raises(SearchError, match="is damaged"):
        status_of(directory, whole=False)


@pytest.mark.parametrize(
    "entry",
    [
        {"op_code": 3, "study_id": 0, "system_attr": {"mine": 1}},
        {"op_code": 7, "trial_id": 0, "step": 1, "intermediate_value": 0.5},
        {"op_code": 9, "trial_id": 0, "system_attr": {"mine": 1}},
    ],
    ids=lambda entry: str(entry["op_code"]),
)
def test_what_only_another_program_writes_with_optuna_is_passed_over_where_it_is_whole(
    entry: dict[str, Any], tmp_path: Path
) -> None:
    journal = begin(tmp_path / "s")
    goal = Goal(trials=3)
    journal.begin(goal, {})
    assert Coordinator(journal, goal).next_task() is not None
    journal.close()
    keep_brief(tmp_path / "s")
    path = tmp_path / "s" / "journal.log"
    whole, shown = path.read_bytes(), _shown(status_of(tmp_path / "s"))
    for missing in (None, *entry):
        line = {key: value for key, value in entry.items() if key != missing}
        path.write_bytes(whole + json.dumps({**line, "worker_id": ""}).encode() + b"\n")
        for reads_whole in (False, True):
            found = _shown_or_damaged(tmp_path / "s", whole=reads_whole)
            assert found == (shown if missing is None else "damaged"), missing


def test_reading_writes_nothing_and_a_folder_that_cannot_be_written_stops_no_search(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_brief(directory)
    before = {path.name: path.stat().st_mtime_ns for path in directory.iterdir()}
    opened = os.open

    def reading(path: Any, flags: int, *given: Any, **named: Any) -> int:
        assert flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) == 0, f"{path} is opened to write"
        return opened(path, flags, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", reading)
        status_of(directory, whole=False)
    assert {path.name: path.stat().st_mtime_ns for path in directory.iterdir()} == before
    (directory / "brief.json").unlink()
    (directory / "brief.json").mkdir()
    keep_brief(directory)
