"""Planned searches run: who is told, what stops them, and what they leave."""

import os
import signal
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api import conducting
from l2p_search.api.conducting import Means, conduct, conduct_together
from l2p_search.api.planning import Plan, Wanted, make_plan
from l2p_search.api.recording import Tracking
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, UserError, either, in_shell
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.pool import Job
from tests.api.in_process import SPACE, without_ray
from tests.searching.pretend import outcomes

_OFF = Tracking(on=False)


class Told:
    """A caller's own display; it may do something when a number of trials have ended."""

    def __init__(self, after: int = 10**9, act: Any = None) -> None:
        self.events: list[Event] = []
        self.snapshots: list[Snapshot] = []
        self.notes: list[str] = []
        self._after, self._act = after, act

    def update(self, event: Event, snapshot: Snapshot) -> None:
        self.events.append(event)
        self.snapshots.append(snapshot)
        if event.kind == "ended" and self.ended == self._after:
            self._act()

    def note(self, text: str) -> None:
        self.notes.append(text)

    @property
    def ended(self) -> int:
        return sum(event.kind == "ended" for event in self.events)


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return without_ray(monkeypatch)


def _plan(folder: Path, graph: Graph, name: str = "s", **wanted: Any) -> Plan:
    asked = {"space": SPACE, "trials": 5, "seeds": 4, "confirm": 2, **wanted}
    return make_plan(graph, Wanted(name=name, folder=folder, **asked))


def _resumed(folder: Path, graph: Graph, name: str = "s", **wanted: Any) -> Plan:
    return make_plan(graph, Wanted(name=name, folder=folder, **wanted), resume=True)


def test_the_best_is_on_the_disk_before_mlflow_is_told_the_end(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_the_end = []

    @contextmanager
    def tracking(journal: Journal, *given: Any) -> Any:
        yield lambda event: None
        at_the_end.append((journal.directory / "best.yaml").is_file())

    monkeypatch.setattr(conducting, "tracking", tracking)
    conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown="off"))
    assert at_the_end == [True]


def test_an_address_that_is_none_is_refused_before_a_search_is_recorded(
    tmp_path: Path, small_graph: Graph
) -> None:
    plan = _plan(tmp_path, small_graph)
    with pytest.raises(UserError, match="did you mean http://"):
        conduct(plan, Means(tracking=Tracking(uri="htp://x"), shown="off"))
    assert not Journal.exists(plan.directory)


def test_a_display_of_the_callers_own_is_told_every_event(
    tmp_path: Path, small_graph: Graph
) -> None:
    told = Told()
    finish = conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown=told))
    kinds = [event.kind for event in told.events]
    assert kinds[:4] == ["started", "ended"] * 2
    assert kinds.count("ended") == 5
    own = [event for event in told.events if event.kind == "confirmed" and event.subject is None]
    assert len(own) == len(finish.outcome.confirmations) > 0
    beside = [event.subject for event in told.events if event.subject is not None]
    assert beside[:2] == ["the winner on fresh splits", "the default configuration"]
    assert [snapshot.ended for snapshot in told.snapshots][-1] == 5
    (note,) = told.notes  # what was understood of a graph that is no dataset by name
    assert note.startswith("small: 12 nodes, 13 edges. ")
    best = told.snapshots[-1].best
    assert best is not None
    assert finish.outcome.best is not None
    assert best.number == finish.outcome.best.number
    assert (finish.interrupted, finish.exhausted, finish.out_of_time) == (False, False, False)


