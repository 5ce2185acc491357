"""What an exported program does: train one seed after another, and print what they learned.

It is meant to be read: one seed at a time, dense tensors, nothing done for speed. Its random
numbers are torch's own, so its numbers agree with the engine's up to the noise of a seed.
"""

import math
import statistics
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from l2p_search.data.plain_graphs import PlainGraph
from l2p_search.nn.l2p import L2P
from l2p_search.nn.label_share import learned_share
from l2p_search.nn.two_levels import TwoLevels
from l2p_search.report.plain_scores import SCORES


class Trained(NamedTuple):
    """A seed at its best epoch.

    Attributes:
        val: How well the validation nodes are predicted, in percent.
        test: The same of the test nodes.
        profile: q(t) averaged over the nodes, [T].
    """

    val: float
    test: float
    profile: Tensor


def train_seed(
    seed: int,
    graph: PlainGraph,
    model: Mapping[str, Any],
    learning: Mapping[str, Any],
    stopping: Mapping[str, Any],
    metric: str,
) -> Trained:
    """Train one seed, which fixes split, initialisation and noise, to its own early stop.

    Args:
        seed: From 0; it takes split seed modulo the number of splits.
        graph: What to learn on.
        model: Options of `L2P`.
        learning: Options of `TwoLevels`.
        stopping: `epochs` at the most, `patience`, `stop_on`, what makes an epoch better, and
            `phi_share`, the share of the validation nodes that phi learns from.
        metric: One of `SCORES`.
    """
    torch.manual_seed(seed)
    split, y = seed % len(graph.train), graph.y
    train, val, test = graph.train[split], graph.val[split], graph.test[split]
    learned = val
    if stopping["phi_share"] < 1.0:
        places = val.nonzero().squeeze(1)
        chosen = learned_share(y[places], stopping["phi_share"], torch.randperm(len(places)))
        learned, val = torch.zeros_like(val), val.clone()
        learned[places[chosen]], val[places[chosen]] = True, False
    network = L2P(graph.x.shape[1], out_channels=int(y.max()) + 1, **model)
    nodes = (graph.x, graph.edges, y, train, learned, graph.weights)
    levels = TwoLevels(network, *nodes, **learning)
    best, best_epoch, kept = (-math.inf, -math.inf), 0, network.state_dict()
    for epoch in range(1, stopping["epochs"] + 1):
        train_loss = levels.lower_step()
        scores = levels.evaluate()
        val_loss = levels.loss_at(val, scores)
        if not (train_loss.isfinite() and val_loss.isfinite()):
            sys.exit(f"seed {seed} diverged at epoch {epoch}; try a smaller lr")
        by_metric = stopping["stop_on"] == "val_accuracy"
        reached = SCORES[metric](y[val], scores[val]) if by_metric else 0.0
        if (reached, -val_loss.item()) > best:
            best, best_epoch = (reached, -val_loss.item()), epoch
            # What is kept is cloned: an alias of the live weights would turn best into last.
            kept = {name: value.clone() for name, value in network.state_dict().items()}
        if epoch - best_epoch >= stopping["patience"]:
            break
        levels.upper_step()
    network.load_state_dict(kept)
    with torch.no_grad():
        scores = network.eval()(graph.x, graph.edges, graph.weights)
        q = network.propagation(graph.x, graph.edges, graph.weights)
    on_val, on_test = (100 * SCORES[metric](y[part], scores[part]) for part in (val, test))
    return Trained(on_val, on_test, q.double().mean(dim=0))


def train_all(
    graph: PlainGraph,
    model: Mapping[str, Any],
    learning: Mapping[str, Any],
    stopping: Mapping[str, Any],
    origin: Mapping[str, Any],
) -> None:
    """Train every seed of the search, and print their numbers and their profile.

    Args:
        graph: What to learn on.
        model: Options of `L2P`.
        learning: Options of `TwoLevels`.
        stopping: See `train_seed`.
        origin: The search that the configuration comes from: `seeds`, `metric`, `data_digest`,
            and what it measured.
    """
    metric = origin["metric"]
    if graph.digest() != origin["data_digest"]:
        sys.stderr.write("note: these are not the data of the search, bit by bit\n")
    seeds = []
    for seed in range(origin["seeds"]):
        found = train_seed(seed, graph, model, learning, stopping, metric)
        say(f"seed {seed}: validation {found.val:.2f} %, test {found.test:.2f} %")
        seeds.append(found)
    named = metric.replace("_", " ")
    for part, values in (("val", [s.val for s in seeds]), ("test", [s.test for s in seeds])):
        mean, spread = statistics.fmean(values), statistics.stdev(values) if seeds[1:] else 0.0
        word, before = "validation" if part == "val" else "test", origin[f"{part}_{metric}_mean"]
        known = "sealed" if before is None else f"{before:.2f} %"
        say(f"{word} {named} {mean:.2f} %, sd {spread:.2f}   (the search: {known})")
    profile = torch.stack([found.profile for found in seeds]).mean(dim=0)
    say("profile: q(t) of every step, averaged over nodes and seeds")
    for step, share in enumerate(profile.tolist()):
        say(f"  step {step:2d}  {share:.3f}")


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
