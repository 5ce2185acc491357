"""A trial of Optuna's study as a trial of a search."""

from optuna.trial import FrozenTrial

from l2p_search.config import TrialConfig
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.trial_record import INTERRUPTED, TrialRecord


def record_of(trial: FrozenTrial, settings: SearchSettings) -> TrialRecord:
    """What the trial's attributes say: its number and config, and once it has ended its result."""
    proposal, outcome = trial.user_attrs["proposal"], trial.user_attrs.get("outcome")
    config = TrialConfig.recorded(proposal["config"])
    if outcome is None:
        return TrialRecord(
            number=proposal["number"],
            status=TrialStatus.RUNNING,
            config=config,
            metric=settings.metric,
            reason=INTERRUPTED if trial.user_attrs.get("interrupted") else None,
        )
    result = outcome["result"]
    return TrialRecord(
        number=proposal["number"],
        status=TrialStatus(outcome["status"]),
        config=config,
        reason=outcome["reason"],
        ended=outcome.get("ended"),
        metric=settings.metric,
        result=None
        if result is None
        else TrialResult.from_record(
            result, config, settings.dataset, settings.data_digest, settings.metric
        ),
    )
