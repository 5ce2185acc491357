"""Weights of edges are used, or said to be ignored."""

from dataclasses import replace

import pytest
import torch

from l2p_search.api.edge_weights import weights_note
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.training.fit import fit


@pytest.mark.parametrize(
    ("keys", "ignored"),
    [
        ({"model": "gat"}, "gat"),
        ({"backbone": "gat"}, "l2q-gat"),
        ({"model": "geomgcn-i"}, "geomgcn-i"),
        ({"model": "gcn"}, None),
        ({"model": "sage"}, None),
        ({"model": "linkx"}, None),
        ({}, None),
    ],
)
def test_weights_of_edges_are_used_or_said_to_be_ignored(
    keys: dict[str, str], ignored: str | None, small_graph: Graph
) -> None:
    """One and the same network with other weights is another one, unless it says so."""
    config = TrialConfig(**keys)  # type: ignore[arg-type]
    generator = torch.Generator().manual_seed(0)
    pair = torch.rand(12, 12, generator=generator) + 0.1
    pair = pair + pair.T
    weighted = replace(small_graph, weights=pair[small_graph.edges[0], small_graph.edges[1]])
    assert weights_note(small_graph, [config]) is None
    note = weights_note(weighted, [config])
    few = {"epochs": 2, "K": 2, "hidden": 8, "dropout": 0.0}
    short = TrialConfig.recorded({**config.to_mapping(), **few})
    plain, other = (fit(graph, short, [0]).seeds[0].val_loss for graph in (small_graph, weighted))
    if ignored is None:
        assert note is None
        assert plain != other
    else:
        assert note == f"small: {ignored} ignores the weights of its edges"
        assert plain == other