def test_a_remark_of_mlflow_reaches_the_display_in_the_callers_language(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def tracking(journal: Journal, where: Tracking, note: Any) -> Any:
        note(either("l2p.open_search('s').sync()", "l2p-search sync s"))
        yield lambda event: None

    monkeypatch.setattr(conducting, "tracking", tracking)
    python, shell = Told(), Told()
    conduct(_plan(tmp_path, small_graph), Means(shown=python))
    conduct(_plan(tmp_path, small_graph, "t"), Means(shown=shell, words=in_shell))
    assert python.notes[1:] == ["l2p.open_search('s').sync()"]
    assert shell.notes[-1:] == ["l2p-search sync s"]


def test_another_version_of_a_package_is_noted_when_a_search_is_resumed(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    conduct(_plan(tmp_path, small_graph, trials=2), Means(tracking=_OFF, shown="off"))
    monkeypatch.setattr(conducting, "versions", lambda: {"torch": "99.0"})
    told = Told()
    conduct(_resumed(tmp_path, small_graph), Means(tracking=_OFF, shown=told))
    assert any(
        note.startswith("note: search 's' began with torch ") and "this is 99.0" in note
        for note in told.notes
    )


def test_an_event_of_the_callers_own_ends_a_search_in_good_order(
    tmp_path: Path, small_graph: Graph
) -> None:
    stop = threading.Event()
    told = Told(after=2, act=stop.set)
    finish = conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown=told, stop=stop))
    assert finish.interrupted
    assert len([r for r in finish.outcome.records if r.result is not None]) == 2
    assert not is_locked(tmp_path / "s")
    whole = conduct(_plan(tmp_path, small_graph, "whole"), Means(tracking=_OFF, shown="off"))
    again = conduct(_resumed(tmp_path, small_graph), Means(tracking=_OFF, shown="off"))
    assert not again.interrupted
    assert outcomes(Journal.read(tmp_path / "s")) == outcomes(Journal.read(tmp_path / "whole"))
    assert again.outcome.confirmed == whole.outcome.confirmed


def test_ctrl_c_ends_a_search_in_good_order_and_is_raised_then(
    tmp_path: Path, small_graph: Graph
) -> None:
    before = signal.getsignal(signal.SIGINT)
    told = Told(after=2, act=lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown=told))
    assert signal.getsignal(signal.SIGINT) is before
    assert told.ended == 2
    assert len(Journal.read(tmp_path / "s").records()) == 2
    assert not is_locked(tmp_path / "s")


def test_a_second_ctrl_c_is_raised_at_once(tmp_path: Path, small_graph: Graph) -> None:
    def twice() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("it went on")

    with pytest.raises(KeyboardInterrupt):
        conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown=Told(1, twice)))
    assert not is_locked(tmp_path / "s")


def test_a_thread_that_may_handle_no_signals_can_search(
    tmp_path: Path, small_graph: Graph
) -> None:
    found: list[Any] = []
    plan = _plan(tmp_path, small_graph, trials=2)
    thread = threading.Thread(
        target=lambda: found.append(conduct(plan, Means(tracking=_OFF, shown="off")))
    )
    thread.start()
    thread.join()
    assert len(found[0].outcome.records) == 2


