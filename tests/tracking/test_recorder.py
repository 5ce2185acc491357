"""The thread and its patience, with a store played by hand; and servers that do not answer.

What MLflow's own store holds after a recorder has written to it is in test_mlflow_tracker.py.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import pytest

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError
from l2p_search.results import TrialStatus
from l2p_search.tracking import recorder as module
from l2p_search.tracking.entries import SearchEntry, TrialEntry
from l2p_search.tracking.recorder import Recorder
from l2p_search.tracking.store import Store

_STORE = Store("http://127.0.0.1:9")
_NEVER = 1e9


class _Tracker:
    """A store in memory that fails where a test says so."""

    calls: list[str]
    trials: dict[str, TrialEntry]
    finished: list[tuple[SearchEntry, bool]]
    fails: Callable[[str], bool]

    def __init__(self, store: Store) -> None:
        self._called("connect")

    def begin(self, search: SearchEntry) -> str:
        self._called("begin")
        return "parent"

    def has(self, parent: str, uid: str) -> bool:
        assert parent == "parent"
        return uid in _Tracker.trials

    def record(self, parent: str, search: SearchEntry, trial: TrialEntry) -> None:
        self._called(trial.name)
        _Tracker.trials[trial.uid] = trial

    def finish(self, parent: str, search: SearchEntry, interrupted: bool) -> None:
        self._called("finish")
        _Tracker.finished.append((search, interrupted))

    def _called(self, what: str) -> None:
        _Tracker.calls.append(what)
        if _Tracker.fails(what):
            raise ConnectionError("no answer\nand a long stack")


@pytest.fixture
def tracker(monkeypatch: pytest.MonkeyPatch) -> type[_Tracker]:
    _Tracker.calls, _Tracker.trials, _Tracker.finished = [], {}, []
    _Tracker.fails = lambda what: False
    monkeypatch.setattr(module, "MlflowTracker", _Tracker)
    monkeypatch.setattr(module, "quiet_mlflow", nullcontext)
    return _Tracker


def _search(description: str = "") -> SearchEntry:
    return SearchEntry(
        uid="u", name="s", dataset="d", data_digest="0", params={}, description=description
    )


def _trial(number: int) -> TrialEntry:
    return TrialEntry(
        uid=f"u/{number}", number=number, status=TrialStatus.COMPLETE, config=TrialConfig()
    )


def _begun(store: Store, **options: float) -> Recorder:
    recorder = Recorder(store, **options)
    recorder.begin(_search)
    return recorder


def _record(recorder: Recorder, *numbers: int) -> None:
    for number in numbers:
        recorder.record(f"u/{number}", lambda number=number: _trial(number))  # type: ignore[misc]


def test_trials_are_written_once_in_their_order_and_then_the_search(
    tracker: type[_Tracker],
) -> None:
    recorder = _begun(_STORE)
    _record(recorder, 0, 1, 2)
    assert recorder.close(_search("found"), interrupted=True) is None
    assert tracker.calls == [
        "connect",
        "begin",
        "trial 000",
        "trial 001",
        "trial 002",
        "finish",
    ]
    assert tracker.finished == [(_search("found"), True)]
    assert recorder.seconds > 0.0


def test_the_entry_of_the_search_is_made_once_and_when_it_begins(tracker: type[_Tracker]) -> None:
    made: list[SearchEntry] = []

    def make() -> SearchEntry:
        made.append(_search("begun"))
        return made[-1]

    recorder = Recorder(_STORE)
    _record(recorder, 0)
    assert made == []
    recorder.begin(make)
    recorder.begin(make)
    assert made == [_search("begun")]
    assert recorder.close(_search("found"), interrupted=False) is None
    assert tracker.finished == [(_search("found"), False)]


def test_a_search_without_any_event_is_written_at_its_end(tracker: type[_Tracker]) -> None:
    assert Recorder(_STORE).close(_search("found"), interrupted=False) is None
    assert tracker.calls == ["connect", "begin", "finish"]


def test_no_entry_is_made_of_a_trial_that_the_store_has(tracker: type[_Tracker]) -> None:
    tracker.trials["u/1"] = _trial(1)
    made: list[int] = []

    def make(number: int) -> TrialEntry:
        made.append(number)
        return _trial(number)

    recorder = _begun(_STORE)
    for number in range(3):
        recorder.record(f"u/{number}", lambda number=number: make(number))  # type: ignore[misc]
    assert recorder.close(_search(), interrupted=False) is None
    assert made == [0, 2]


@pytest.mark.parametrize("broken", ["connect", "begin", "trial 001", "finish"])
def test_what_failed_once_is_tried_again(broken: str, tracker: type[_Tracker]) -> None:
    tracker.fails = lambda what: what == broken and tracker.calls.count(broken) == 1
    recorder = _begun(_STORE, pause=0.0)
    _record(recorder, 0, 1, 2)
    failure = recorder.close(_search(), interrupted=False)
    assert set(tracker.trials) == {"u/0", "u/1", "u/2"}
    if broken == "finish":  # nothing comes after it
        assert failure == "no answer"
    else:
        assert failure is None
        assert len(tracker.finished) == 1


def test_after_a_failure_nothing_is_tried_until_the_pause_or_the_search_ends(
    tracker: type[_Tracker],
) -> None:
    tracker.fails = lambda what: what == "trial 000" and tracker.calls.count(what) == 1
    recorder = _begun(_STORE, pause=_NEVER)
    _record(recorder, 0, 1, 2)
    assert recorder.close(_search(), interrupted=False) is None
    # The store is read anew before they are written: the failed write may be there in part.
    assert tracker.calls[:4] == ["connect", "begin", "trial 000", "begin"]
    assert sorted(tracker.calls[4:7]) == ["trial 000", "trial 001", "trial 002"]
    assert tracker.calls[7:] == ["finish"]


def test_a_store_that_never_works_leaves_a_reason_and_no_end_of_the_search(
    tracker: type[_Tracker],
) -> None:
    tracker.fails = lambda what: what.startswith("trial")
    recorder = _begun(_STORE, pause=0.0)
    _record(recorder, 0, 1)
    assert recorder.close(_search(), interrupted=False) == "no answer"
    assert tracker.finished == []  # a run that is marked as ended would look whole


def test_an_entry_that_cannot_be_made_holds_up_no_other(tracker: type[_Tracker]) -> None:
    def breaks() -> TrialEntry:
        raise ValueError("no figure of this")

    recorder = _begun(_STORE, pause=0.0)
    recorder.record("u/9", breaks)
    _record(recorder, 0, 1, 2)
    assert recorder.close(_search(), interrupted=False) == "no figure of this"
    assert set(tracker.trials) == {"u/0", "u/1", "u/2"}


def test_without_mlflow_the_reason_says_what_to_install(
    tracker: type[_Tracker], monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def missing() -> Iterator[None]:
        raise UserError("mlflow is not installed; pip install mlflow")
        yield

    monkeypatch.setattr(module, "quiet_mlflow", missing)
    recorder = _begun(_STORE)
    _record(recorder, 0)
    failure = recorder.close(_search(), interrupted=False)
    assert failure == "mlflow is not installed; pip install mlflow"
    assert tracker.calls == []


def test_a_server_that_takes_calls_and_never_answers_is_waited_for_so_long_and_no_longer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = Store(f"http://127.0.0.1:{silent.getsockname()[1]}")
        recorder = _begun(store)
        _record(recorder, 0, 1, 2)
        failure = recorder.close(_search(), interrupted=False, timeout=0.5)
        assert failure == "it does not answer within 0.5 s"
    recorder._thread.join()  # it ends with the connection


def test_a_server_that_is_not_there_is_named_in_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    recorder = _begun(_STORE)
    _record(recorder, 0)
    failure = recorder.close(_search(), interrupted=False)
    assert failure is not None
    assert "127.0.0.1" in failure
