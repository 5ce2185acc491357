"""The hyperparameters: every key of a configuration, with all that is known about it.

The five that the paper searches keep its names: dropout, lr, hidden, weight_decay, K. The other
choices that change what is learned are keys too, so that a configuration alone (with its seeds)
reproduces a trial.

A key that is added later goes anywhere; its default must mean "as before it existed", because
recorded configurations without it are read with that default and keep their ids.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from l2p_search.keys import BELOW_ONE, POSITIVE, key

MAX_STEPS = 64
"""The largest K of the paper; the log-space posteriors are tested up to it."""

Backbone = Literal["appnp", "gcn", "gat", "gcnii", "sage"]
Model = Literal[
    "l2p",
    "mlp",
    "gcn",
    "gat",
    "appnp",
    "gprgnn",
    "gcnii",
    "dagnn",
    "resgcn",
    "jknet",
    "incepgcn",
    "geomgcn-i",
    "geomgcn-p",
    "geomgcn-s",
    "sage",
    "linkx",
]

# Networks by what they have: a baseline has its model's name, L2P on a backbone is l2p-BACKBONE.
L2P = frozenset(f"l2p-{backbone}" for backbone in get_args(Backbone))
ALL = L2P | set(get_args(Model)) - {"l2p"}
_ON_APPNP = {"l2p-appnp"}
_WITH_STEPS = ALL - {"mlp", "geomgcn-i", "geomgcn-p", "geomgcn-s", "linkx"}
_GCN_LIKE = {"gcn", "sage", "l2p-gcn", "l2p-sage"}
_CONVOLUTIONAL = _GCN_LIKE | {"resgcn", "jknet", "incepgcn", "gcnii", "l2p-gcnii"}
_ATTENTIVE = {"gat", "l2p-gat"}
_TUNABLE = _GCN_LIKE | _ATTENTIVE
_GCNII = {"gcnii", "l2p-gcnii"}
_RETURNING = {"appnp", "gprgnn", "l2p-appnp"} | _GCNII
_LINEAR = ("encoder", "linear")
_BASELINES = ", ".join(f"`{model}`" for model in get_args(Model) if model != "l2p")


@dataclass(frozen=True, kw_only=True)
class Hyperparameters:
    """The keys in their order, each with its default, meaning, readers and bounds."""

    # The paper's search space (appendix, "Parameter setting").
    dropout: float = key(
        0.6,
        "dropout rate on the features and on the hidden units",
        ALL,
        by_kind=(0.7, 0.2),
        high=0.99,
        remedy="give a rate from 0 to 0.99; at 1 nothing would be left to learn from",
    )
    lr: float = key(
        0.01,
        "learning rate of theta, the weights of the network (Adam)",
        ALL,
        low=POSITIVE,
        high=10.0,
        remedy="give a learning rate above 0 and at most 10, such as 0.01",
    )
    hidden: int = key(
        64,
        "hidden units",
        ALL,
        unless=_LINEAR,
        low=1,
        high=65536,
        remedy="give 1 to 65,536 hidden units, such as 64",
    )
    weight_decay: float = key(
        5e-4,
        "L2 penalty on the weights that `decay_on` names",
        ALL,
        by_kind=(2e-3, 1e-4),
        remedy="give 0 or more, such as 5e-4",
    )
    K: int = key(
        16,
        f"propagation steps, 1 to {MAX_STEPS}; the layers of GCN and its relatives",
        _WITH_STEPS,
        by_kind=(10, 8),
        low=1,
        high=MAX_STEPS,
        remedy=f"give a number of propagation steps from 1 to {MAX_STEPS}",
    )

    # What is trained: L2P, or a baseline to compare it with; and what baselines added.
    model: Model = key("l2p", f"what is trained: `l2p`, or a baseline ({_BASELINES})", ALL)
    edge_dropout: float = key(
        0.0,
        "rate of the edges that are left out in every epoch (DropEdge, Rong et al. 2020)",
        _CONVOLUTIONAL,
        high=0.99,
        remedy="give a rate from 0 to 0.99; 0 keeps every edge",
    )
    heads: int = key(
        8,
        "attention heads, which share the hidden units equally",
        _ATTENTIVE,
        low=1,
        high=1024,
        remedy="give 1 to 1,024 attention heads, such as 8",
    )
    identity: float = key(
        0.5,
        "lambda of GCNII: the larger, the further the weights of a layer may be from the identity",
        _GCNII,
        remedy="give 0 or more, such as 0.5",
    )
    step_decay: float = key(
        0.0,
        "L2 penalty on the weights of GCNII's layers; at 0 they decay like the rest of theta",
        _GCNII,
        remedy="give 0 or more; at 0 steps decay like the rest of theta",
    )
    norm: Literal["none", "layer", "batch"] = key(
        "none",
        "normalisation before the activation of a hidden layer: `none`, `layer` (over the units"
        " of a node) or `batch` (over the nodes of the graph)",
        _TUNABLE,
    )
    residual: Literal["none", "linear"] = key(
        "none",
        "what a hidden layer adds to its convolution: `none`, or H_{k-1} V_k, a `linear` map of"
        " what it read (Luo et al. 2024)",
        _TUNABLE,
    )
    head_layers: int = key(
        1,
        "layers of the classifier: above 1 an MLP with relu and dropout, whose first layer in"
        " `gcn`, `sage` and `gat` is the last convolution",
        _TUNABLE | {"linkx"},
        low=1,
        high=16,
        remedy="give a number of layers from 1 to 16",
    )

    # The model (section 4).
    backbone: Backbone = key(
        "appnp", "what L2P propagates with: `appnp`, `gcn`, `gat`, `gcnii` or `sage`", L2P
    )
    teleport: float = key(
        0.1,
        "alpha of APPNP and GCNII: the share of H_0 in each step; GPR-GNN starts from it",
        _RETURNING,
        high=BELOW_ONE,
        remedy="give a probability from 0 to below 1, such as 0.1",
    )
    encoder: Literal["mlp", "linear"] = key(
        "mlp", "H_0 by a hidden layer (`mlp`), or `linear` in the features, as in SGC", _ON_APPNP
    )
    skip: float = key(
        0.0,
        "weight of a classifier of a node's own H_0 beside the mixed steps (the authors' code)",
        _ON_APPNP,
        unless=_LINEAR,
        remedy="give 0 or more; 1 weighs a node's own class scores like the mixed ones",
    )
    self_loop: float = key(
        1.0,
        "weight of a node among its own neighbours; at 0 a step excludes it, as in H2GCN",
        _ON_APPNP,
        remedy="give 0 or more; 1 is a neighbour's weight, 0 leaves the node out",
    )
    classifier: Literal["shared", "per_step"] = key(
        "shared",
        "one W_2 for all steps (`shared`), or one per step (`per_step`: slow, for small K)",
        _ON_APPNP,
        unless=_LINEAR,
    )
    node_dropout: float = key(
        0.0,
        "rate of whole nodes that are left out of a propagation while theta learns, as in GRAND",
        _ON_APPNP,
        high=0.99,
        remedy="give a rate from 0 to 0.99; 0 keeps every node",
    )
    posterior: Literal["select", "quit"] = key("quit", "`quit` (L2Q) or `select` (L2S)", L2P)
    scorer: Literal["per_step", "shared"] = key(
        "shared", "one w for all steps (`shared`) or per step (`per_step`, the paper's)", L2P
    )
    scorer_bias: Literal["per_step", "none"] = key(
        "per_step",
        "what a step's score adds to w . H_k: a b of its own (`per_step`), or `none`, as in the"
        " paper",
        L2P,
    )
    prior: Literal["uniform", "geometric"] = key(
        "uniform",
        "prior over the steps: `uniform`, or `geometric`, which falls by `prior_ratio` per step",
        L2P,
    )
    prior_ratio: float = key(
        0.5,
        "p(t + 1) / p(t) of the geometric prior",
        L2P,
        unless=("prior", "uniform"),
        low=POSITIVE,
        high=1.0,
        remedy="give a ratio above 0 and at most 1, such as 0.5",
    )
    kl_weight: float = key(
        0.05,
        "weight of KL(q ‖ prior) in the loss; 1 is the paper's formula",
        L2P,
        by_kind=(0.05, 0.02),
        remedy="give 0 or more; 1 is the paper's formula, 0.05 lets q move",
    )
    temperature: float = key(
        1.0,
        "temperature of the Gumbel-softmax sample of the steps",
        L2P,
        unless=("algorithm", "em"),
        low=1e-3,
        high=1e3,
        remedy="give a temperature from 0.001 to 1000, such as 1",
    )

    # The learning (sections 4.4 and 5).
    algorithm: Literal["vi", "em"] = key(
        "vi", "variational inference (`vi`) or expectation maximization (`em`)", L2P
    )
    level: Literal["first_order", "second_order", "unrolled", "joint"] = key(
        "first_order",
        "gradient of phi: `first_order`; through theta's step too, taken for one of plain gradient"
        " descent (`second_order`, as in DARTS) or of Adam, as it is (`unrolled`); or `joint` (on"
        " the training nodes)",
        L2P,
    )
    upper_lr: float = key(
        0.01,
        "learning rate of phi, the weights of the scorer (Adam)",
        L2P,
        low=POSITIVE,
        high=10.0,
        remedy="give a learning rate above 0 and at most 10, such as 0.01",
    )
    phi_share: float = key(
        1.0,
        "share of a split's validation nodes that phi learns from, drawn by the seed from each"
        " class; below 1 early stopping and the search use the others alone",
        L2P,
        unless=("level", "joint"),
        low=0.01,
        high=1.0,
        remedy="give a share from 0.01 to 1, such as 0.5; at 1 all of them teach phi and judge",
    )
    extra_labels: float = key(
        0.0,
        "share of a split's validation nodes that a baseline trains on beside the training nodes,"
        " those that `phi_share` would take; early stopping and the search use the others alone",
        ALL - L2P,
        high=0.99,
        remedy="give a share from 0 to 0.99; 0 trains on the training nodes alone",
    )
    decay_on: Literal["first_layer", "theta"] = key(
        "first_layer", "what `weight_decay` applies to: `first_layer`, or all of `theta`", ALL
    )
    class_weight: Literal["none", "balanced"] = key(
        "none",
        "what a class counts in the losses: as many nodes as it has (`none`), or as much as every"
        " other class, by the training nodes (`balanced`)",
        ALL,
    )
    consistency: float = key(
        0.0,
        "weight of predicting unlabelled nodes alike with and without dropout, as in GRAND",
        ALL,
        remedy="give 0 or more; 1 weighs free nodes like the training nodes",
    )
    sharpening: float = key(
        0.5,
        "temperature of the predictions without dropout, the targets of `consistency`",
        ALL,
        unless=("consistency", 0.0),
        low=1e-3,
        high=1.0,
        remedy="give a temperature from 0.001 to 1; 1 sharpens nothing",
    )
    epochs: int = key(
        1000,
        "the most epochs of a seed",
        ALL,
        low=1,
        high=10**7,
        remedy="give 1 to 10 million epochs, such as 1000",
    )
    patience: int = key(
        100,
        "epochs without a better one after which a seed stops",
        ALL,
        low=1,
        high=10**7,
        remedy="give 1 to 10 million epochs, such as 100",
    )
    stop_on: Literal["val_loss", "val_accuracy"] = key(
        "val_loss", "what makes an epoch better: `val_loss` or `val_accuracy`", ALL
    )