def test_a_search_that_has_all_it_wants_starts_nothing(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    conduct(_plan(tmp_path, small_graph), Means(tracking=_OFF, shown="off"))
    assert calls == [1]
    conduct(_resumed(tmp_path, small_graph), Means(tracking=_OFF, shown="off"))
    assert calls == [1]


def test_the_journal_notes_where_an_invocation_came_from(
    tmp_path: Path, small_graph: Graph
) -> None:
    on = Resources(device="cpu")
    means = Means(resources=on, tracking=_OFF, shown="off", command="typed")
    conduct(_plan(tmp_path, small_graph), means)
    (began,) = Journal.read(tmp_path / "s").invocations
    assert (began["command"], began["device"]) == ("typed", "cpu")
    assert "torch" in began["versions"]


def test_several_searches_share_the_workers_and_each_is_told_of(
    tmp_path: Path, small_graph: Graph, calls: list[int]
) -> None:
    plans = [_plan(tmp_path, small_graph, name, seed=n) for n, name in enumerate("ab")]
    told: list[tuple[str, str, int]] = []

    def on_end(plan: Plan, outcome: Outcome) -> None:
        told.append(("end", plan.directory.name, len(outcome.records)))

    stopped = conduct_together(
        plans,
        Means(tracking=_OFF),
        on_begin=lambda plan: told.append(("begin", plan.directory.name, 0)),
        on_end=on_end,
    )
    assert not stopped
    assert calls == [2]
    assert told == [("begin", "a", 0), ("end", "a", 5), ("begin", "b", 0), ("end", "b", 5)]
    assert not is_locked(tmp_path / "a")
    assert not is_locked(tmp_path / "b")


@pytest.mark.parametrize(
    ("wanted", "free"),
    [
        ({"sampler": "random"}, True),
        ({"sampler": "grid"}, True),
        (
            {"sampler": "random", "race": "halving"},
            False,
        ),  # what is raced out depends on the others
        ({"sampler": "tpe"}, False),
    ],
)
def test_several_trials_of_one_search_among_others_run_at_once_where_none_depends_on_another(
    tmp_path: Path,
    small_graph: Graph,
    monkeypatch: pytest.MonkeyPatch,
    wanted: dict[str, Any],
    free: bool,
) -> None:
    seen: list[bool] = []

    def run_jobs(jobs: Sequence[Job], resources: Resources, **_: Any) -> bool:
        seen.extend(job.any_order for job in jobs)
        return False

    monkeypatch.setattr(conducting, "run_jobs", run_jobs)
    plans = [_plan(tmp_path, small_graph, name, **wanted) for name in "ab"]
    conduct_together(plans, Means(tracking=_OFF))
    assert seen == [free, free]


def test_several_searches_are_stopped_together(tmp_path: Path, small_graph: Graph) -> None:
    stop = threading.Event()
    plans = [_plan(tmp_path, small_graph, name, seed=n) for n, name in enumerate("ab")]
    ended: list[str] = []

    def on_end(plan: Plan, outcome: Outcome) -> None:
        ended.append(plan.directory.name)
        stop.set()

    assert conduct_together(plans, Means(tracking=_OFF, stop=stop), on_end=on_end)
    assert ended == ["a"]
    assert not Journal.exists(tmp_path / "b")  # it was never begun


def test_an_error_of_the_search_itself_leaves_it_open_to_be_resumed(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hopeless(*asked: Any, **further: Any) -> Any:
        raise ValueError("no such thing")

    without_ray(monkeypatch, hopeless)
    with pytest.raises(SearchError, match="the first 5 trials all failed") as error:
        conduct(_plan(tmp_path, small_graph, trials=9), Means(tracking=_OFF, shown="off"))
    assert "--" not in str(error.value)
    assert not is_locked(tmp_path / "s")
    records = Journal.read(tmp_path / "s").records()
    assert {record.status for record in records} == {TrialStatus.FAILED}


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"memory_gb": 0}, "memory_gb=0: must be a number above 0"),
        ({"shown": "loud"}, "display: 'loud' must be 'auto', 'off', or an object with update("),
        ({"stop": True}, "stop: True must be a threading.Event"),
        ({"resources": Resources(concurrency=0)}, "concurrency=0: must be a whole number"),
        ({"resources": Resources(cpus_per_trial=0)}, "cpus_per_trial=0: must be a whole number"),
        ({"resources": Resources(gpus_per_trial=-1)}, "gpus_per_trial=-1: must be a number of"),
        ({"tracking": Tracking(uri=3)}, "tracking_uri: 3 must be a string"),  # type: ignore[arg-type]
    ],
)
def test_what_nothing_can_run_with_is_refused_before_it_runs(
    bad: dict[str, Any], says: str
) -> None:
    with pytest.raises(UserError) as error:
        Means(**bad)
    assert str(error.value).startswith(says)


# The model.


def test_a_search_keeps_a_model_where_it_is_wanted_and_says_so(
    tmp_path: Path, small_graph: Graph
) -> None:
    for keep in (False, True):
        told = Told()
        plan = _plan(tmp_path, small_graph, f"keep-{keep}", trials=3, confirm=2)
        conduct(plan, Means(tracking=_OFF, shown=told, keep_model=keep))
        assert (plan.directory / "model" / "model.json").is_file() == keep
        assert any("kept the winner's 2 fresh seeds" in note for note in told.notes) == keep


def test_without_a_confirmation_there_is_no_model_and_a_line_says_why(
    tmp_path: Path, small_graph: Graph
) -> None:
    told = Told()
    plan = _plan(tmp_path, small_graph, trials=2, confirm=0)
    conduct(plan, Means(tracking=_OFF, shown=told, keep_model=True))
    assert "no model is kept, as nothing is confirmed; ask for it with confirm" in told.notes
    assert not (plan.directory / "model").exists()
