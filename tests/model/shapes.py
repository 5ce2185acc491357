"""Graphs of known shape, for tests of geometry."""

import networkx
import torch

from l2p_search.data.graph import Graph, undirected


def graph_of(shape: networkx.Graph) -> Graph:
    """The shape (its nodes are 0 to N - 1) with one feature, one class and one split."""
    nodes = shape.number_of_nodes()
    edges = torch.tensor(list(shape.edges), dtype=torch.int64).reshape(-1, 2).t()
    masks = torch.zeros(3, 1, nodes, dtype=torch.bool)
    masks[0, 0, 0] = masks[1, 0, 1] = masks[2, 0, 2] = True
    x, y = torch.ones(nodes, 1), torch.zeros(nodes, dtype=torch.int64)
    return Graph("shape", x, undirected(edges, nodes), y, *masks.unbind())


def in_pieces() -> Graph:
    """A tree, a cycle, an edge and two isolated nodes."""
    parts = [networkx.balanced_tree(2, 3), networkx.cycle_graph(6), networkx.path_graph(2)]
    return graph_of(networkx.disjoint_union_all([*parts, networkx.empty_graph(2)]))


def without_edges() -> Graph:
    """Five nodes, none joined."""
    return graph_of(networkx.empty_graph(5))


def social() -> Graph:
    """34 people of a karate club: connected, with hubs and leaves."""
    return graph_of(networkx.karate_club_graph())
