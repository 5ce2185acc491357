"""A configuration as a short Python program on torch and torch-geometric alone.

The program is meant to be read: one seed at a time, dense tensors, nothing done for speed. Its
random streams are torch's own, so its numbers agree with ours up to the noise of a seed.
"""

from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError

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
# What would be downloaded for the legacy name are the corrected files.
_CHECKS = {
    "cornell-legacy": """    if data.y.bincount().tolist() != [33, 1, 18, 101, 30]:
        sys.exit("these files are the corrected ones; the legacy ones are needed")
"""
}
_POSTERIORS = {
    "select": """    # Learning to Select: a softmax over the steps.
    return F.log_softmax(scores, dim=-1)
""",
    "quit": """    # Learning to Quit: stay t times, then quit; at the last step surely.
    quit_, stay = F.logsigmoid(scores[:, :-1]), F.logsigmoid(-scores[:, :-1]).cumsum(dim=-1)
    return torch.cat([quit_[:, :1], quit_[:, 1:] + stay[:, :-1], stay[:, -1:]], dim=-1)
""",
}
_OBJECTIVES = {
    "vi": """    def loss(self, x, y, nodes):
        \"""-log p(y | t) with t ~ Gumbel-softmax(q), plus the KL divergence from the prior.\"""
        logits, log_q = self(x)
        t = F.gumbel_softmax(log_q, tau=TEMPERATURE, dim=-1)
        fit = F.cross_entropy((t.unsqueeze(-1) * logits).sum(dim=1)[nodes], y[nodes])
        return fit + KL_WEIGHT * divergence(log_q[nodes])

    @torch.no_grad()
    def predict(self, x):
        \"""Class scores mixed by q itself: no noise, no dropout.\"""
        self.eval()
        logits, log_q = self(x)
        return (log_q.exp().unsqueeze(-1) * logits).sum(dim=1)
""",
    "em": """    def m_step(self, x, y, nodes):
        \"""-E_q[log p(y | t)], taken exactly, plus the KL divergence from the prior.\"""
        log_likelihood, log_q = self.labelled(x, y, nodes)
        fit = -(log_q.exp() * log_likelihood).sum(dim=-1).mean()
        return fit + KL_WEIGHT * divergence(log_q)

    def projection(self, x, y, nodes):
        \"""Fit q to the exact posterior of the E-step, q*(t) = p(y | t) p(t) / sum over t.\"""
        log_likelihood, log_q = self.labelled(x, y, nodes)
        exact = F.softmax(log_likelihood + log_prior(), dim=-1).detach()
        return -(exact * log_q).sum(dim=-1).mean()

    def labelled(self, x, y, nodes):
        \"""log p(y | t) and log q(t) of some nodes: [nodes, K + 1].\"""
        logits, log_q = self(x)
        own = y[nodes].view(-1, 1, 1).expand(-1, K + 1, 1)
        return F.log_softmax(logits[nodes], dim=-1).gather(-1, own).squeeze(-1), log_q[nodes]

    @torch.no_grad()
    def predict(self, x):
        \"""log p(y), the steps summed out: no dropout.\"""
        self.eval()
        logits, log_q = self(x)
        return (log_q.unsqueeze(-1) + F.log_softmax(logits, dim=-1)).logsumexp(dim=1)
""",
}
_UPPER_LOSS = {"vi": "loss", "em": "projection"}
_LOWER_LOSS = {"vi": "loss", "em": "m_step"}
_BEFORE = {
    "second_order": """\
        noise, before = torch.get_rng_state(), [each.detach().clone() for each in theta]
"""
}
_LEVELS = {
    "first_order": """        # Upper level: phi on the validation nodes, at the new theta.
        model.eval()
        loss = model.{upper_loss}(x, y, val)
        upper.zero_grad()
        loss.backward()
        upper.step()
""",
    "second_order": """\
        # Upper level: phi on the validation nodes, at the new theta; and as phi has also moved
        # theta in the lower step, minus LR times a finite difference along v = dL_val / dtheta.
        model.eval()
        loss = model.{upper_loss}(x, y, val)
        gradients = torch.autograd.grad(loss, [*phi, *theta], materialize_grads=True)
        v = gradients[len(phi) :]
        epsilon = 0.01 / max(torch.cat([each.flatten() for each in v]).norm().item(), 1e-19)
        after = [each.detach().clone() for each in theta]
        further = torch.get_rng_state()

        def phi_gradients(shift):
            move(theta, [start + shift * each for start, each in zip(before, v)])
            torch.set_rng_state(noise)  # the same dropout and Gumbel noise as the lower step's
            model.train()
            return torch.autograd.grad(model.{lower_loss}(x, y, train), phi)

        differences = zip(phi_gradients(epsilon), phi_gradients(0.0))
        for each, gradient, (moved, still) in zip(phi, gradients, differences):
            each.grad = gradient - LR * (moved - still) / epsilon
        upper.step()
        move(theta, after)
        torch.set_rng_state(further)
""",
    "joint": "        upper.step()\n",
}
_MLP = {
    "layers": "the two layers",
    "encoder_init": """\
        self.first, self.last = nn.Linear(features, HIDDEN), nn.Linear(HIDDEN, classes)
""",
    "width": "HIDDEN",
    "encode": """\
        h0 = F.relu(self.first(F.dropout(x, DROPOUT, self.training)))
        h0 = F.dropout(h0, DROPOUT, self.training)
""",
    "classify": "self.last(h)",
    "last": "model.last.parameters()",
}
_ENCODERS = {
    "mlp": _MLP,
    "per_step": _MLP
    | {
        "layers": "a hidden layer, and a classifier a step",
        "encoder_init": """\
        self.first = nn.Linear(features, HIDDEN)
        bound = (6 / (HIDDEN + classes)) ** 0.5
        self.last = nn.Parameter(torch.empty(K + 1, HIDDEN, classes).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(classes))
""",
        "classify": 'torch.einsum("nkh,khc->nkc", h, self.last) + self.bias',
        "last": "[model.last, model.bias]",
    },
    "linear": {
        "layers": "one layer, a column a class",
        "encoder_init": """\
        self.first = nn.Linear(features, classes, bias=False)
        nn.init.xavier_uniform_(self.first.weight)
        self.bias = nn.Parameter(torch.zeros(classes))
""",
        "width": "classes",
        "encode": """\
        h0 = self.first(F.dropout(x, DROPOUT, self.training))
""",
        "classify": "h + self.bias",
        "last": "[model.bias]",
    },
}
_MOVE = """def move(parameters, values):
    with torch.no_grad():
        for parameter, value in zip(parameters, values):
            parameter.copy_(value)


"""
_PROGRAM = '''"""L2P (Learning How to Propagate Messages in Graph Neural Networks) on {dataset}.

Exported by l2p-search from search {search}, trial {trial}: over {seeds} seeds validation
{val:.2f} %, test {test:.2f} %. Needs torch and torch-geometric.

    python THIS_FILE [DATA_FOLDER]
"""

import statistics
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.datasets import {loader}
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import {utilities}

{constants}


def load(root):
    """Row-normalised features, the normalised adjacency, labels, and masks [splits, nodes]."""
    data = {load}[0]
{check}    x = data.x / data.x.sum(dim=1, keepdim=True).clamp(min=1e-12)
    edges = to_undirected(remove_self_loops(data.edge_index)[0], num_nodes=len(x))
{normalise}    adjacency = torch.sparse_coo_tensor(index, weight, (len(x), len(x))).coalesce()
    masks = [mask.view(len(x), -1).T for mask in (data.train_mask, data.val_mask, data.test_mask)]
    return x, adjacency, data.y, *masks


def log_posterior(scores):
    """log q(t | node) from the scores of the steps: [nodes, K + 1]."""
{posterior}

class L2P(nn.Module):
    """theta: {layers}. phi: w and b, which score the steps."""

    def __init__(self, features, classes, adjacency):
        super().__init__()
        self.adjacency = adjacency
{encoder_init}{own_init}        bound = {width}**-0.5
        self.w = nn.Parameter(torch.empty({scorers}, {width}).uniform_(-bound, bound))
        self.b = nn.Parameter(torch.zeros(K + 1))

    def forward(self, x):
        """Class scores of every step [nodes, K + 1, classes], and log q [nodes, K + 1]."""
{encode}{drop_nodes}        steps = [{start}]
        for _ in range(K):  # APPNP: propagate, and return to the start with a probability
            steps.append((1 - TELEPORT) * (self.adjacency @ steps[-1]) + TELEPORT * {start})
        h = torch.stack(steps, dim=1)
        logits = {classify}
{own}        return logits, log_posterior((h * self.w).sum(dim=-1) + self.b)

{objective}

def divergence(log_q):
    """KL(q || p), the mean over nodes."""
    return (log_q.exp() * (log_q - log_prior())).sum(dim=-1).mean()


def log_prior():
    unnormalised = torch.arange(K + 1) * torch.tensor(PRIOR_RATIO).log()
    return unnormalised - unnormalised.logsumexp(dim=0)


{move}def train(seed, x, adjacency, y, train, val, test):
    """One seed: its split, its initialisation, its noise. Returns accuracies in percent."""
    torch.manual_seed(seed)
    split = seed % len(train)
    train, val, test = train[split], val[split], test[split]
    model = L2P(x.shape[1], int(y.max()) + 1, adjacency)
    lower = torch.optim.Adam(
        [
            {{"params": model.first.parameters(), "weight_decay": WEIGHT_DECAY}},
            {{"params": {last}, "weight_decay": {last_decay}}},
{own_group}        ],
        lr=LR,
    )
    theta = [*model.first.parameters(), *{last}{own_theta}]
    phi = [model.w, model.b]
    upper = torch.optim.Adam(phi, lr=UPPER_LR)
    best, waited, result = None, 0, (0.0, 0.0)
    for _ in range(EPOCHS):
        # Lower level: {lower} on the training nodes.
        model.train()
{before}        loss = model.{lower_loss}(x, y, train)
        lower.zero_grad()
        upper.zero_grad()
        loss.backward()
        lower.step()
{upper}        logits = model.predict(x)
        val_loss = F.cross_entropy(logits[val], y[val]).item()
        hits = logits.argmax(dim=1) == y
        val_accuracy, test_accuracy = (100 * hits[m].double().mean().item() for m in (val, test))
        standing = {standing}
        if best is None or standing > best:
            best, waited, result = standing, 0, (val_accuracy, test_accuracy)
        else:
            waited += 1
            if waited >= PATIENCE:
                break
    return result


if __name__ == "__main__":
    graph = load(sys.argv[1] if len(sys.argv) > 1 else "data")
    results = []
    for seed in range(SEEDS):
        results.append(train(seed, *graph))
        print(f"seed {{seed}}: validation {{results[-1][0]:.2f}} %, test {{results[-1][1]:.2f}} %")
    for name, values in zip(("validation", "test"), zip(*results)):
        print(f"{{name}} {{statistics.fmean(values):.2f}} ± {{statistics.pstdev(values):.2f}} %")
'''


