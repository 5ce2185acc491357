"""What a Graph promises, checked where it is made, so that everything behind it can rely on it."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from l2p_search.errors import DataError, printable

_BUILD = "Graph.build takes edges as they come"


def check_name(name: str) -> None:
    """A name is one line, and commands no terminal: it stands in titles, files and messages."""
    if printable(name) != name:
        raise DataError(f"{name}: is no name of a graph; leave out what is no text in one line")


def check_types(name: str, parts: Mapping[str, object]) -> None:
    """Refuse what is no tensor, or a tensor of another type than the engine reads.

    Raises:
        DataError: It names the part and the type that is needed.
    """
    wanted = {"x": torch.float32, "edges": torch.int64, "y": torch.int64, "weights": torch.float32}
    for part, value in parts.items():
        dtype = wanted.get(part, torch.bool)
        if not isinstance(value, Tensor):
            found = type(value).__name__
        elif value.dtype == dtype or (dtype.is_floating_point and value.is_floating_point()):
            continue
        else:
            found = str(value.dtype).removeprefix("torch.")
        raise DataError(
            f"{name}: {part} is {found}; give a tensor of {str(dtype).removeprefix('torch.')},"
            " or use Graph.build, which converts arrays of any type"
        )


def check_features(name: str, x: Tensor) -> None:
    """Features are [N, F], with N and F above zero, and finite."""
    if x.dim() != 2 or x.shape[0] == 0 or x.shape[1] == 0:
        raise DataError(f"{name}: features have shape {list(x.shape)}; give [nodes, features]")
    if x.sum().isfinite():  # only if all terms are; a mask of all values takes more memory
        return
    bad = ~torch.isfinite(x)
    if bad.any():
        node, feature = bad.nonzero()[0].tolist()
        raise DataError(
            f"{name}: feature {feature} of node {node} is {x[node, feature].item()}"
            f" ({int(bad.sum())} such values in all); replace what is not finite, for example by 0"
        )


def check_labels(name: str, y: Tensor, num_nodes: int) -> None:
    """Labels are [N]: classes 0..C-1, each with a node, or -1 for a node without a label."""
    if y.shape != (num_nodes,):
        raise DataError(f"{name}: {y.numel()} labels for {num_nodes} nodes; give one per node")
    if int(y.min()) < -1:
        raise DataError(
            f"{name}: node {int(y.argmin())} has label {int(y.min())}; count from 0, and give"
            " nodes without a label -1"
        )
    counts = y[y >= 0].bincount()
    if counts.numel() == 0:
        raise DataError(f"{name}: no node has a label; give the classes of some nodes")
    if (counts == 0).any():
        missing = int((counts == 0).nonzero()[0])
        raise DataError(f"{name}: class {missing} has no node; number the classes without gaps")


def check_ends(name: str, edges: Tensor, num_nodes: int) -> None:
    """Edges are [2, E], in any form, and every end is a node."""
    if edges.dim() != 2 or edges.shape[0] != 2:
        raise DataError(f"{name}: edges have shape {list(edges.shape)}; give [2, edges]")
    if edges.numel() and not 0 <= int(edges.min()) <= int(edges.max()) < num_nodes:
        raise DataError(
            f"{name}: an edge names node {int(edges.max())} or {int(edges.min())},"
            f" but nodes are 0 to {num_nodes - 1}; check the edge list"
        )


def check_edges(name: str, edges: Tensor, num_nodes: int) -> None:
    """Edges are [2, E]: both directions of every edge, once each, and no self-loop."""
    check_ends(name, edges, num_nodes)
    source, target = edges
    loops = source == target
    if loops.any():
        raise DataError(
            f"{name}: node {int(source[loops][0])} has an edge to itself"
            f" ({int(loops.sum())} self-loops in all); remove them: {_BUILD}"
        )
    keys = source * num_nodes + target
    if not (keys[1:] > keys[:-1]).all():
        keys = keys.sort().values
        double = keys[1:] == keys[:-1]
        if double.any():
            start, end = divmod(int(keys[1:][double][0]), num_nodes)
            raise DataError(
                f"{name}: the edge from {start} to {end} is there twice"
                f" ({int(double.sum())} doubles in all); keep each once: {_BUILD}"
            )
    back = (target * num_nodes + source).sort().values
    if not torch.equal(keys, back):
        # The smallest key that only one of the two has is an edge without its way back.
        place = int((keys != back).nonzero()[0])
        start, end = divmod(int(min(keys[place], back[place])), num_nodes)
        if keys[place] > back[place]:
            start, end = end, start
        raise DataError(
            f"{name}: the edge from {start} to {end} has no way back: the graph is directed;"
            f" add both directions: {_BUILD}"
        )


def check_weights(name: str, weights: Tensor, edges: Tensor, num_nodes: int) -> None:
    """Weights are [E]: positive, finite, and the same in both directions of an edge."""
    if weights.shape != edges.shape[1:]:
        raise DataError(
            f"{name}: {weights.numel()} weights for {edges.shape[1]} directed edges;"
            " give one per column of edges"
        )
    bad = ~((weights > 0) & torch.isfinite(weights))
    if bad.any():
        place = int(bad.nonzero()[0])
        start, end = edges[:, place].tolist()
        raise DataError(
            f"{name}: the edge from {start} to {end} has weight {weights[place].item()};"
            " weights must be above zero and finite"
        )
    source, target = edges
    there = (source * num_nodes + target).argsort()
    back = (target * num_nodes + source).argsort()
    unequal = weights[there] != weights[back]
    if unequal.any():
        start, end = edges[:, there[unequal][0]].tolist()
        raise DataError(
            f"{name}: the edge from {start} to {end} weighs more in one direction than in the"
            " other; give both the same, or use Graph.build, which takes the larger"
        )


def check_splits(
    name: str,
    y: Tensor,
    train: Tensor,
    val: Tensor,
    test: Tensor,
    class_names: Sequence[str] | None = None,
) -> None:
    """Masks are [P, N], disjoint, never empty, without unlabelled nodes, and train each class."""
    for part, masks in (("train", train), ("val", val), ("test", test)):
        if masks.dim() != 2 or masks.shape[1] != len(y) or masks.shape != val.shape:
            raise DataError(
                f"{name}: the {part} masks have shape {list(masks.shape)}; give [splits, {len(y)}]"
            )
        empty = ~masks.any(dim=1)
        if empty.any():
            raise DataError(
                f"{name}: split {int(empty.nonzero()[0])} has no {part} node;"
                " give every split train, validation and test nodes"
            )
    shared = (train & val) | (train & test) | (val & test)
    if shared.any():
        split, node = shared.nonzero()[0].tolist()
        raise DataError(
            f"{name}: node {node} is in two parts of split {split};"
            " train, validation and test must not share nodes"
        )
    unlabelled = (train | val | test) & (y < 0)
    if unlabelled.any():
        split, node = unlabelled.nonzero()[0].tolist()
        raise DataError(
            f"{name}: node {node} has no label and is in split {split};"
            " leave unlabelled nodes out of all masks"
        )
    # Texas has a class of one node, which some of its ten splits cannot train on; a class that
    # no split at all can train on is a mistake.
    trained = y[train.any(dim=0)].bincount(minlength=int(y.max()) + 1)
    if (trained == 0).any():
        untrained = int((trained == 0).nonzero()[0])
        called = f"'{class_names[untrained]}'" if class_names else untrained
        raise DataError(
            f"{name}: class {called} has no training node in any split;"
            " add one to a training set or drop the class"
        )
