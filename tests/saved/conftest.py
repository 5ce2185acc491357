"""A trained model of a small graph, and graphs like it."""

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph, undirected
from l2p_search.saved.trained_model import Model
from l2p_search.training.fit import fit


@pytest.fixture(scope="session")
def model(small_graph: Graph) -> Model:
    """Two seeds of L2P on the small graph."""
    config = TrialConfig(K=3, hidden=4, epochs=5, dropout=0.0)
    return Model.of(small_graph, fit(small_graph, config, [1, 4]))


@pytest.fixture(scope="session")
def grown(small_graph: Graph) -> Graph:
    """The small graph with two more nodes, three more edges, and no label at all."""
    x = torch.cat([small_graph.x, small_graph.x[:2] * 0.5])
    more = torch.tensor([[12, 12, 13], [0, 13, 11]])
    edges = undirected(torch.cat([small_graph.edges, more], dim=1), 14)
    return Graph.unlabelled(x, edges, name="grown")
