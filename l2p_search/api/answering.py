"""answer: how far messages should travel on a graph, what that is worth, and how sure it is.

L2Q, its backbone with the best fixed number of steps (APPNP), no propagation at all (MLP) and GCN
are searched with one budget, on the same splits and seeds, and their winners are compared on fresh
seeds, paired.
"""

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.answer_text import AnswerPage, answer_text, travel_in_words
from l2p_search.api.arguments import check, seconds
from l2p_search.api.conducting import Means, conduct_together
from l2p_search.api.planning import Plan, Wanted, make_plan, trials_at_once
from l2p_search.api.recording import Tracking, publish
from l2p_search.api.writing import write_file
from l2p_search.caller import left_as_found
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import chosen_metric, default_config
from l2p_search.data.loading import load_graph
from l2p_search.display.choosing import Shown
from l2p_search.errors import SearchError, argument
from l2p_search.metrics import Metric, MetricChoice, briefly
from l2p_search.report.comparison import Comparison
from l2p_search.report.comparison import compare as compare_results
from l2p_search.results import TrialResult
from l2p_search.searching.records.directory import searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.readable import readable_searches
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit as train

METHODS = ("l2q", "appnp", "mlp", "gcn")
"""L2Q and what it is held against."""
_COMMON: dict[str, Any] = {
    "dropout": {"choices": [0.2, 0.5, 0.8]},
    "weight_decay": {"choices": [5e-3, 5e-4, 1e-5]},
    "lr": 0.01,
    "hidden": 64,
    "epochs": 400,
    "patience": 40,
}
_OWN: dict[str, dict[str, Any]] = {
    "l2q": {"K": {"choices": [2, 4, 8]}, "posterior": "quit"},
    "appnp": {"model": "appnp", "K": {"choices": [2, 4, 8]}, "teleport": {"choices": [0.1, 0.5]}},
    "mlp": {"model": "mlp"},
    "gcn": {"model": "gcn", "K": {"choices": [2, 3]}},
}
_MOST = (9, 5, 10)
_LEAST = (2, 2, 3)
"""Trials, seeds per trial and fresh seeds per method: at the most, and at the least."""
_PROBE_EPOCHS = 12
_USUAL_EPOCHS = 150
"""What a seed trains before it stops early, more or less: to plan by, not to promise."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """What each method gets: trials, seeds per trial, and fresh seeds for its winner.

    Example:
        >>> print(l2p.Effort(trials=3, seeds=2, confirm=4))
        3 configurations of 2 seeds for each method, the best on validation trained again on 4
        fresh seeds
    """

    trials: int
    seeds: int
    confirm: int

    def __str__(self) -> str:
        return (
            f"{self.trials} configurations of {self.seeds} seeds for each method, the best on"
            f" validation trained again on {self.confirm} fresh seeds"
        )


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What `answer` found.

    Attributes:
        graph: The graph.
        effort: The budget that every method had.
        results: Method -> its winner on the fresh seeds.
        against: Method -> L2Q minus it on test nodes, paired by seed and split.
        seconds: How long it took.

    Example:
        >>> import l2p_search as l2p
        >>> found = l2p.answer("demo", effort=l2p.Effort(trials=1, seeds=2, confirm=2),
        ...                    display="off", tracking=False)
        >>> sorted(found.against)
        ['appnp', 'gcn', 'mlp']
    """

    graph: Graph
    effort: Effort
    results: Mapping[str, TrialResult]
    against: Mapping[str, Comparison]
    seconds: float
    _page: AnswerPage = field(repr=False)

    @property
    def travel(self) -> str:
        """How far messages travel, in words."""
        return travel_in_words(self.results["l2q"])

    @property
    def use(self) -> str:
        """The simplest method that none is better than: what to use."""
        return self._page.use

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._page.to_mapping()

    def report(self, out: str | Path) -> Path:
        """Write the answer as one HTML page that needs no network."""
        return write_file(Path(out), self._page.html())

    def __str__(self) -> str:
        return answer_text(self._page)


