"""Search, search and open_search: what a caller of the library asks, gets and is refused."""

import inspect
import json
import math
import re
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p
from l2p_search.api.recording import Tracking
from l2p_search.api.searches import (
    Search,
    best_of_dataset,
    latest_by_dataset,
    open_all,
    open_named,
    open_search,
    search,
)
from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, UserError
from l2p_search.intervals import interval_of_test
from l2p_search.metrics import Metric
from l2p_search.progress import Event, Snapshot
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.trial_record import INTERRUPTED
from tests.api.in_process import SPACE, without_ray
from tests.searching.pretend import begin, drive, outcomes, pretend_training, searched

_QUIET: dict[str, Any] = {"display": "off", "tracking": False}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture(scope="module")
def found(recorded: Journal) -> Search:
    return Search(recorded)


# What a search found.


def test_the_best_is_the_highest_on_validation_and_ties_with_itself(found: Search) -> None:
    best = found.best
    assert best is not None
    records = found.outcome.records
    assert best.objective == max(record.objective or 0.0 for record in records)
    assert found.ties[0] is best
    assert len({record.number for record in found.ties}) == len(found.ties) <= len(records)
    assert found.settings.dataset == "small"


def test_trials_that_validation_cannot_tell_from_the_best_tie_and_are_confirmed_with_it(
    tmp_path: Path, small_graph: Graph
) -> None:
    def noise(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        """All configurations are equally good."""
        result = pretend_training(graph, replace(config, dropout=0.5, lr=0.01, K=8), seeds)
        shift = 0.01 * config.K + config.dropout + config.lr  # far below the noise of a seed
        alike = (
            replace(seed, val=(seed.val or 0) + shift * (-1) ** seed.seed) for seed in result.seeds
        )
        return replace(result, config=config, seeds=tuple(alike))

    goal = Goal(trials=6, confirm=2, ties=2)
    made = Search(searched(tmp_path / "s", small_graph, goal, noise))
    assert len(made.ties) == 6
    assert list(made.outcome.confirmations) == [record.number for record in made.ties[:3]]
    assert list(made.trials["tie"]) == [True] * 6


def test_what_is_confirmed_is_the_best_on_seeds_that_no_trial_had(found: Search) -> None:
    assert found.best is not None
    fresh = found.outcome.confirmations[found.best.number]
    assert [seed.seed for seed in fresh.seeds] == [20, 21, 22]
    assert found.confirmed == interval_of_test(fresh)
    assert found.best.result is not None
    assert found.protocol == interval_of_test(found.best.result)


def test_the_profile_is_that_of_the_best(found: Search) -> None:
    assert found.profile == (0.5, 0.5)


def test_importance_is_shares_of_the_variance(found: Search) -> None:
    assert found.importance is not None
    assert set(found.importance) == {"dropout", "lr", "K"}
    assert sum(found.importance.values()) == pytest.approx(1.0)
    assert all(share >= 0.0 for share in found.importance.values())


def test_trials_are_a_table_without_test_accuracy(found: Search) -> None:
    table = found.trials
    assert list(table.columns[:8]) == [
        "status",
        "config_id",
        "val_accuracy_mean",
        "val_accuracy_std",
        "seeds",
        "seconds",
        "reason",
        "tie",
    ]
    assert {"dropout", "lr", "K", "hidden"} <= set(table.columns)
    assert not [column for column in table.columns if "test" in column]
    assert table.index.name == "number"
    assert sorted(table.index) == list(range(10))
    assert table["val_accuracy_mean"].is_monotonic_decreasing
    assert set(table.index[table["tie"]]) == {record.number for record in found.ties}


def test_no_list_of_trials_has_test_accuracy_under_any_name(found: Search) -> None:
    """The best is judged on test nodes once; a list of such numbers invites choosing by them."""
    tested = {
        round(seed.test or 0.0, 6)
        for record in found.outcome.records
        if record.result is not None
        for seed in record.result.seeds
    }
    numbers = re.findall(r"\d+\.\d+", json.dumps(found.rows()))
    assert not tested & {round(float(number), 6) for number in numbers}


def test_a_search_is_plain_json(found: Search) -> None:
    told = json.loads(json.dumps(found.to_mapping(), allow_nan=False))
    assert (told["name"], told["dataset"]) == ("pretended", "small")
    assert told["best"]["number"] == found.best.number  # type: ignore[union-attr]
    assert told["confirmed_test_accuracy"]["mean"] == found.confirmed.mean  # type: ignore[union-attr]
    assert told["trials"] == {"complete": 10}
    assert (told["exhausted"], told["out_of_time"]) == (False, False)
    assert told["importance"] == found.importance


def test_it_shows_itself_in_a_line_and_tells_itself_in_a_page(found: Search) -> None:
    assert found.best is not None
    assert repr(found) == (
        f"<Search 'pretended': 10 trials, best validation {found.best.objective:.2f} %,"
        f" confirmed {found.confirmed} %>"
    )
    page = str(found)
    assert "search pretended: 10 trials on small, 10 with all 20 seeds" in page
    assert f"CONFIRMED TEST ACCURACY: {found.confirmed} %   on 3 fresh seeds" in page
    assert "importance for validation accuracy" in page


def test_a_search_without_a_trial_has_nothing_and_says_so(begun: Journal) -> None:
    bare = Search(begun)
    assert bare.best is bare.confirmed is bare.protocol is bare.profile is bare.importance is None
    assert bare.ties == bare.rows() == []
    assert len(bare.trials) == 0
    assert repr(bare) == "<Search 'begun': 0 trials, no complete trial>"
    assert "No trial finished, so there is no best one." in str(bare)
    assert bare.to_mapping()["best"] is None
    for act in (bare.exported, lambda: bare.report(tracking=False)):
        with pytest.raises(SearchError, match="has no complete trial yet; wait for one"):
            act()  # type: ignore[operator]


def test_a_trial_that_a_killed_search_left_open_is_interrupted(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "killed")
    drive(Coordinator(journal, Goal(trials=3, confirm=0)), small_graph, stop_after=1)
    alive = Search(Journal.read(journal.directory))
    assert alive.running
    assert [row["reason"] for row in alive.rows()] == [None, None]
    journal.close()
    dead = open_search("killed", tmp_path)
    assert not dead.running
    assert [row["reason"] for row in dead.rows()] == [None, INTERRUPTED]


@pytest.mark.parametrize(
    ("name", "form", "begins"),
    [
        ("best.yaml", None, "# l2p-search train --dataset small --config FILE\ndropout: "),
        ("best.json", None, '{\n  "dropout": '),
        ("best.txt", "json", '{\n  "dropout": '),
        ("deep/er/best.yml", None, "# l2p-search train"),
    ],
)
def test_the_best_is_exported_in_the_form_that_the_file_or_the_caller_says(
    found: Search, name: str, form: str | None, begins: str, tmp_path: Path
) -> None:
    path = found.export(tmp_path / name, form)
    assert path == tmp_path / name
    assert path.read_text().startswith(begins)
    assert found.best is not None
    assert TrialConfig.from_file(path) == found.best.config
    assert path.read_text() == found.exported(form or ("json" if "json" in name else "yaml"))


def test_a_report_is_written_beside_the_journal_or_where_one_says(
    found: Search, tmp_path: Path
) -> None:
    assert found.report(tracking=False) == found.directory / "report.html"
    path = found.report(str(tmp_path / "mine.html"), tracking=False)
    assert path.read_text().startswith("<!doctype html>")
    assert not Path("mlflow").exists()


def test_a_report_and_a_copy_of_the_trials_go_where_one_says(
    found: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    module = "l2p_search.api.searches"
    monkeypatch.setattr(f"{module}.attach", lambda *given: asked.append(given))
    monkeypatch.setattr(f"{module}.sync", lambda journal, where: (asked.append(where), (3, 7))[1])
    found.report(tmp_path / "r.html", tracking_uri="http://server")
    (journals, files, where) = asked.pop()
    assert [journal.directory for journal in journals] == [found.directory]
    assert (list(files), where) == (["report.html"], Tracking(True, "http://server"))
    assert found.sync("http://other") == (3, 7)
    assert asked == [Tracking(True, "http://other")]


# Finding searches.


def test_searches_are_opened_by_name_else_the_running_else_the_latest(
    tmp_path: Path, small_graph: Graph
) -> None:
    folder = tmp_path / "searches"
    for name in ("first", "second"):
        searched(folder / name, small_graph, Goal(trials=1, confirm=0)).close()
    assert open_search("first").name == "first"
    assert open_search().name == "second"
    assert open_search("first", str(folder)).directory == folder / "first"
    held = Journal.resume(folder / "first")
    assert open_search().name == "first"
    held.close()
    assert [each.name for each in open_named(None)[0]] == [each.name for each in open_all()[0]]
    assert [each.name for each in open_named("second")[0]] == ["second"]


def test_a_search_that_cannot_be_read_hides_no_other(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "good", small_graph, Goal(trials=1, confirm=0)).close()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "journal.log").write_text("no journal\n")
    searches, errors = open_all(tmp_path)
    assert [each.name for each in searches] == ["good"]
    assert len(errors) == 1
    assert str(tmp_path / "bad") in str(errors[0])


def test_the_latest_of_each_dataset_with_a_complete_trial(
    tmp_path: Path, small_graph: Graph
) -> None:
    for name, dataset in (("a", "cora"), ("b", "cora"), ("c", "texas")):
        goal = Goal(trials=1, confirm=0)
        searched(tmp_path / name, small_graph, goal, dataset=dataset).close()
    begin(tmp_path / "d", dataset="cora").close()  # later, but without a trial
    latest = latest_by_dataset(tmp_path)
    assert {dataset: each.name for dataset, each in latest.items()} == {"cora": "b", "texas": "c"}
    assert best_of_dataset("cora", tmp_path).name == "b"
    with pytest.raises(UserError, match=r"has a complete trial \(there are: cora, texas\)"):
        best_of_dataset("pubmed", tmp_path)


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
