"""Looking at what was learned: the profiles of datasets, and how far one node looks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.graph_again import graph_again
from l2p_search.api.recording import Tracking, attach
from l2p_search.api.writing import figure_files
from l2p_search.caller import left_as_found
from l2p_search.config import TrialConfig
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config, default_metric
from l2p_search.data.loading import load_graph
from l2p_search.data.own_names import earlier_name
from l2p_search.display.travel import node_in_words
from l2p_search.errors import UserError, argument, did_you_mean
from l2p_search.report.profile_figures import correlation_figure, datasets_figure, node_figure
from l2p_search.searching.records.directory import find_search, searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import best_of
from l2p_search.searching.records.preference import Facts, facts, preferred
from l2p_search.searching.records.readable import readable_searches
from l2p_search.training.fit import node_posterior
from l2p_search.trial_record import TrialRecord
from l2p_search.whole_file import as_file_name

if TYPE_CHECKING:
    from torch import Tensor

_FEW_IDS = 1000
"""Of a graph with more ids than these, the nearest one is not looked for."""


@dataclass(frozen=True, eq=False)
class _Best:
    """The best trial of a posterior in one search."""

    posterior: str
    dataset: str
    profile: Sequence[float]
    journal: Journal
    facts: Facts


def profile_drawings(
    datasets: Sequence[str] | None = None,
    *,
    searches: Sequence[str] = (),
    folder: Path | None = None,
    tracking: Tracking = Tracking(),  # noqa: B008 - frozen
) -> dict[str, bytes]:
    """Draw the profiles of all searched datasets, and the cosine of every two of them.

    Args:
        datasets: The datasets to draw; all that were searched by default.
        searches: The searches to draw; of each dataset the best one by default.
        folder: The folder of searches.
        tracking: Whether the searches' runs in MLflow get a copy.

    Returns:
        File name -> content: the two figures as PNG and SVG.

    Raises:
        UserError: No trial is complete yet, or a dataset was not searched.
    """
    found = _profiles(datasets, searches, searches_folder(folder))
    if not found:
        raise UserError("no search has a complete trial yet; wait for one")
    panels: dict[str, dict[str, Sequence[float]]] = {}
    for best in found:
        panels.setdefault(best.posterior, {})[best.dataset] = best.profile
    named = {f"{best.dataset} ({best.posterior})": best.profile for best in found}
    files = figure_files("profiles", datasets_figure(panels))
    files |= figure_files("correlation", correlation_figure(named))
    with left_as_found():
        attach({best.journal for best in found}, files, tracking)
    return files


def _profiles(
    datasets: Sequence[str] | None, searches: Sequence[str], folder: Path
) -> list[_Best]:
    """The best trial per posterior and dataset, in the paper's order of datasets."""
    for name in searches:
        find_search(folder, name)  # raises, with the nearest name
    found: dict[tuple[str, str], list[_Best]] = {}
    seen = set()
    for journal, records in readable_searches(folder):
        dataset = journal.settings.dataset
        seen.add(dataset)
        if searches and journal.directory.name not in searches:
            continue
        for posterior in sorted({record.config.posterior for record in records}):
            best = best_of(_with_profile(records, posterior))
            if best is None or best.result is None or best.result.profile is None:
                continue
            facts = _facts(journal, records, best)
            one = _Best(posterior, dataset, best.result.profile, journal, facts)
            found.setdefault((posterior, dataset), []).append(one)
    for name in datasets or ():
        if name not in seen:
            there = ", ".join(sorted(seen)) or "none"
            raise UserError(
                f"{argument('datasets')} {name}: no search of it in {folder} (there are: {there})"
            )
    paper = list(DATASETS)
    chosen = [preferred(several, lambda best: best.facts) for several in found.values()]
    wanted = [best for best in chosen if best.dataset in (datasets or seen)]

    def place(best: "_Best") -> tuple[str, int, str]:
        order = paper.index(best.dataset) if best.dataset in paper else len(paper)
        return best.posterior, order, best.dataset

    return sorted(wanted, key=place)


def _with_profile(records: Sequence[TrialRecord], posterior: str) -> list[TrialRecord]:
    return [
        record
        for record in records
        if record.config.posterior == posterior and record.result and record.result.profile
    ]


