"""Looks: how often the test labels of a graph were read for a search, and by what.

A test set that was looked at often is no test any more, whoever looked. What the search itself
looked at is counted from its results, so that no crash can lose a count; what other commands
looked at for its sake is noted in its journal.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from l2p_search.errors import SearchError
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.trial_record import TrialRecord

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Looks:
    """How many trained seeds were scored on test nodes; each is one look at a split's labels.

    Attributes:
        trials: Those of trials; 0 for a sealed search.
        confirmation: Those of the winner, its ties, controls and fresh splits.
        elsewhere: What else was trained for the search's sake -> how many: `compare`, `train`.
    """

    trials: int = 0
    confirmation: int = 0
    elsewhere: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All of them."""
        return self.trials + self.confirmation + sum(self.elsewhere.values())

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "trials": self.trials,
            "confirmation": self.confirmation,
            **({"elsewhere": dict(self.elsewhere)} if self.elsewhere else {}),
            "total": self.total,
        }

    def __str__(self) -> str:
        """For people: 4,020 looks at test labels: 4,000 by trials, 20 by the confirmation."""
        if not self.total:
            return "no test label was looked at"
        parts = [f"{self.trials:,} by trials", f"{self.confirmation:,} by the confirmation"]
        parts += [f"{number:,} by {what}" for what, number in self.elsewhere.items()]
        noun = "look" if self.total == 1 else "looks"
        return f"{self.total:,} {noun} at test labels: {', '.join(parts)}"


def looks_of(
    records: Iterable[TrialRecord],
    checked: Iterable[TrialResult],
    noted: Iterable[Mapping[str, Any]],
) -> Looks:
    """Count the looks of a search.

    Args:
        records: Its trials.
        checked: Everything that was trained on fresh seeds.
        noted: What other commands have noted in its journal.

    Returns:
        The counts.
    """
    elsewhere: dict[str, int] = {}
    for look in noted:
        what = str(look["by"])
        elsewhere[what] = elsewhere.get(what, 0) + int(look["seeds"])
    trials = [record.result for record in records if record.result is not None]
    return Looks(_tested(trials), _tested(checked), elsewhere)


def note_look(directory: Path, by: str, seeds: int) -> bool:
    """Note in a search's journal that test labels were read for its sake.

    Args:
        directory: The search's folder.
        by: Which command read them.
        seeds: How many trained seeds were scored.

    Returns:
        Whether it could be noted: not while the search runs, nor in a folder that is read-only.
    """
    try:
        Journal.note_look(directory, {"by": by, "seeds": seeds})
    except SearchError as error:
        _log.warning("%s: %d looks by %s are not counted: %s", directory, seeds, by, error)
        return False
    return True


def _tested(results: Iterable[TrialResult]) -> int:
    return sum(seed.test is not None for result in results for seed in result.seeds)
