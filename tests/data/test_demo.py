import torch

from l2p_search.data.demo import NODES, demo_graph, demo_regions


def test_is_the_same_on_every_machine() -> None:
    assert demo_graph().digest == demo_graph().digest


def test_has_a_homophilous_and_a_heterophilous_region() -> None:
    graph, regions = demo_graph(), demo_regions()
    source, target = graph.edges
    same = graph.y[source] == graph.y[target]
    within = regions[source] == regions[target]
    homophily = [float(same[within & (regions[source] == r)].double().mean()) for r in (0, 1)]
    assert homophily[0] > 0.7
    assert homophily[1] < 0.3


def test_has_ten_splits_of_48_32_20_percent_of_all_nodes() -> None:
    graph = demo_graph()
    assert graph.num_splits == 10
    assert torch.equal(
        graph.train | graph.val | graph.test, torch.ones(10, NODES, dtype=torch.bool)
    )
    shares = [float(masks.double().mean()) for masks in (graph.train, graph.val, graph.test)]
    assert [round(share, 2) for share in shares] == [0.48, 0.32, 0.2]
