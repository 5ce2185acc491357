from typing import Literal

import pytest
import torch

from l2p_search.training.early_stopping import EarlyStopping
from l2p_search.training.objective import Scores


def _scores(losses: list[float], accuracies: list[float]) -> Scores:
    return Scores(torch.tensor(losses), torch.tensor(accuracies))


def test_each_seed_runs_out_of_patience_alone() -> None:
    stopping = EarlyStopping(2, patience=2, stop_on="val_loss")
    both = torch.tensor([0, 1])
    histories = [([1.0, 1.0], False, False), ([2.0, 0.9], False, False), ([2.0, 1.5], True, False)]
    for epoch, (losses, first, second) in enumerate(histories, start=1):
        _, exhausted = stopping.update(epoch, both, _scores(losses, [0.5, 0.5]))
        assert exhausted.tolist() == [first, second]
    assert stopping.best_epoch.tolist() == [1, 2]


def test_seeds_that_left_keep_their_record() -> None:
    stopping = EarlyStopping(3, patience=9, stop_on="val_loss")
    stopping.update(1, torch.tensor([0, 1, 2]), _scores([3.0, 2.0, 1.0], [0.1, 0.2, 0.3]))
    improved, _ = stopping.update(2, torch.tensor([0, 2]), _scores([2.5, 1.5], [0.4, 0.5]))
    assert improved.tolist() == [True, False]
    assert stopping.best_loss.tolist() == [2.5, 2.0, 1.0]


@pytest.mark.parametrize(
    ("stop_on", "accuracy", "loss", "improves"),
    [
        ("val_loss", 0.1, 0.9, True),
        ("val_loss", 0.9, 1.0, False),
        ("val_accuracy", 0.6, 2.0, True),
        ("val_accuracy", 0.5, 0.9, True),
        ("val_accuracy", 0.5, 1.0, False),
        ("val_accuracy", 0.4, 0.1, False),
        ("val_loss", 0.5, float("nan"), False),
    ],
)
def test_what_counts_as_better(
    stop_on: Literal["val_loss", "val_accuracy"], accuracy: float, loss: float, improves: bool
) -> None:
    stopping = EarlyStopping(1, patience=5, stop_on=stop_on)
    place = torch.tensor([0])
    stopping.update(1, place, _scores([1.0], [0.5]))
    improved, _ = stopping.update(2, place, _scores([loss], [accuracy]))
    assert improved.item() is improves


def test_a_seed_that_never_has_a_loss_ends_after_its_patience() -> None:
    stopping = EarlyStopping(1, patience=3, stop_on="val_loss")
    ended = [
        stopping.update(epoch, torch.tensor([0]), _scores([float("nan")], [50.0]))[1].item()
        for epoch in (1, 2, 3)
    ]
    assert ended == [False, False, True]
    assert stopping.best_epoch.tolist() == [0]
