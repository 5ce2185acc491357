"""L2P for one seed as a researcher would train it today: `l2p_search.nn.L2P` in a plain loop.

The same mathematics as the engine with nothing done for speed beyond what is usual: dense
features, messages gathered and summed over the hidden width, `F.dropout`, and one forward pass
each for the training step, the upper step and the evaluation.
"""

import torch
import torch.nn.functional as F

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.nn import L2P


class Trainer:
    """The bi-level loop of one seed, an epoch at a time."""

    def __init__(self, graph: Graph, config: TrialConfig, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.model = L2P.from_config(config, graph.num_features, graph.num_classes)
        self.x, self.edges, self.y = graph.x, graph.edges, graph.y
        split = seed % graph.num_splits
        self.train_mask, self.val_mask = graph.train[split], graph.val[split]
        groups = self.model.lower_groups(config.weight_decay, config.decay_on)
        self.lower = torch.optim.Adam(groups, lr=config.lr)
        self.upper = torch.optim.Adam(self.model.upper_parameters(), lr=config.upper_lr)

    def epoch(self) -> tuple[float, float]:
        """Training step, upper step, evaluation; returns validation loss and accuracy."""
        model, graph = self.model, (self.x, self.edges)
        model.train()
        self.lower.zero_grad()
        model.lower_loss(*graph, self.y, self.train_mask).backward()
        self.lower.step()

        self.upper.zero_grad()
        model.upper_loss(*graph, self.y, self.val_mask).backward()
        self.upper.step()

        model.eval()
        with torch.no_grad():
            logits, labels = model(*graph)[self.val_mask], self.y[self.val_mask]
            loss = F.cross_entropy(logits, labels).item()
            return loss, (logits.argmax(dim=1) == labels).double().mean().item()
