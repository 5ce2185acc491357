"""What is told of a search, as one object: for the terminal, the report and MLflow alike."""

from l2p_search.api.method_names import printed_name
from l2p_search.display.phrases import paper_figure
from l2p_search.display.summary import Summary
from l2p_search.effects import Effects
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.running.run import Finish


def summary_of(
    outcome: Outcome, name: str, importance: Effects | None = None, finish: Finish | None = None
) -> Summary:
    """What a search found, ready to be told.

    Args:
        outcome: What it found.
        name: Its name.
        importance: What mattered; None where that is not known, or told elsewhere.
        finish: How the call ended that has run it; None for a search that was read.

    Returns:
        The summary.
    """
    settings, best, nested = outcome.settings, outcome.best, outcome.nested
    estimate, luck = outcome.estimate, outcome.luck
    return Summary(
        name=name,
        dataset=settings.dataset,
        seeds=settings.seeds,
        keys=list(settings.space.dimensions),
        records=outcome.records,
        best=best,
        ties={record.number for record in outcome.ties},
        confirmations=outcome.confirmations,
        confirmed=outcome.confirmed,
        elsewhere=None if estimate is None else estimate.other_nodes,
        spread=outcome.spread,
        still_open=len(outcome.still_open),
        protocol=outcome.protocol_estimate,
        nested=None if nested is None else nested.by_others,
        overtuning=None if nested is None else nested.overtuning,
        paper=None
        if best is None
        else paper_figure(settings.dataset, best.config, settings.metric),
        metric=settings.metric,
        method="" if best is None else printed_name(best.config.method),
        importance=importance,
        exhausted=finish is not None and finish.exhausted,
        unconfirmed={} if finish is None else finish.unconfirmed,
        luck=None if luck is None else luck.estimate,
        looks=str(outcome.looks),
        held=outcome.held,
        unchecked={} if finish is None else finish.unchecked,
    )


def class_names(journal: Journal) -> list[str]:
    """What the classes of a search's graph are called.

    Args:
        journal: The search.

    Returns:
        The names by class; empty where classes have numbers only, or an earlier version began it.
    """
    noted = [each["classes"] for each in journal.invocations if "classes" in each]
    return [str(name) for name in noted[-1]] if noted else []
