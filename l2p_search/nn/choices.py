"""Every choice that L2P leaves open, with its default: the sizes, the backbone, the objective."""

from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The options of `L2P`, by the names that a configuration file has for them.

    Attributes:
        in_channels: F, features of a node.
        hidden_channels: H, hidden units.
        out_channels: C, classes.
        K: Propagation steps; T = K + 1 are read, step 0 included.
        posterior: q by Learning to Quit (`quit`) or Learning to Select (`select`).
        scorer: One w for all steps (`shared`), or one per step as in the paper.
        scorer_bias: What a step's score adds to w . H_k: a b of its own (`per_step`), or `none`.
        prior: p(t), `uniform` or `geometric`.
        prior_ratio: p(t + 1) / p(t) of the geometric prior.
        algorithm: Variational inference (`vi`) or expectation maximization (`em`).
        kl_weight: Weight of KL(q || p) in the loss; 1 is the paper's formula.
        temperature: Of the Gumbel-softmax sample of `vi`.
        backbone: `appnp`, `gcn`, `sage`, `gat` or `gcnii`.
        dropout: Rate on features and hidden units, in `gat` also on the attention.
        teleport: `appnp`, `gcnii`: the share of H_0 in every step.
        encoder: `appnp`: H_0 by a hidden layer (`mlp`), or `linear` in the features.
        skip: `appnp`: weight of a classifier of a node's own H_0.
        self_loop: `appnp`: weight of a node among its own neighbours.
        classifier: `appnp`: one W_2 for all steps (`shared`), or one `per_step`.
        node_dropout: `appnp`: rate of whole nodes that are left out of a propagation.
        edge_dropout: `gcn`, `sage`, `gcnii`: rate of the edges that are left out of a pass.
        norm: `gcn`, `sage`, `gat`: normalisation before the activation of a step.
        residual: `gcn`, `sage`, `gat`: what a step adds, nothing or `linear` H_{k-1} V_k.
        head_layers: `gcn`, `sage`, `gat`: layers of the classifier.
        heads: `gat`: attention heads, which share the hidden units equally.
        identity: `gcnii`: lambda, how far weights may be from the identity.
        normalize: `appnp`, `gcn`, `gcnii`: whether A_hat is made of the given edges. With False
            the given edge weights, self-loops among them, are the entries of A_hat.

    Raises:
        ValueError: A size or a rate is out of range, or a name is unknown.

    Example:
        >>> Choices(in_channels=7, hidden_channels=4, out_channels=2, K=3).steps
        4
        >>> Choices(in_channels=7, hidden_channels=4, out_channels=2, posterior="quits")
        Traceback (most recent call last):
        ValueError: posterior='quits' must be one of quit, select
    """

    in_channels: int
    hidden_channels: int
    out_channels: int
    K: int = 8
    posterior: Literal["quit", "select"] = "quit"
    scorer: Literal["shared", "per_step"] = "shared"
    scorer_bias: Literal["per_step", "none"] = "per_step"
    prior: Literal["uniform", "geometric"] = "uniform"
    prior_ratio: float = 0.5
    algorithm: Literal["vi", "em"] = "vi"
    kl_weight: float = 0.05
    temperature: float = 1.0
    backbone: Literal["appnp", "gcn", "sage", "gat", "gcnii"] = "appnp"
    dropout: float = 0.5
    teleport: float = 0.1
    encoder: Literal["mlp", "linear"] = "mlp"
    skip: float = 0.0
    self_loop: float = 1.0
    classifier: Literal["shared", "per_step"] = "shared"
    node_dropout: float = 0.0
    edge_dropout: float = 0.0
    norm: Literal["none", "layer", "batch"] = "none"
    residual: Literal["none", "linear"] = "none"
    head_layers: int = 1
    heads: int = 8
    identity: float = 0.5
    normalize: bool = True

    def __post_init__(self) -> None:
        """Refuse what no model can be built from."""
        for name, wanted in get_type_hints(type(self)).items():
            value, allowed = getattr(self, name), get_args(wanted)
            if allowed and value not in allowed:
                raise ValueError(f"{name}={value!r} must be one of {', '.join(allowed)}")
            if wanted is int and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{name}={value!r} must be a whole number of at least 1")
            if name.endswith("dropout") and not 0.0 <= value < 1.0:
                raise ValueError(f"{name}={value!r} must be a rate from 0 to below 1")
        if self.backbone == "gat" and self.hidden_channels % self.heads:
            raise ValueError(
                f"hidden_channels={self.hidden_channels} must be a multiple of heads={self.heads}"
            )

    @property
    def steps(self) -> int:
        """T = K + 1, the steps that are read: 0 .. K."""
        return self.K + 1
