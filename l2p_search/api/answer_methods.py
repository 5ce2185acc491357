"""The methods that an answer compares, and the spaces in which they are searched.

They are L2Q on a backbone, that backbone alone, MLP and GCN. The backbone is APPNP, unless a
stronger one is asked for: GCN or GraphSAGE as Luo et al. (2024) tune them, or a plain one.
"""

from typing import TYPE_CHECKING, Any

from l2p_search.errors import UserError, argument, did_you_mean

if TYPE_CHECKING:
    from l2p_search.searching.space.search_space import SearchSpace

BACKBONES = {
    "appnp": "APPNP",
    "gcn": "GCN",
    "gcn-tuned": "tuned GCN",
    "sage": "GraphSAGE",
    "sage-tuned": "tuned GraphSAGE",
    "gat": "GAT",
    "gcnii": "GCNII",
}
"""What L2Q can be put on -> its name for people."""
USUAL = "appnp"
"""The backbone where none is asked for."""
_COMMON: dict[str, Any] = {
    "dropout": {"choices": [0.2, 0.5, 0.8]},
    "weight_decay": {"choices": [5e-3, 5e-4, 1e-5]},
    "lr": 0.01,
    "hidden": 64,
    "epochs": 400,
    "patience": 40,
}
_TUNED: dict[str, Any] = {
    "K": {"choices": [3, 6, 12]},
    "norm": {"choices": ["batch", "layer"]},
    "residual": "linear",
    # Near what Luo et al. found best on most graphs; a drawn point is often far from any of it.
    "start": [
        {"dropout": 0.2, "weight_decay": 1e-5, "K": 6, "norm": "batch"},
        {"dropout": 0.5, "weight_decay": 5e-4, "K": 3, "norm": "layer"},
    ],
}
# Per backbone: what it shares with L2Q on it, and what it has alone. A second layer of the head
# makes of the last of K convolutions a hidden one, as all K are for L2Q, which reads each of them.
_SHARED: dict[str, dict[str, Any]] = {
    "appnp": {"K": {"choices": [2, 4, 8]}},
    "gcn": {"K": {"choices": [2, 3]}},
    "gcn-tuned": _TUNED,
    "sage": {"K": {"choices": [2, 3]}},
    "sage-tuned": _TUNED,
    "gat": {"K": {"choices": [2, 3]}},
    "gcnii": {"K": {"choices": [4, 8, 16]}},
}
_ALONE: dict[str, dict[str, Any]] = {
    "appnp": {"teleport": {"choices": [0.1, 0.5]}},
    "gcn-tuned": {"head_layers": 2},
    "sage-tuned": {"head_layers": 2},
}


def methods(backbone: str) -> tuple[str, ...]:
    """L2Q and what it is held against, in the order in which they are shown.

    Args:
        backbone: What L2Q is put on.

    Returns:
        "l2q", then the others.

    Raises:
        UserError: There is no such backbone.

    Example:
        >>> methods("gcn-tuned"), methods("gcn")
        (('l2q', 'gcn-tuned', 'mlp', 'gcn'), ('l2q', 'gcn', 'mlp'))
    """
    if not isinstance(backbone, str) or backbone not in BACKBONES:
        near = did_you_mean(str(backbone), BACKBONES)
        raise UserError(f"{argument('backbone', backbone)}: is no backbone of an answer; {near}")
    return tuple(dict.fromkeys(("l2q", backbone, "mlp", "gcn")))


def simplest_first(backbone: str) -> tuple[str, ...]:
    """The same methods, the simplest first."""
    return tuple(dict.fromkeys(("mlp", "gcn", backbone, "l2q")))


def costliest_first(backbone: str) -> tuple[str, ...]:
    """The same methods, those whose steps have weights first: what takes longest is not left last.

    Example:
        >>> costliest_first("appnp"), costliest_first("gcn-tuned")
        (('gcn', 'l2q', 'appnp', 'mlp'), ('l2q', 'gcn-tuned', 'gcn', 'mlp'))
    """
    compared = methods(backbone)
    linear = {"mlp"} if backbone != USUAL else {"mlp", "l2q", USUAL}
    with_weights = [method for method in compared if method not in linear]
    return tuple(dict.fromkeys((*with_weights, *(m for m in compared if m != "mlp"), "mlp")))


def short_name(method: str, backbone: str) -> str:
    """A method for people, in a word or two.

    Example:
        >>> short_name("l2q", "appnp"), short_name("l2q", "gcn-tuned")
        ('L2Q', 'L2Q on tuned GCN')
    """
    if method == "l2q":
        return "L2Q" if backbone == USUAL else f"L2Q on {BACKBONES[backbone]}"
    return {"mlp": "MLP"}.get(method) or BACKBONES[method]


def long_name(method: str, backbone: str) -> str:
    """A method for people, with what it does with steps where that is the question.

    Example:
        >>> long_name("gcn-tuned", "gcn-tuned")
        'tuned GCN, one number of steps for all'
    """
    does = {"mlp": ", no step at all", "l2q": ", each node its own number of steps"}
    alone = ", one number of steps for all" * (method == backbone)
    return short_name(method, backbone) + does.get(method, alone)


def answer_space(method: str, backbone: str = USUAL) -> "SearchSpace":
    """The space in which a method is searched for an answer.

    L2Q and its backbone have the same dimensions, but for what only one of them reads.
    """
    from l2p_search.searching.space.space_file import parse_space  # not for `--help`: it is slow

    own: dict[str, Any]
    if method == "l2q":
        own = {**_SHARED[backbone], "posterior": "quit"}
        if backbone != USUAL:
            own["backbone"] = backbone.removesuffix("-tuned")
    elif method == "mlp":
        own = {"model": "mlp"}
    else:
        own = {
            "model": method.removesuffix("-tuned"),
            **_SHARED[method],
            **_ALONE.get(method, {}),
        }
    return parse_space(f"answer-{search_word(method, backbone)}", {**_COMMON, **own})


def search_word(method: str, backbone: str) -> str:
    """What tells a method's search from the others: "l2q-gcn-tuned" for L2Q on that backbone."""
    return f"l2q-{backbone}" if method == "l2q" and backbone != USUAL else method
