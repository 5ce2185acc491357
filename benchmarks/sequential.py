"""L2P for one seed as a researcher would write it with PyTorch Geometric today.

The same mathematics as the engine (APPNP backbone, quit posterior, either scorer, first-order
bi-level updates), with nothing done for speed beyond what is usual: dense features into
`Linear`, a cached `gcn_norm`, `MessagePassing` over the hidden width, `F.dropout`, and one
forward pass each for the training step, the upper step and the evaluation.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph


class Propagate(MessagePassing):
    """One step of A @ H by message passing."""

    def __init__(self) -> None:
        super().__init__(aggr="add")

    def forward(self, h: Tensor, edge_index: Tensor, edge_weight: Tensor) -> Tensor:
        return self.propagate(edge_index, x=h, edge_weight=edge_weight)

    def message(self, x_j: Tensor, edge_weight: Tensor) -> Tensor:
        return edge_weight.view(-1, 1) * x_j


class L2Q(nn.Module):
    """Learning to Quit on APPNP."""

    def __init__(self, graph: Graph, config: TrialConfig) -> None:
        super().__init__()
        self.config = config
        self.lin1 = nn.Linear(graph.num_features, config.hidden)
        self.lin2 = nn.Linear(config.hidden, graph.num_classes)
        scorers = config.K + 1 if config.scorer == "per_step" else 1
        self.w = nn.Parameter(torch.empty(scorers, config.hidden).uniform_(-0.125, 0.125))
        self.b = nn.Parameter(torch.zeros(config.K + 1))
        self.prop = Propagate()
        self.edge_index, self.edge_weight = gcn_norm(
            graph.edges, num_nodes=graph.num_nodes, add_self_loops=True
        )

    def forward(self, x: Tensor, sample: bool) -> tuple[Tensor, Tensor]:
        c = self.config
        h0 = F.dropout(x, c.dropout, self.training)
        h0 = F.dropout(F.relu(self.lin1(h0)), c.dropout, self.training)
        hs = [h0]
        for _ in range(c.K):
            h = self.prop(hs[-1], self.edge_index, self.edge_weight)
            hs.append((1 - c.teleport) * h + c.teleport * h0)
        h = torch.stack(hs, dim=1)  # [N, T, H]
        scores = (h * self.w).sum(dim=-1) + self.b  # a shared w, or one a step
        stay = torch.cumsum(F.logsigmoid(-scores[:, :-1]), dim=1)
        quit_ = F.logsigmoid(scores[:, :-1])
        log_q = torch.cat([quit_[:, :1], quit_[:, 1:] + stay[:, :-1], stay[:, -1:]], dim=1)
        t = F.gumbel_softmax(log_q, tau=c.temperature, dim=1) if sample else log_q.exp()
        return self.lin2((t.unsqueeze(-1) * h).sum(dim=1)), log_q

    def loss(self, x: Tensor, y: Tensor, mask: Tensor) -> Tensor:
        logits, log_q = self(x, sample=True)
        uniform = -torch.log(torch.tensor(self.config.K + 1.0))
        kl = (log_q.exp() * (log_q - uniform)).sum(dim=1)
        return F.cross_entropy(logits[mask], y[mask]) + self.config.kl_weight * kl[mask].mean()


class Trainer:
    """The bi-level loop of one seed, an epoch at a time."""

    def __init__(self, graph: Graph, config: TrialConfig, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.graph, self.model = graph, L2Q(graph, config)
        split = seed % graph.num_splits
        self.train_mask, self.val_mask = graph.train[split], graph.val[split]
        m = self.model
        self.lower = torch.optim.Adam(
            [
                {"params": m.lin1.parameters(), "weight_decay": config.weight_decay},
                {"params": m.lin2.parameters()},
            ],
            lr=config.lr,
        )
        self.upper = torch.optim.Adam([m.w, m.b], lr=config.upper_lr)

    def epoch(self) -> tuple[float, float]:
        """Training step, upper step, evaluation; returns validation loss and accuracy."""
        model, x, y = self.model, self.graph.x, self.graph.y
        model.train()
        self.lower.zero_grad()
        model.loss(x, y, self.train_mask).backward()
        self.lower.step()

        model.eval()
        self.upper.zero_grad()
        model.loss(x, y, self.val_mask).backward()
        self.upper.step()

        with torch.no_grad():
            logits, _ = model(x, sample=False)
            logits, labels = logits[self.val_mask], y[self.val_mask]
            loss = F.cross_entropy(logits, labels).item()
            return loss, (logits.argmax(dim=1) == labels).double().mean().item()
