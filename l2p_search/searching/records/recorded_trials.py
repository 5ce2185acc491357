"""A trial of Optuna's study as a trial of a search, and the other way round.

The parameters of Optuna's trial, which are those of `Axes`, are the one place where a proposal's
values are written. Its attributes say the rest: the trial's number and the id of its config, and
once it has ended the outcome. A proposal that is no trial says why: it repeats one, or is
impossible.
"""

from typing import Any, Protocol

from l2p_search.config import TrialConfig
from l2p_search.field_types import check_fields
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.axes import Axes
from l2p_search.trial_record import INTERRUPTED, TrialRecord

PROPOSAL, OUTCOME, INTERRUPTION = "proposal", "outcome", "interrupted"
REPEATED, IMPOSSIBLE = "duplicate_of", "impossible"
"""Names of the attributes."""


class Proposed(Protocol):
    """What is read of Optuna's trial."""

    @property
    def params(self) -> dict[str, Any]:
        """Hyperparameter -> value."""

    @property
    def user_attrs(self) -> dict[str, Any]:
        """What the journal notes of it."""


def proposal_of(number: int, config: TrialConfig) -> dict[str, Any]:
    """What makes a proposed point a trial."""
    return {"number": number, "id": config.config_id}


def outcome_of(record: TrialRecord) -> dict[str, Any]:
    """How a trial ended, as plain JSON values."""
    return {
        "status": record.status.value,
        "reason": record.reason,
        "ended": record.ended,
        "result": None if record.result is None else record.result.to_record(),
    }


class RecordedTrials:
    """Reads the trials of one search.

    Attributes:
        settings: Of the search.
    """

    def __init__(self, settings: SearchSettings) -> None:
        """Know what the parameters of its trials mean.

        Args:
            settings: Of the search.
        """
        self.settings, self._axes = settings, Axes(settings.space)

    def record(self, trial: Proposed, result: Any) -> TrialRecord:
        """Read a trial.

        Args:
            trial: One that has a proposal.
            result: What `outcome_of` wrote of its result; None where it has none.

        Returns:
            The trial: running, or as it ended.

        Raises:
            ValueError: The config is not the one that was proposed.
        """
        proposal, outcome = trial.user_attrs[PROPOSAL], trial.user_attrs.get(OUTCOME)
        config, metric = self._config(trial, proposal), self.settings.metric
        if outcome is None:
            return TrialRecord(
                number=proposal["number"],
                status=TrialStatus.RUNNING,
                config=config,
                metric=metric,
                reason=INTERRUPTED if trial.user_attrs.get(INTERRUPTION) else None,
            )
        record = TrialRecord(
            number=proposal["number"],
            status=TrialStatus(outcome["status"]),
            config=config,
            reason=outcome["reason"],
            ended=outcome.get("ended"),
            metric=metric,
            result=None if result is None else self.result(result, config),
        )
        check_fields(record, number=int, reason=str | None, ended=float | None)
        seeds = () if record.result is None else record.result.seeds
        if any(seed.seed >= self.settings.seeds for seed in seeds):
            raise ValueError(f"it has seeds beyond the {self.settings.seeds} of this search")
        return record

    def result(self, mapping: dict[str, Any], config: TrialConfig) -> TrialResult:
        """A result of this search's graph and metric."""
        settings = self.settings
        result = TrialResult.from_record(
            mapping, config, settings.dataset, settings.data_digest, settings.metric
        )
        check_fields(result, seconds=float)
        for part in (*result.seeds, result.curves, result.profiles):
            if part is not None:
                check_fields(part)
        trained = [seed.seed for seed in result.seeds]
        if len(set(trained)) < len(trained) or min(trained, default=0) < 0:
            raise ValueError("its seeds are not each another one")
        _check_complete(result)
        _check_shapes(result)
        return result

    def _config(self, trial: Proposed, proposal: dict[str, Any]) -> TrialConfig:
        if "config" in proposal:  # as in format 1
            return TrialConfig.recorded(proposal["config"])
        config = self.settings.config(self._axes.point(trial.params))
        if config.config_id != proposal["id"]:
            raise ValueError(f"its config is {config.config_id}, not {proposal['id']}")
        return config


def _check_complete(result: TrialResult) -> None:
    """Refuse a seed that lacks what the others have: means are taken over all of them."""
    finished = result.finished
    if any(None in (seed.best_epoch, seed.val_loss, seed.val) for seed in finished):
        raise ValueError("a seed has neither a result nor a reason")
    for key in ("test", "expected_step", "profile"):
        if len({getattr(seed, key) is None for seed in finished}) > 1:
            raise ValueError(f"a seed has no '{key}', and another has one")


def _check_shapes(result: TrialResult) -> None:
    """Refuse series that nothing can be drawn of, where nobody would look for the reason."""
    rows = [seed.profile for seed in result.seeds if seed.profile is not None]
    if (parts := result.profiles) is not None:
        rows += [*parts.by_degree.values(), *parts.by_class.values()]
    if any(not any(row) or min(row) < 0 for row in rows):
        raise ValueError("a profile has no steps, or a share below 0")
    settled = [parts.settled] if parts is not None and parts.settled else []
    if len({len(row) for row in (*rows, *settled)}) > 1:
        raise ValueError("its profiles are of unlike lengths")
    curves = result.curves
    if curves is not None and {len(curves.train_loss), len(curves.val_loss), len(curves.val)} != {
        len(curves.epochs)
    }:
        raise ValueError("its curves are of unlike lengths")
