"""Figures 5 to 8 of the L2P paper: profiles of datasets, their cosines, a node's neighbourhood."""

from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from l2p_search.report.drawing import BLUE, MAP, shown_steps

# Okabe and Ito's palette, whose colours readers who are colour-blind can tell apart.
_CLASSES = ("#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#999999")
_MOST_NODES = 150
_SIZES = (260, 110, 55, 22)
"""Areas of the dots, by the number of hops from the node."""

Profile = Sequence[float]
"""q(t), averaged over nodes: [T]."""


def datasets_figure(profiles: Mapping[str, Mapping[str, Profile]]) -> Figure:
    """Figure 5: profiles as heat maps, one row per dataset, one panel per posterior.

    Args:
        profiles: Posterior -> dataset -> profile; a posterior without profiles has no panel.

    Returns:
        The figure.
    """
    profiles = {posterior: panel for posterior, panel in profiles.items() if panel}
    rows = max(len(panel) for panel in profiles.values())
    figure = Figure(figsize=(6.2 * len(profiles), 1.6 + 0.45 * rows), layout="constrained")
    for axes, (posterior, panel) in zip(
        figure.subplots(1, len(profiles), squeeze=False)[0], profiles.items(), strict=True
    ):
        steps = max(shown_steps(profile) for profile in panel.values())
        values = np.array([_padded(profile, steps, np.nan) for profile in panel.values()])
        # Colours by square roots, as a profile over many steps is low everywhere.
        axes.set_facecolor("#dddddd")
        image = axes.imshow(values, aspect="auto", cmap=MAP, norm=PowerNorm(0.5, 0.0, 1.0))
        axes.set_yticks(range(len(panel)), list(panel))
        axes.set(xlabel="propagation step t (grey: beyond K)", title=posterior)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.colorbar(image, ax=axes, label="q(t), mean over nodes")
    return figure


def correlation_figure(profiles: Mapping[str, Profile]) -> Figure:
    """Figure 6: the cosine of every two profiles.

    Args:
        profiles: Dataset -> profile.

    Returns:
        The figure; 1 means that nodes of both datasets look equally far.
    """
    size = 2.2 + 0.55 * len(profiles)
    figure = Figure(figsize=(size + 1.2, size), layout="constrained")
    axes = figure.subplots()
    values = cosine(list(profiles.values()))
    image = axes.imshow(values, cmap=MAP, vmin=0.0, vmax=1.0)
    axes.set_xticks(range(len(profiles)), list(profiles), rotation=45, ha="right")
    axes.set_yticks(range(len(profiles)), list(profiles))
    for (row, column), value in np.ndenumerate(values):
        shade = "white" if value < 0.5 else "black"
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=shade, fontsize=8)
    figure.colorbar(image, ax=axes, label="cosine of the profiles")
    return figure


def cosine(profiles: Sequence[Profile]) -> "np.ndarray":
    """The cosine of every two profiles.

    Args:
        profiles: D of them, of different lengths; missing steps count as zero.

    Returns:
        [D, D], from 0 to 1.

    Example:
        >>> cosine([(1.0, 0.0), (0.0, 1.0)]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    steps = max(map(len, profiles))
    rows = np.array([_padded(profile, steps) for profile in profiles])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.clip(rows @ rows.T, 0.0, 1.0))


def node_figure(
    edges: "np.ndarray", labels: "np.ndarray", node: int, q: Profile, hops: int = 3
) -> Figure:
    """Figures 7 and 8: a node's neighbourhood coloured by class, and the node's own q(t).

    Args:
        edges: Of the whole graph: [2, E].
        labels: The class of every node, below 0 for none: [N].
        node: Which node.
        q: Its posterior q(t): [T].
        hops: How far the neighbourhood reaches; the nearest 150 nodes are drawn.

    Returns:
        The figure.
    """
    graph = nx.Graph()
    graph.add_nodes_from(range(len(labels)))
    graph.add_edges_from(edges.T.tolist())
    distance = nx.single_source_shortest_path_length(graph, node, cutoff=hops)
    nearest = sorted(distance, key=lambda other: (distance[other], other))
    near = graph.subgraph(nearest[:_MOST_NODES])
    figure = Figure(figsize=(11, 5), layout="constrained")
    around, steps = figure.subplots(1, 2, width_ratios=(3, 2))
    places = nx.spring_layout(near, seed=0)
    colors = [_color(int(labels[other])) for other in near]
    nx.draw_networkx_edges(near, places, ax=around, edge_color="#cccccc", width=0.7)
    nx.draw_networkx_nodes(
        near,
        places,
        ax=around,
        node_color=colors,
        node_size=[_SIZES[min(distance[other], len(_SIZES) - 1)] for other in near],
        linewidths=[2 if other == node else 0.4 for other in near],
        edgecolors="black",
    )
    shown = sorted({int(labels[other]) for other in near})
    around.legend(
        handles=[
            Line2D([], [], marker="o", ls="", color=_color(label), label=_called(label))
            for label in shown
        ],
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),  # below, where no node lies
        ncols=len(shown),
        fontsize=8,
    )
    left = f", the nearest {len(near)}" if len(near) < len(distance) else ""
    around.set_title(
        f"node {node} and {len(distance) - 1} nodes within {hops} hops{left}\n"
        "(nearer nodes are larger)",
        fontsize=11,
    )
    around.axis("off")
    count = shown_steps(q)
    steps.bar(range(count), list(q)[:count], color=BLUE)
    steps.set(xlabel="propagation step t", ylabel=f"q(t) of node {node}")
    steps.set_title("at which step it stops", fontsize=11)
    steps.xaxis.set_major_locator(MaxNLocator(integer=True))
    steps.spines[["top", "right"]].set_visible(False)
    return figure


def _called(label: int) -> str:
    return f"class {label}" if label >= 0 else "no label"


def _color(label: int) -> str:
    return "#dddddd" if label < 0 else _CLASSES[label % len(_CLASSES)]


def _padded(profile: Profile, steps: int, beyond: float = 0.0) -> list[float]:
    return [*profile[:steps], *[beyond] * (steps - len(profile))]
