"""`l2p-search answer`: what it passes on, what it prints, and its exit codes."""

import json
import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from l2p_search.api import answering
from l2p_search.api.answering import Effort
from l2p_search.api.conducting import Means
from l2p_search.cli.main import main
from l2p_search.errors import DataError, argument


class _Found:
    """An answer without any search."""

    graph = SimpleNamespace(name="demo")

    def __str__(self) -> str:
        return "Nearly all nodes stop at once."

    def to_mapping(self) -> dict[str, Any]:
        return {"use": "mlp"}

    def report(self, out: Path) -> Path:
        out.write_text("<h1>the page</h1>")
        return out


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What `answer` is called with, instead of calling it; pages go to a folder of the test."""
    calls: list[dict[str, Any]] = []

    def answer(graph: str, **options: Any) -> _Found:
        calls.append({"graph": graph, **options})
        return _Found()

    monkeypatch.setattr(answering, "answer", answer)
    monkeypatch.chdir(tmp_path)
    return calls


def test_without_options_the_time_decides_the_effort(asked: list[dict[str, Any]]) -> None:
    assert main(["answer", "--dataset", "demo"]) == 0
    (call,) = asked
    assert (call["graph"], call["time_budget"], call["effort"]) == ("demo", 720, None)
    means: Means = call["means"]
    assert means.tracking.on
    assert means.shown == "auto"
    assert means.command.startswith("l2p-search")


def test_options_reach_the_function(asked: list[dict[str, Any]]) -> None:
    options = "--edges e.csv --label kind --source u --dir mine --concurrency 3 --memory 2"
    more = "--tracking-uri http://server --quiet --trials 4 --seeds 3 --confirm 6"
    assert main(["answer", "--dataset", "n.csv", *options.split(), *more.split()]) == 0
    (call,) = asked
    assert call["effort"] == Effort(trials=4, seeds=3, confirm=6)
    assert (call["edges"], call["label"], call["source_column"]) == ("e.csv", "kind", "u")
    assert call["folder"] == Path("mine")
    means: Means = call["means"]
    assert (means.resources.concurrency, means.memory_gb, means.shown) == (3, 2.0, "off")
    assert means.tracking.uri == "http://server"


def test_a_backbone_reaches_the_function_and_names_the_page(
    asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", "--dataset", "demo", "--backbone", "gcn-tuned"]) == 0
    assert asked[0]["backbone"] == "gcn-tuned"
    assert capsys.readouterr().err == "wrote answer-demo-gcn-tuned.html\n"


def test_trials_alone_have_five_seeds_and_ten_fresh_ones(asked: list[dict[str, Any]]) -> None:
    assert main(["answer", "--dataset", "demo", "--trials", "2", "--no-tracking"]) == 0
    assert asked[0]["effort"] == Effort(trials=2, seeds=5, confirm=10)
    assert not asked[0]["means"].tracking.on


@pytest.mark.parametrize("option", ["--seeds", "--confirm"])
def test_an_effort_without_trials_is_refused_not_ignored(
    option: str, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", "--dataset", "demo", option, "3"]) == 2
    assert f"{option} 3: needs --trials" in capsys.readouterr().err
    assert asked == []


def test_the_answer_is_printed_and_its_page_written_beside_it(
    asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", "--dataset", "demo"]) == 0
    out, err = capsys.readouterr()
    assert out == "Nearly all nodes stop at once.\n"
    assert err == "wrote answer-demo.html\n"
    assert Path("answer-demo.html").read_text() == "<h1>the page</h1>"


def test_programs_get_one_object_on_stdout_and_the_page_where_they_want_it(
    asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answer", "--dataset", "demo", "--json", "--out", "my.html"]) == 0
    assert json.loads(capsys.readouterr().out) == {"use": "mlp"}
    assert Path("my.html").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_in_good_order_with_the_code_of_the_signal(
    number: int,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def interrupted(graph: str, *, means: Means, **options: Any) -> None:
        os.kill(os.getpid(), number)
        assert means.stop is not None
        assert means.stop.is_set()
        raise KeyboardInterrupt

    monkeypatch.setattr(answering, "answer", interrupted)
    before = signal.getsignal(number)
    assert main(["answer", "--dataset", "demo"]) == code
    assert signal.getsignal(number) is before
    out, err = capfd.readouterr()
    assert out == ""
    assert "the same command goes on where this one was" in err


def test_a_graph_that_cannot_be_read_is_one_line_in_the_shells_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(graph: str, **options: Any) -> None:
        raise DataError(f"n.csv: no class; name it with {argument('label')}")

    monkeypatch.setattr(answering, "answer", refused)
    assert main(["answer", "--dataset", "n.csv"]) == 2
    said = capsys.readouterr().err
    assert said == "l2p-search: error: n.csv: no class; name it with --label\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "--dataset"),
        (["--dataset", "demo", "--backbone", "gcn-tunned"], "'gcn-tunned'"),
        (["--dataset", "demo", "--trials", "0"], "'0' is not a whole number of at least 1"),
        (["--dataset", "demo", "--time-budget", "soon"], "--time-budget"),
    ],
)
def test_what_cannot_be_parsed_ends_with_usage(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["answer", *words])
    assert exit_.value.code == 2
    assert says in capsys.readouterr().err
