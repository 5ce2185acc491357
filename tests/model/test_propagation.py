from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import add_self_loops

from l2p_search.data.graph import Graph
from l2p_search.model.problem import Problem
from l2p_search.model.propagation import (
    Propagation,
    columns_bytes,
    normalised_adjacency,
    propagate_and_read,
)
from l2p_search.model.sparse import SparseMatrix
from tests.problems import precise

_SEEDS, _CLASSES, _STEPS, _TELEPORT = 2, 3, 5, 0.15


def _dense(graph: Graph) -> Tensor:
    edges, values = gcn_norm(graph.edges, num_nodes=graph.num_nodes, dtype=torch.float64)
    dense = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    dense[edges[1], edges[0]] = values
    return dense


def _columns(nodes: int, scorers: int, seeds: int = _SEEDS) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)

    def draw(width: int) -> Tensor:
        values = torch.randn(seeds, nodes, width, dtype=torch.float64, generator=generator)
        return values.requires_grad_()

    return draw(scorers), draw(_CLASSES)


def _propagation(graph: Graph) -> Propagation:
    return Propagation(normalised_adjacency(precise(graph)), _STEPS, _TELEPORT)


_NODES = torch.tensor([[0, 3, 11, 7], [5, 2, 8, 2]])


def test_the_adjacency_is_that_of_gcn(small_graph: Graph) -> None:
    identity = torch.eye(small_graph.num_nodes, dtype=torch.float64)
    found = normalised_adjacency(precise(small_graph)).times(identity)
    torch.testing.assert_close(found, _dense(small_graph))


@pytest.mark.parametrize("weight", [0.0, 0.3, 2.0])
def test_self_loops_of_any_weight_are_those_of_torch_geometric(
    small_graph: Graph, weight: float
) -> None:
    """Node 4 is left without a neighbour: without a self-loop it receives nothing."""
    kept = (small_graph.edges != 4).all(dim=0)
    graph = replace(small_graph, edges=small_graph.edges[:, kept])
    edges, ones = graph.edges, torch.ones(graph.edges.shape[1], dtype=torch.float64)
    edges, weights = add_self_loops(edges, ones, fill_value=weight, num_nodes=graph.num_nodes)
    wanted = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    edges, values = gcn_norm(edges, weights, num_nodes=graph.num_nodes, add_self_loops=False)
    wanted[edges[1], edges[0]] = values
    identity = torch.eye(graph.num_nodes, dtype=torch.float64)
    found = normalised_adjacency(precise(graph), weight).times(identity)
    torch.testing.assert_close(found, wanted)
    assert float(found[4].abs().sum()) == pytest.approx(0.0 if weight == 0.0 else 1.0)


@pytest.mark.parametrize("weight", [0.3, 1.0, 2.0])
def test_weighted_edges_are_those_of_torch_geometric(small_graph: Graph, weight: float) -> None:
    source, target = small_graph.edges
    given = 0.5 + ((source + 1) * (target + 1) % 7).float()
    graph = replace(small_graph, weights=given)
    edges, weights = add_self_loops(
        graph.edges, given.double(), fill_value=weight, num_nodes=graph.num_nodes
    )
    edges, values = gcn_norm(edges, weights, num_nodes=graph.num_nodes, add_self_loops=False)
    wanted = torch.zeros(graph.num_nodes, graph.num_nodes, dtype=torch.float64)
    wanted[edges[1], edges[0]] = values
    identity = torch.eye(graph.num_nodes, dtype=torch.float64)
    found = normalised_adjacency(precise(graph), weight).times(identity)
    torch.testing.assert_close(found, wanted)


def test_weights_of_one_change_nothing_at_all(small_graph: Graph) -> None:
    identity = torch.eye(small_graph.num_nodes)
    weighted = replace(small_graph, weights=torch.ones(small_graph.edges.shape[1]))
    plain = normalised_adjacency(Problem(small_graph)).times(identity)
    assert torch.equal(normalised_adjacency(Problem(weighted)).times(identity), plain)


@pytest.mark.parametrize("scorers", [1, _STEPS + 1])
def test_every_step_agrees_with_dense_matrix_powers(small_graph: Graph, scorers: int) -> None:
    """H_k = ((1-a)A)^k H_0 + a sum_{j<k} ((1-a)A)^j H_0, without a recurrence."""
    score_columns, class_columns = _columns(small_graph.num_nodes, scorers)
    scores, logits = propagate_and_read(
        _propagation(small_graph), score_columns, class_columns, _NODES
    )
    assert scores.shape == (_SEEDS, 4, _STEPS + 1)
    assert logits.shape == (_SEEDS, 4, _STEPS + 1, _CLASSES)
    moving = (1 - _TELEPORT) * _dense(small_graph)
    powers = [torch.linalg.matrix_power(moving, k) for k in range(_STEPS + 1)]
    for seed in range(_SEEDS):
        for k in range(_STEPS + 1):
            operator = powers[k] + _TELEPORT * sum(powers[:k], torch.zeros_like(moving))
            rows = operator[_NODES[seed]]
            own = score_columns[seed, :, k if scorers > 1 else 0]
            torch.testing.assert_close(scores[seed, :, k], rows @ own)
            torch.testing.assert_close(logits[seed, :, k], rows @ class_columns[seed])


