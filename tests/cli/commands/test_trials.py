import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.trial_record import INTERRUPTED
from tests.searching.pretend import begin, drive, searched

_KEYS = ("number", "status", "config_id", "val_accuracy_mean", "val_accuracy_std", "seeds")


@pytest.fixture(autouse=True, scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> Path:
    """A search of 24 trials, and one that was killed in its third."""
    folder = tmp_path_factory.mktemp("searches")
    searched(folder / "whole", small_graph, Goal(trials=24, confirm=0)).close()
    journal = begin(folder / "killed")
    drive(Coordinator(journal, Goal(trials=3, confirm=0)), small_graph, stop_after=2)
    journal.close()
    return folder


@pytest.fixture(autouse=True)
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("L2P_SEARCH_DIR", str(folder))


def _said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["trials", *arguments]) == 0
    return capsys.readouterr().out


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(_said(capsys, *arguments, "--json"))
    return rows


def test_json_is_all_trials_the_best_first_without_test_accuracy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = _json(capsys, "whole")
    assert set(rows[0]) == {*_KEYS, "config", "seconds", "reason"}
    assert len(rows) == 24
    means = [row["val_accuracy_mean"] for row in rows]
    assert means == sorted(means, reverse=True)
    assert len(_json(capsys, "whole", "--top", "5")) == 5


def test_csv_has_a_column_per_hyperparameter(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(_said(capsys, "whole", "--csv"))))
    told = _json(capsys, "whole")
    assert len(rows) == 24
    assert not [column for column in rows[0] if "test" in column]
    assert [float(row["dropout"]) for row in rows] == [row["config"]["dropout"] for row in told]
    assert [row["config_id"] for row in rows] == [row["config_id"] for row in told]
    assert len(_said(capsys, "whole", "--csv", "--top", "2").splitlines()) == 3


def test_the_table_shows_twenty_unless_it_is_told_otherwise(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = _said(capsys, "whole")
    assert said.splitlines()[0].strip() == "search whole: 20 of 24 trials"
    assert sum(line.lstrip()[:1].isdigit() for line in said.splitlines()) == 20
    assert "sd: standard deviation over seeds" in said
    few = _said(capsys, "whole", "--top", "3").splitlines()
    assert few[0].strip() == "search whole: 3 of 24 trials"
    assert "best" in few[3].split()


def test_an_open_trial_of_a_killed_search_is_interrupted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "interrupted" in _said(capsys, "killed")
    assert _json(capsys, "killed")[-1]["reason"] == INTERRUPTED


def test_without_a_name_it_is_the_latest(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys) == _json(capsys, "killed")


def test_a_search_without_trials_has_an_empty_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(tmp_path / "begun").close()
    there = ("begun", "--dir", str(tmp_path))
    assert _json(capsys, *there) == []
    assert _said(capsys, *there, "--csv") == ""
    assert "search begun: 0 of 0 trials" in _said(capsys, *there)


def test_a_misspelt_search_gets_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trials", "whoel"]) == 2
    assert "did you mean 'whole'?" in capsys.readouterr().err


def test_json_and_csv_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["trials", "whole", "--json", "--csv"])
    assert ended.value.code == 2
    assert "not allowed with argument" in capsys.readouterr().err
