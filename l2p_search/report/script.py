"""A configuration as a short Python program on torch and torch-geometric alone.

The program is meant to be read: one seed at a time, dense tensors, nothing done for speed. Its
random streams are torch's own, so its numbers agree with ours up to the noise of a seed.
"""

from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError, argument
from l2p_search.metrics import Metric
from l2p_search.report.program import (
    BEFORE,
    ENCODERS,
    HELD,
    LEVELS,
    LOWER_LOSS,
    MOVE,
    OBJECTIVES,
    POSTERIORS,
    PROGRAM,
    RESPONSE,
    UPPER_LOSS,
)
from l2p_search.report.program_metrics import metric_parts

_LOADERS = {
    "cora": 'Planetoid(root, "Cora")',
    "citeseer": 'Planetoid(root, "CiteSeer")',
    "pubmed": 'Planetoid(root, "PubMed")',
    "actor": 'Actor(f"{root}/Actor")',
    "texas": 'WebKB(f"{root}/WebKB", "texas")',
    "wisconsin": 'WebKB(f"{root}/WebKB", "wisconsin")',
    "cornell": 'WebKB(f"{root}/WebKB", "cornell")',
    "cornell-legacy": 'WebKB(f"{root}/WebKB-legacy", "cornell")',
}
# PyG would download the corrected files, also where the legacy ones are wanted.
_CHECKS = {
    "cornell-legacy": """    if data.y.bincount().tolist() != [33, 1, 18, 101, 30]:
        sys.exit("these files are the corrected ones; the legacy ones are needed")
"""
}


def as_script(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """Write the program of a configuration.

    Args:
        config: An L2P configuration on APPNP.
        provenance: Where it came from: `dataset`, `search`, `trial`, `seeds`, and the mean
            validation and test accuracy.

    Returns:
        The source of the program.

    Raises:
        UserError: PyG has no such dataset, or the configuration has no short program.
    """
    dataset = provenance["dataset"]
    if dataset not in _LOADERS:
        known = ", ".join(_LOADERS)
        raise UserError(
            f"{argument('format', 'script')}: torch-geometric has no dataset {dataset}; it can be"
            f" had for {known}"
        )
    if config.method not in ("l2q", "l2s"):
        raise UserError(
            f"{argument('format', 'script')}: {config.method} has no short program; export it as"
            " yaml"
        )
    if config.algorithm == "em" and config.level == "joint":
        raise UserError(
            f"{argument('format', 'script')}: algorithm=em with level=joint has no short program;"
            " export it as yaml"
        )
    losses = {
        "lower_loss": f"model.{LOWER_LOSS[config.algorithm]}(x, y, train)",
        "upper_loss": UPPER_LOSS[config.algorithm],
    }
    if config.consistency > 0.0:
        losses["lower_loss"] += " + held(model, x, target, ~train, epoch)"
    joint = config.level == "joint"
    metric: Metric = provenance.get("metric", "accuracy")
    load = _LOADERS[dataset]
    return PROGRAM.format(
        dataset=dataset,
        search=provenance["search"],
        trial=provenance["trial"],
        val=provenance[f"val_{metric}_mean"],
        test=provenance[f"test_{metric}_mean"],
        **metric_parts(metric, config),
        seeds=provenance["seeds"],
        loader=load.partition("(")[0],
        load=load,
        constants=_constants(config, provenance["seeds"]),
        posterior=POSTERIORS[config.posterior],
        scorers="K + 1" if config.scorer == "per_step" else "1",
        last_decay="WEIGHT_DECAY" if config.decay_on == "theta" else "0.0",
        lower="theta and phi" if joint else "theta",
        **ENCODERS["per_step" if config.classifier == "per_step" else config.encoder],
        **_own(config),
        **_normalise(config),
        **_start(config),
        **_consistency(config),
        upper=LEVELS[config.level].format(**losses),
        objective=OBJECTIVES[config.algorithm],
        before=BEFORE.get(config.level, ""),
        move=MOVE if config.level in ("second_order", "unrolled") else "",
        response=RESPONSE if config.level == "unrolled" else "",
        check=_CHECKS.get(dataset, ""),
        lower_loss=losses["lower_loss"],
    )


def _own(config: TrialConfig) -> dict[str, str]:
    """The parts of the program for the classifier of a node's own H_0."""
    if config.skip == 0.0:
        return {"own_init": "", "own": "", "own_group": "", "own_theta": ""}
    decay = "WEIGHT_DECAY" if config.decay_on == "theta" else "0.0"
    group = f'{{"params": model.own.parameters(), "weight_decay": {decay}}},'
    return {
        "own_init": "        self.own = nn.Linear(HIDDEN, classes, bias=False)\n",
        "own": "        logits = logits + SKIP * self.own(h0)[:, None]\n",
        "own_group": f"            {group}\n",
        "own_theta": ", *model.own.parameters()",
    }


def _normalise(config: TrialConfig) -> dict[str, str]:
    """The parts of the program for the normalised adjacency."""
    if config.self_loop == 1.0:
        return {
            "utilities": "remove_self_loops, to_undirected",
            "normalise": """\
    index, weight = gcn_norm(edges, num_nodes=len(x), add_self_loops=True)
""",
        }
    return {
        "utilities": "add_self_loops, remove_self_loops, to_undirected",
        "normalise": """\
    ones = torch.ones(edges.shape[1])
    index, weight = add_self_loops(edges, ones, fill_value=SELF_LOOP, num_nodes=len(x))
    index, weight = gcn_norm(index, weight, num_nodes=len(x), add_self_loops=False)
""",
    }


def _start(config: TrialConfig) -> dict[str, str]:
    """The parts of the program for what is propagated: H_0, or H_0 with rows dropped."""
    if config.node_dropout == 0.0:
        return {"drop_nodes": "", "start": "h0"}
    return {
        "drop_nodes": """\
        kept = h0 * F.dropout(torch.ones(len(x), 1), NODE_DROPOUT, self.training)
""",
        "start": "kept",
    }


def _consistency(config: TrialConfig) -> dict[str, str]:
    """The parts of the program for consistency: unlabelled nodes predicted alike with dropout."""
    if config.consistency == 0.0:
        return {"held": "", "target": "", "epoch": "_", "hold": ""}
    target = "target = F.softmax({} / SHARPENING, dim=1)\n"
    return {
        "held": HELD,
        "target": "    " + target.format("model.predict(x)"),
        "epoch": "epoch",
        "hold": "        " + target.format("logits"),
    }


def _constants(config: TrialConfig, seeds: int) -> str:
    values = {
        "K": config.K,
        **({"HIDDEN": config.hidden} if config.encoder == "mlp" else {}),
        "DROPOUT": config.dropout,
        "LR": config.lr,
        "WEIGHT_DECAY": config.weight_decay,
        "UPPER_LR": config.upper_lr,
        "TELEPORT": config.teleport,
        **({"SKIP": config.skip} if config.skip > 0.0 else {}),
        **({"SELF_LOOP": config.self_loop} if config.self_loop != 1.0 else {}),
        **({"NODE_DROPOUT": config.node_dropout} if config.node_dropout > 0.0 else {}),
        **(
            {"CONSISTENCY": config.consistency, "SHARPENING": config.sharpening}
            if config.consistency > 0.0
            else {}
        ),
        "KL_WEIGHT": config.kl_weight,
        "TEMPERATURE": config.temperature,
        "PRIOR_RATIO": config.prior_ratio if config.prior == "geometric" else 1.0,
        "EPOCHS": config.epochs,
        "PATIENCE": config.patience,
        "SEEDS": seeds,
    }
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())
