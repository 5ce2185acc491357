from pathlib import Path

from optuna.samplers import RandomSampler
from optuna.trial import TrialState

from l2p_search.config import TrialConfig
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.space.axes import Axes
from tests.searching.pretend import SPACE, begin
from tests.searching.records.made import record

_DISTRIBUTIONS = Axes(SPACE).distributions


def _counts(journal: Journal) -> tuple[int, int]:
    return journal.proposals.settled, journal.proposals.answered


def test_what_became_a_trial_or_was_answered_is_counted_and_what_was_only_asked_for_is_not(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s")
    proposals = journal.proposals

    def ask():  # type: ignore[no-untyped-def]
        return proposals.ask(RandomSampler(0), _DISTRIBUTIONS)

    axes = Axes(SPACE)
    first = ask()
    proposals.accept(first, 0, journal.settings.config(axes.point(first.params)))
    assert _counts(journal) == (1, 0)
    proposals.answer(ask(), record(0, [80.0, 82.0]))
    proposals.skip(ask(), "they exclude each other")
    assert _counts(journal) == (3, 2)
    ask()
    journal.close()
    resumed = Journal.resume(tmp_path / "s")
    assert _counts(resumed) == (3, 2)
    assert resumed.proposals.optuna_numbers == {0: 0}


def test_a_sampler_is_told_the_value_of_a_repeated_point_and_none_of_an_impossible_one(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s")
    ask = journal.proposals.ask
    journal.proposals.answer(ask(RandomSampler(0), _DISTRIBUTIONS), record(0, [80.0, 82.0]))
    journal.proposals.skip(ask(RandomSampler(0), _DISTRIBUTIONS), "why")
    told, skipped = journal._stored.trials()
    assert (told.state, told.value) == (TrialState.COMPLETE, 81.0)
    assert (skipped.state, skipped.user_attrs) == (TrialState.FAIL, {"impossible": "why"})


def test_a_repetition_whose_answer_was_cut_off_is_answered_on_resume(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s")
    config = TrialConfig(dropout=0.2, lr=0.001, K=2)
    asked = journal.proposals.ask(RandomSampler(0), _DISTRIBUTIONS)
    config = journal.settings.config(Axes(SPACE).point(asked.params))
    journal.proposals.accept(asked, 0, config)
    ended = record(0, [80.0, 82.0])
    journal.end(ended)
    journal.proposals.answer(journal.proposals.ask(RandomSampler(0), _DISTRIBUTIONS), ended)
    journal.close()
    path = tmp_path / "s" / "journal.log"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    again = Journal.resume(tmp_path / "s")._stored.trials()[1]
    assert (again.state, again.value) == (TrialState.COMPLETE, 81.0)
