"""The methods that an answer compares, and the spaces in which they are searched."""

from typing import Any

from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import parse_space

METHODS = ("l2q", "appnp", "mlp", "gcn")
"""L2Q and what it is held against."""
_COMMON: dict[str, Any] = {
    "dropout": {"choices": [0.2, 0.5, 0.8]},
    "weight_decay": {"choices": [5e-3, 5e-4, 1e-5]},
    "lr": 0.01,
    "hidden": 64,
    "epochs": 400,
    "patience": 40,
}
_OWN: dict[str, dict[str, Any]] = {
    "l2q": {"K": {"choices": [2, 4, 8]}, "posterior": "quit"},
    "appnp": {"model": "appnp", "K": {"choices": [2, 4, 8]}, "teleport": {"choices": [0.1, 0.5]}},
    "mlp": {"model": "mlp"},
    "gcn": {"model": "gcn", "K": {"choices": [2, 3]}},
}


def answer_space(method: str) -> SearchSpace:
    """The space in which a method is searched for an answer."""
    return parse_space(f"answer-{method}", {**_COMMON, **_OWN[method]})
