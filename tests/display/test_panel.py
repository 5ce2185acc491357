"""What the panel says in each of its states, at every width that people have."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.config import TrialConfig
from l2p_search.display.panel import Subject, View, how_far, panel
from l2p_search.progress import Running, Snapshot
from l2p_search.results import TrialStatus
from tests.searching.records.made import record

_SUBJECT = Subject(
    "wisconsin-paper",
    ["dropout", "lr", "hidden", "weight_decay", "K"],
    what="20 trials x 20 seeds on wisconsin, space paper",
)
_RUNNING = Running(
    stage="trials",
    number=8,
    title="trial 8",
    config=TrialConfig(),
    seeds=20,
    finished=3,
    training=17,
    epoch=340,
    epochs=1000,
    best_val=84.1,
    seconds=12.0,
)
_FRESH = replace(_RUNNING, stage="confirmation", number=4, title="trial 4 on fresh seeds")
_SNAPSHOT = Snapshot(
    goal=20,
    total=20,
    counts={
        TrialStatus.COMPLETE: 7,
        TrialStatus.RACED_OUT: 0,
        TrialStatus.FAILED: 1,
        TrialStatus.RUNNING: 2,
    },
    best=record(4, [84.0, 86.0, 85.0, 83.0]),
    best_so_far=(80.0, 82.0, 84.5),
    seeds_trained=140,
    seconds=100.0,
    training_seconds=100.0,
    seconds_left=150.0,
    confirming=0,
    confirmed=0,
    running=(
        _RUNNING,
        replace(_RUNNING, number=9, title="trial 9", epochs=0, epoch=0, finished=0),
    ),
)
_WIDTHS = pytest.mark.parametrize("width", [40, 60, 100, 160])


def _drawn(view: View, width: int, subject: Subject = _SUBJECT) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(panel(subject, view, width))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert all(len(line) <= width for line in text.splitlines())
    assert "…" not in text
    return " ".join(text.split())


@_WIDTHS
def test_starting_says_what_is_searched_and_for_how_long_ray_starts(width: int) -> None:
    text = _drawn(View(snapshot=None, elapsed=4.0), width)
    assert text.startswith("wisconsin-paper 20 trials x 20 seeds on wisconsin, space paper")
    assert "Ray starts (4 s)" in text


@_WIDTHS
def test_running_says_how_far_each_trial_is_and_how_long_all_takes(width: int) -> None:
    latest = ["trial 7: validation 80.00 % .."]
    view = View(snapshot=_SNAPSHOT, elapsed=102.0, since=30.0, latest=latest)
    text = _drawn(view, width)
    assert "8 of 20 trials, 1 min 42 s, about 2 min left" in text
    assert "2 running, 7 complete, 1 failed; 1.49 seeds/s" in text
    far = (
        "3/20 seeds, epoch 340/1000" if width < 80 else "3 of 20 seeds done, epoch 340 of at most"
    )
    assert "trial 8" in text
    assert far in text or width < 60
    assert "trial 9" in text
    assert "20 seeds, starting (42 s)" in text  # 12 s when told, 30 s ago
    assert "best validation 84.50" in text
    assert "weight_decay=" in text
    assert latest[0] in text


def test_no_speed_is_told_before_any_epoch_was_trained() -> None:
    waiting = replace(_SNAPSHOT.running[1], seconds=0.5)
    fresh = replace(_SNAPSHOT, seeds_trained=0, training_seconds=0.5, running=(waiting,))
    text = _drawn(View(snapshot=fresh, elapsed=3.0), 100)
    assert "1 running, 7 complete, 1 failed" in text
    assert "seeds/s" not in text


@_WIDTHS
def test_before_a_trial_has_ended_the_time_left_is_a_bound(width: int) -> None:
    first = replace(_SNAPSHOT, at_most=True, best=None)
    assert "at most 2 min 30 s left" in _drawn(View(snapshot=first, elapsed=10.0), width)


@_WIDTHS
def test_a_search_that_is_late_does_not_say_that_no_time_is_left(width: int) -> None:
    view = View(snapshot=_SNAPSHOT, elapsed=300.0, since=154.0)
    assert "about 0 s left" in _drawn(view, width)
    late = _drawn(replace(view, since=156.0), width)
    assert "8 of 20 trials, 5 min, longer than expected" in late
    assert " left" not in late


@_WIDTHS
def test_a_trial_that_failed_stays_in_sight(width: int) -> None:
    failure = "trial 3 failed: it needs 9.1 GB and --memory is 4 (hidden=16000)"
    latest = ["trial 7: validation 80.00 % ..", failure]
    view = View(snapshot=_SNAPSHOT, elapsed=102.0, latest=latest, failure=failure)
    text = _drawn(view, width)
    assert text.endswith(failure)
    assert text.count("failed:") == 1
    assert _drawn(replace(view, latest=latest[:1]), width) == text  # others pushed it away


@_WIDTHS
def test_confirming_counts_configurations_and_goes_on_moving(width: int) -> None:
    view = View(
        snapshot=replace(_SNAPSHOT, confirming=5, confirmed=2, running=(_FRESH,)), elapsed=102.0
    )
    text = _drawn(view, width)
    assert "confirmation on fresh seeds: 2 of 5," in text
    assert "about 2 min 30 s left" in text
    assert "trial 4 on fresh seeds" in text


def test_where_the_first_line_is_too_long_the_times_have_one_of_their_own() -> None:
    view = View(
        snapshot=replace(_SNAPSHOT, confirming=5, confirmed=2, running=(_FRESH,)), elapsed=102.0
    )
    console = Console(file=io.StringIO(), width=60)
    console.print(panel(replace(_SUBJECT, name="night"), view, 60))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert [line.strip() for line in text.splitlines()[:2]] == [
        "night  confirmation on fresh seeds: 2 of 5,",
        "1 min 42 s, about 2 min 30 s left",
    ]
    console = Console(file=io.StringIO(), width=40)
    console.print(panel(replace(_SUBJECT, name="night", part="model 2 of 4"), view, 40))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert [line.strip() for line in text.splitlines()[:3]] == [
        "night  model 2 of 4",
        "confirmation on fresh seeds: 2 of 5,",
        "1 min 42 s, about 2 min 30 s left",
    ]


@_WIDTHS
def test_stopping_is_a_state_of_its_own(width: int) -> None:
    text = _drawn(View(snapshot=_SNAPSHOT, elapsed=102.0, stopping=True), width)
    assert "stopping: 8 trials kept, 2 that ran begin anew when it is resumed" in text
    assert "Ctrl-C once more ends it at once" in text
    assert "epoch" not in text
    early = _drawn(View(snapshot=None, elapsed=1.0, stopping=True), width)
    assert "stopping: no trial had begun" in early


@_WIDTHS
def test_when_everything_is_trained_it_says_what_it_waits_for(width: int) -> None:
    done = replace(_SNAPSHOT, running=(), confirming=1, confirmed=1)
    view = View(snapshot=done, elapsed=102.0, finished=True)
    assert "everything is trained (1 min 42 s); MLflow gets the result" in _drawn(view, width)
    without = replace(_SUBJECT, tracked=False)
    assert "everything is trained (1 min 42 s); the result comes" in _drawn(view, width, without)


def test_one_of_several_searches_says_which() -> None:
    text = _drawn(
        View(snapshot=_SNAPSHOT, elapsed=1.0), 100, replace(_SUBJECT, part="model 2 of 4")
    )
    assert text.startswith("wisconsin-paper model 2 of 4 8 of 20 trials")


def test_many_workers_do_not_fill_the_screen() -> None:
    many = tuple(replace(_RUNNING, number=n, title=f"trial {n}") for n in range(64))
    text = _drawn(View(snapshot=replace(_SNAPSHOT, running=many), elapsed=1.0), 100)
    assert "trial 7" in text
    assert "trial 8:" not in text
    assert "and 56 more" in text


def test_how_far_is_told_with_the_score_where_there_is_room() -> None:
    assert how_far(_RUNNING) == (
        "3 of 20 seeds done, epoch 340 of at most 1000, validation 84.10 %"
    )
    assert how_far(_RUNNING, "short") == "3/20 seeds, epoch 340/1000, validation 84.10 %"
    assert how_far(_RUNNING, "shortest") == "3/20 seeds, epoch 340/1000"


@pytest.mark.parametrize("title", ["trial 4 on fresh seeds", "the winner with phi_share 0.5"])
@pytest.mark.parametrize("width", [72, 80, 100, 160])
def test_a_running_trial_has_one_line_that_stays_one_while_its_numbers_grow(
    title: str, width: int
) -> None:
    for epoch, finished in ((8, 0), (1000, 20)):
        running = replace(_FRESH, title=title, epoch=epoch, finished=finished)
        view = View(snapshot=replace(_SNAPSHOT, running=(running,)), elapsed=1.0)
        console = Console(file=io.StringIO(), width=width)
        console.print(panel(_SUBJECT, view, width))
        lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
        (place,) = (n for n, line in enumerate(lines) if title in line)
        assert lines[place + 1].startswith("best validation"), lines
        assert (f"epoch {epoch} of at most 1000" in lines[place]) == (width == 160)
        assert ("validation 84.10 %" in lines[place]) == (width >= 100)


def test_one_trial_that_is_interrupted_begins_anew() -> None:
    alone = replace(_SNAPSHOT, running=(_RUNNING,))
    text = _drawn(View(snapshot=alone, elapsed=1.0, stopping=True), 160)
    assert "8 trials kept, one that ran begins anew when it is resumed" in text
