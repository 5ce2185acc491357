"""L2P for one seed, written to be obviously right: dense, PyG's APPNP, probabilities not logs.

The engine must agree with it step by step at dropout 0. It is slow on purpose: H_k is APPNP
with K = k, computed anew for every k.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import APPNP
from torch_geometric.utils import add_self_loops

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.network import Levels


class Reference(nn.Module):
    def __init__(self, graph: Graph, config: TrialConfig, start: Levels, place: int) -> None:
        super().__init__()
        self.graph, self.config = graph, config
        self.theta = nn.ParameterDict(
            {
                name: nn.Parameter(value[place].detach().clone())
                for name, value in start.theta.items()
            }
        )
        self.phi = nn.ParameterDict(
            {
                name: nn.Parameter(value[place].detach().clone())
                for name, value in start.phi.items()
            }
        )
        self.propagations = [
            APPNP(K=k, alpha=config.teleport, add_self_loops=False) for k in range(1, config.K + 1)
        ]
        self.edges, self.weights = add_self_loops(
            graph.edges,
            torch.ones(graph.edges.shape[1], dtype=torch.float64),
            fill_value=config.self_loop,
            num_nodes=graph.num_nodes,
        )

    def hidden(self) -> list[Tensor]:
        """H_0 .. H_K, each [N, H]."""
        x = self.graph.x.to(self.theta["W_1"].dtype)
        h0 = x @ self.theta["W_1"]
        if self.config.encoder == "mlp":
            h0 = F.relu(h0 + self.theta["b_1"])
        steps = (propagate(h0, self.edges, self.weights) for propagate in self.propagations)
        return [h0, *steps]

    def q(self, hidden: list[Tensor]) -> Tensor:
        """q(t | node) [N, T], by the formulas of sections 4.2 and 4.3."""
        w, b = self.phi["w"], self.phi["b"]
        columns = range(len(hidden)) if w.shape[1] > 1 else [0] * len(hidden)
        scores = [h @ w[:, c] + b[k] for k, (h, c) in enumerate(zip(hidden, columns, strict=True))]
        if self.config.posterior == "select":
            exponentials = [torch.exp(score) for score in scores]
            return torch.stack([e / sum(exponentials) for e in exponentials], dim=1)
        remaining, parts = torch.ones_like(scores[0]), []
        for score in scores[:-1]:
            alpha = torch.sigmoid(score)
            parts.append(alpha * remaining)
            remaining = remaining * (1 - alpha)
        return torch.stack([*parts, remaining], dim=1)

    def prior(self) -> Tensor:
        ratio = self.config.prior_ratio if self.config.prior == "geometric" else 1.0
        shares = torch.tensor([ratio**t for t in range(self.config.K + 1)], dtype=torch.float64)
        return shares / shares.sum()

    def kl(self, q: Tensor) -> Tensor:
        return (q * torch.log(q / self.prior())).sum(dim=1)

    def step_logits(self, hidden: list[Tensor]) -> Tensor:
        """Class scores of every step [N, T, C]."""
        own = self.own_logits(hidden)
        return torch.stack([self.classified(h, k) + own for k, h in enumerate(hidden)], dim=1)

    def classified(self, h: Tensor, k: int) -> Tensor:
        """Class scores of step k without a bias: of a linear encoder, h itself."""
        if "W_2" not in self.theta:
            return h
        classes = self.graph.num_classes
        first = k * classes if self.config.classifier == "per_step" else 0
        return h @ self.theta["W_2"][:, first : first + classes]

    def own_logits(self, hidden: list[Tensor]) -> Tensor:
        """What is added to the class scores of every step, and so to any mixture of them."""
        if self.config.skip == 0.0:
            return self.theta["b_2"]
        return self.theta["b_2"] + self.config.skip * hidden[0] @ self.theta["W_3"]

    def negative_elbo(self, nodes: Tensor, gumbel: Tensor) -> Tensor:
        """Section 4.4 with a Gumbel-softmax sample; gumbel is [L, T]."""
        hidden = self.hidden()
        q = self.q(hidden)[nodes]
        t = F.softmax((torch.log(q) + gumbel) / self.config.temperature, dim=1)
        mixed = sum(t[:, k, None] * self.classified(h[nodes], k) for k, h in enumerate(hidden))
        own = self.own_logits(hidden).expand(self.graph.num_nodes, -1)[nodes]
        logits = mixed + own
        loss = F.cross_entropy(logits, self.graph.y[nodes])
        return loss + self.config.kl_weight * self.kl(q).mean()

    def m_step(self, nodes: Tensor) -> Tensor:
        hidden = self.hidden()
        q = self.q(hidden)[nodes]
        log_likelihood = self._log_likelihood(hidden, nodes)
        return -(q * log_likelihood).sum(dim=1).mean() + self.config.kl_weight * self.kl(q).mean()

    def projection(self, nodes: Tensor) -> Tensor:
        hidden = self.hidden()
        likelihood, weight = self._log_likelihood(hidden, nodes).exp(), self.config.kl_weight
        if weight == 0.0:
            powers = (likelihood == likelihood.amax(dim=1, keepdim=True)) * self.prior()
        else:
            powers = likelihood ** (1 / weight) * self.prior()
        exact = (powers / powers.sum(dim=1, keepdim=True)).detach()
        return -(exact * torch.log(self.q(hidden)[nodes])).sum(dim=1).mean()

    def _log_likelihood(self, hidden: list[Tensor], nodes: Tensor) -> Tensor:
        probabilities = F.softmax(self.step_logits(hidden)[nodes], dim=2)
        labels = self.graph.y[nodes]
        return torch.log(probabilities[torch.arange(len(nodes)), :, labels])

    def lower_loss(self, nodes: Tensor, gumbel: Tensor) -> Tensor:
        return (
            self.m_step(nodes)
            if self.config.algorithm == "em"
            else self.negative_elbo(nodes, gumbel)
        )

    def upper_loss(self, nodes: Tensor, gumbel: Tensor) -> Tensor:
        if self.config.algorithm == "em":
            return self.projection(nodes)
        return self.negative_elbo(nodes, gumbel)

    def predictions(self) -> Tensor:
        """Class probabilities of every node [N, C], with q itself."""
        hidden = self.hidden()
        q = self.q(hidden)
        if self.config.algorithm == "em":
            return (q.unsqueeze(2) * F.softmax(self.step_logits(hidden), dim=2)).sum(dim=1)
        mixed = sum(q[:, k, None] * self.classified(h, k) for k, h in enumerate(hidden))
        return F.softmax(mixed + self.own_logits(hidden), dim=1)


class ReferenceTrainer:
    """The bi-level loop in its plainest form: two optimizers, a forward pass for everything."""

    def __init__(self, model: Reference, split: int) -> None:
        config = model.config
        self.model = model
        self.train = model.graph.train[split].nonzero().squeeze(1)
        self.val = model.graph.val[split].nonzero().squeeze(1)
        all_decayed = config.decay_on == "theta"
        groups = [
            {
                "params": [value],
                "weight_decay": config.weight_decay
                if all_decayed or name in ("W_1", "b_1")
                else 0,
            }
            for name, value in model.theta.items()
        ]
        self.lower = torch.optim.Adam(groups, lr=config.lr)
        self.upper = torch.optim.Adam(model.phi.values(), lr=config.upper_lr)
        self.free = (~model.graph.train[split]).nonzero().squeeze(1)
        self.targets: list[Tensor] = []

    def epoch(
        self, lower_gumbel: Tensor, upper_gumbel: Tensor | None
    ) -> tuple[float, float, float]:
        """Training loss before the step, then validation loss and accuracy after it."""
        model = self.model
        model.zero_grad()
        train_loss = model.lower_loss(self.train, lower_gumbel)
        (train_loss + self.inconsistency()).backward()
        if model.config.level == "joint":
            model.phi.zero_grad()
            phi_loss = model.upper_loss(self.train, lower_gumbel) + self.inconsistency()
            gradients = torch.autograd.grad(phi_loss, list(model.phi.values()))
            for value, gradient in zip(model.phi.values(), gradients, strict=True):
                value.grad = gradient
            self.upper.step()
        self.lower.step()
        with torch.no_grad():
            p = model.predictions()
            powers = p[self.free] ** (1 / model.config.sharpening)
            self.targets.append(powers / powers.sum(dim=1, keepdim=True))
            p = p[self.val]
            labels = model.graph.y[self.val]
            val_loss = -torch.log(p[torch.arange(len(labels)), labels]).mean()
            accuracy = (p.argmax(dim=1) == labels).double().mean()
        if upper_gumbel is not None:
            model.zero_grad()
            model.upper_loss(self.val, upper_gumbel).backward()
            self.upper.step()
        return train_loss.item(), val_loss.item(), accuracy.item()

    def inconsistency(self) -> Tensor | float:
        """Squared distance of the free nodes' predictions from those of the epoch before."""
        if not self.targets or self.model.config.consistency == 0.0:
            return 0.0
        weight = self.model.config.consistency * min(1.0, len(self.targets) / 100)
        distances = (self.model.predictions()[self.free] - self.targets[-1]) ** 2
        return weight * distances.sum(dim=1).mean()
