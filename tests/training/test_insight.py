from dataclasses import replace

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.training import insight
from l2p_search.training.fit import fit
from l2p_search.training.insight import CurveRecorder, ProfileMean
from l2p_search.training.objective import Scores

_SHORT = TrialConfig(epochs=12, patience=12, hidden=8, K=3)


def _scores(*losses: float) -> Scores:
    return Scores(torch.tensor(losses), torch.full((len(losses),), 50.0))


def test_a_seed_that_stopped_keeps_its_last_values_in_the_mean() -> None:
    recorder = CurveRecorder(2, epochs=3)
    recorder.record(1, torch.tensor([0, 1]), torch.tensor([4.0, 2.0]), _scores(1.0, 3.0))
    recorder.record(2, torch.tensor([1]), torch.tensor([0.0]), _scores(1.0))
    curves = recorder.curves()
    assert curves is not None
    assert curves.epochs == (1, 2)
    assert curves.train_loss == (3.0, 2.0)
    assert curves.val_loss == (2.0, 1.0)
    assert curves.val == (50.0, 50.0)


def test_a_diverged_seed_is_in_no_mean() -> None:
    recorder = CurveRecorder(2, epochs=3)
    nan = float("nan")
    recorder.record(1, torch.tensor([0, 1]), torch.tensor([4.0, nan]), _scores(1.0, nan))
    curves = recorder.curves()
    assert curves is not None
    assert curves.train_loss == (4.0,)


def test_long_trainings_are_thinned_to_about_a_hundred_points() -> None:
    recorder = CurveRecorder(1, epochs=1000)
    for epoch in range(1, 1001):
        recorder.record(epoch, torch.tensor([0]), torch.tensor([1.0]), _scores(1.0))
    curves = recorder.curves()
    assert curves is not None
    assert (curves.epochs[0], curves.epochs[-1], len(curves.epochs)) == (1, 1000, 101)


def test_profiles_are_means_over_the_nodes_of_a_group(small_graph: Graph) -> None:
    mean = ProfileMean(small_graph)
    generator = torch.Generator().manual_seed(0)
    q = torch.rand(2, small_graph.num_nodes, 4, generator=generator).softmax(dim=-1)
    for seed in q:
        mean.add(seed)
    profiles = mean.profiles()
    assert profiles is not None
    for label in range(3):
        wanted = q[:, small_graph.y == label].double().mean(dim=(0, 1))
        assert profiles.by_class[str(label)] == pytest.approx(wanted.tolist())
    degree = torch.bincount(small_graph.edges[0], minlength=small_graph.num_nodes)
    assert set(profiles.by_degree) == {"0", "1", "2", "3-4"}
    wanted = q[:, degree >= 3].double().mean(dim=(0, 1))
    assert profiles.by_degree["3-4"] == pytest.approx(wanted.tolist())
    steps = (q.double().mean(dim=0) * torch.arange(4)).sum(dim=1)
    assert profiles.node_steps == pytest.approx(steps.tolist())


def test_a_node_is_settled_where_more_than_half_of_its_q_is(small_graph: Graph) -> None:
    mean, nodes = ProfileMean(small_graph), small_graph.num_nodes
    sharp, torn = torch.zeros(nodes, 3), torch.full((nodes, 3), 1 / 3)
    sharp[0, 1], sharp[1:, 2] = 1.0, 0.6
    torn[0] = torch.tensor([0.5, 0.5, 0.0])
    mean.add(sharp)
    mean.add(torn)
    profiles = mean.profiles()
    assert profiles is not None
    assert profiles.settled == pytest.approx((0.0, 0.5 / nodes, 0.5 * (nodes - 1) / nodes))


def test_a_class_of_one_node_has_its_profile_and_one_of_none_is_empty() -> None:
    q = torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
    found = insight._means(q, torch.tensor([0, 2, 2]))
    assert found.tolist() == [[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]]


def test_a_node_without_a_label_is_in_no_profile_of_a_class() -> None:
    q = torch.tensor([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
    found = insight._means(q, torch.tensor([-1, 0, 1]))
    assert found.tolist() == [[0.25, 0.75], [0.75, 0.25]]


def test_a_trial_carries_its_curves_and_profiles_and_grouping_changes_neither() -> None:
    graph = demo_graph()
    together = fit(graph, _SHORT, range(4))
    apart = fit(graph, _SHORT, range(3)).joined(fit(graph, _SHORT, [3]))
    assert together.curves is not None
    assert together.profiles is not None
    assert apart.curves is not None
    assert apart.profiles is not None
    assert len(apart.seeds) == 4
    assert together.curves.epochs == tuple(range(1, 13))
    assert apart.curves.val_loss == pytest.approx(together.curves.val_loss, rel=1e-4)
    assert apart.profiles.node_steps == pytest.approx(together.profiles.node_steps, rel=1e-3)
    weights = torch.bincount(graph.y).double() / graph.num_nodes
    by_class = torch.tensor(list(together.profiles.by_class.values()), dtype=torch.float64)
    assert together.profile == pytest.approx((weights @ by_class).tolist())


def test_curves_and_profiles_survive_json() -> None:
    from l2p_search.results import TrialResult

    result = fit(demo_graph(), _SHORT, range(2))
    again = TrialResult.from_mapping(result.to_mapping())
    assert again.curves is not None
    assert again.profiles is not None
    assert replace(again, curves=None, profiles=None) == replace(
        result, curves=None, profiles=None
    )


def test_unlabelled_nodes_are_in_no_class_of_a_profile(small_graph: Graph) -> None:
    y = small_graph.y.clone()
    y[0] = -1
    masks = {part: getattr(small_graph, part) & (y >= 0) for part in ("train", "val", "test")}
    graph = replace(small_graph, y=y, **masks)
    q = torch.rand(12, 4, generator=torch.Generator().manual_seed(0)).softmax(dim=-1)
    mean = ProfileMean(graph)
    mean.add(q)
    profiles = mean.profiles()
    assert profiles is not None
    assert list(profiles.by_class) == ["0", "1", "2"]
    wanted = q[y == 0].double().mean(dim=0)
    assert profiles.by_class["0"] == pytest.approx(wanted.tolist())
    assert len(profiles.node_steps) == 12


def test_a_graph_whose_first_node_has_no_label_trains(small_graph: Graph) -> None:
    """Node 0 fills up the shorter training split, at weight 0."""
    y = small_graph.y.clone()
    y[0] = -1
    masks = {part: getattr(small_graph, part) & (y >= 0) for part in ("train", "val", "test")}
    result = fit(replace(small_graph, y=y, **masks), _SHORT, range(2))
    assert all(seed.reason is None for seed in result.seeds)
