from typing import Any

import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.features import features_of
from l2p_search.model.head import Head
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.layers import Adjacency
from l2p_search.model.network import Parameters, Pass
from l2p_search.model.rows import rows_at
from tests.model.agreement import config_of, mlp_head
from tests.problems import precise

_NODES = torch.tensor([[3, 0, 3], [11, 5, 6]])


def _head(graph: Graph, layers: int, *, drop: bool = False, **changes: Any) -> Head:
    return Head(layers, precise(graph), config_of(**changes), drop=drop)


def _theta(head: Head) -> Parameters:
    """Parameters of two seeds, of which no bias is zero."""
    theta = head.initial([torch.Generator().manual_seed(seed) for seed in (1, 2)])
    return {name: value + 0.1 for name, value in theta.items()}


def _pass(
    graph: Graph, theta: Parameters, noise: Tensor | None = None, rate: float = 0.0
) -> LayeredPass:
    features, adjacency = features_of(precise(graph), 6), Adjacency(precise(graph), 0.0)
    return LayeredPass(Pass(theta, {}, _NODES, noise), features, adjacency, rate)


def _normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def test_a_head_of_one_layer_is_linear(small_graph: Graph) -> None:
    head = _head(small_graph, 1)
    theta, read = _theta(head), _normal(2, 3, 6)
    assert theta.keys() == {"W_out", "b_out"}
    layers = _pass(small_graph, theta)
    (same,) = head.hidden([read], _NODES, layers)
    assert same is read
    wanted = read @ theta["W_out"] + theta["b_out"][:, None]
    torch.testing.assert_close(head.class_scores(read, _NODES, layers), wanted)


def test_more_layers_are_an_mlp(small_graph: Graph) -> None:
    head = _head(small_graph, 3)
    theta, read = _theta(head), _normal(2, 3, 6)
    assert head.parameters == sum(value[0].numel() for value in theta.values())
    found = head.class_scores(read, _NODES, _pass(small_graph, theta))
    for seed in range(2):
        wanted = mlp_head(3, read[seed], lambda name, s=seed: theta[name][s])
        torch.testing.assert_close(found[seed], wanted)


def test_every_step_is_read_by_the_same_layers_and_loses_the_same_units(
    small_graph: Graph,
) -> None:
    head = _head(small_graph, 3, dropout=0.5)
    theta, steps = _theta(head), _normal(4, 2, 3, 6)
    generator = torch.Generator().manual_seed(3)
    shape = (2, head.noise_size)
    noise = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    together = head.hidden(list(steps), _NODES, _pass(small_graph, theta, noise, 0.5))
    for step, read in enumerate(steps):
        (alone,) = head.hidden([read], _NODES, _pass(small_graph, theta, noise, 0.5))
        torch.testing.assert_close(together[step], alone)
        assert (alone == 0).any()


def test_what_a_node_loses_does_not_depend_on_the_others_that_are_read(
    small_graph: Graph,
) -> None:
    head = _head(small_graph, 2, drop=True, dropout=0.5)
    theta, h = _theta(head), _normal(2, 12, 6)
    generator = torch.Generator().manual_seed(3)
    shape = (2, head.noise_size)
    noise = torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)
    everywhere = torch.arange(12).expand(2, -1)
    whole = head.class_scores(h, everywhere, _pass(small_graph, theta, noise, 0.5))
    some = head.class_scores(rows_at(h, _NODES), _NODES, _pass(small_graph, theta, noise, 0.5))
    torch.testing.assert_close(some, rows_at(whole, _NODES))


def test_it_asks_for_the_random_bytes_that_it_uses(small_graph: Graph) -> None:
    for layers, drop in ((1, False), (1, True), (3, False), (3, True)):
        head = _head(small_graph, layers, drop=drop, dropout=0.5)
        noise = torch.zeros(2, head.noise_size, dtype=torch.uint8)
        given = _pass(small_graph, _theta(head), noise, 0.5)
        head.class_scores(_normal(2, 3, 6), _NODES, given)
        assert given._noise._used == head.noise_size == (layers - 1 + drop) * 12 * 6
    assert _head(small_graph, 3, drop=True, dropout=0.0).noise_size == 0
