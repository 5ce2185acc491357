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
