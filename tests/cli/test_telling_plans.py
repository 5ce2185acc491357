import sys
from pathlib import Path

import pytest

from l2p_search.api.planning import Wanted, make_plan
from l2p_search.cli.telling_plans import tell_plans
from l2p_search.searching.running.cluster import Resources


def test_one_plan_has_no_total_and_quiet_says_nothing_of_measuring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = make_plan("demo", Wanted(space="smoke", trials=2, seeds=2))
    tell_plans([plan], Resources(), 1.0, as_json=False, quiet=True)
    said = capsys.readouterr()
    assert said.err == ""
    assert "time      about" in said.out
    assert "in all" not in said.out


def test_a_narrow_terminal_gets_the_plan_between_words_beneath_its_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    plans = [
        make_plan("demo", Wanted(space=space, trials=2, seeds=2)) for space in ("smoke", "paper")
    ]
    tell_plans(plans, Resources(), 1.0, as_json=False, quiet=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    words = " ".join(line.strip() for line in lines)
    assert "fresh splits, the default configuration, MLP" in words
    labels = {"search", "kept", "dataset", "space", "sampler", "size", "time", "memory", "in"}
    assert {line.split()[0] for line in lines if line[:1].strip()} == labels
