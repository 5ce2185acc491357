import pytest
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model import geomgcn
from l2p_search.model.geometry.relations import LatentSpace, latent_positions, structural_relations
from l2p_search.model.geomgcn import SPACES, GeomGcn, virtual_neighbours
from tests.model.agreement import Weights, assert_baseline_agrees, config_of, x_of
from tests.model.shapes import in_pieces, social
from tests.problems import precise


def _matrices(graph: Graph, space: LatentSpace) -> list[Tensor]:
    """M_1 .. M_9, dense, by their definition."""
    patterns = structural_relations(graph, latent_positions(graph, space), space)
    nodes, matrices = graph.num_nodes, []
    for neighbourhood in (patterns[:4], patterns[4:]):
        degree = sum(
            (row.bincount(minlength=nodes) for row, _ in neighbourhood), torch.zeros(nodes)
        ).double()
        for row, column in neighbourhood:
            matrix = torch.zeros(nodes, nodes).double()
            matrix[row, column] = (degree[row] * degree[column]) ** -0.5
            matrices.append(matrix)
    return [*matrices, torch.eye(nodes).double()]


@pytest.mark.parametrize("model", SPACES)
def test_agrees_with_the_dense_formula(model: str, small_graph: Graph) -> None:
    matrices = _matrices(small_graph, SPACES[model])

    def parts(h: Tensor, weight: Tensor) -> list[Tensor]:
        columns = weight.chunk(9, dim=1)
        return [m @ (h @ own) for m, own in zip(matrices, columns, strict=True)]

    def expected(w: Weights) -> Tensor:
        h = torch.relu(torch.cat(parts(x_of(small_graph), w("W_1")), dim=1) + w("b_1"))
        return torch.stack(parts(h, w("W_2"))).mean(dim=0) + w("b_2")

    network = GeomGcn(precise(small_graph), config_of(model=model))
    assert_baseline_agrees(network, small_graph, expected)


@pytest.mark.parametrize("space", SPACES.values())
def test_virtual_neighbours_are_nine_blocks_of_a_diagonal(space: LatentSpace) -> None:
    graph = in_pieces()
    row, column, values = virtual_neighbours(graph, space)
    nodes = graph.num_nodes
    assert torch.equal(row // nodes, column // nodes)
    found = torch.zeros(9 * nodes, 9 * nodes).double()
    found[row, column] = values
    torch.testing.assert_close(found, torch.block_diag(*_matrices(graph, space)))


def test_the_relations_of_a_graph_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(
        graph: Graph, positions: Tensor, space: LatentSpace
    ) -> list[tuple[Tensor, Tensor]]:
        calls.append(graph.digest)
        return structural_relations(graph, positions, space)

    monkeypatch.setattr(geomgcn, "structural_relations", counted)
    geomgcn._relations.cache_clear()
    for _ in range(2):  # two objects of one content
        virtual_neighbours(social(), "isomap")
    assert len(calls) == 1
    virtual_neighbours(social(), "poincare")
    assert len(calls) == 2
