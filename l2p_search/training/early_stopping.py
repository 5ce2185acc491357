"""Early stopping per seed: each keeps its best epoch, and ends when that is too long ago."""

from typing import Literal

import torch
from torch import Tensor

from l2p_search.training.objective import Scores


class EarlyStopping:
    """The best epoch of each of S seeds by validation loss or accuracy, and its patience.

    Attributes:
        best_epoch: [S], 0 before the first epoch.
        best_loss: Validation loss at that epoch, [S].
        best_metric: Validation accuracy at that epoch, from 0 to 1, [S].

    Example:
        >>> stopping = EarlyStopping(num_seeds=2, patience=1, stop_on="val_loss")
        >>> both, accuracy = torch.tensor([0, 1]), torch.zeros(2)
        >>> _ = stopping.update(1, both, Scores(torch.tensor([0.7, 0.7]), accuracy))
        >>> improved, ended = stopping.update(2, both, Scores(torch.tensor([0.6, 0.9]), accuracy))
        >>> improved.tolist(), ended.tolist()
        ([True, False], [False, True])
    """

    def __init__(
        self, num_seeds: int, patience: int, stop_on: Literal["val_loss", "val_accuracy"]
    ) -> None:
        """Start with an infinite loss as the best, so that the first epoch improves on it.

        Args:
            num_seeds: S.
            patience: A seed ends after this many epochs without a better one.
            stop_on: Which of the validation scores says what is better.
        """
        self._patience = patience
        self._stop_on = stop_on
        self.best_epoch = torch.zeros(num_seeds, dtype=torch.int64)
        self.best_loss = torch.full((num_seeds,), torch.inf, dtype=torch.float64)
        self.best_metric = torch.full((num_seeds,), -1.0, dtype=torch.float64)

    def update(self, epoch: int, places: Tensor, scores: Scores) -> tuple[Tensor, Tensor]:
        """Take the scores of one epoch.

        A loss that is not a number is never an improvement. Of equal accuracies the one with the
        smaller loss is better, as one validation node is more than a point on the small graphs.

        Args:
            epoch: Counted from 1.
            places: Which of the S seeds are still training, [P].
            scores: Their validation loss and accuracy, [P] each.

        Returns:
            Two boolean masks over `places`: improved, and out of patience.
        """
        loss, accuracy = scores.loss.double(), scores.metric.double()
        improved = loss < self.best_loss[places]
        if self._stop_on == "val_accuracy":
            equal = accuracy == self.best_metric[places]
            improved = (accuracy > self.best_metric[places]) | (equal & improved)
        better = places[improved]
        self.best_epoch[better] = epoch
        self.best_loss[better] = loss[improved]
        self.best_metric[better] = accuracy[improved]
        return improved, epoch - self.best_epoch[places] >= self._patience
