"""The best configuration of a search as a file: YAML, JSON, or a program of its own."""

from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.graph_again import graph_again
from l2p_search.config import TrialConfig
from l2p_search.data.plain_graphs import PUBLISHED, as_arrays
from l2p_search.errors import SearchError, UserError, argument, either
from l2p_search.report.config_file import as_json, as_yaml
from l2p_search.report.script import GRAPH_SUFFIX, as_script
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.whole_file import write_whole

SUFFIXES = {"yaml": "yaml", "json": "json", "script": "py"}
"""Form of an exported configuration -> the ending of its file."""
_BEST = "best.yaml"
_FORMS = {"yaml": as_yaml, "json": as_json}


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
        UserError: There is no such form, no program for the configuration, or one that needs the
            file of its graph beside it.
    """
    config, provenance = _best(journal, outcome, form)
    if form != "script":
        return _FORMS[form](config, provenance)
    published = _published(outcome.settings)
    if published is None:
        raise UserError(
            f"{argument('format', form)}: the graph {outcome.settings.dataset} goes into a file"
            f" beside the program; name the program's file with {argument('out')}"
        )
    return as_script(config, provenance, published)


def exported_files(
    journal: Journal, outcome: Outcome, form: str, path: Path, graph: Any = None
) -> dict[Path, str | bytes]:
    """The best configuration as files: one, or a program and the graph that it reads.

    Args:
        journal: The search.
        outcome: What it found.
        form: "yaml", "json" or "script".
        path: The file to write.
        graph: The graph of the search, for a program, where it cannot be read again.

    Returns:
        File -> content, in the order in which to write them.

    Raises:
        SearchError: No trial has all its seeds yet; or the graph is not that of the search.
        DataError: The graph cannot be read again.
        UserError: There is no such form, or no program for the configuration.
    """
    settings = outcome.settings
    if form != "script" or (graph is None and _published(settings) is not None):
        return {path: exported(journal, outcome, form)}
    program = as_script(*_best(journal, outcome, form), published=None)
    way = either("graph", "the argument graph of Search.export in Python")
    again = graph_again(settings, journal.directory.name, graph, None, way)
    return {path.with_suffix(GRAPH_SUFFIX): as_arrays(again), path: program}


def _best(journal: Journal, outcome: Outcome, form: str) -> tuple[TrialConfig, dict[str, Any]]:
    """The best configuration, and where it comes from."""
    known = (*_FORMS, "script")
    if form not in known:
        raise UserError(f"{argument('format', form)}: must be one of {', '.join(known)}")
    provenance = provenance_of(journal, outcome)
    if provenance is None or outcome.best is None:
        raise SearchError(
            f"search '{journal.directory.name}' has no complete trial yet; wait for one"
        )
    return outcome.best.config, provenance


def _published(settings: SearchSettings) -> str | None:
    """The name of the search's graph, if torch-geometric has it just as it was searched on."""
    request = settings.graph or {"source": settings.dataset}
    name = str(request["source"]).lower()
    return name if name in PUBLISHED and len(request) == 1 else None


def form_of(path: Path) -> str:
    """The form that the ending of a file's name asks for; YAML for any other ending.

    Example:
        >>> form_of(Path("best.py")), form_of(Path("best"))
        ('script', 'yaml')
    """
    endings = {"yml": "yaml", **{suffix: form for form, suffix in SUFFIXES.items()}}
    return endings.get(path.suffix.removeprefix(".").lower(), defaults.FORM)
