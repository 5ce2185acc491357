from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.data.demo import demo_graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import drive, settings


def test_numbers_that_do_not_come_back_are_told_and_the_exit_code_is_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journal has pretended numbers: no training gives them."""
    graph = demo_graph()
    made = settings(dataset="demo", data_digest=graph.digest, seeds=2)
    journal = Journal.create(tmp_path / "s", made)
    drive(Coordinator(journal, Goal(trials=1, confirm=0)), graph)
    journal.close()
    assert main(["reproduce", "s:0", "--dir", str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "trial 0 of s, 2 seeds: 2 of them differ\n  best_epoch: by at most" in shown
    assert "packages and machine are those that were noted" in shown


def test_an_unknown_search_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "no:1", "--dir", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
