"""What may make a number on a graph mean less than it seems: leaks, duplicates, rare classes.

Features are held against labels of training nodes alone, so that looking here is no look at test.
"""

import math

import numpy as np
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.data.labelling import as_printed

_IMBALANCE = 10.0
"""The largest class over the smallest, from which accuracy says little of the small one."""
_TINY = 10
"""Nodes below which a class is hardly learned or judged."""
_GIVEN_AWAY = 0.97
"""The share of training nodes that one feature alone puts into their class."""
_FEW_VALUES = 32
"""A feature of at most so many values is held against classes value by value."""
_BLOCK = 512
"""Features looked at together: 512 columns of 100,000 training nodes are 200 MB."""


def doubts(graph: Graph) -> list[str]:
    """One sentence for each thing that a careful reader would ask about.

    Args:
        graph: Any graph.

    Returns:
        Sentences, the gravest first; empty when nothing was found.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> doubts(demo_graph())
        []
    """
    found = [
        given_away(graph),
        duplicates_across(graph),
        imbalance(graph),
        tiny_classes(graph),
        untrained_classes(graph),
        lonely_nodes(graph),
    ]
    return [sentence for sentence in found if sentence is not None]


def given_away(graph: Graph) -> str | None:
    """The feature that tells the class by itself on the first split's training nodes, if any."""
    train = graph.train[0]
    y = graph.y[train]
    majority = float(y.bincount().max()) / len(y)
    if majority >= _GIVEN_AWAY:
        return None
    x = graph.x[train]
    # In a fixed random order: files are often sorted by class, and equal values keep their order.
    order = torch.from_numpy(np.random.default_rng(0).permutation(len(y)))
    x, y = x[order], y[order]
    best, where = 0.0, 0
    for start in range(0, graph.num_features, _BLOCK):
        shares = _told_by_each(x[:, start : start + _BLOCK], y, graph.num_classes)
        place = int(shares.argmax())
        if float(shares[place]) > best:
            best, where = float(shares[place]), start + place
    if best < _GIVEN_AWAY or not _is_no_chance(best, majority, len(y), graph.num_features):
        return None
    names = graph.about.feature_names
    name = f"'{names[where]}'" if names is not None else str(where)
    return (
        f"feature {name} alone tells the class of {100 * best:.0f} % of the training nodes: is it"
        " the class in other words? Leave it out if it would not be known"
    )


def _told_by_each(x: Tensor, y: Tensor, classes: int) -> Tensor:
    """For each column, the share of nodes whose class the other nodes tell by it: [F].

    A node counts as told by a column of few values if most others with its value are of its
    class; by a column of many values, if the node with the next lower value is.
    """
    shares = torch.zeros(x.shape[1])
    # A constant column tells nothing; rare words are constant on the training nodes.
    for place in (x != x[:1]).any(dim=0).nonzero().squeeze(1).tolist():
        column = x[:, place]
        distinct, value = column.unique(return_inverse=True)
        if len(distinct) > min(_FEW_VALUES, len(y) // 4):
            ranked = y[column.argsort(stable=True)]
            shares[place] = (ranked[1:] == ranked[:-1]).double().mean()
            continue
        counts = (value * classes + y).bincount(minlength=len(distinct) * classes)
        first, second = counts.view(-1, classes).topk(2, dim=1).values.unbind(dim=1)
        shares[place] = first[first - 1 > second].sum() / len(y)
    return shares


def _is_no_chance(told: float, majority: float, nodes: int, features: int) -> bool:
    """Whether hardly one of so many features would tell as much of so few nodes by chance.

    Chernoff's bound on guessing right as often as the majority class is, for every feature.
    """
    missed = 1.0 - told
    surplus = told * math.log(told / majority)
    if missed > 0.0:
        surplus += missed * math.log(missed / (1.0 - majority))
    return nodes * surplus > math.log(1000.0 * features)


def duplicates_across(graph: Graph) -> str | None:
    """How many test nodes of the first split have the very features of a training node."""
    weights = torch.from_numpy(np.random.default_rng(0).standard_normal(graph.num_features))
    keys = (graph.x.double() @ weights).numpy()
    filled = (graph.x != 0).any(dim=1).numpy()
    train, test = graph.train[0].numpy() & filled, graph.test[0].numpy() & filled
    # One-hot kinds of nodes repeat by design: many test nodes then share few distinct rows.
    if not test.any() or len(np.unique(keys[filled])) < filled.sum() / 2:
        return None
    shared = int(np.isin(keys[test], keys[train]).sum())
    if shared < max(5, 0.01 * test.sum()):
        return None
    return (
        f"{shared:,} of {int(test.sum()):,} test nodes of the first split have exactly the"
        " features of a training node: duplicates may leak from training to test"
    )


def imbalance(graph: Graph) -> str | None:
    """That one class is many times another."""
    largest, smallest = max(graph.class_counts), min(graph.class_counts)
    if largest < _IMBALANCE * smallest:
        return None
    return (
        f"the largest class has {largest:,} nodes, the smallest {smallest:,}: accuracy says little"
        " of the small one; balanced accuracy, macro F1 or ROC AUC do"
    )


def tiny_classes(graph: Graph) -> str | None:
    """Classes with hardly any node."""
    tiny = [label for label, count in enumerate(graph.class_counts) if count < _TINY]
    if not tiny:
        return None
    named = ", ".join(f"{_name(graph, label)} ({graph.class_counts[label]})" for label in tiny[:5])
    return f"{'classes' if len(tiny) > 1 else 'class'} with fewer than {_TINY} nodes: {named}"


def untrained_classes(graph: Graph) -> str | None:
    """Classes that some splits have no training node of."""
    missing = [
        label
        for label in range(graph.num_classes)
        if not bool((graph.train & (graph.y == label)).any(dim=1).all())
    ]
    if not missing:
        return None
    named = ", ".join(_name(graph, label) for label in missing[:5])
    return f"some splits have no training node of {named}: they cannot learn it"


def lonely_nodes(graph: Graph) -> str | None:
    """That many nodes have no neighbour: no message reaches them, however far it travels."""
    degree = torch.bincount(graph.edges[0], minlength=graph.num_nodes)
    alone = int((degree == 0).sum())
    if alone < max(2, 0.05 * graph.num_nodes):
        return None
    share = 100 * alone / graph.num_nodes
    return f"{alone:,} nodes ({share:.0f} %) have no neighbour: no message reaches them"


def _name(graph: Graph, label: int) -> str:
    names = graph.about.class_names
    return str(label) if names is None else as_printed(names[label])
