from dataclasses import replace

import torch

from l2p_search.data.graph import Graph
from l2p_search.data.splits import all_rows, balanced_rows, labelled_rows


def test_each_seed_takes_its_split_and_short_ones_are_filled_at_weight_zero(
    small_graph: Graph,
) -> None:
    rows = labelled_rows(small_graph, small_graph.train, [0, 1, 2], torch.float64)
    assert rows.nodes.shape == (3, 6)
    assert rows.nodes[0].tolist() == rows.nodes[2].tolist() == [0, 1, 2, 3, 4, 0]
    assert rows.nodes[1].tolist() == [6, 7, 8, 9, 10, 11]
    assert rows.weights[0].tolist() == [0.2] * 5 + [0.0]
    torch.testing.assert_close(rows.weights.sum(dim=1), torch.ones(3, dtype=torch.float64))
    assert torch.equal(rows.labels, small_graph.y[rows.nodes])


def test_rows_of_some_seeds_keep_their_order(small_graph: Graph) -> None:
    rows = labelled_rows(small_graph, small_graph.val, [0, 1], torch.float32)
    assert torch.equal(rows.of_seeds(torch.tensor([1])).nodes[0], rows.nodes[1])


def test_all_rows_are_all_nodes(small_graph: Graph) -> None:
    assert all_rows(small_graph, 2, torch.float32).nodes.tolist() == [list(range(12))] * 2


def test_a_filler_without_a_label_has_a_class_that_counts_for_nothing(small_graph: Graph) -> None:
    y = small_graph.y.clone()
    y[0] = -1
    masks = {part: getattr(small_graph, part) & (y >= 0) for part in ("train", "val", "test")}
    graph = replace(small_graph, y=y, **masks)
    rows = labelled_rows(graph, graph.train, [0, 1], torch.float64)
    assert rows.nodes[0].tolist() == [1, 2, 3, 4, 0, 0]
    assert rows.labels[0, 4:].tolist() == [0, 0]
    assert rows.weights[0, 4:].tolist() == [0.0, 0.0]
    assert int(all_rows(graph, 1, torch.float64).labels[0, 0]) == -1


def test_balanced_rows_weigh_classes_alike_by_the_training_nodes(small_graph: Graph) -> None:
    """Seed 0 trains on classes 0, 1, 2, 0, 1 and validates on 2, 0, 1, 2."""
    train, val = (
        balanced_rows(labelled_rows(small_graph, masks, [0], torch.float64), small_graph, [0])
        for masks in (small_graph.train, small_graph.val)
    )
    assert train.balanced
    assert train.of_seeds(torch.tensor([0])).to(torch.device("cpu")).balanced
    by_class = torch.zeros(3).double().index_add(0, train.labels[0], train.weights[0])
    torch.testing.assert_close(by_class, torch.full((3,), 1 / 3).double())
    wanted = torch.tensor([1.0, 0.5, 0.5, 1.0]).double()
    torch.testing.assert_close(val.weights[0], wanted / wanted.sum())


def test_a_class_that_is_not_trained_on_weighs_like_one_of_one_node(small_graph: Graph) -> None:
    train = small_graph.train.clone()
    train[0, 2] = False
    graph = replace(small_graph, train=train)
    rows = balanced_rows(labelled_rows(graph, graph.val, [0], torch.float64), graph, [0])
    assert rows.weights.isfinite().all()
