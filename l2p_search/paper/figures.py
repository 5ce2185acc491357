"""Figures 3 to 8 of the L2P paper, each drawn from searches of its own."""

import dataclasses
from collections.abc import Callable, Sequence

import networkx as nx
import numpy as np
from scipy.stats import spearmanr

from l2p_search.api.writing import figure_files
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.graph import Graph
from l2p_search.intervals import Interval, interval_of_test
from l2p_search.learned import Curves
from l2p_search.paper.budgets import BUDGETS, Study, base_of, grid_study
from l2p_search.paper.paper_tables import best_results
from l2p_search.paper.studies import Reproduction, Request, no_results, outcomes_of
from l2p_search.report.paper_figures import LEVELS, algorithms_figure, levels_figure
from l2p_search.report.profile_figures import correlation_figure, datasets_figure, node_figure
from l2p_search.results import TrialResult
from l2p_search.training.fit import node_posterior

_STEPS = 16
"""K of the profiles in the paper's figures."""
_HOPS = 3
_LEVELS_AS_IN_THE_PAPER = {
    "scorer": "per_step",
    "kl_weight": 0.0,
    "K": _STEPS,
    "dropout": 0.2,
    "weight_decay": 5e-4,
}
"""Figure 3 shows overfitting, so nothing here may prevent it: one w_k per step, values of the
paper's space with little dropout, and no KL term, as in the authors' code on PubMed. A KL term
that keeps q near its prior, or much dropout, would keep phi from overfitting as well."""
_LEVEL_EPOCHS = 300


def draw_levels(request: Request) -> Reproduction:
    """Figure 3: losses over the epochs of joint and of bi-level training.

    The paper shows that joint training of theta and phi overfits and bi-level training does not.

    Args:
        request: What the user asks for; by default Texas and PubMed.

    Returns:
        A table of the last losses, and the figure.

    Raises:
        SearchError: No trial has learning curves.
    """
    curves: dict[str, dict[str, Curves]] = {}
    datasets = request.datasets or ("texas", "pubmed")
    levels = {"level": list(LEVELS)}
    epochs = BUDGETS[request.budget].epochs or _LEVEL_EPOCHS
    # Journals named `levels` have the second order without Adam, which is next to nothing.
    # No early stopping: the figure shows what happens after the best epoch.
    fixed = {**_LEVELS_AS_IN_THE_PAPER, "epochs": epochs, "patience": epochs}
    studies = [
        grid_study("orders", dataset, request.budget, levels, fixed) for dataset in datasets
    ]
    outcomes = outcomes_of(request, studies, request.graphs(datasets))
    lines = [
        "### Figure 3: losses of L2Q by level\n",
        "| | level | training loss | validation loss | gap | q(0) | test accuracy, % |",
        "|---|---|---|---|---|---|---|",
    ]
    for dataset, outcome in zip(datasets, outcomes, strict=True):
        for record in outcome.records:
            if record.result is None or record.result.curves is None:
                continue
            found = record.result.curves
            curves.setdefault(dataset, {})[record.config.level] = found
            train, val = found.train_loss[-1], found.val_loss[-1]
            test = interval_of_test(record.result)
            shallow = "-" if record.result.profile is None else f"{record.result.profile[0]:.2f}"
            cells = f"{train:.3f} | {val:.3f} | {val - train:.3f} | {shallow} | {test}"
            lines.append(f"| {dataset} | {record.config.level} | {cells} |")
    lines.append(
        f"\nLosses at epoch {epochs}, means over seeds; q and accuracy at a seed's best epoch."
    )
    if not curves:
        raise no_results("figure 3", studies)
    files = figure_files("figure3", levels_figure(curves))
    return Reproduction(text="\n".join(lines), files=files)


