"""The source of the exported program: a template, and the parts that fill it for a configuration.

`script` chooses the parts. Names in braces are placeholders of `str.format`.
"""

POSTERIORS = {
    "select": """    # Learning to Select: a softmax over the steps.
    return F.log_softmax(scores, dim=-1)
""",
    "quit": """    # Learning to Quit: stay t times, then quit; at the last step surely.
    quit_, stay = F.logsigmoid(scores[:, :-1]), F.logsigmoid(-scores[:, :-1]).cumsum(dim=-1)
    return torch.cat([quit_[:, :1], quit_[:, 1:] + stay[:, :-1], stay[:, -1:]], dim=-1)
""",
}
"""The body of `log_posterior`, by `posterior`."""
OBJECTIVES = {
    "vi": """    def loss(self, x, y, nodes):
        \"""-log p(y | t) with t ~ Gumbel-softmax(q), plus the KL divergence from the prior.\"""
        logits, log_q = self(x)
        t = F.gumbel_softmax(log_q, tau=TEMPERATURE, dim=-1)
        fit = F.cross_entropy((t.unsqueeze(-1) * logits).sum(dim=1)[nodes], y[nodes])
        return fit + KL_WEIGHT * divergence(log_q[nodes])

    def scores(self, x):
        \"""The class scores of all steps, weighted by q.\"""
        logits, log_q = self(x)
        return (log_q.exp().unsqueeze(-1) * logits).sum(dim=1)
""",
    "em": """    def m_step(self, x, y, nodes):
        \"""-E_q[log p(y | t)], taken exactly, plus the KL divergence from the prior.\"""
        log_likelihood, log_q = self.labelled(x, y, nodes)
        fit = -(log_q.exp() * log_likelihood).sum(dim=-1).mean()
        return fit + KL_WEIGHT * divergence(log_q)

    def projection(self, x, y, nodes):
        \"""Fit q to the best one of the E-step, q*(t) ~ p(t) p(y | t)^(1 / KL_WEIGHT).\"""
        log_likelihood, log_q = self.labelled(x, y, nodes)
        behind = (log_likelihood - log_likelihood.amax(dim=-1, keepdim=True)).detach()
        powers = torch.where(behind == 0, 0, behind / KL_WEIGHT)  # -inf at a weight of zero
        exact = F.softmax(powers + log_prior(), dim=-1)
        return -(exact * log_q).sum(dim=-1).mean()

    def labelled(self, x, y, nodes):
        \"""log p(y | t) and log q(t) of some nodes: [nodes, K + 1].\"""
        logits, log_q = self(x)
        own = y[nodes].view(-1, 1, 1).expand(-1, K + 1, 1)
        return F.log_softmax(logits[nodes], dim=-1).gather(-1, own).squeeze(-1), log_q[nodes]

    def scores(self, x):
        \"""log p(y), summed over the steps t.\"""
        logits, log_q = self(x)
        return (log_q.unsqueeze(-1) + F.log_softmax(logits, dim=-1)).logsumexp(dim=1)
""",
}
"""Methods of the model, by `algorithm`: its losses and its prediction."""
UPPER_LOSS = {"vi": "loss", "em": "projection"}
LOWER_LOSS = {"vi": "loss", "em": "m_step"}
"""Which of these methods each level minimises, by `algorithm`."""
_KEPT = """\
        noise, before = torch.get_rng_state(), [each.detach().clone() for each in theta]
"""
BEFORE = {"second_order": _KEPT, "unrolled": _KEPT}
"""What is kept before the lower level's step, by `level`; the other levels keep nothing."""
_THROUGH_THETA = """\
        # Upper level: phi on the validation nodes, at the new theta; and as phi has also moved
        # theta in the lower step, minus a finite difference along v = {direction}
        model.eval()
        loss = model.{{upper_loss}}(x, y, val)
        gradients = torch.autograd.grad(loss, [*phi, *theta], materialize_grads=True)
        v = {v}
        epsilon = 0.01 / max(torch.cat([each.flatten() for each in v]).norm().item(), 1e-19)
        after = [each.detach().clone() for each in theta]
        further = torch.get_rng_state()

        def phi_gradients(shift):
            move(theta, [start + shift * each for start, each in zip(before, v)])
            torch.set_rng_state(noise)  # the same dropout and Gumbel noise as the lower step's
            model.train()
            loss = {{lower_loss}}
            return torch.autograd.grad(loss, phi)

        differences = zip(phi_gradients(epsilon), phi_gradients(0.0))
        for each, gradient, (moved, still) in zip(phi, gradients, differences):
            each.grad = gradient - (moved - still) / epsilon
        upper.step()
        move(theta, after)
        torch.set_rng_state(further)
"""
LEVELS = {
    "first_order": """        # Upper level: phi on the validation nodes, at the new theta.
        model.eval()
        loss = model.{upper_loss}(x, y, val)
        upper.zero_grad()
        loss.backward()
        upper.step()
""",
    "second_order": _THROUGH_THETA.format(
        direction="LR dL_val / dtheta.",
        v="[LR * each for each in gradients[len(phi) :]]",
    ),
    "unrolled": _THROUGH_THETA.format(
        direction="response * dL_val / dtheta.",
        v="[a * b for a, b in zip(response(lower, before), gradients[len(phi) :])]",
    ),
    "joint": "        upper.step()\n",
}
"""The upper level's step, by `level`."""
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
ENCODERS = {
    "mlp": _MLP,
    "per_step": _MLP
    | {
        "layers": "a hidden layer, and one classifier per step",
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
        "layers": "one layer, with one column per class",
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
"""The layers of theta, by `encoder`, or `per_step` by `classifier`: how they are made and used."""
HELD = """def held(model, x, target, free, epoch):
    \"""Unlabelled nodes should be predicted with dropout as without it, but more confidently.\"""
    p = F.softmax(model.scores(x), dim=1)
    return CONSISTENCY * min(1.0, epoch / 100) * ((p - target) ** 2)[free].sum(dim=1).mean()


"""
MOVE = """def move(parameters, values):
    with torch.no_grad():
        for parameter, value in zip(parameters, values):
            parameter.copy_(value)


"""
RESPONSE = '''def response(adam, before):
    """How the step just taken would have changed with its gradient: -d theta' / d gradient."""
    found = []
    decays = [each["weight_decay"] for each in adam.param_groups for _ in each["params"]]
    parameters = [one for each in adam.param_groups for one in each["params"]]
    for parameter, start, decay in zip(parameters, before, decays):
        state, gradient = adam.state[parameter], parameter.grad + decay * start
        first, second = 1 - 0.9 ** state["step"].item(), 1 - 0.999 ** state["step"].item()
        root = (state["exp_avg_sq"] / second).sqrt()
        step = state["exp_avg"] / first / (root + 1e-8)
        change = 0.1 / first - step * 0.001 / second * gradient / root
        found.append(torch.where(root > 0, LR * change / (root + 1e-8), 0))
    return found


'''
PROGRAM = '''"""L2P (Learning How to Propagate Messages in Graph Neural Networks) on {dataset}.

Exported by l2p-search from search {search}, trial {trial}: over {seeds} seeds {validation}
{val:.2f} %, test {test:.2f} %. Needs {needs}.

    python THIS_FILE [DATA_FOLDER]
"""

import statistics
import sys

import torch
import torch.nn.functional as F
{sklearn}from torch import nn
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
    @torch.no_grad()
    def predict(self, x):
        """The scores without noise and dropout."""
        self.eval()
        return self.scores(x)


def divergence(log_q):
    """KL(q || p), the mean over nodes."""
    return (log_q.exp() * (log_q - log_prior())).sum(dim=-1).mean()


def log_prior():
    unnormalised = torch.arange(K + 1) * torch.tensor(PRIOR_RATIO).log()
    return unnormalised - unnormalised.logsumexp(dim=0)


{score}{held}{move}{response}def train(seed, x, adjacency, y, train, val, test):
    """One seed: its split, its initialisation, its noise. Returns {returned} in percent."""
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
{target}    for {epoch} in range(EPOCHS):
        # Lower level: {lower} on the training nodes.
        model.train()
{before}        loss = {lower_loss}
        lower.zero_grad()
        upper.zero_grad()
        loss.backward()
        lower.step()
{upper}        logits = model.predict(x)
{hold}        val_loss = F.cross_entropy(logits[val], y[val]).item()
{measure}        standing = {standing}
        if best is None or standing > best:
            best, waited, result = standing, 0, {result}
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
    names = ("{validation}", "{tested}")
    for name, values in zip(names, zip(*results)):
        print(f"{{name}} {{statistics.fmean(values):.2f}} ± {{statistics.pstdev(values):.2f}} %")
'''
