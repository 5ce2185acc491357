"""Fresh splits: new splits of a graph by its own rule, on which nothing was chosen.

The published splits of a graph are a draw by some rule. What a configuration is worth on this
kind of graph, and not on those splits, is told by other draws of the same rule.
"""

import re
from dataclasses import replace

import torch

from l2p_search.data.catalogue import DATASETS
from l2p_search.data.demo import SOURCE
from l2p_search.data.graph import Graph
from l2p_search.data.split_rules import make_splits
from l2p_search.errors import DataError

_DRAW = 1
"""Splits that a user makes by a rule are draw 0."""
_MOST = 100
"""The largest number of splits that a rule makes."""
_PLANETOID = "20-per-class/500/1000"
_GEOM_GCN = "48/32/20"
_REPEATS = re.compile(r"\d+x")


def fresh_rule(graph: Graph, count: int) -> str:
    """The rule by which fresh splits of a graph are drawn, one for each of `count` seeds.

    - Cora, CiteSeer and PubMed: 20 training nodes per class, 500 to validate, 1,000 to test.
    - The paper's other graphs: 48/32/20 % of each class.
    - A graph whose splits were made by a rule: that rule.
    - A graph that came with its splits: as many nodes for each part as these have on average,
      each class with its share; if every class trains with the same number of nodes, with that.

    Args:
        graph: The graph as it is searched on.
        count: How many splits are wanted; at most 100 are made.

    Returns:
        A rule of `make_splits`.

    Raises:
        DataError: Its splits cannot be drawn anew; one line that says why.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> fresh_rule(demo_graph(), 20)
        '20x48/32/20'
    """
    given = graph.about.split_rule
    if given.startswith("temporal:"):
        raise DataError("splits by time cannot be drawn anew")
    if graph.about.source.startswith("ogb:"):
        raise DataError("OGB's splits are by time or by other facts, and cannot be drawn anew")
    rule = _own_rule(graph) if given in ("", "given") else _REPEATS.sub("", given, count=1)
    return f"{max(1, min(count, _MOST))}x{rule}"


def with_fresh_splits(graph: Graph, rule: str) -> Graph:
    """The same graph with fresh splits.

    Args:
        graph: The graph.
        rule: What `fresh_rule` says.

    Returns:
        The graph with other splits than the rule makes for a user.

    Raises:
        DataError: The rule does not fit the labels.
    """
    made = make_splits(rule, graph.y.numpy(), source=graph.name, draw=_DRAW)
    train, val, test = map(torch.from_numpy, (made.train, made.val, made.test))
    about = replace(graph.about, split_rule=rule)
    return replace(graph, train=train, val=val, test=test, about=about)


def _own_rule(graph: Graph) -> str:
    """The rule of a graph that came with its splits."""
    source = "demo" if graph.about.source == SOURCE else graph.about.source
    known = DATASETS.get(source)
    if known is not None:
        return _PLANETOID if known.kind == "homophily" else _GEOM_GCN
    counts = [round(float(masks.sum(dim=1).double().mean())) for masks in _masks(graph)]
    per_class = {
        int(number)
        for mask in graph.train
        for number in graph.y[mask].bincount(minlength=graph.num_classes)
    }
    covered = sum(counts)
    if len(per_class) == 1 and covered < graph.num_labelled:
        return f"{per_class.pop()}-per-class/{counts[1]}/{counts[2]}"
    # Rounded means may add up to a node more than there are.
    counts[0] -= max(0, covered - graph.num_labelled)
    return "/".join(map(str, counts)) + "-nodes"


def _masks(graph: Graph) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return graph.train, graph.val, graph.test
