import statistics
from dataclasses import replace
from typing import Any

import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.data.plain_graphs import PlainGraph
from l2p_search.report import seed_by_seed
from l2p_search.report.seed_by_seed import Trained, train_all, train_seed
from l2p_search.training.fit import fit

_MODEL = {"hidden_channels": 16, "K": 3, "dropout": 0.2, "kl_weight": 0.02}
_LEARNING = {"lr": 0.02, "weight_decay": 1e-4}
_STOPPING = {"epochs": 60, "patience": 20, "stop_on": "val_loss", "phi_share": 1.0}
_ORIGIN = {
    "seeds": 3,
    "metric": "accuracy",
    "val_accuracy_mean": 70.0,
    "test_accuracy_mean": 71.5,
}


def _plain(graph: Graph) -> PlainGraph:
    return PlainGraph(*(getattr(graph, name) for name in PlainGraph._fields))


def test_a_seed_learns_what_the_engine_learns_and_again_the_same() -> None:
    graph = demo_graph()
    given = (_plain(graph), _MODEL, _LEARNING, _STOPPING, "accuracy")
    seeds = [train_seed(seed, *given) for seed in range(4)]
    config = TrialConfig(
        hidden=16, K=3, dropout=0.2, kl_weight=0.02, lr=0.02, weight_decay=1e-4, epochs=60,
        patience=20,
    )  # fmt: skip
    engine = fit(graph, config, range(4))
    assert engine.val_mean is not None
    assert engine.val_mean > 50.0  # the largest class has a quarter of the nodes
    assert abs(statistics.fmean(seed.val for seed in seeds) - engine.val_mean) < 6.0
    again = train_seed(2, *given)
    assert (again.val, again.test) == (seeds[2].val, seeds[2].test)
    assert torch.equal(again.profile, seeds[2].profile)
    assert seeds[0].profile.sum().item() == pytest.approx(1.0)


def test_test_labels_choose_nothing(small_graph: Graph) -> None:
    given = (_MODEL, _LEARNING, {**_STOPPING, "stop_on": "val_accuracy"}, "accuracy")
    other = small_graph.y.clone()
    other[small_graph.test[0]] = (other[small_graph.test[0]] + 1) % 3
    one = train_seed(0, _plain(small_graph), *given)
    two = train_seed(0, _plain(replace(small_graph, y=other)), *given)
    assert one.val == two.val
    assert torch.equal(one.profile, two.profile)


def test_a_diverging_seed_ends_the_program_with_its_epoch(small_graph: Graph) -> None:
    with pytest.raises(SystemExit, match=r"^seed 0 diverged at epoch \d+; try a smaller lr$"):
        train_seed(0, _plain(small_graph), _MODEL, {"lr": 1e30}, _STOPPING, "accuracy")


def test_it_prints_seeds_means_with_the_samples_deviation_and_the_profile(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    results = [(70.0, 60.0), (80.0, 60.0), (90.0, 75.0)]

    def pretended(seed: int, *given: Any) -> Trained:
        return Trained(*results[seed], torch.tensor([0.5, 0.25, 0.25]).double())

    monkeypatch.setattr(seed_by_seed, "train_seed", pretended)
    origin = {**_ORIGIN, "data_digest": small_graph.digest}
    train_all(_plain(small_graph), _MODEL, _LEARNING, _STOPPING, origin)
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "seed 0: validation 70.00 %, test 60.00 %",
        "seed 1: validation 80.00 %, test 60.00 %",
        "seed 2: validation 90.00 %, test 75.00 %",
        "validation accuracy 80.00 %, sd 10.00   (the search: 70.00 %)",
        "test accuracy 65.00 %, sd 8.66   (the search: 71.50 %)",
        "profile: q(t) of every step, averaged over nodes and seeds",
        "  step  0  0.500",
        "  step  1  0.250",
        "  step  2  0.250",
    ]
    assert said.err == ""
    train_all(
        _plain(small_graph),
        _MODEL,
        _LEARNING,
        _STOPPING,
        {**origin, "seeds": 1, "data_digest": ""},
    )
    said = capsys.readouterr()
    assert "validation accuracy 70.00 %, sd 0.00" in said.out
    assert said.err == "note: these are not the data of the search, bit by bit\n"
