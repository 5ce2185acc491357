"""answer: how far messages should travel on a graph, what that is worth, and how sure it is.

L2Q, its backbone with the best fixed number of steps (APPNP, unless a stronger one is asked for),
no propagation at all (MLP) and GCN are searched with one budget, on the same splits and seeds, and
their winners are compared on fresh seeds, paired.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.answer_methods import (
    USUAL,
    answer_space,
    costliest_first,
    methods,
    search_word,
)
from l2p_search.api.answer_text import WIDTH, AnswerPage, answer_text
from l2p_search.api.arguments import check, seconds
from l2p_search.api.conducting import Means, conduct_together
from l2p_search.api.estimating import trials_at_once
from l2p_search.api.measuring import measure
from l2p_search.api.needs import check_training_fits
from l2p_search.api.planning import Plan, Wanted, make_plan
from l2p_search.api.recorded_names import as_recorded
from l2p_search.api.recording import Tracking, publish
from l2p_search.api.spent import Spent, spent
from l2p_search.api.writing import write_file
from l2p_search.caller import left_as_found
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import chosen_metric, default_config
from l2p_search.data.loading import load_graph
from l2p_search.display.choosing import Shown
from l2p_search.errors import SearchError, UserError, argument
from l2p_search.metrics import Metric, MetricChoice, briefly
from l2p_search.report.comparison import Comparison, judged_together
from l2p_search.report.comparison import compare as compare_results
from l2p_search.results import TrialResult
from l2p_search.searching.records.directory import list_searches, searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.readable import readable_searches
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.placement import settled
from l2p_search.searching.space.search_space import SearchSpace

_MOST = (9, 5, 10)
_LEAST = (2, 2, 3)
"""Trials, seeds per trial and fresh seeds per method: at the most, and at the least."""
_PROBE_SECONDS = 2.0
_USUAL_SHARE = 0.75
"""Of all epochs, what a seed trains before it stops early: to plan by, not to promise."""


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
        backbone: What L2Q was put on: one of the methods, alone.
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
    backbone: str
    results: Mapping[str, TrialResult]
    against: Mapping[str, Comparison]
    seconds: float
    _page: AnswerPage = field(repr=False)

    @property
    def travel(self) -> str:
        """How far messages travel, in words."""
        return self._page.travel

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

    def text(self, width: int = WIDTH) -> str:
        """The answer in about ten lines, for a terminal of that many columns."""
        return answer_text(self._page, width)

    def __str__(self) -> str:
        return self.text()


@left_as_found()
def answer(
    graph: Any,
    *,
    backbone: str = USUAL,
    time_budget: float | str = "12m",
    effort: Effort | None = None,
    metric: MetricChoice | None = None,
    margin: float = defaults.MARGIN,
    folder: str | Path | None = None,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    device: str = defaults.DEVICE,
    gpus_per_trial: float | None = defaults.GPUS_PER_TRIAL,
    memory_gb: float = defaults.MEMORY_GB,
    tracking: bool = True,
    tracking_uri: str | None = None,
    display: Shown = "auto",
    means: Means | None = None,
    **reading: Any,
) -> Answer:
    """How far should messages travel on this graph, and what is it worth?

    L2Q is searched beside its backbone alone (one number of steps for all nodes; APPNP unless
    another is named), MLP (none) and GCN, all with the same budget, splits and seeds. What is
    recorded already is not searched again.

    Args:
        graph: What `load_graph` takes.
        backbone: What L2Q is put on and held against alone: "appnp", or one whose steps have
            weights, such as "gcn-tuned", GCN as Luo et al. (2024) tune it.
        time_budget: About how long it may take, in seconds or such as "12m"; the budget of each
            method is made to fit, from a short measurement.
        effort: The budget of each method itself, instead of a time.
        metric: What methods are searched and compared by, as of `search`.
        margin: The points within which two scores are called equivalent.
        folder: The folder of searches.
        concurrency: Trials at once; by default as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        device: What trials compute on, as of `search`.
        gpus_per_trial: The share of a GPU that a trial takes, as of `search`.
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
        margin=margin,
    )
    if means is None:
        means = Means(
            resources=Resources(
                concurrency=concurrency,
                cpus_per_trial=cpus_per_trial,
                device=device,
                gpus_per_trial=gpus_per_trial,
            ),
            memory_gb=memory_gb,
            tracking=Tracking(tracking, tracking_uri),
            shown=display,
            command="l2p.answer",
        )
    compared = methods(backbone)
    started = time.monotonic()
    loaded = load_graph(graph, **reading)
    resources = settled(means.resources)
    at_once = trials_at_once(
        resources.concurrency, resources.cpus_per_trial, resources.gpus_per_trial
    )
    place = None if folder is None else Path(folder)
    loaded = as_recorded(loaded, lambda name: _answers(name, place))
    judged_by = chosen_metric(loaded, metric)
    if effort is None:
        limit = seconds("time_budget", time_budget) or 0.0
        effort = _begun_effort(loaded, backbone, place, judged_by)
        effort = effort or _effort(
            loaded, backbone, limit, at_once, means.memory_gb, resources.device
        )
    plans = {
        method: _plan(loaded, method, backbone, effort, place, judged_by)
        for method in costliest_first(backbone)
    }
    tell = means.told(f"answer for {loaded.name}")
    tell(loaded.describe())
    tell(f"{loaded.name}: {effort}")
    for plan in plans.values():
        if (note := plan.weights_note) is not None:
            tell(note)
    stopped = conduct_together(
        list(plans.values()),
        means,
        on_end=lambda plan, outcome: _tell_end(tell, plan, outcome),
    )
    if stopped:
        raise KeyboardInterrupt
    results = {method: _winner(plans[method]) for method in compared}
    others = [method for method in results if method != "l2q"]
    found = [compare_results(results[method], results["l2q"], "test") for method in others]
    against = dict(zip(others, judged_together(found, margin), strict=True))
    took = time.monotonic() - started
    page = AnswerPage(
        graph=loaded,
        effort=str(effort),
        backbone=backbone,
        results=results,
        against=against,
        seconds=took,
        spent={method: _spent(plans[method]) for method in compared},
        budget=asdict(effort),
    )
    try:
        publish(page.entry(), means.tracking)
    except UserError as error:  # what was trained is worth more than its copy
        tell(f"the answer is not in MLflow: {error}")
    return Answer(
        graph=loaded,
        effort=effort,
        backbone=backbone,
        results=results,
        against=against,
        seconds=took,
        _page=page,
    )


