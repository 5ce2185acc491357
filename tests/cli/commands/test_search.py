"""The search command without Ray: what it refuses, asks, plans and prints.

What can happen to it in a night, on Ray, is in tests/cli/test_nights.py.
"""

import io
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api.found import Search
from l2p_search.api.opening import open_search
from l2p_search.api.planning import Plan
from l2p_search.cli.main import main
from l2p_search.cli.signals import Signals
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.results import SeedResult, TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.space.shipped import load_space
from tests.api.in_process import without_ray
from tests.searching.pretend import pretend_training, searched, settings


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture
def existing(tmp_path: Path) -> Journal:
    """A search of four seeds on demo that has not got far."""
    journal = Journal.create(
        tmp_path / "searches" / "demo-smoke",
        settings(
            load_space("smoke"),
            dataset="demo",
            data_digest=demo_graph().digest,
            base=DEFAULTS["heterophily"],
            seeds=4,
        ),
    )
    journal.begin(Goal(trials=6), {"command": "test", "versions": {}})
    journal.close()
    return journal


def _error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    return lines[0].removeprefix("l2p-search: error: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "which graph? Give --dataset"),
        (("--dataset", "demmo"), "did you mean 'demo'?"),
        (("--dataset", "demo", "--space", "papr"), "did you mean 'paper'?"),
        (("--dataset", "demo", "--space", "no/such.yaml"), "no/such.yaml: no such file"),
        (("--dataset", "demo", "--name", "a/b"), "--name 'a/b': must be the name of a folder"),
        (("--dataset", "demo", "--name", ""), "must be the name of a folder"),
        (("--dataset", "demo", "--name", "x" * 101), "at most 100 characters"),
        (("--dataset", "demo", "--space", "extended", "--sampler", "grid"), "--sampler tpe"),
        (("--resume",), "no searches there; start one"),
        (("--resume", "--name", "none"), "no searches there; start one"),
        (("--dataset", "demo", "--log-file", "no/such/file"), "--log-file no/such/file: cannot"),
        (("--dataset", "demo", "--model", "gnc"), "unknown model 'gnc'; did you mean 'gcn'"),
        (("--dataset", "demo", "--model", "gcn", "--space", "paper"), "does not go with --model"),
        (("--dataset", "demo", "--models", "gcn"), "--models gcn: name two or more"),
        (("--dataset", "demo", "--models", "gcn,mlp", "--name", "x"), "not go with --models"),
        (("--dataset", "demo", "--models", "gcn,mlp", "--register", "x"), "not go with --models"),
        (("--dataset", "demo", "--register", "a:b"), "--register: 'a:b' must be a name that"),
        (("--dataset", "demo", "--champion"), "give its name with --register"),
        (
            ("--dataset", "demo", "--register", "x", "--no-model"),
            "to register with --no-model",
        ),
        (("--models", "gcn,mlp"), "--models: give the --dataset too"),
    ],
)
def test_bad_input_gets_one_line_with_a_remedy(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert says in _error(capsys, *arguments)
    assert not (tmp_path / "searches").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--trials", "0"),
        ("--seeds", "-1"),
        ("--confirm", "-1"),
        ("--time-budget", "soon"),
        ("--gpus-per-trial", "-1"),
        ("--sampler", "cmaes"),
        ("--seed", "1.5"),
    ],
)
def test_bad_numbers_are_refused_by_name(
    arguments: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--dataset", "demo", *arguments])
    assert ended.value.code == 2
    assert f"l2p-search: error: {arguments[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "search 'demo-smoke' exists, with 0 trials; add --resume"),
        (("--resume", "--seeds", "5"), "--seeds 5: search 'demo-smoke' began with 4"),
        (("--resume", "--sampler", "gp"), "--sampler gp: search 'demo-smoke' began with tpe"),
        (("--resume", "--seed", "3"), "--seed 3: search 'demo-smoke' began with 0"),
        (("--resume", "--race"), "began with False"),
        (("--resume", "--name", "demo-smoke", "--space", "paper"), "is not the space that"),
    ],
)
def test_an_existing_search_is_never_changed_by_accident(
    existing: Journal, arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    space = () if "--space" in arguments else ("--space", "smoke")
    assert says in _error(capsys, "--dataset", "demo", *space, *arguments)


def test_a_misspelt_search_gets_the_nearest_name(
    existing: Journal, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "did you mean 'demo-smoke'?" in _error(capsys, "--resume", "--name", "demo-smoek")


def test_changed_data_is_refused(
    existing: Journal, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Graph, "digest", "another")
    assert "the data of demo has changed" in _error(capsys, "--resume", "--name", "demo-smoke")


@pytest.mark.parametrize(("answer", "goes_on"), [("\n", True), ("y\n", True), ("n\n", False)])
def test_on_a_terminal_it_asks_before_it_continues(
    existing: Journal,
    answer: str,
    goes_on: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    searched: list[Plan] = []

    def run_plan(plan: Plan, means: object) -> Search:
        searched.append(plan)
        return Search(existing)

    monkeypatch.setattr("l2p_search.api.searches.run_plan", run_plan)
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    code = main(["--dataset", "demo", "--space", "smoke"])
    assert (code, bool(searched)) == ((1, True) if goes_on else (2, False))  # no best: 1
    assert "search 'demo-smoke' exists, with 0 trials. Continue it? [Y/n]" in said.getvalue()


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ((), "exists, with 3 trials, all that were asked for. Show its result? [Y/n]"),
        (("--trials", "9"), "exists, with 3 trials. Continue it? [Y/n]"),
    ],
)
def test_of_a_finished_search_it_asks_whether_the_result_is_to_be_shown(
    asked: tuple[str, ...], question: str, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    searched(Path("searches/demo-smoke"), small_graph, Goal(trials=3, confirm=0)).close()
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    assert main(["--dataset", "demo", "--space", "smoke", *asked]) == 2
    assert question in said.getvalue()


def test_a_dry_run_prints_the_plan_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--dataset", "demo", "--space", "smoke", "--trials", "99", "--dry-run"]) == 0
    said = capsys.readouterr().out
    for part in (
        "demo-smoke, new",
        "4 hyperparameters, 16 configurations",
        "16 trials x 4 seeds = 64 trainings",
        "--trials 99 is more than the space has: it stops at 16",
        "dropout: 0.2, 0.5",
        "epochs: 40 (fixed)",
        "time      about",
    ):
        assert part in said
    assert not (tmp_path / "searches").exists()


def test_a_dry_run_says_that_it_measures_and_totals_several_models(
    capfd: pytest.CaptureFixture[str],
) -> None:
    asked = ("--dataset", "demo", "--models", "mlp,appnp", "--trials", "2", "--seeds", "2")
    assert main([*asked, "--dry-run"]) == 0
    said = capfd.readouterr()
    assert "measuring one trial (model 2 of 2), about" in said.err
    total = said.out.splitlines()[-1]
    assert total.startswith("in all    2 models, 4 trials, 8 trainings; about ")
    assert main([*asked, "--dry-run", "--json", "--quiet"]) == 0
    said = capfd.readouterr()
    assert said.err == ""
    told = json.loads(said.out)
    assert [plan["search"] for plan in told["plans"]] == ["demo-mlp", "demo-appnp"]
    parts = [plan["estimate"]["seconds"] for plan in told["plans"]]
    assert told["total"]["seconds"] == pytest.approx(sum(parts))
    assert told["total"]["trainings"] == 8


# Run whole, with a training of a millisecond.

_SMALL = (
    "--dataset",
    "demo",
    "--space",
    "smoke",
    "--trials",
    "3",
    "--seeds",
    "2",
    "--no-tracking",
)


def test_a_search_prints_what_it_found_and_what_to_do_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_ray(monkeypatch)
    assert main([*_SMALL, "--confirm", "2", "--name", "two words"]) == 0
    captured = capsys.readouterr()
    found = open_search("two words")
    assert f"CONFIRMED TEST ACCURACY  {found.confirmed} %  on 2 fresh seeds" in captured.out
    assert captured.out.splitlines()[-6:] == [  # no `ui`, as MLflow has no copy
        "",
        "next: every number, a page with figures, predictions and a longer search",
        "  l2p-search status 'two words' --full",
        "  l2p-search report 'two words' --no-tracking",
        "  l2p-search predict 'searches/two words/model' --dataset demo",
        "  l2p-search --resume --name 'two words' --no-tracking --trials 6",
    ]
    ended = [line for line in captured.err.splitlines() if line.startswith("[")]
    assert [line[:6] for line in ended] == ["[1/3] ", "[2/3] ", "[3/3] "]


def test_json_is_one_object_and_quiet_says_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_ray(monkeypatch)
    assert main([*_SMALL, "--confirm", "0", "--json", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    told = json.loads(captured.out)
    assert told["name"] == "demo-smoke"
    assert told["trials"] == {"complete": 3}
    assert told == json.loads(json.dumps(open_search("demo-smoke").to_mapping()))


def test_models_are_searched_with_one_budget_and_compared_in_pairs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_ray(monkeypatch)
    budget = ("--trials", "2", "--seeds", "2", "--confirm", "2", "--no-tracking", "--quiet")
    asked = ("--dataset", "demo", "--models", "appnp, mlp", *budget)
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "search demo-appnp: 2 trials on demo" in said
    assert "demo: test accuracy on 2 fresh seeds, which chose nothing" in said
    assert said.index("search demo-mlp") < said.index("demo: test accuracy") < said.index("next: ")
    assert said.count("\nnext: ") == 1  # one set of next steps, at the end
    assert said.count("CONFIRMED TEST ACCURACY") == 2
    assert "nested: each split" not in said  # the comparison is near what it compares
    assert main([*asked, "--resume", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)  # one object, of all of them
    assert [each["name"] for each in told["searches"]] == ["demo-appnp", "demo-mlp"]
    assert [row["method"] for row in told["comparisons"]] == ["appnp", "mlp"]


def test_a_search_without_a_complete_trial_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def diverging(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], **options: object
    ) -> TrialResult:
        result = pretend_training(graph, config, seeds)
        lost = tuple(
            SeedResult(seed=seed.seed, split=seed.split, epochs=3, reason="diverged")
            for seed in result.seeds
        )
        return replace(result, seeds=lost)

    without_ray(monkeypatch, diverging)
    assert main([*_SMALL, "--quiet"]) == 1
    said = capsys.readouterr().out
    assert "No trial finished, so there is no best one." in said
    assert "3 trials failed; the first: 2 of 2 seeds failed; seed 0: diverged" in said
    assert "next" not in said


def test_a_signal_to_several_models_says_how_all_of_them_go_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], **options: object
    ) -> TrialResult:
        os.kill(os.getpid(), signal.SIGTERM)
        return pretend_training(graph, config, seeds)

    without_ray(monkeypatch, interrupted)
    asked = ["--dataset", "demo", "--models", "appnp,mlp", "--trials", "2", "--seeds", "2"]
    asked += ["--confirm", "0", "--no-tracking"]
    monkeypatch.setattr(sys, "argv", ["pytest", *asked])
    assert main(asked) == 128 + signal.SIGTERM
    again = f"l2p-search: continue with: l2p-search {' '.join(asked)} --resume"
    assert capfd.readouterr().err.splitlines()[-1] == again
    without_ray(monkeypatch)
    assert main([*asked, "--resume", "--quiet", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["searches"]
    assert [each["trials"] for each in found] == [{"complete": 2}, {"complete": 2}]


def test_a_signal_keeps_what_ended_and_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    trained: list[TrialConfig] = []

    def interrupted(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], **options: object
    ) -> TrialResult:
        trained.append(config)
        if len(trained) == 2:
            os.kill(os.getpid(), signal.SIGTERM)
        return pretend_training(graph, config, seeds)

    without_ray(monkeypatch, interrupted)
    folder = str(tmp_path / "else where")
    assert main([*_SMALL, "--quiet", "--dir", folder]) == 128 + signal.SIGTERM
    captured = capfd.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0] == "l2p-search: stopping; once more to stop at once"
    assert lines[1] == "l2p-search: interrupted; 2 trials kept"
    assert lines[2].startswith("l2p-search: best so far: trial ")
    assert lines[-1] == (
        f"l2p-search: continue with: l2p-search --resume --name demo-smoke --dir '{folder}'"
        " --no-tracking"
    )
    without_ray(monkeypatch)
    assert main([*_SMALL, "--quiet", "--dir", folder, "--resume", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["trials"] == {"complete": 3}


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ((), "l2p-search --resume"),
        (("--name", "two words"), "l2p-search --resume --name 'two words'"),
        (("--name", "s", "--dir", "d e"), "l2p-search --resume --name s --dir 'd e'"),
    ],
)
def test_a_second_signal_names_the_search_and_its_folder(
    arguments: tuple[str, ...], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def handled(resume: str) -> Signals:
        said.append(resume)
        return Signals(resume)

    monkeypatch.setattr("l2p_search.cli.commands.search.Signals", handled)
    assert main(["--dataset", "demmo", *arguments]) == 2
    assert said == [command]
