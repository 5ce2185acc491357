"""The best of a search as something to take away."""

from pathlib import Path
from typing import Any

from l2p_search.errors import SearchError
from l2p_search.report.config_file import as_yaml
from l2p_search.search.records.journal import Journal
from l2p_search.search.records.outcome import Outcome
from l2p_search.whole_file import write_whole

_BEST = "best.yaml"


def provenance_of(journal: Journal, outcome: Outcome) -> dict[str, Any] | None:
    """Where the best configuration comes from; None without a best."""
    best, settings = outcome.best, outcome.settings
    if best is None or best.result is None:
        return None
    confirmed = outcome.confirmed
    return {
        "search": journal.directory.name,
        "trial": best.number,
        "config_id": best.config.config_id,
        "dataset": settings.dataset,
        "data_digest": settings.data_digest,
        "space": settings.space.name,
        "trials": len(outcome.records),
        "seeds": settings.seeds,
        "val_accuracy_mean": best.result.val_accuracy_mean,
        "val_accuracy_std": best.result.val_accuracy_std,
        "test_accuracy_mean": best.result.test_accuracy_mean,
        "test_accuracy_std": best.result.test_accuracy_std,
        "confirmed_test_accuracy": None if confirmed is None else confirmed.to_mapping(),
        "versions": journal.invocations[-1].get("versions", {}) if journal.invocations else {},
    }


def write_best(journal: Journal, outcome: Outcome) -> Path | None:
    """Leave the best configuration in the search's directory; None without a best."""
    provenance = provenance_of(journal, outcome)
    if provenance is None or outcome.best is None:
        return None
    path = journal.directory / _BEST
    try:
        write_whole(path, as_yaml(outcome.best.config, provenance))
    except OSError as error:
        raise SearchError(
            f"{path}: cannot be written ({error.strerror}); the trials are safe in the journal"
        ) from None
    return path
