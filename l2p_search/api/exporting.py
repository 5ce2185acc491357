"""The best configuration of a search as a file: YAML, JSON, or a short program."""

from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.errors import SearchError, UserError, argument
from l2p_search.report.config_file import as_json, as_yaml
from l2p_search.report.script import as_script
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome
from l2p_search.whole_file import write_whole

SUFFIXES = {"yaml": "yaml", "json": "json", "script": "py"}
"""Form of an exported configuration -> the ending of its file."""
_BEST = "best.yaml"
_FORMS = {"yaml": as_yaml, "json": as_json, "script": as_script}


def provenance_of(journal: Journal, outcome: Outcome) -> dict[str, Any] | None:
    """Where the best configuration comes from.

    Args:
        journal: The search.
        outcome: What it found.

    Returns:
        Plain values: search, trial, graph, space, accuracies, versions. None while no trial has
        all its seeds.
    """
    best, settings = outcome.best, outcome.settings
    if best is None or best.result is None:
        return None
    confirmed, metric = outcome.confirmed, settings.metric
    return {
        "search": journal.directory.name,
        "trial": best.number,
        "config_id": best.config.config_id,
        "dataset": settings.dataset,
        "data_digest": settings.data_digest,
        **({} if settings.graph is None else {"graph": dict(settings.graph)}),
        "space": settings.space.name,
        "trials": len(outcome.records),
        "seeds": settings.seeds,
        "metric": metric,
        f"val_{metric}_mean": best.result.val_mean,
        f"val_{metric}_std": best.result.val_std,
        f"test_{metric}_mean": best.result.test_mean,
        f"test_{metric}_std": best.result.test_std,
        f"confirmed_test_{metric}": None if confirmed is None else confirmed.to_mapping(),
        "versions": journal.invocations[-1].get("versions", {}) if journal.invocations else {},
    }


def write_best(journal: Journal, outcome: Outcome) -> Path | None:
    """Write the best configuration as best.yaml into the search's own folder.

    Args:
        journal: The search.
        outcome: What it found.

    Returns:
        The file; None while no trial has all its seeds.

    Raises:
        SearchError: The file cannot be written.
    """
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


def exported(journal: Journal, outcome: Outcome, form: str) -> str:
    """The best configuration of a search with where it came from, as text.

    Args:
        journal: The search.
        outcome: What it found.
        form: "yaml", "json" or "script".

    Returns:
        The content of a file.

    Raises:
        SearchError: No trial has all its seeds yet.
        UserError: There is no such form, or no short program for the configuration.
    """
    if form not in _FORMS:
        raise UserError(f"{argument('format', form)}: must be one of {', '.join(_FORMS)}")
    provenance = provenance_of(journal, outcome)
    if provenance is None or outcome.best is None:
        raise SearchError(
            f"search '{journal.directory.name}' has no complete trial yet; wait for one"
        )
    return _FORMS[form](outcome.best.config, provenance)


def form_of(path: Path) -> str:
    """The form that the ending of a file's name asks for; YAML for any other ending.

    Example:
        >>> form_of(Path("best.py")), form_of(Path("best"))
        ('script', 'yaml')
    """
    endings = {"yml": "yaml", **{suffix: form for form, suffix in SUFFIXES.items()}}
    return endings.get(path.suffix.removeprefix(".").lower(), defaults.FORM)
