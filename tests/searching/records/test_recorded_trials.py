from pathlib import Path

from l2p_search.data.graph import Graph
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.recorded_trials import record_of
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from tests.searching.pretend import begin, drive


def test_a_trial_without_an_outcome_is_running_and_one_with_it_has_its_result(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "s")
    drive(Coordinator(journal, Goal(trials=2, confirm=0)), small_graph, stop_after=1)
    read = Journal.read(tmp_path / "s")
    ended, running = (record_of(each, read.settings) for each in read.study.get_trials())
    assert (ended.number, ended.status) == (0, TrialStatus.COMPLETE)
    assert ended.result is not None
    assert len(ended.result.seeds) == 20
    assert (running.number, running.status, running.result) == (1, TrialStatus.RUNNING, None)