def _tell_end(tell: Callable[[str], None], plan: Plan, outcome: Outcome) -> None:
    """Tell what a search has found; one that was stopped before its end has nothing to tell."""
    if outcome.confirmed is not None:
        named = briefly("test", outcome.settings.metric)
        tell(f"{plan.directory.name}: {named} {outcome.confirmed} % on fresh seeds")


def _plan(
    graph: Graph,
    method: str,
    backbone: str,
    effort: Effort,
    folder: Path | None,
    metric: Metric,
) -> Plan:
    name = _search_name(graph, method, backbone, effort, metric)
    begun = Journal.exists(searches_folder(folder) / name)
    wanted = Wanted(
        name=name,
        folder=folder,
        # So few trials are drawn at random by any sampler; said so, they may run all at once.
        sampler=None if begun else "random",
        space=answer_space(method, backbone),
        trials=effort.trials,
        seeds=effort.seeds,
        metric=metric,
        confirm=effort.confirm,
        confirm_ties=0,
        # MLP and the backbone are searched themselves here, which is the stronger control; what
        # else a search trains beside its winner would take time from that.
        controls=False,
        fresh_splits=False,
    )
    return make_plan(graph, wanted, resume=True)


def _search_name(graph: Graph, method: str, backbone: str, effort: Effort, metric: Metric) -> str:
    """One name per metric: a search keeps the metric that it began with."""
    by = "" if metric == "accuracy" else f"-{metric}"
    word = search_word(method, backbone)
    return f"answer-{graph.name}-{word}-{effort.trials}x{effort.seeds}{by}"


def _winner(plan: Plan) -> TrialResult:
    outcome = read_outcome(Journal.read(plan.directory))
    if outcome.best is None or outcome.best.number not in outcome.confirmations:
        raise SearchError(
            f"search '{plan.directory.name}' has no confirmed trial; look at its trials, or give"
            f" {argument('memory_gb')} more"
        )
    return outcome.confirmations[outcome.best.number]


def _spent(plan: Plan) -> Spent:
    journal = Journal.read(plan.directory)
    return spent(journal.settings, journal.records(), journal.checked().values())


def _answers(name: str, folder: Path | None) -> list[Path]:
    """The searches of answers for the graph of that name."""
    found = list_searches(searches_folder(folder))
    return [each for each in found if each.name.startswith(f"answer-{name}-")]


def _begun_effort(
    graph: Graph, backbone: str, folder: Path | None, metric: Metric
) -> Effort | None:
    """The budget of an answer that was begun on this graph: what is recorded is not done again."""
    for journal, _ in readable_searches(searches_folder(folder), f"answer-{graph.name}-"):
        settings, goal = journal.settings, journal.goal
        same = (settings.data_digest, settings.metric) == (graph.digest, metric)
        if not same or goal is None:
            continue
        effort = Effort(trials=goal.trials, seeds=settings.seeds, confirm=goal.confirm)
        if journal.directory.name == _search_name(graph, "l2q", backbone, effort, metric):
            return effort
    return None


def _effort(
    graph: Graph, backbone: str, limit: float, at_once: int, memory_gb: float, device: str
) -> Effort:
    """The largest budget that fits the time, by what an epoch of one seed takes per method."""
    per_seed = sum(
        _seconds_per_seed(graph, answer_space(method, backbone), memory_gb, device)
        for method in methods(backbone)
    )
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


def _seconds_per_seed(graph: Graph, space: SearchSpace, memory_gb: float, device: str) -> float:
    """What one seed takes."""
    config = space.config(space.middle(), default_config(graph))
    check_training_fits(graph, config, 2, memory_gb=memory_gb)
    cost = measure(graph, config, 2, memory_gb=memory_gb, device=device, limit=_PROBE_SECONDS)
    return (cost.seconds if cost.whole else _USUAL_SHARE * cost.at_most) / 2
