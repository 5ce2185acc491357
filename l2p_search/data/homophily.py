"""Homophily by training labels, and the kind of a graph that has none by name."""

import math
from typing import NamedTuple

import numpy as np
import torch

from l2p_search.data.catalogue import Kind
from l2p_search.data.graph import Graph

_HOMOPHILOUS = 0.4
"""Of adjusted homophily: Cora has 0.77, ogbn-arxiv 0.59, amazon-ratings 0.14, tolokers 0.09."""

_FEWEST_EDGES = 30
"""Below this many edges between training nodes, their share says little."""

_ALIKE = 0.09
"""Of the cosine of neighbours' features: Cora has 0.12, CiteSeer 0.15, Wisconsin 0.06, Actor 0."""

_MOST_EDGES = 50_000

_MOST_VALUES = 1 << 24
"""Features of so many values in all are compared at once: 64 MB."""


class TrainingHomophily(NamedTuple):
    """The edges that join two training nodes of one split, pooled over the splits.

    Attributes:
        share: Of those that join two nodes of one class; nan when there is no such edge.
        adjusted: The share beyond what classes of these degrees give by chance, over the most
            there could be: 1 when all edges stay within a class, 0 by chance, negative below it
            (Platonov et al. 2023, https://arxiv.org/abs/2209.06177). nan when all the edges are
            within one class, as chance would have it so too.
        edges: How many undirected edges were counted, per split on average.
    """

    share: float
    adjusted: float
    edges: float


def training_homophily(graph: Graph, splits: int | None = None) -> TrainingHomophily:
    """How often neighbours share a class, by labels of training nodes alone.

    Args:
        graph: The graph.
        splits: How many of its first splits to look at; all by default.

    Returns:
        What the edges within the training nodes of each of these splits say.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> round(training_homophily(demo_graph()).share, 2)
        0.46
    """
    y = graph.y.numpy()
    source, target = graph.edges[:, graph.edges[0] < graph.edges[1]].numpy()
    same, ends = 0, np.zeros(graph.num_classes)
    trains = graph.train[:splits].numpy()
    for train in trains:
        seen = train[source] & train[target]
        first, second = y[source[seen]], y[target[seen]]
        same += 2 * int((first == second).sum())
        for labels in (first, second):
            ends += np.bincount(labels, minlength=graph.num_classes)
    count = float(ends.sum())
    if count == 0:
        return TrainingHomophily(float("nan"), float("nan"), 0.0)
    share = same / count
    chance = float(((ends / count) ** 2).sum())
    adjusted = (share - chance) / (1 - chance) if chance < 1 else float("nan")
    return TrainingHomophily(share, adjusted, count / 2 / len(trains))


def kind_of(graph: Graph) -> Kind:
    """Whether neighbours tend to share a class, for defaults and the suggested space.

    By the first split's training labels when enough edges join two of its training nodes: the
    training sets of ten splits together are nearly all labels, those of test nodes of each split
    among them. On graphs with few labels hardly
    any edge does (on PubMed none), and then by features, which need no label: whether neighbours
    are alike, beyond what two nodes drawn at random are.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> kind_of(demo_graph())
        'heterophily'
    """
    found = training_homophily(graph, splits=1)
    if found.edges >= _FEWEST_EDGES and not math.isnan(found.adjusted):
        return "homophily" if found.adjusted >= _HOMOPHILOUS else "heterophily"
    # One-hot node numbers and degrees say nothing of likeness; most graphs are homophilous.
    alike = graph.about.scaling == "made" or _feature_likeness(graph) >= _ALIKE
    return "homophily" if alike else "heterophily"


def _feature_likeness(graph: Graph) -> float:
    """The mean cosine of two neighbours' features, measured from the mean features of all nodes.

    Two nodes drawn at random have about 0. Of very many edges, evenly spaced ones are read.
    """
    edges = graph.edges[:, :: max(1, graph.edges.shape[1] // _MOST_EDGES)]
    mean, total = graph.x.mean(dim=0), 0.0
    at_once = min(1024, max(1, _MOST_VALUES // graph.num_features))
    for block in edges.split(at_once, dim=1):
        ends = graph.x[block] - mean
        total += float(torch.cosine_similarity(ends[0], ends[1], dim=1).double().sum())
    return total / max(1, edges.shape[1])
