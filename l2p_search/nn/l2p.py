"""L2P, "Learning How to Propagate Messages in Graph Neural Networks": sections 4 and 5 in code.

Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697. Every node n has a latent
number of propagation steps t in 0 .. K. theta, the lower level, are the weights of a network that
predicts after every step; phi, the upper level, score the steps: q(t | n). `two_levels` learns
both.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from l2p_search.nn.backbones import EVERY, Appnp, Backbone, fan_in
from l2p_search.nn.choices import Choices
from l2p_search.nn.edges import edges_of
from l2p_search.nn.equations import (
    exact_posterior,
    kl_divergence,
    log_likelihood,
    log_prior,
    log_quit,
    log_select,
    mean_over_nodes,
)
from l2p_search.nn.layered import Gat, Gcn, Gcnii, Sage

BACKBONES: dict[str, type[Backbone]] = {
    "appnp": Appnp,
    "gcn": Gcn,
    "sage": Sage,
    "gat": Gat,
    "gcnii": Gcnii,
}
POSTERIORS = {"select": log_select, "quit": log_quit}


class Steps(NamedTuple):
    """What a pass reads of every step, at N nodes.

    Attributes:
        log_q: Log q(t | node), [N, T].
        scores: Class scores of each step, [N, T, C].
    """

    log_q: Tensor
    scores: Tensor

    def at(self, nodes: Tensor) -> "Steps":
        """The same of some of the nodes, by a mask or by their places."""
        return Steps(self.log_q[nodes], self.scores[nodes])

    def mixed(self, weights: Tensor) -> Tensor:
        """sum_t w_t scores_t for weights [N, T]: -> [N, C]."""
        return (weights.unsqueeze(-1) * self.scores).sum(dim=1)


class L2P(nn.Module):
    """L2P on a backbone, as an ordinary module: class scores of every node, and q.

        s_k = w_k . H_k + b_k,    q(t) = select(s)_t  or  quit(s)_t

    H_k and the class scores of step k are those of the backbone. The class scores of a node are
    sum_t q(t) scores_t; while the model trains, a Gumbel-softmax sample stands for q (section
    4.4). With `algorithm="em"` they are log sum_t q(t) p(y | t) in both modes.

    Parameters: `theta` has those of the backbone, `phi` has w [H, 1] or [H, T] and b [T]. The bias
    b, which the paper leaves out, lets a shared w prefer a step for all nodes.

    Any graph of PyG will do: `edge_index` [2, E] with or without `edge_weight` [E], or the
    transposed adjacency as a `SparseTensor` or a sparse tensor of torch, as PyG's
    `ToSparseTensor` makes it. Self-loops of the graph are replaced by those of the backbone.

    Batches of a `NeighborLoader` are such graphs too: the first `batch_size` rows are the nodes
    that were asked for. With all neighbours of K hops (`num_neighbors=[-1] * K`) their scores and
    q are exactly those of the whole graph on `sage` and `gat`; on the others a batch would count
    the degrees of its border wrongly, so normalise the whole graph first (PyG's `GCNNorm`), pass
    its weights as `edge_weight` and build the model with `normalize=False`. With sampled
    neighbours they are estimates. `norm="batch"` takes its mean over the batch, and is never exact
    on one. `self_loop` is not read with `normalize=False`, and `edge_dropout` is not either.

    Args:
        in_channels: F, features of a node.
        hidden_channels: H, hidden units.
        out_channels: C, classes.
        K: Propagation steps.
        posterior: Learning to Quit (`quit`) or Learning to Select (`select`).
        backbone: `appnp`, `gcn`, `sage`, `gat` or `gcnii`.
        dropout: Rate on features and hidden units.
        **choices: All other options, see `Choices`.

    Raises:
        ValueError: An option is out of range or unknown.
        TypeError: There is no such option.

    Example:
        >>> x, edge_index = torch.eye(3), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> model = L2P(3, 16, 2, K=4, dropout=0.2).eval()
        >>> tuple(model(x, edge_index).shape), tuple(model.propagation(x, edge_index).shape)
        ((3, 2), (3, 5))
    """

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        out_channels: int,
        K: int = 8,
        posterior: str = "quit",
        backbone: str = "appnp",
        dropout: float = 0.5,
        **choices: Any,
    ) -> None:
        """Draw fresh parameters from torch's global random numbers."""
        super().__init__()
        self.choices = Choices(
            in_channels=in_channels,
            hidden_channels=hidden_channels,
            out_channels=out_channels,
            K=K,
            posterior=posterior,  # type: ignore[arg-type]
            backbone=backbone,  # type: ignore[arg-type]
            dropout=dropout,
            **choices,
        )
        self.backbone = BACKBONES[backbone](self.choices)
        self.theta, self.phi = nn.ParameterDict(), nn.ParameterDict()
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fresh parameters of both levels; small scorers, so that q starts near score 0."""
        c = self.choices
        scorers = c.steps if c.scorer == "per_step" else 1
        phi = {"w": fan_in(self.backbone.width, scorers)}
        if c.scorer_bias == "per_step":
            phi["b"] = torch.zeros(c.steps)
        for level, fresh in ((self.theta, self.backbone.initial()), (self.phi, phi)):
            for name, value in fresh.items():
                if name not in level:
                    level[name] = nn.Parameter(torch.empty_like(value))
                level[name].data.copy_(value)

    def forward(self, x: Tensor, edge_index: Any, edge_weight: Tensor | None = None) -> Tensor:
        """Class scores, whose softmax are the probabilities of the classes.

        Args:
            x: Features, [N, F].
            edge_index: [2, E], or a sparse matrix [N, N].
            edge_weight: [E]; all 1 where it is not given.

        Returns:
            Scores, [N, C].
        """
        read = self.read(x, edge_index, edge_weight, noisy=self.training)
        if self.training and self.choices.algorithm == "vi":
            return read.mixed(self.sample(read.log_q))
        return self.predictions(read)

    def propagation(self, x: Tensor, edge_index: Any, edge_weight: Tensor | None = None) -> Tensor:
        """q(t | node), how far each node looks, without dropout: [N, T], rows sum to one."""
        return self.read(x, edge_index, edge_weight, noisy=False).log_q.exp()

    def lower_parameters(self) -> list[nn.Parameter]:
        """theta: what learns on training nodes."""
        return list(self.theta.parameters())

    def upper_parameters(self) -> list[nn.Parameter]:
        """phi: what learns on validation nodes."""
        return list(self.phi.parameters())

    def lower_groups(
        self, weight_decay: float, decay_on: str = "first_layer", step_decay: float = 0.0
    ) -> list[dict[str, Any]]:
        """Groups of theta for an optimizer, a weight decay for each parameter.

        Args:
            weight_decay: L2 penalty on what `decay_on` names.
            decay_on: `first_layer`, or all of `theta`.
            step_decay: L2 penalty on the weights of GCNII's steps; at 0 they are as the others.
        """
        decay = dict.fromkeys(self.theta, weight_decay if decay_on == "theta" else 0.0)
        decay |= dict.fromkeys(self.backbone.first_layer, weight_decay)
        if step_decay > 0.0:
            decay |= dict.fromkeys(self.backbone.step_weights, step_decay)
        return [
            {"params": [value], "weight_decay": decay[name]} for name, value in self.theta.items()
        ]

    def lower_loss(
        self,
        x: Tensor,
        edge_index: Any,
        y: Tensor,
        nodes: Tensor,
        edge_weight: Tensor | None = None,
        gumbel: Tensor | None = None,
        class_weight: Tensor | None = None,
    ) -> Tensor:
        """What theta minimises on training nodes, the mean over them; dropout while it trains.

        Args:
            x: Features, [N, F].
            edge_index: [2, E], or a sparse matrix [N, N].
            y: Classes, [N].
            nodes: The training nodes, a mask [N] or their places [L].
            edge_weight: [E]; all 1 where it is not given.
            gumbel: Standard Gumbel noise [L, T], drawn where it is not given.
            class_weight: What a node of each class counts in the mean [C]; all alike where it is
                not given. See `balanced_classes`.
        """
        read = self.read(x, edge_index, edge_weight, nodes, noisy=self.training)
        return self.lower_objective(read, y[nodes], gumbel, class_weight)

    def upper_loss(
        self,
        x: Tensor,
        edge_index: Any,
        y: Tensor,
        nodes: Tensor,
        edge_weight: Tensor | None = None,
        gumbel: Tensor | None = None,
        class_weight: Tensor | None = None,
    ) -> Tensor:
        """What phi minimises on validation nodes, like `lower_loss`; never with dropout."""
        read = self.read(x, edge_index, edge_weight, nodes, noisy=False)
        return self.upper_objective(read, y[nodes], gumbel, class_weight)

    def read(
        self,
        x: Tensor,
        edge_index: Any,
        edge_weight: Tensor | None = None,
        nodes: Tensor | slice = EVERY,
        *,
        noisy: bool,
    ) -> Steps:
        """One pass, read after every step at some nodes; with dropout if it is to be noisy."""
        edges = edges_of(edge_index, edge_weight, x)
        hidden, scores = self.backbone.steps(self.theta, x, edges, noisy, nodes)
        w = self.phi["w"].expand(-1, self.choices.steps)
        of_steps = torch.einsum("nth,ht->nt", hidden, w)
        if "b" in self.phi:
            of_steps = of_steps + self.phi["b"]
        log_q = POSTERIORS[self.choices.posterior](of_steps)
        return Steps(log_q, scores)

    def lower_objective(
        self,
        read: Steps,
        labels: Tensor,
        gumbel: Tensor | None = None,
        class_weight: Tensor | None = None,
    ) -> Tensor:
        """The negative ELBO (section 4.4), with a sample of t, or in EM with its expectation."""
        each = self.choices.kl_weight * kl_divergence(
            read.log_q, log_prior(self.choices, read.log_q)
        )
        if self.choices.algorithm == "em":
            misfit = -(read.log_q.exp() * log_likelihood(read.scores, labels)).sum(dim=1)
        else:
            mixed = read.mixed(self.sample(read.log_q, gumbel))
            misfit = F.cross_entropy(mixed, labels, reduction="none")
        return mean_over_nodes(misfit + each, labels, class_weight)

    def upper_objective(
        self,
        read: Steps,
        labels: Tensor,
        gumbel: Tensor | None = None,
        class_weight: Tensor | None = None,
    ) -> Tensor:
        """The same; in EM the projection -E_{q*}[log q], for the q* of the E-step held fixed."""
        if self.choices.algorithm == "vi":
            return self.lower_objective(read, labels, gumbel, class_weight)
        log_p = log_prior(self.choices, read.log_q)
        likelihood = log_likelihood(read.scores, labels).detach()
        exact = exact_posterior(likelihood, log_p, self.choices.kl_weight)
        return mean_over_nodes(-(exact * read.log_q).sum(dim=1), labels, class_weight)

    def predictions(self, read: Steps) -> Tensor:
        """Class scores [N, C] with q itself, no noise; in EM log sum_t q(t) p(y | t)."""
        if self.choices.algorithm == "em":
            return (read.log_q.unsqueeze(-1) + read.scores.log_softmax(dim=-1)).logsumexp(dim=1)
        return read.mixed(read.log_q.exp())

    def sample(self, log_q: Tensor, gumbel: Tensor | None = None) -> Tensor:
        """softmax((log q + g) / temperature): weights over the steps that sum to one, [N, T].

        Jang, Gu and Poole, ICLR 2017, https://arxiv.org/abs/1611.01144.
        """
        if gumbel is None:
            limits = torch.finfo(log_q.dtype)
            uniform = torch.rand_like(log_q).clamp(limits.tiny, 1.0 - limits.eps)
            gumbel = -(-uniform.log()).log()
        return ((log_q + gumbel) / self.choices.temperature).softmax(dim=1)

    @classmethod
    def from_config(cls, config: Any, in_channels: int, out_channels: int) -> Self:
        """A fresh model with the hyperparameters of a configuration.

        Args:
            config: A YAML file, such as an exported best.yaml; a mapping of hyperparameters; or
                a `TrialConfig`. Keys of the learning, such as `lr`, are not the model's: they are
                options of `TwoLevels`.
            in_channels: F, features of a node.
            out_channels: C, classes.

        Raises:
            ConfigError: The configuration cannot be read, or is that of another model than L2P.

        Example:
            >>> L2P.from_config({"K": 3, "posterior": "select"}, 7, 2).choices.posterior
            'select'
        """
        from l2p_search.config import TrialConfig
        from l2p_search.errors import ConfigError

        where = f"{config}: " if isinstance(config, str | Path) else ""
        if isinstance(config, str | Path):
            config = TrialConfig.from_file(Path(config))
        elif isinstance(config, Mapping):
            config = TrialConfig.from_mapping(config)
        if config.model != "l2p":
            raise ConfigError(f"{where}model={config.model!r} is not L2P; give one of model='l2p'")
        return cls(in_channels, out_channels=out_channels, **choices_of(config.to_mapping()))

    @classmethod
    def from_levels(
        cls, config: Any, theta: Mapping[str, Tensor], phi: Mapping[str, Tensor], place: int
    ) -> Self:
        """The model of one of S seeds that were trained together, to predict with.

        Args:
            config: As of `from_config`.
            theta: Parameters by name, seeds first: [S, ..].
            phi: Likewise.
            place: Which of the seeds, from 0 to S - 1.

        Returns:
            The model, in evaluation mode and in the type of the parameters.
        """
        layered = "W_in" in theta
        first, last = theta["W_in" if layered else "W_1"], theta["b_out" if layered else "b_2"]
        model = cls.from_config(config, first.shape[1], last.shape[1]).to(first).eval()
        state = {f"theta.{name}": value[place] for name, value in theta.items()}
        model.load_state_dict(state | {f"phi.{name}": value[place] for name, value in phi.items()})
        return model


def choices_of(config: Mapping[str, Any], keys: Iterable[str] | None = None) -> dict[str, Any]:
    """The arguments of `L2P` among the values of a configuration, by the names of `L2P`."""
    named = {"hidden_channels" if key == "hidden" else key: config[key] for key in keys or config}
    return {name: value for name, value in named.items() if name in Choices.__dataclass_fields__}
