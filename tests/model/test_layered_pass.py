import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.attention import AttendedEdges, attention_heads
from l2p_search.model.features import features_of
from l2p_search.model.layered_pass import LayeredPass
from l2p_search.model.network import Parameters, Pass
from l2p_search.model.propagation import normalised_adjacency
from tests.model.agreement import x_of
from tests.problems import precise


def _theta(graph: Graph) -> Parameters:
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(2, *shape, dtype=torch.float64, generator=generator)

    return {
        "W_1": draw(graph.num_features, 4),
        "b_1": draw(4),
        "W_2": draw(4, 6),
        "b_2": draw(6),
        "to_2": draw(2, 3),
        "from_2": draw(2, 3),
    }


def _pass(
    graph: Graph,
    noise: Tensor | None = None,
    rate: float = 0.0,
    theta: Parameters | None = None,
) -> LayeredPass:
    nodes = torch.zeros(2, 1, dtype=torch.int64)
    given = Pass(_theta(graph) if theta is None else theta, {}, nodes, noise)
    features = features_of(precise(graph), 4)
    return LayeredPass(given, features, AttendedEdges(precise(graph)), rate)


def _dense(graph: Graph) -> Tensor:
    identity = torch.eye(graph.num_nodes, dtype=torch.float64)
    return normalised_adjacency(precise(graph)).times(identity)


def test_a_convolution_is_a_hat_h_w_plus_b(small_graph: Graph) -> None:
    layers, theta = _pass(small_graph), _theta(small_graph)
    first = layers.convolution("1")
    a_hat = _dense(small_graph)
    torch.testing.assert_close(
        first, a_hat @ x_of(small_graph) @ theta["W_1"] + theta["b_1"][:, None]
    )
    second = layers.convolution("2", first)
    torch.testing.assert_close(second, a_hat @ first @ theta["W_2"] + theta["b_2"][:, None])


def test_an_attention_is_that_of_its_heads_plus_b(small_graph: Graph) -> None:
    layers, theta = _pass(small_graph), _theta(small_graph)
    h = layers.product("1")
    edges = AttendedEdges(precise(small_graph))
    heads = attention_heads(edges, h @ theta["W_2"], theta["to_2"], theta["from_2"], None, 0.0)
    torch.testing.assert_close(layers.attention("2", h), heads + theta["b_2"][:, None])


def test_what_a_node_brings_along_is_added_to_what_its_neighbours_do(small_graph: Graph) -> None:
    """Two further matrices count as their sum; the features are dropped out once for all."""
    generator = torch.Generator().manual_seed(1)
    theta = _theta(small_graph)
    for name in ("U_1", "V_1", "U_2"):
        like = theta[f"W_{name[-1]}"]
        theta[name] = torch.randn(like.shape, dtype=torch.float64, generator=generator)
    noise = torch.randint(0, 256, (2, 500), dtype=torch.uint8, generator=generator)
    x, a_hat = x_of(small_graph), _dense(small_graph)
    dropped = torch.where(noise[:, : x.numel()].view(2, *x.shape) >= 128, 2.0 * x, 0.0)
    bytes_of_h = noise[:, x.numel() :][:, : small_graph.num_nodes * 4]
    layers = _pass(small_graph, noise, rate=0.5, theta=theta)
    first = layers.convolution("1", own=("U", "V"))
    torch.testing.assert_close(
        first,
        a_hat @ dropped @ theta["W_1"]
        + theta["b_1"][:, None]
        + dropped @ (theta["U_1"] + theta["V_1"]),
    )
    second = layers.convolution("2", first, own=("U",))
    dropped = torch.where(bytes_of_h.reshape(first.shape) >= 128, 2.0 * first, 0.0)
    torch.testing.assert_close(
        second,
        a_hat @ dropped @ theta["W_2"] + theta["b_2"][:, None] + dropped @ theta["U_2"],
    )


def test_each_layer_drops_by_random_bytes_of_its_own(small_graph: Graph) -> None:
    """The first bytes keep all units of the first call, the next drop all of the second."""
    size = small_graph.num_nodes * 4
    noise = torch.cat([torch.full((2, size), 255), torch.zeros(2, size)], dim=1).to(torch.uint8)
    layers = _pass(small_graph, noise, rate=0.5)
    h = torch.ones(2, small_graph.num_nodes, 4, dtype=torch.float64)
    assert layers.dropped(h).unique().tolist() == [2.0]
    assert layers.dropped(h).unique().tolist() == [0.0]