def _facts(journal: Journal, records: Sequence[TrialRecord], best: TrialRecord) -> Facts:
    settings = journal.settings
    return facts(
        records,
        journal.goal,
        bool(journal.confirmations()),
        seeds=settings.seeds,
        metric=settings.metric,
        score=best.objective or 0.0,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class NodeLook:
    """How far one node looks.

    Attributes:
        graph: The graph.
        node: The node, counted from 0.
        called: The node as it was asked for: its own id, or the number.
        origin: Which configuration was trained, in words.
        q: q(t) of the node, as a mean over the seeds: [K + 1].
        files: File name -> content: a drawing of its neighbourhood, as PNG and SVG.
    """

    graph: Graph
    node: int
    called: str
    origin: str
    q: "Tensor"
    files: dict[str, bytes]

    @property
    def expected_step(self) -> float:
        """How many steps the node takes on average: the mean of q(t)."""
        return float(sum(step * share for step, share in enumerate(self.q.tolist())))

    @property
    def in_words(self) -> str:
        """How far the node looks: the steps that hold most of its q(t), with their shares."""
        return node_in_words(self.q.tolist())


def look_at_node(
    graph: Any,
    node: int | str,
    *,
    search: str | None = None,
    seeds: int = defaults.NODE_SEEDS,
    device: str = defaults.DEVICE,
    folder: Path | None = None,
    tracking: Tracking = Tracking(),  # noqa: B008 - frozen
) -> NodeLook:
    """Train the best recorded configuration of a graph, else its default; look at one node.

    Args:
        graph: What `load_graph` takes; None for the graph of the search.
        node: The node, by its own id in the source; a number that is none of these ids, or of a
            graph without ids, counts nodes from 0.
        search: The search whose best configuration is trained; by default the best one of the
            graph.
        seeds: How many seeds q(t) is averaged over.
        device: What to compute on, as of `fit`.
        folder: The folder of searches.
        tracking: Whether the search's run in MLflow gets a copy of the drawing.

    Returns:
        What was found, and a drawing of it.

    Raises:
        DataError: The graph cannot be used.
        UserError: The graph has no such node.
    """
    check(seeds=seeds, device=device)
    place = searches_folder(folder)
    if search is not None:
        settings = Journal.read(find_search(place, search)).settings
        loaded = graph_again(settings, search, graph, None)
    else:
        loaded = load_graph(graph)
    position = _position(loaded, node)
    config, journal = _best_config(loaded, place, search)
    metric = default_metric(loaded) if journal is None else journal.settings.metric
    with left_as_found():
        import torch

        torch.set_num_threads(defaults.THREADS)
        q = node_posterior(loaded, config, range(seeds), position, metric=metric, device=device)
        figure = node_figure(loaded.edges.numpy(), loaded.y.numpy(), position, q.tolist())
        files = figure_files(as_file_name(f"{loaded.name}-node-{str(node)[:60]}"), figure)
        if journal is not None:
            attach([journal], files, tracking)
    origin = "default configuration" if journal is None else f"best of {journal.directory.name}"
    return NodeLook(graph=loaded, node=position, called=str(node), origin=origin, q=q, files=files)


def _position(graph: Graph, node: int | str) -> int:
    """The position of a node that is named by its id, or else by its number."""
    ids = graph.about.node_ids
    if ids is not None:
        places = {str(own): place for place, own in reversed(list(enumerate(ids)))}
        for form in (str(node), str(node).lstrip("0")):  # a column of 007, 008 is one of numbers
            if form in places:
                return places[form]
        if isinstance(node, str):
            near = did_you_mean(node, places) if len(places) <= _FEW_IDS else ""
            if not near.startswith("did"):
                near = f"its ids are like {str(ids[0])[:40]!r}"
            raise UserError(f"{argument('node', node)}: {graph.name} has no such node; {near}")
    check(node=node)
    number = int(node)
    if number >= graph.num_nodes:
        raise UserError(
            f"{argument('node', node)}: {graph.name} has {graph.num_nodes} nodes; give one of 0"
            f" to {graph.num_nodes - 1}"
        )
    return number


def _is_of(journal: Journal, graph: Graph) -> bool:
    """Whether a search is one of the graph: by its name, or by an earlier one and the content."""
    called = journal.settings.dataset
    if called == earlier_name(graph.about.request):
        return journal.settings.data_digest == graph.digest
    return called == graph.name


def _best_config(
    graph: Graph, folder: Path, search: str | None
) -> tuple[TrialConfig, Journal | None]:
    """The best configuration of the graph's best search; without one the graph's default."""
    found = []
    for journal, records in readable_searches(folder):
        if search is not None and journal.directory.name != search:
            continue
        # A baseline chooses no steps per node: there is no q(t) to look at.
        best = best_of(each for each in records if each.config.model == "l2p")
        if best is not None and _is_of(journal, graph):
            found.append((journal, best, _facts(journal, records, best)))
    if not found and search is not None:
        raise UserError(
            f"search '{search}' has no complete trial of L2P, which alone chooses steps per node;"
            " name another search"
        )
    if not found:
        return default_config(graph), None
    journal, best, _ = preferred(found, lambda each: each[2])
    return best.config, journal
