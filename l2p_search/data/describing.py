"""What was understood of a graph, in one short paragraph."""

import math

from l2p_search.data.graph import Graph
from l2p_search.data.homophily import training_homophily
from l2p_search.data.labelling import as_printed
from l2p_search.errors import printable

_MOST_CLASSES = 8
_MOST_LETTERS = 24


def described(graph: Graph) -> str:
    """Nodes, edges, changes, features, classes, homophily by training labels, and splits."""
    about = graph.about
    weighted = ", weighted" if graph.weights is not None else ""
    sentences = [
        f"{graph.name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges{weighted}",
        "; ".join(about.changes),
        _features(graph),
        _classes(graph),
        _homophily(graph),
        _splits(graph),
    ]
    # Names of files may hold what would end the line or command a terminal.
    return printable(" ".join(f"{_capital(sentence)}." for sentence in sentences if sentence))


def _features(graph: Graph) -> str:
    scaled = ", each node's divided by their sum" if graph.about.scaling == "row" else ""
    return graph.about.features or f"{graph.num_features:,} features{scaled}"


def _classes(graph: Graph) -> str:
    names = graph.about.class_names or tuple(map(str, range(graph.num_classes)))
    order = sorted(range(graph.num_classes), key=lambda label: -graph.class_counts[label])
    shown = [
        f"{_short(names[label])} ({graph.class_counts[label]:,})"
        for label in order[:_MOST_CLASSES]
    ]
    more = f" and {graph.num_classes - len(shown)} smaller ones" * (len(shown) < len(order))
    return f"{graph.num_classes} classes: {', '.join(shown)}{more}"


def _short(name: str) -> str:
    """The end of a long name, which is where those of cora_ml differ."""
    name = as_printed(name)
    return name if len(name) <= _MOST_LETTERS else f"..{name[-_MOST_LETTERS:]}"


def _homophily(graph: Graph) -> str:
    found = training_homophily(graph)
    if not found.edges:
        return "no edge joins two training nodes, so homophily is unknown"
    beyond = "" if math.isnan(found.adjusted) else f"{found.adjusted:.2f} beyond chance, "
    return (
        f"Homophily by training labels {found.share:.2f} ({beyond}{found.edges:,.0f} edges per"
        " split)"
    )


def _splits(graph: Graph) -> str:
    rule = graph.about.split_rule
    origin = f" made by {rule}" if rule not in ("", "given") else " as given" if rule else ""
    parts = (graph.train, graph.val, graph.test)
    sizes = "/".join(f"{int(masks[0].sum()):,}" for masks in parts)
    count = graph.num_splits
    named = "1 split" if count == 1 else f"{count} splits"
    first = "" if count == 1 else " in the first"
    return f"{named}{origin}: {sizes} training/validation/test nodes{first}"


def _capital(sentence: str) -> str:
    """Only the first letter; names of graphs begin as they are spelt."""
    return sentence if ":" in sentence.split(" ")[0] else sentence[:1].upper() + sentence[1:]
