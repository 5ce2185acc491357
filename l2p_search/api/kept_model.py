"""What MLflow gets of the model that a search has kept."""

import hashlib
import shlex

from l2p_search.display.phrases import count, describe_config
from l2p_search.intervals import Interval
from l2p_search.metrics import title
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.folder import WEIGHTS, read_folder
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.running.keeping import FOLDER
from l2p_search.tracking.model_entry import CANDIDATE, CHAMPION, ModelEntry


def model_entry(journal: Journal, outcome: Outcome) -> ModelEntry | None:
    """The logged model of a search, and its version in the registry if one is asked for.

    Args:
        journal: The search.
        outcome: What it found.

    Returns:
        The entry; None when the search has kept no model, or one of a configuration that is not
        its best any more.

    Raises:
        ModelError: The folder of the model is damaged.
    """
    folder, best, goal = journal.directory / FOLDER, outcome.best, outcome.goal
    if best is None or not folder.is_dir():
        return None
    model = load_model(folder)
    config_id = model.config.config_id
    if config_id != best.config.config_id:
        return None
    name, evidence = journal.directory.name, model.evidence
    measured = f"{'confirmed_' * evidence.confirmed}test_{evidence.metric}"
    return ModelEntry(
        uid=f"{journal.uid}-{_content(journal, config_id)}",
        folder=folder,
        model=model,
        name=name,
        tags={
            measured: _percent(evidence),
            "config_id": config_id,
            "dataset": model.expected.dataset,
            "data_digest": model.expected.digest,
            "search": name,
        },
        metrics=_metrics(evidence, measured),
        description=_description(journal, outcome, model),
        registered=None if goal is None else goal.register,
        aliases=(CANDIDATE, CHAMPION) if goal is not None and goal.champion else (CANDIDATE,),
    )


def _content(journal: Journal, config_id: str) -> str:
    """A hash of what the model computes: its configuration and its weights.

    Not of its evidence: a resumed search that keeps its best has more trials, and the same model.
    """
    described, _ = read_folder(journal.directory / FOLDER)
    weights = described["files"][WEIGHTS]["sha256"]
    return hashlib.sha256(f"{config_id} {weights}".encode()).hexdigest()[:16]


def _percent(evidence: Evidence) -> str:
    """Such as 85.59 ± 2.88; without an interval the mean alone."""
    if evidence.test is None:
        return "unknown"
    return str(Interval(evidence.test, evidence.low, evidence.high, units=0))


def _metrics(evidence: Evidence, measured: str) -> dict[str, float]:
    found = {
        measured: evidence.test,
        f"{measured}_low": evidence.low,
        f"{measured}_high": evidence.high,
        f"{measured}_other_nodes_low": evidence.nodes_low,
        f"{measured}_other_nodes_high": evidence.nodes_high,
        f"val_{evidence.metric}_mean": evidence.validation,
        "expected_step": evidence.expected_step,
    }
    return {name: round(value, 2) for name, value in found.items() if value is not None}


def _description(journal: Journal, outcome: Outcome, model: Model) -> str:
    """Markdown for the page of the version."""
    evidence, settings, best = model.evidence, outcome.settings, outcome.best
    assert best is not None
    seeds = count(len(model.seeds), "fresh seed" if evidence.confirmed else "seed")
    kind = "Confirmed test" if evidence.confirmed else "Test"
    name = journal.directory.name
    return (
        # Plain at first: a list of versions shows the beginning of it, as it is.
        f"{kind} {title(evidence.metric)}: {_percent(evidence)} % on {seeds}.\n\n"
        f"{model.config.method} on {settings.dataset}, trial {best.number} of the search"
        f" `{name}`: `{describe_config(model.config, settings.space.dimensions)}`, the best by"
        f" validation of {count(len(outcome.records), 'trial')}. Its card is `README.md` among the"
        f" artifacts; all trials: `l2p-search trials {shlex.quote(name)}`."
    )
