"""search: what a caller of the library asks, gets and is refused."""

import inspect
import math
import re
import threading
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api.found import Search
from l2p_search.api.opening import (
    open_search,
)
from l2p_search.api.searches import search
from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError
from l2p_search.progress import Event, Snapshot
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.settings import Goal
from tests.api.in_process import SPACE, without_ray
from tests.searching.pretend import outcomes, searched

_QUIET: dict[str, Any] = {"display": "off", "tracking": False}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture(scope="module")
def found(recorded: Journal) -> Search:
    return Search(recorded)


# Searching.


def test_a_search_runs_and_leaves_its_best_in_its_folder(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_ray(monkeypatch)
    made = search(small_graph, space=SPACE, trials=4, seeds=3, confirm=2, name="s", **_QUIET)
    assert (made.name, made.directory) == ("s", Path("searches/s"))
    assert not made.interrupted
    assert not made.running
    assert len(made.trials) == 4
    assert made.best is not None
    assert TrialConfig.from_file(made.directory / "best.yaml") == made.best.config
    assert outcomes(Journal.read(made.directory)) == outcomes(open_search("s")._journal)


def test_a_search_is_resumed_to_a_total_and_trains_nothing_again(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_ray(monkeypatch)
    first = search(small_graph, space=SPACE, trials=3, seeds=3, confirm=2, name="s", **_QUIET)
    more = first.resume(small_graph, trials=5, **_QUIET)
    assert len(more.trials) == 5
    kept = outcomes(Journal.read(first.directory))[:3]
    assert [outcome[0] for outcome in kept] == [0, 1, 2]
    whole = search(small_graph, space=SPACE, trials=5, seeds=3, confirm=2, name="w", **_QUIET)
    assert more.best is not None
    assert whole.best is not None
    assert more.best.config == whole.best.config


def test_a_space_that_is_visited_whole_is_said_to_be(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_ray(monkeypatch)
    space = {"K": {"choices": [2, 4]}}
    made = search(small_graph, space=space, trials=9, seeds=2, confirm=0, name="s", **_QUIET)
    assert made.to_mapping()["exhausted"] is True
    assert "Every configuration of the space was visited: 2 in all." in str(made)


def test_an_event_stops_a_search_that_can_be_resumed(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_ray(monkeypatch)
    stop = threading.Event()

    class Display:
        def update(self, event: Event, snapshot: Snapshot) -> None:
            if event.kind == "ended":
                stop.set()

        def note(self, text: str) -> None: ...

    made = search(
        small_graph,
        space=SPACE,
        trials=4,
        seeds=2,
        name="s",
        display=Display(),
        tracking=False,
        stop=stop,
    )
    assert made.interrupted
    assert len(made.trials) == 1
    assert not (made.directory / "best.yaml").exists()
    assert not is_locked(made.directory)
    assert len(made.resume(small_graph, confirm=0, **_QUIET).trials) == 4


# What is refused, in the caller's language.

_BAD: list[tuple[str, Any]] = [
    *(("trials", bad) for bad in (0, -3, 1.5, "5", True)),
    *(("seeds", bad) for bad in (0, "x", 2.5)),
    *(("seed", bad) for bad in (-1, 0.5)),
    *(("confirm", bad) for bad in (-1, "no")),
    *(("confirm_ties", bad) for bad in (-1, [])),
    *(("concurrency", bad) for bad in (0, "all")),
    *(("cpus_per_trial", bad) for bad in (0, 1.5)),
    *(("gpus_per_trial", bad) for bad in (-1, "one", math.nan)),
    *(("memory_gb", bad) for bad in (0, math.inf, "4")),
    *(("device", bad) for bad in ("gpu", "cuda:x", 3)),
    *(("register", bad) for bad in ("", 3)),
    *(("champion", bad) for bad in ("yes", 1)),
    *((key, bad) for key in ("sealed", "controls", "fresh_splits") for bad in ("yes", 1)),
    *(("sampler", bad) for bad in ("cmaes", 3)),
    *(("metric", bad) for bad in ("precision", 3)),
    *(("space", bad) for bad in ("papr", "no/such.yaml", {}, {"droput": {"choices": [1]}}, 3)),
    *(("model", bad) for bad in ("gnc", 3)),
    *(("name", bad) for bad in ("a/b", "", ".x", "x" * 101, 3)),
    *(("folder", bad) for bad in (3, "")),
    *(("data_dir", bad) for bad in (3, [])),
    *(("time_budget", bad) for bad in ("soon", 0, -1.0, [1])),
    *(("race", bad) for bad in ("yes", 1)),
    *(("resume", bad) for bad in ("yes", 1)),
    *(("tracking", bad) for bad in ("yes", 0)),
    *(("keep_model", bad) for bad in ("yes", 1)),
    ("tracking_uri", 3),
    ("address", 3),
    *(("display", bad) for bad in ("loud", None, object())),
    ("stop", True),
]


@pytest.mark.parametrize(("name", "value"), _BAD)
def test_every_bad_argument_is_refused_in_one_line_without_a_flag(
    name: str, value: Any, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = without_ray(monkeypatch)
    asked = {"space": SPACE, "trials": 2, "seeds": 2, **_QUIET, name: value}
    if name == "model":
        del asked["space"]
    with pytest.raises(UserError) as error:
        search(small_graph, **asked)
    said = str(error.value)
    assert "--" not in said
    assert "\n" not in said
    assert not re.search(r"[\x00-\x1f]", said)
    assert calls == []
    assert not Path("searches").exists()


def test_every_argument_of_search_is_tried_with_bad_values() -> None:
    assert {name for name, _ in _BAD} == set(inspect.signature(search).parameters) - {"graph"}


_CALLS: list[tuple[str, Any]] = [
    ("search, no graph", lambda graph, found: l2p.search(None, **_QUIET)),
    ("search, unknown graph", lambda graph, found: l2p.search("wisconson", **_QUIET)),
    ("search, grid", lambda graph, found: l2p.search(graph, space="extended", sampler="grid")),
    ("search, model", lambda graph, found: l2p.search(graph, space="paper", model="gcn")),
    ("search, exists", lambda graph, found: l2p.search(graph, name="s", folder=found)),
    (
        "search, resumed otherwise",
        lambda graph, found: l2p.search(graph, name="s", folder=found, resume=True, seeds=3),
    ),
    (
        "search, another space",
        lambda graph, found: l2p.search(graph, name="s", folder=found, resume=True, model="gcn"),
    ),
    ("resume, another graph", lambda graph, found: l2p.open_search("s", found).resume("demo")),
    ("resume, graph unknown", lambda graph, found: l2p.open_search("s", found).resume()),
    ("open, none there", lambda graph, found: l2p.open_search()),
    ("open, misspelt", lambda graph, found: l2p.open_search("z", found)),
    ("open, not a name", lambda graph, found: l2p.open_search(3, found)),
    ("open, not a folder", lambda graph, found: l2p.open_search("s", 3)),
    ("export, form", lambda graph, found: l2p.open_search("s", found).export("x", "toml")),
    ("export, script", lambda graph, found: l2p.open_search("s", found).export("x.py")),
    ("export, out", lambda graph, found: l2p.open_search("s", found).export("/dev/null/x")),
    ("export, no path", lambda graph, found: l2p.open_search("s", found).export(3)),
    ("report, out", lambda graph, found: l2p.open_search("s", found).report("/dev/null/x")),
    ("report, tracking", lambda graph, found: l2p.open_search("s", found).report(tracking=3)),
    ("sync, uri", lambda graph, found: l2p.open_search("s", found).sync(3)),
    ("compare, type", lambda graph, found: l2p.compare(3, 4)),
    ("compare, name", lambda graph, found: l2p.compare("z", "s", folder=found)),
    ("compare, trial", lambda graph, found: l2p.compare("s:99", "s", folder=found)),
    ("fit, key", lambda graph, found: l2p.fit(graph, droput=1)),
    ("fit, range", lambda graph, found: l2p.fit(graph, K=0)),
    ("fit, config", lambda graph, found: l2p.fit(graph, 3)),
    ("fit, file", lambda graph, found: l2p.fit(graph, "no/such.yaml")),
    ("fit, seeds", lambda graph, found: l2p.fit(graph, seeds=0)),
    ("fit, memory", lambda graph, found: l2p.fit(graph, memory_gb=-1)),
    ("fit, threads", lambda graph, found: l2p.fit(graph, threads="two")),
    ("fit, display", lambda graph, found: l2p.fit(graph, display="loud")),
    ("fit, graph", lambda graph, found: l2p.fit("wisconson")),
]


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Path:
    """A folder with one search of the small graph, called s."""
    folder = tmp_path_factory.mktemp("others")
    digest = small_graph.digest
    goal = Goal(trials=2, confirm=0)
    searched(folder / "s", small_graph, goal, data_digest=digest, seeds=2).close()
    return folder


@pytest.mark.parametrize("call", [call for _, call in _CALLS], ids=[name for name, _ in _CALLS])
def test_no_error_of_the_library_speaks_of_flags(
    call: Any, small_graph: Graph, others: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_ray(monkeypatch)
    with pytest.raises(UserError) as error:
        call(small_graph, others)
    said = str(error.value)
    assert "--" not in said
    assert "l2p-search " not in said
    assert "\n" not in said
    assert not re.search(r"[\x00-\x1f]", said)


@pytest.mark.parametrize(
    ("arguments", "flags"),
    [
        ((), ("--dataset",)),
        (("--dataset", "demo", "--name", "a/b"), ("--name",)),
        (("--dataset", "demo", "--space", "extended", "--sampler", "grid"), ("--sampler grid",)),
        (("--dataset", "demo", "--space", "paper", "--model", "gcn"), ("--space", "--model")),
        (("--resume",), ("l2p-search --dataset demo", "--dir")),
        (("--dataset", "demo", "--name", "s"), ("--resume", "--name")),
        (("--dataset", "demo", "--resume", "--name", "s"), ("--dataset demo", "--name")),
        (("--resume", "--name", "s", "--seeds", "3"), ("--seeds 3", "--name")),
        (("--resume", "--name", "s", "--model", "gcn"), ("--model gcn", "--name")),
        (("--resume", "--name", "s"), ("--dataset",)),
        (("export", "--search", "s", "--format", "script"), ("--format script",)),
        (("export", "--search", "s", "--out", "/dev/null/x"), ("--out /dev/null/x",)),
        (("export", "--dataset", "cora"), ("--dataset cora",)),
        (("report", "--search", "s", "--no-tracking", "--out", "/dev/null/x"), ("--out",)),
        (("profiles", "--datasets", "cora", "--no-tracking"), ("--datasets cora",)),
        (("node", "--dataset", "demo", "--node", "999"), ("--node 999",)),
        (("train", "--dataset", "demo", "--set", "K=0"), ("--set: K=0",)),
        (("train", "--dataset", "demo", "--out", "no/x"), ("--out no/x",)),
    ],
)
def test_the_command_line_says_the_same_with_flags(
    arguments: tuple[str, ...],
    flags: tuple[str, ...],
    others: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    without_ray(monkeypatch)
    if "s" in arguments or "cora" in arguments:
        monkeypatch.setenv("L2P_SEARCH_DIR", str(others))
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("l2p-search: error: ")
    assert said.count("\n") == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", said)
    for flag in flags:
        assert flag in said
