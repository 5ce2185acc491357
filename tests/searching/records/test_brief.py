import json
import os
import random
from pathlib import Path

import pytest

from l2p_search.api.statuses import Status, status_of
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.searching.records import journal as journal_module
from l2p_search.searching.records.brief import keep_brief, read_brief
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched

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


def test_it_is_kept_while_a_long_search_runs_and_read_without_all_results(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "STEP", 5_000)
    searched(tmp_path / "s", small_graph, Goal(trials=12, confirm=0)).close()
    kept = json.loads((tmp_path / "s" / "brief.json").read_text())["brief"]
    assert 4 < sum(kept["counts"].values()) <= 12
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
    ],
)
def test_what_is_not_of_this_journal_is_not_trusted(spoil: object, directory: Path) -> None:
    keep_brief(directory)
    spoil(directory / "journal.log")  # type: ignore[operator]
    assert read_brief(directory) is None


def test_damage_after_it_is_found(directory: Path) -> None:
    keep_brief(directory)
    with open(directory / "journal.log", "a") as file:
        file.write('{"op_code": 8, "trial_id": 0}\n{}\n')
    with pytest.raises(SearchError, match="is damaged"):
        status_of(directory, whole=False)


def test_reading_writes_nothing_and_a_folder_that_cannot_be_written_stops_no_search(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_brief(directory)
    before = {path.name: path.stat().st_mtime_ns for path in directory.iterdir()}
    status_of(directory, whole=False)
    assert {path.name: path.stat().st_mtime_ns for path in directory.iterdir()} == before
    (directory / "brief.json").unlink()
    (directory / "brief.json").mkdir()
    keep_brief(directory)
