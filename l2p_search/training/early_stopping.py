"""Early stopping per seed: each keeps its best epoch, and ends when that is too long ago."""

from typing import Literal

import torch
from torch import Tensor

from l2p_search.model.problem import HOST
from l2p_search.training.objective import Scores


class EarlyStopping:
    """The best epoch of each of S seeds by validation loss or metric, and its patience.

    It decides on the CPU, and takes scores that are there.

    Attributes:
        best_epoch: [S], 0 before the first epoch.
        best_loss: Validation loss at that epoch, [S].
        best_metric: Validation metric at that epoch, in percent, [S].

    Example:
        >>> stopping = EarlyStopping(num_seeds=2, patience=1, stop_on="val_loss")
        >>> both, metric = torch.tensor([0, 1]), torch.zeros(2)
        >>> _ = stopping.update(1, both, Scores(torch.tensor([0.7, 0.7]), metric))
        >>> improved, ended = stopping.update(2, both, Scores(torch.tensor([0.6, 0.9]), metric))
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
            stop_on: Which of the validation scores says what is better; `val_accuracy` means the
                metric, whichever it is.
        """
        self._patience = patience
        self._stop_on = stop_on
        self.best_epoch = torch.zeros(num_seeds, dtype=torch.int64, device=HOST)
        self.best_loss = torch.full((num_seeds,), torch.inf, dtype=torch.float64, device=HOST)
        self.best_metric = torch.full_like(self.best_loss, -1.0)

    def update(self, epoch: int, places: Tensor, scores: Scores) -> tuple[Tensor, Tensor]:
        """Take the scores of one epoch.

        A loss that is not a number is never an improvement. Of equal metrics the one with the
        smaller loss is better: on the small graphs one validation node is more than a point of
        accuracy.

        Args:
            epoch: Counted from 1.
            places: Which of the S seeds are still training, [P].
            scores: Their validation loss and metric, [P] each.

        Returns:
            Two boolean masks over `places`: improved, and out of patience.
        """
        loss, metric = scores.loss.double(), scores.metric.double()
        improved = loss < self.best_loss[places]
        if self._stop_on == "val_accuracy":
            equal = metric == self.best_metric[places]
            improved = (metric > self.best_metric[places]) | (equal & improved)
        better = places[improved]
        self.best_epoch[better] = epoch
        self.best_loss[better] = loss[improved]
        self.best_metric[better] = metric[improved]
        return improved, epoch - self.best_epoch[places] >= self._patience
