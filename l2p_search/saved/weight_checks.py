"""Weights that are read must be those of the network that they are read for."""

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.unlabelled import Unlabelled
from l2p_search.model.building import build_network
from l2p_search.model.network import Network
from l2p_search.model.problem import Problem
from l2p_search.saved.expected import Expected
from l2p_search.weights import Weights


def check_weights(weights: Weights, config: TrialConfig, expected: Expected) -> None:
    """Refuse weights that are not finite, or not those of the configuration.

    Args:
        weights: As read from a file.
        config: Whose network they are to be of.
        expected: Features and classes of its graph.

    Raises:
        ValueError: It names the tensor, and says what is wrong with it.
    """
    for name, value in weights.named():
        if not value.is_floating_point() or value.shape[:1] != (len(weights.seeds),):
            raise ValueError(
                f"{name} is {_kind(value)} for {len(weights.seeds)} seeds, not one set each"
            )
        if not value.isfinite().all():
            raise ValueError(f"{name} has values that are not finite")
    # Before anything of that size is made: a few bytes may claim any number of features.
    each = sum(value[0].numel() for _, value in weights.named())
    if max(expected.features, len(expected.classes)) > each:
        raise ValueError(
            f"there are {each:,} weights of a seed, too few for {expected.features:,} features and"
            f" {len(expected.classes):,} classes"
        )
    if expected.same_nodes is None and expected.same_edges is None:
        # A pair of nodes stands for any graph. The networks that depend on the graph's size are
        # checked when they are built for the graph to predict.
        pair = Unlabelled.of(
            "pair",
            torch.zeros(2, expected.features),
            torch.tensor([[0, 1], [1, 0]]),
            classes=len(expected.classes),
        )
        check_fit(build_network(Problem(pair), config), weights)


def check_fit(network: Network, weights: Weights) -> None:
    """Refuse weights of other names or shapes than the network's parameters.

    Raises:
        ValueError: It names the tensor, and says what is wrong with it.
    """
    fresh = network.initial([torch.Generator()])
    wanted = dict(Weights((0,), fresh.theta, fresh.phi).named())
    found = dict(weights.named())
    for name in [*wanted, *found]:
        if name not in found:
            raise ValueError(f"{name} is missing")
        if name not in wanted:
            raise ValueError(f"{name} is no parameter of the configuration")
        if found[name].shape[1:] != wanted[name].shape[1:]:
            raise ValueError(
                f"{name} is {_kind(found[name])}, but the configuration has"
                f" {list(wanted[name].shape[1:])} for every seed"
            )


def _kind(value: torch.Tensor) -> str:
    return f"{list(value.shape)} of {str(value.dtype).removeprefix('torch.')}"
