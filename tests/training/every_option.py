"""Configurations that between them run every operation of the engine: each model, each option."""

from typing import Any, get_args

from l2p_search.config import TrialConfig
from l2p_search.hyperparameters import Model

_SMALL: dict[str, Any] = {"K": 3, "hidden": 8, "heads": 2, "dropout": 0.5, "epochs": 3}

_OPTIONS: dict[str, dict[str, Any]] = {
    "select": {"posterior": "select", "kl_weight": 0.1},
    "quit": {"posterior": "quit", "kl_weight": 0.1, "prior": "geometric", "temperature": 0.5},
    "per-step-scorer": {"scorer": "per_step"},
    "em": {"algorithm": "em", "kl_weight": 0.1},
    "em-without-kl": {"algorithm": "em", "kl_weight": 0.0},
    "second-order": {"level": "second_order"},
    "em-second-order": {"algorithm": "em", "level": "second_order"},
    "unrolled": {"level": "unrolled"},
    "joint": {"level": "joint"},
    "skip": {"skip": 0.5, "self_loop": 0.0, "node_dropout": 0.3},
    "per-step-classifier": {"classifier": "per_step"},
    "linear-encoder": {"encoder": "linear"},
    "consistency": {"consistency": 0.5},
    "shared-labels": {"phi_share": 0.5},
    "balanced": {"class_weight": "balanced"},
    "em-balanced": {"algorithm": "em", "class_weight": "balanced", "consistency": 0.5},
    "gcn-balanced": {"model": "gcn", "class_weight": "balanced"},
    "no-dropout": {"dropout": 0.0},
    "decay-on-theta": {"decay_on": "theta"},
    "stop-on-metric": {"stop_on": "val_accuracy"},
    "on-gcn": {"backbone": "gcn", "edge_dropout": 0.3},
    "on-sage": {"backbone": "sage", "edge_dropout": 0.3},
    "on-gat": {"backbone": "gat"},
    "on-gcnii": {"backbone": "gcnii", "step_decay": 1e-3},
    "on-gcn-layer": {"backbone": "gcn", "norm": "layer", "residual": "linear", "head_layers": 2},
    "on-gat-batch": {"backbone": "gat", "norm": "batch", "residual": "linear", "head_layers": 2},
    "gcn-batch": {"model": "gcn", "norm": "batch", "residual": "linear", "head_layers": 2},
    "gcn-extra-labels": {"model": "gcn", "extra_labels": 0.5},
    "gcn-drop-edge": {"model": "gcn", "edge_dropout": 0.3},
    "gat-layer": {"model": "gat", "norm": "layer", "head_layers": 3},
    "linkx-deep": {"model": "linkx", "head_layers": 2},
} | {model: {"model": model} for model in get_args(Model)}

EVERY_OPTION: dict[str, TrialConfig] = {
    name: TrialConfig.recorded({**_SMALL, **keys}) for name, keys in _OPTIONS.items()
}
"""By a name for the test's id."""