@left_as_found()
def answer(
    graph: Any,
    *,
    time_budget: float | str = "12m",
    effort: Effort | None = None,
    metric: MetricChoice | None = None,
    folder: str | Path | None = None,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    memory_gb: float = defaults.MEMORY_GB,
    tracking: bool = True,
    tracking_uri: str | None = None,
    display: Shown = "auto",
    means: Means | None = None,
    **reading: Any,
) -> Answer:
    """How far should messages travel on this graph, and what is it worth?

    L2Q is searched beside APPNP (one number of steps for all nodes), MLP (none) and GCN, all with
    the same budget, splits and seeds. What is recorded already is not searched again.

    Args:
        graph: What `load_graph` takes.
        time_budget: About how long it may take, in seconds or such as "12m"; the budget of each
            method is made to fit, from a short measurement.
        effort: The budget of each method itself, instead of a time.
        metric: What methods are searched and compared by, as of `search`.
        folder: The folder of searches.
        concurrency: Trials at once; by default as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        memory_gb: Memory per trial.
        tracking: Whether MLflow gets a copy: of each search, and one run with the answer.
        tracking_uri: An MLflow server, instead of the one that the environment names.
        display: "auto" tells of each search that has ended, on stderr; "off" tells nothing.
        means: All of the above about how searches run, for callers that have it.
        **reading: Further arguments of `load_graph`, such as `label`.

    Returns:
        The answer; `print` it, or `report` it as a page.

    Raises:
        UserError: The graph cannot be read, or a search has no complete trial.
        KeyboardInterrupt: Ctrl-C was pressed; the same call goes on where this one was.

    Example:
        >>> import l2p_search as l2p
        >>> found = l2p.answer("demo", effort=l2p.Effort(trials=1, seeds=2, confirm=2),
        ...                    display="off", tracking=False)
        >>> found.use in ("mlp", "appnp", "gcn", "l2q")
        True
    """
    check(
        concurrency=concurrency,
        cpus_per_trial=cpus_per_trial,
        memory_gb=memory_gb,
        metric=metric,
    )
    if means is None:
        means = Means(
            resources=Resources(concurrency=concurrency, cpus_per_trial=cpus_per_trial),
            memory_gb=memory_gb,
            tracking=Tracking(tracking, tracking_uri),
            shown=display,
            command="l2p.answer",
        )
    started = time.monotonic()
    loaded = load_graph(graph, **reading)
    at_once = trials_at_once(means.resources.concurrency, means.resources.cpus_per_trial)
    place = None if folder is None else Path(folder)
    judged_by = chosen_metric(loaded, metric)
    if effort is None:
        limit = seconds("time_budget", time_budget) or 0.0
        effort = _begun_effort(loaded, place, judged_by)
        effort = effort or _effort(loaded, limit, at_once, means.memory_gb)
    plans = {method: _plan(loaded, method, effort, place, judged_by) for method in METHODS}
    tell = means.told(f"answer for {loaded.name}")
    tell(loaded.describe())
    tell(f"{loaded.name}: {effort}")
    stopped = conduct_together(
        list(plans.values()),
        means,
        on_end=lambda plan, outcome: tell(
            f"{plan.directory.name}: {briefly('test', judged_by)} {outcome.confirmed} % on fresh"
            " seeds"
        ),
    )
    if stopped:
        raise KeyboardInterrupt
    results = {method: _winner(plan) for method, plan in plans.items()}
    against = {
        method: compare_results(result, results["l2q"], "test")
        for method, result in results.items()
        if method != "l2q"
    }
    took = time.monotonic() - started
    page = AnswerPage(
        graph=loaded, effort=str(effort), results=results, against=against, seconds=took
    )
    publish(page.entry(), means.tracking)
    return Answer(
        graph=loaded, effort=effort, results=results, against=against, seconds=took, _page=page
    )


def answer_space(method: str) -> SearchSpace:
    """The space in which a method is searched for an answer."""
    return parse_space(f"answer-{method}", {**_COMMON, **_OWN[method]})


def _plan(graph: Graph, method: str, effort: Effort, folder: Path | None, metric: Metric) -> Plan:
    # One name per metric: a search keeps the metric that it began with.
    by = "" if metric == "accuracy" else f"-{metric}"
    wanted = Wanted(
        name=f"answer-{graph.name}-{method}-{effort.trials}x{effort.seeds}{by}",
        folder=folder,
        space=answer_space(method),
        trials=effort.trials,
        seeds=effort.seeds,
        metric=metric,
        confirm=effort.confirm,
        confirm_ties=0,
    )
    return make_plan(graph, wanted, resume=True)


def _winner(plan: Plan) -> TrialResult:
    outcome = read_outcome(Journal.read(plan.directory))
    if outcome.best is None or outcome.best.number not in outcome.confirmations:
        raise SearchError(
            f"search '{plan.directory.name}' has no confirmed trial; look at its trials, or give"
            f" {argument('memory_gb')} more"
        )
    return outcome.confirmations[outcome.best.number]


def _begun_effort(graph: Graph, folder: Path | None, metric: Metric) -> Effort | None:
    """The budget of an answer that was begun on this graph: what is recorded is not done again."""
    begins = f"answer-{graph.name}-{METHODS[0]}-"
    for journal, _ in readable_searches(searches_folder(folder), begins):
        settings, goal = journal.settings, journal.goal
        same = (settings.data_digest, settings.metric) == (graph.digest, metric)
        if same and goal is not None:
            return Effort(trials=goal.trials, seeds=settings.seeds, confirm=goal.confirm)
    return None


def _effort(graph: Graph, limit: float, at_once: int, memory_gb: float) -> Effort:
    """The largest budget that fits the time, by what an epoch of one seed takes per method."""
    per_seed = sum(_seconds_per_seed(graph, method, memory_gb) for method in METHODS)
    trials, seeds, confirm = _MOST
    while (trials, seeds, confirm) != _LEAST:
        needed = per_seed * (trials * seeds + confirm) / at_once
        if needed <= limit:
            break
        trials, seeds, confirm = _smaller(trials, seeds, confirm)
    return Effort(trials=trials, seeds=seeds, confirm=confirm)


def _smaller(trials: int, seeds: int, confirm: int) -> tuple[int, int, int]:
    """Fewer trials first, then fewer seeds: seeds are what the answer's certainty rests on."""
    if trials > 4:
        return trials - 1, seeds, confirm
    if seeds > 3:
        return trials, seeds - 1, confirm
    if confirm > 5:
        return trials, seeds, confirm - 1
    least = _LEAST
    return max(least[0], trials - 1), max(least[1], seeds - 1), max(least[2], confirm - 1)


def _seconds_per_seed(graph: Graph, method: str, memory_gb: float) -> float:
    """What one seed takes, by the CPU time of a few epochs of two: others may run here too."""
    space = answer_space(method)
    config = space.config(space.middle(), default_config(graph))
    probe = dataclasses.replace(config, epochs=_PROBE_EPOCHS, patience=_PROBE_EPOCHS)
    started = time.process_time()
    train(graph, probe, range(2), memory_gb=memory_gb)
    return (time.process_time() - started) / 2 / _PROBE_EPOCHS * _USUAL_EPOCHS
