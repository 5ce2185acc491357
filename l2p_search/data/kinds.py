"""Which defaults a graph gets: by its name where it has one, else by its training labels."""

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.catalogue import DATASETS, Kind
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import kind_of


def default_kind(graph: Graph) -> Kind:
    """Homophily or heterophily: as the paper has it, or as training labels and features show.

    No validation or test label is read.
    """
    known = DATASETS.get(graph.name)
    return kind_of(graph) if known is None else known.kind


def default_config(graph: Graph) -> TrialConfig:
    """The configuration that a graph is trained with where nothing else is said."""
    return DEFAULTS[default_kind(graph)]
