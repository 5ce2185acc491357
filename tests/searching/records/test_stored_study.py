from pathlib import Path

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.records.stored_study import StoredStudy
from tests.searching.pretend import outcomes, searched


def test_the_file_is_a_journal_that_optuna_itself_reads(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=8, confirm=0), race="paired")
    expected = outcomes(journal)
    journal.close()
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "s" / "journal.log")))
    study = optuna.load_study(study_name="trials", storage=storage)
    by_number = {
        trial.user_attrs["proposal"]["number"]: trial
        for trial in study.get_trials()
        if "proposal" in trial.user_attrs
    }
    for number, _, status, objective in expected:
        trial = by_number[number]
        if status == "complete":
            assert (trial.state, trial.value) == (TrialState.COMPLETE, objective)
        else:
            assert trial.state is TrialState.PRUNED


def test_a_trial_without_a_value_has_failed(tmp_path: Path) -> None:
    stored = StoredStudy(tmp_path / "journal.log", writes=True)
    space = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    for value in (None, 3.0):
        stored.tell(stored.ask(optuna.samplers.RandomSampler(0), space).number, value)
    assert [trial.state for trial in stored.trials()] == [TrialState.FAIL, TrialState.COMPLETE]
    assert [trial.value for trial in stored.trials(TrialState.COMPLETE)] == [3.0]


def test_a_trial_that_was_stopped_has_its_last_value_after_so_many_steps(tmp_path: Path) -> None:
    stored = StoredStudy(tmp_path / "journal.log", writes=True)
    space = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    stored.tell_pruned(stored.ask(optuna.samplers.RandomSampler(0), space).number, 6, 71.5)
    (trial,) = StoredStudy(tmp_path / "journal.log", writes=False).trials()
    assert (trial.state, trial.intermediate_values) == (TrialState.PRUNED, {6: 71.5})


def test_results_stay_in_the_file_and_out_of_memory(tmp_path: Path, small_graph: Graph) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=3, confirm=0))
    for trial in journal._stored.trials(TrialState.COMPLETE):
        assert isinstance(trial.user_attrs["outcome"]["result"], int)
    assert all(record.result is not None for record in journal.records())


def test_what_may_vary_is_in_memory_once_however_many_trials_there_are(tmp_path: Path) -> None:
    stored = StoredStudy(tmp_path / "journal.log", writes=True)
    space = {"x": optuna.distributions.FloatDistribution(0.0, 1.0)}
    for _ in range(3):
        stored.ask(optuna.samplers.RandomSampler(0), space)
    assert {id(trial.distributions) for trial in stored.trials()} == {id(space)}
