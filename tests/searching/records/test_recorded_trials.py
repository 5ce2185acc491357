import json
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive, searched


def test_a_trial_without_an_outcome_is_running_and_one_with_it_has_its_result(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=2, confirm=0)), small_graph, stop_after=1)
    ended, running = Journal.read(tmp_path / "s").records()
    assert (ended.number, ended.status) == (0, TrialStatus.COMPLETE)
    assert ended.result is not None
    assert len(ended.result.seeds) == 20
    assert (running.number, running.status, running.result) == (1, TrialStatus.RUNNING, None)


def test_a_config_is_written_once_as_the_parameters_of_optunas_trial(
    tmp_path: Path, small_graph: Graph
) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=12, confirm=0)).close()
    text = (tmp_path / "s" / "journal.log").read_text()
    assert text.count('"weight_decay"') == 1  # of the base, in the settings
    assert text.count('"param_name":"dropout"') == text.count('"op_code":4')
    assert "relative_params" not in text


def test_a_config_that_is_not_the_proposed_one_is_damage(
    tmp_path: Path, small_graph: Graph
) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "s" / "journal.log"
    lines = path.read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if '"param_name":"K"' in line)
    entry = json.loads(lines[place])
    entry["param_value_internal"] = (entry["param_value_internal"] + 1) % 4
    lines[place] = json.dumps(entry)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SearchError, match=r"is damaged \(trial 0: its config is"):
        Journal.read(tmp_path / "s").records()
