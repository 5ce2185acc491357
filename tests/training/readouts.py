"""What a pass may have read, drawn at random, and labels for it: 2 seeds, 3 nodes, 4 steps."""

import torch

from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout


def readout(seeds: int = 2, rows: int = 3, steps: int = 4, classes: int = 5) -> Readout:
    """A posterior, class scores and a bias."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    log_q = torch.log_softmax(draw(seeds, rows, steps), dim=-1)
    return Readout(log_q, draw(seeds, rows, steps, classes), draw(seeds, classes))


def labelled() -> Rows:
    """The first seed has two nodes, the second three."""
    labels = torch.tensor([[0, 1, 4], [2, 2, 3]])
    weights = torch.tensor([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]], dtype=torch.float64)
    return Rows(torch.zeros_like(labels), labels, weights)