def draw_algorithms(request: Request) -> Reproduction:
    """Figure 4: accuracy of variational inference and of expectation maximization, and of APPNP.

    Args:
        request: What the user asks for; by default Cora and Texas.

    Returns:
        A table, and the figure.

    Raises:
        SearchError: No trial has a result.
    """
    bars: dict[str, dict[str, Interval]] = {}
    datasets = request.datasets or ("cora", "texas")
    varied = {"posterior": ["select", "quit"], "algorithm": ["em", "vi"]}
    # Journals named `algorithms` have EM with an E-step for another objective than its M-step.
    studies = [
        grid_study("inference", dataset, request.budget, varied, {}) for dataset in datasets
    ]
    outcomes = outcomes_of(request, studies, request.graphs(datasets))
    rivals = best_results(request, [("appnp", dataset) for dataset in datasets])
    for dataset, outcome in zip(datasets, outcomes, strict=True):
        found: dict[str, TrialResult | None] = {"appnp": rivals.get(("appnp", dataset))}
        for record in outcome.records:
            found[f"{record.config.method} {record.config.algorithm}"] = record.result
        row = {
            name: interval
            for name, result in found.items()
            if result is not None and (interval := interval_of_test(result)) is not None
        }
        if row:
            bars[dataset] = row
    if not bars:
        raise no_results("figure 4", studies)
    names = list(dict.fromkeys(name for row in bars.values() for name in row))
    lines = [
        "### Figure 4: learning algorithms\n",
        f"| | {' | '.join(names)} |\n|---{'|---' * len(names)}|",
        *(
            f"| {dataset} | {' | '.join(str(row.get(name, '-')) for name in names)} |"
            for dataset, row in bars.items()
        ),
        "\nTest accuracy in percent with its 95 % interval; APPNP is the best of its search.",
    ]
    files = figure_files("figure4", algorithms_figure(bars))
    return Reproduction(text="\n".join(lines), files=files)


def draw_profiles(request: Request) -> Reproduction:
    """Figure 5: the profiles of datasets at 16 steps, by L2Q and by L2S.

    Args:
        request: What the user asks for; by default the paper's seven graphs.

    Returns:
        A table of q(0) and the mean step, and the figure.

    Raises:
        SearchError: No trial has a profile.
    """
    panels = _profiles(request, "figure 5")
    lines = [
        "### Figure 5: profiles at K = 16\n",
        "| | posterior | q(0) | mean step |\n|---|---|---|---|",
    ]
    for posterior, panel in panels.items():
        for dataset, profile in panel.items():
            mean = sum(step * share for step, share in enumerate(profile))
            lines.append(f"| {dataset} | {posterior} | {profile[0]:.3f} | {mean:.2f} |")
    files = figure_files("figure5", datasets_figure(panels))
    return Reproduction(text="\n".join(lines), files=files)


def draw_correlation(request: Request) -> Reproduction:
    """Figure 6: the cosine of the profiles of every two datasets, by L2Q.

    Args:
        request: What the user asks for; by default the paper's seven graphs.

    Returns:
        The figure.

    Raises:
        SearchError: No trial of L2Q has a profile.
    """
    panel = _profiles(request, "figure 6", ("quit",))["quit"]
    return Reproduction(files=figure_files("figure6", correlation_figure(panel)))


def draw_nodes(request: Request, what: str, usual: Sequence[str]) -> Reproduction:
    """Figures 7 and 8: nodes with many and with few neighbours of their own class, and their q.

    Args:
        request: What the user asks for.
        what: The name of the figure, with which the names of its files begin.
        usual: The datasets that the paper shows.

    Returns:
        The rank correlation of steps and neighbours per dataset, and a figure per node.
    """
    lines: list[str] = []
    files: dict[str, bytes] = {}
    datasets = request.datasets or usual
    graphs = request.graphs(datasets)
    results = _profile_results(request, datasets)
    for dataset, graph in graphs.items():
        result = results.get((dataset, "quit"))
        if result is None or result.profiles is None:
            continue
        shares = same_class_shares(graph)
        steps = np.array(result.profiles.node_steps)
        told = ~np.isnan(shares)
        rank = spearmanr(shares[told], steps[told]).statistic
        lines.append(
            f"{dataset}: rank correlation {rank:.2f} between a node's expected step and the share"
            f" of its own class within {_HOPS} hops (the paper expects a negative one)"
        )
        for node in _examples(graph, shares):
            q = _q_of(request, graph, dataset, node)
            figure = node_figure(graph.edges.numpy(), graph.y.numpy(), node, q)
            files |= figure_files(f"{what}-{dataset}-{node}", figure)
    return Reproduction(text="\n".join(lines), files=files)


