"""Searches made by hand: trials with the accuracies that a test wants."""

from collections.abc import Sequence

from l2p_search.config import TrialConfig
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.searching.records.outcome import Outcome
from l2p_search.trial_record import TrialRecord
from tests.searching.pretend import settings


def result(
    accuracies: Sequence[float],
    config: TrialConfig | None = None,
    *,
    first_seed: int = 0,
    splits: int = 1,
) -> TrialResult:
    """Seeds with these validation accuracies; test accuracy is one point lower."""
    seeds = tuple(
        SeedResult(
            seed=seed,
            split=seed % splits,
            epochs=3,
            best_epoch=2,
            val_loss=1.0,
            val=accuracy,
            test=accuracy - 1.0,
            expected_step=0.5,
            profile=(0.5, 0.5),
        )
        for seed, accuracy in enumerate(accuracies, first_seed)
    )
    return TrialResult(
        config=config or TrialConfig(), dataset="small", data_digest="0", seeds=seeds, seconds=2.0
    )


def record(
    number: int,
    accuracies: Sequence[float] = (),
    status: TrialStatus = TrialStatus.COMPLETE,
    **config: object,
) -> TrialRecord:
    """A trial; without accuracies it has no result."""
    made = TrialConfig.from_mapping(config)
    found = result(accuracies, made) if accuracies else None
    return TrialRecord(number=number, status=status, config=made, result=found)


def outcome(
    records: Sequence[TrialRecord], confirmations: dict[int, TrialResult] | None = None
) -> Outcome:
    """What a search with these trials found."""
    return Outcome(
        settings=settings(), goal=None, records=list(records), confirmations=confirmations or {}
    )
