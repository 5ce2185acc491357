from pathlib import Path

import pytest

from l2p_search.cli.completing import completions
from l2p_search.cli.main import build_parser


@pytest.fixture(autouse=True)
def searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)
    for name in ("searches/demo-paper", "searches/demo-smoke", "elsewhere/other"):
        Path(name).mkdir(parents=True)
        Path(name, "journal.log").touch()
    Path("searches/no-search").mkdir()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["tr"], ["train", "trials"]),
        (["--trial"], ["--trials"]),
        (["--dataset", "wis"], ["wisconsin"]),
        (["--dataset=wis"], ["--dataset=wisconsin"]),
        (["--dataset", "demo", "--sampler", ""], ["gp", "grid", "random", "tpe"]),
        (["--space", "paper-l"], ["paper-l2s", "paper-literal"]),
        (["--model", "ml"], ["mlp"]),
        (["--models", "mlp,ml"], []),  # it is there already
        (["--models", "gcn,ml"], ["gcn,mlp"]),
        (["report", ""], ["demo-paper", "demo-smoke"]),
        (["report", "--search", "demo-s"], ["demo-smoke"]),
        (["report", "--dir", "elsewhere", ""], ["other"]),
        (["report", "--dir=elsewhere", ""], ["other"]),
        (["report", "demo-paper", ""], []),  # it takes one search
        (["compare", "demo-paper", "demo-s"], ["demo-smoke"]),
        (["node", "demo-p"], ["demo-paper"]),
        (["--resume", "--name", "demo-p"], ["demo-paper"]),
        (["export", "--out", ""], []),  # files are the shell's
        (["export", "--form"], ["--format"]),
        (["export", "--format", "s"], ["script"]),
        (["train", "--dataset", "demo", "--set", "K=2", "--see"], ["--seeds"]),
        (["spaces", "smo"], ["smoke"]),
        (["spaces", "show", "smo"], ["smoke"]),
        (["inspect", "cor"], ["cora", "cornell", "cornell-legacy"]),
        (["completion", ""], ["bash", "fish", "zsh"]),
        (["no-such-command", ""], None),
    ],
)
def test_what_may_follow(words: list[str], found: list[str] | None) -> None:
    told = completions(build_parser(), words)
    assert told == found if found is not None else isinstance(told, list)


def test_an_empty_line_offers_every_command() -> None:
    assert {"status", "train", "completion"} <= set(completions(build_parser(), [""]))


def test_a_folder_of_searches_that_is_missing_offers_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("L2P_SEARCH_DIR", "nowhere")
    assert completions(build_parser(), ["report", ""]) == []
