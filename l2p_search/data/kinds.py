"""Which defaults a graph gets: by its name where it has one, else by its training labels."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.graph import Graph

_HOMOPHILOUS = 0.5
"""The share of edges within a class from which a graph counts as homophilous."""


def kind_of(graph: Graph) -> Kind:
    """Homophily or heterophily.

    A known graph has its kind by name. Of any other, the edges between training nodes of one
    split are looked at, and no validation or test label. Where there is no such edge, neighbours
    say nothing that is known, and the graph is taken as heterophilous.
    """
    if graph.name in DATASETS:
        return DATASETS[graph.name].kind
    source, target = graph.edges
    within = total = 0
    for train in graph.train:
        both = train[source] & train[target]
        within += int((graph.y[source[both]] == graph.y[target[both]]).sum())
        total += int(both.sum())
    return "homophily" if total and within / total >= _HOMOPHILOUS else "heterophily"


def default_config(graph: Graph) -> TrialConfig:
    """The configuration that a graph is trained with where nothing else is said."""
    return DEFAULTS[kind_of(graph)]
