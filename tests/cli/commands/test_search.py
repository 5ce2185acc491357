"""What a search refuses, asks and plans before anything runs."""

import io
import sys
from pathlib import Path

import pytest

from l2p_search.api.planning import Plan
from l2p_search.api.searches import Search
from l2p_search.cli.main import main
from l2p_search.config import DEFAULTS
from l2p_search.data.demo import demo_graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.space.shipped import load_space
from tests.searching.pretend import settings


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
        (("status",), "no searches there"),
        (("trials", "none"), "no searches there"),
        (("spaces", "show"), "name one of appnp, dagnn"),
        (("--dataset", "demo", "--model", "gnc"), "unknown model 'gnc'; did you mean 'gcn'"),
        (("--dataset", "demo", "--model", "gcn", "--space", "paper"), "does not go with --model"),
        (("--dataset", "demo", "--models", "gcn"), "--models gcn: name two or more"),
        (("--dataset", "demo", "--models", "gcn,mlp", "--name", "x"), "not go with --models"),
        (("--models", "gcn,mlp"), "--models: give the --dataset too"),
        (("spaces", "show", "papr"), "did you mean 'paper'?"),
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
    assert f"argument {arguments[0]}" in capsys.readouterr().err


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
    from l2p_search.data.graph import Graph

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


def test_spaces_are_listed_and_shown_with_their_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spaces"]) == 0
    listed = capsys.readouterr().out
    assert "paper-l2s" in listed
    assert "432 configurations" in listed
    assert "not countable" in listed
    assert main(["spaces", "show", "paper"]) == 0
    shown = capsys.readouterr().out
    assert "dropout: {choices: [0.2, 0.4, 0.6]}" in shown
    assert shown.endswith("# 5 hyperparameters, 432 configurations\n")