def same_class_shares(graph: Graph) -> "np.ndarray":
    """How many of the nodes within three hops have a node's own class.

    Args:
        graph: The graph.

    Returns:
        A share per node, from 0 to 1; NaN for a node without neighbours: [N].
    """
    network = nx.Graph(graph.edges.T.tolist())
    labels = graph.y.tolist()
    shares = np.full(graph.num_nodes, np.nan)
    for node in network:
        near = nx.single_source_shortest_path_length(network, node, cutoff=_HOPS)
        others = [labels[other] == labels[node] for other in near if other != node]
        shares[node] = sum(others) / len(others)
    return shares


def _examples(graph: Graph, shares: "np.ndarray") -> list[int]:
    """The test nodes with the largest and the smallest share, among those easy to draw."""
    degree = np.bincount(graph.edges[0].numpy(), minlength=graph.num_nodes)
    fit_to_draw = graph.test[0].numpy() & (degree >= 2) & (degree <= 12) & ~np.isnan(shares)
    ordered = sorted(np.flatnonzero(fit_to_draw).tolist(), key=lambda node: shares[node])
    return list(dict.fromkeys(ordered[-1:] + ordered[:1]))


def _q_of(request: Request, graph: Graph, dataset: str, node: int) -> list[float]:
    """The posterior q(t) of a node, averaged over up to five seeds."""
    budget = BUDGETS[request.budget]
    config = dataclasses.replace(base_of(dataset, budget.epochs), K=_STEPS)
    mean: list[float] = node_posterior(graph, config, range(min(5, budget.seeds)), node).tolist()
    return mean


def _profiles(
    request: Request, what: str, posteriors: Sequence[str] = ("quit", "select")
) -> dict[str, dict[str, tuple[float, ...]]]:
    """Posterior -> dataset -> profile; an error when the posteriors have none at all."""
    panels: dict[str, dict[str, tuple[float, ...]]] = {each: {} for each in posteriors}
    seven = [name for name, dataset in DATASETS.items() if dataset.paper is not None]
    datasets = request.datasets or seven
    for (dataset, posterior), result in _profile_results(request, datasets).items():
        if result.profile is not None and posterior in panels:
            panels[posterior][dataset] = result.profile
    if not any(panels.values()):
        raise no_results(what, _profile_studies(request, datasets))
    return panels


def _profile_studies(request: Request, datasets: Sequence[str]) -> list[Study]:
    varied, fixed = {"posterior": ["quit", "select"]}, {"K": _STEPS}
    return [grid_study("profiles", name, request.budget, varied, fixed) for name in datasets]


def _profile_results(
    request: Request, datasets: Sequence[str]
) -> dict[tuple[str, str], TrialResult]:
    """(dataset, posterior) -> result."""
    studies = _profile_studies(request, datasets)
    outcomes = outcomes_of(request, studies, request.graphs(datasets))
    return {
        (dataset, record.config.posterior): record.result
        for dataset, outcome in zip(datasets, outcomes, strict=True)
        for record in outcome.records
        if record.result is not None
    }


FIGURES: dict[str, Callable[[Request], Reproduction]] = {
    "figure3": draw_levels,
    "figure4": draw_algorithms,
    "figure5": draw_profiles,
    "figure6": draw_correlation,
    "figure7": lambda request: draw_nodes(request, "figure7", ("cora", "citeseer")),
    "figure8": lambda request: draw_nodes(request, "figure8", ("wisconsin", "texas")),
}
