"""Each seed stops alone: it keeps its best epoch, and ends when that is too long ago."""

from typing import Literal

import torch
from torch import Tensor

from l2p_search.training.objective import Scores


class EarlyStopping:
    """Patience on the validation loss or accuracy of each of S seeds."""

    def __init__(
        self, num_seeds: int, patience: int, stop_on: Literal["val_loss", "val_accuracy"]
    ) -> None:
        """Nothing seen yet."""
        self._patience = patience
        self._stop_on = stop_on
        self.best_epoch = torch.zeros(num_seeds, dtype=torch.int64)
        self.best_loss = torch.full((num_seeds,), torch.inf, dtype=torch.float64)
        self.best_accuracy = torch.full((num_seeds,), -1.0, dtype=torch.float64)

    def update(self, epoch: int, places: Tensor, scores: Scores) -> tuple[Tensor, Tensor]:
        """Tell the scores of the seeds at `places`; a flag for each of them, twice: [places].

        First which are at their best yet, then which have run out of patience. A loss that is
        not a number is never an improvement. Equal accuracies are told apart by the loss, as
        one validation node is more than a point on the small graphs.
        """
        loss, accuracy = scores.loss.double(), scores.accuracy.double()
        improved = loss < self.best_loss[places]
        if self._stop_on == "val_accuracy":
            equal = accuracy == self.best_accuracy[places]
            improved = (accuracy > self.best_accuracy[places]) | (equal & improved)
        better = places[improved]
        self.best_epoch[better] = epoch
        self.best_loss[better] = loss[improved]
        self.best_accuracy[better] = accuracy[improved]
        return improved, epoch - self.best_epoch[places] >= self._patience