@pytest.mark.parametrize("scorers", [1, _STEPS + 1])
def test_passes_gradcheck(small_graph: Graph, scorers: int) -> None:
    propagation = _propagation(small_graph)
    assert torch.autograd.gradcheck(
        lambda *columns: propagate_and_read(propagation, *columns, _NODES),
        _columns(small_graph.num_nodes, scorers),
    )


@pytest.mark.parametrize("scorers", [1, _STEPS + 1])
def test_the_class_scores_alone_give_the_scores_no_gradient(
    small_graph: Graph, scorers: int
) -> None:
    columns = _columns(small_graph.num_nodes, scorers)
    scores, logits = propagate_and_read(_propagation(small_graph), *columns, _NODES)
    cotangent = torch.randn_like(logits)
    none, some = torch.autograd.grad(logits, columns, cotangent, retain_graph=True)
    both = torch.autograd.grad((scores, logits), columns, (torch.zeros_like(scores), cotangent))
    assert not none.any()
    assert some.any()
    torch.testing.assert_close((none, some), both)


@pytest.mark.parametrize("scorers", [1, _STEPS + 1])
def test_the_scores_alone_get_the_same_gradient(small_graph: Graph, scorers: int) -> None:
    score_columns, class_columns = _columns(small_graph.num_nodes, scorers)
    propagation = _propagation(small_graph)
    together, _ = propagate_and_read(propagation, score_columns, class_columns, _NODES)
    alone, logits = propagate_and_read(propagation, score_columns, class_columns.detach(), _NODES)
    assert not logits.requires_grad
    cotangent = torch.randn_like(alone)
    torch.testing.assert_close(
        torch.autograd.grad(alone, score_columns, cotangent),
        torch.autograd.grad(together, score_columns, cotangent),
    )


@pytest.mark.parametrize("scorers", [1, _STEPS + 1])
def test_what_is_remembered_of_some_nodes_is_not_read_at_others(
    small_graph: Graph, scorers: int
) -> None:
    remembering = _propagation(small_graph)
    every = [torch.randint(0, small_graph.num_nodes, (2, 4)) for _ in range(7)]
    for nodes in [*every, *every[::-1], every[0].clone(), every[0][:1]]:
        pair = [_columns(small_graph.num_nodes, scorers, len(nodes)) for _ in range(2)]
        both = [
            propagate_and_read(propagation, *columns, nodes)
            for propagation, columns in zip(
                (remembering, _propagation(small_graph)), pair, strict=True
            )
        ]
        for read, columns in zip(both, pair, strict=True):
            (read[0].sum() + read[1].square().sum()).backward()
            assert columns[0].grad is not None
        assert torch.equal(both[0][0], both[1][0])
        assert torch.equal(both[0][1], both[1][1])
        for one, other in zip(*pair, strict=True):
            assert one.grad is not None
            assert other.grad is not None
            assert torch.equal(one.grad, other.grad)


def test_a_directed_matrix_is_transposed_on_the_way_back() -> None:
    ones = torch.ones(2, dtype=torch.float64)
    one_way = SparseMatrix.from_coordinates(
        torch.tensor([1, 2]), torch.tensor([0, 1]), ones, (3, 3)
    )
    propagation = Propagation(one_way, 2, 0.1)
    nodes = torch.tensor([[2, 0]])
    assert torch.autograd.gradcheck(
        lambda *columns: propagate_and_read(propagation, *columns, nodes),
        _columns(3, 1, seeds=1),
    )


@pytest.mark.parametrize("steps", [1, 3, 4, 5, 9])
def test_any_number_of_scored_steps_gives_gradients_of_all_columns(
    steps: int, small_graph: Graph
) -> None:
    """Also when one group holds them all, and when only the scorer learns."""
    propagation = Propagation(normalised_adjacency(precise(small_graph)), steps, _TELEPORT)
    score_columns, class_columns = _columns(small_graph.num_nodes, steps + 1)
    for classes in (class_columns, class_columns.detach()):
        scores, _ = propagate_and_read(propagation, score_columns, classes, _NODES, scored=steps)
        every, _ = propagate_and_read(propagation, score_columns, classes, _NODES)
        pairs = (
            torch.autograd.grad(each[..., :steps].pow(3).sum(), score_columns)
            for each in (scores, every)
        )
        for one, other in zip(*pairs, strict=True):
            torch.testing.assert_close(one, other)


def test_steps_without_a_score_change_nothing_of_the_others(small_graph: Graph) -> None:
    columns = _columns(small_graph.num_nodes, _STEPS + 1)
    propagation = _propagation(small_graph)
    some, logits = propagate_and_read(propagation, *columns, _NODES, scored=_STEPS)
    every, wanted = propagate_and_read(propagation, *columns, _NODES)
    assert torch.equal(some[:, :, :_STEPS], every[:, :, :_STEPS])
    assert torch.equal(logits, wanted)
    assert (some[:, :, _STEPS] == 0.0).all()
    pairs = (
        torch.autograd.grad(scores[:, :, :_STEPS].square().sum(), columns[:1])
        for scores in (some, every)
    )
    for one, other in zip(*pairs, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(("mixed", "kept"), [(False, 4), (True, 1)])
def test_the_memory_is_that_of_five_tensors_of_columns_and_of_what_is_read(
    mixed: bool, kept: int
) -> None:
    """Ten nodes, three rows, seven steps, two scorers and four classes, four bytes each."""
    read = 7 * 3 * (1 + 4)
    assert columns_bytes(10, 3, 7, 2, 4, mixed=mixed) == 4 * (5 * 10 * (2 + 4) + kept * read)