def as_script(config: TrialConfig, provenance: dict[str, Any]) -> str:
    """The program. Not every configuration has one: what is refused is named."""
    dataset = provenance["dataset"]
    if dataset not in _LOADERS:
        known = ", ".join(_LOADERS)
        raise UserError(
            f"--format script: torch-geometric has no dataset {dataset}; it can be had for {known}"
        )
    if config.method not in ("l2q", "l2s"):
        raise UserError(
            f"--format script: {config.method} has no short program; export it as yaml"
        )
    if config.algorithm == "em" and config.level == "joint":
        raise UserError(
            "--format script: algorithm=em with level=joint has no short program;"
            " export it as yaml"
        )
    losses = {
        "lower_loss": _LOWER_LOSS[config.algorithm],
        "upper_loss": _UPPER_LOSS[config.algorithm],
    }
    joint = config.level == "joint"
    load = _LOADERS[dataset]
    return _PROGRAM.format(
        dataset=dataset,
        search=provenance["search"],
        trial=provenance["trial"],
        val=provenance["val_accuracy_mean"],
        test=provenance["test_accuracy_mean"],
        seeds=provenance["seeds"],
        loader=load.partition("(")[0],
        load=load,
        constants=_constants(config, provenance["seeds"]),
        posterior=_POSTERIORS[config.posterior],
        scorers="K + 1" if config.scorer == "per_step" else "1",
        last_decay="WEIGHT_DECAY" if config.decay_on == "theta" else "0.0",
        lower="theta and phi" if joint else "theta",
        **_ENCODERS["per_step" if config.classifier == "per_step" else config.encoder],
        **_own(config),
        **_normalise(config),
        **_start(config),
        upper=_LEVELS[config.level].format(**losses),
        objective=_OBJECTIVES[config.algorithm],
        before=_BEFORE.get(config.level, ""),
        move=_MOVE if config.level == "second_order" else "",
        check=_CHECKS.get(dataset, ""),
        lower_loss=losses["lower_loss"],
        standing="-val_loss" if config.stop_on == "val_loss" else "(val_accuracy, -val_loss)",
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
    """The parts of the program for what is propagated: H_0, or what is kept of its rows."""
    if config.node_dropout == 0.0:
        return {"drop_nodes": "", "start": "h0"}
    return {
        "drop_nodes": """\
        kept = h0 * F.dropout(torch.ones(len(x), 1), NODE_DROPOUT, self.training)
""",
        "start": "kept",
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
        "KL_WEIGHT": config.kl_weight,
        "TEMPERATURE": config.temperature,
        "PRIOR_RATIO": config.prior_ratio if config.prior == "geometric" else 1.0,
        "EPOCHS": config.epochs,
        "PATIENCE": config.patience,
        "SEEDS": seeds,
    }
    return "\n".join(f"{name} = {value!r}" for name, value in values.items())
