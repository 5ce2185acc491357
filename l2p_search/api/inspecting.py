"""inspect: what a graph is, what to beware of, and how to search it."""

from dataclasses import dataclass
from typing import Any

import torch

from l2p_search.caller import left_as_found
from l2p_search.data.catalogue import Kind
from l2p_search.data.doubts import doubts
from l2p_search.data.graph import Graph
from l2p_search.data.homophily import training_homophily
from l2p_search.data.kinds import default_kind, default_metric
from l2p_search.data.labelling import as_printed
from l2p_search.data.loading import load_graph
from l2p_search.display.charts import bar
from l2p_search.learned import degree_bucket
from l2p_search.metrics import Metric, title
from l2p_search.report.graph_figures import distributions_figure

_WIDTH = 30


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What `inspect` found out about a graph.

    Space, scaling and metric are suggested by features and by the labels of the first split's
    training nodes; how many nodes each class has is counted over all labels.

    Attributes:
        graph: The graph.
        kind: "homophily" or "heterophily", by training labels and features.
        degrees: Bucket of degrees -> number of nodes.
        classes: Class -> number of nodes.
        doubts: What a careful reader would ask about, a sentence each.
        space: The space that is suggested.
        metric: The metric that is suggested, and taken where none is given.

    Example:
        >>> import l2p_search as l2p
        >>> sorted(l2p.inspect("demo").classes)
        ['0', '1', '2', '3']
    """

    graph: Graph
    kind: Kind
    degrees: dict[str, int]
    classes: dict[str, int]
    doubts: tuple[str, ...]
    space: str
    metric: Metric

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        graph, homophily = self.graph, training_homophily(self.graph)
        return {
            "name": graph.name,
            "nodes": graph.num_nodes,
            "edges": graph.num_edges,
            "features": graph.num_features,
            "classes": self.classes,
            "degrees": self.degrees,
            "splits": graph.num_splits,
            "split_rule": graph.about.split_rule,
            "scaling": graph.about.scaling,
            "homophily_of_training_labels": homophily.share if homophily.edges else None,
            "kind": self.kind,
            "doubts": list(self.doubts),
            "suggested_space": self.space,
            "suggested_metric": self.metric,
            "digest": graph.digest,
            "description": graph.describe(),
        }

    def files(self) -> dict[str, bytes]:
        """The two distributions as a drawing: file name -> content."""
        from l2p_search.api.writing import figure_files

        figure = distributions_figure(self.degrees, self.classes)
        return figure_files(f"{self.graph.name}-distributions", figure)

    def __str__(self) -> str:
        lines = [self.graph.describe(), "", "nodes by degree", *_bars(self.degrees)]
        lines += ["", "nodes by class", *_bars(self.classes), ""]
        lines += [f"beware: {sentence}." for sentence in self.doubts]
        if not self.doubts:
            lines.append("nothing to beware of was found")
        lines += [
            "",
            f"suggested: space {self.space}, as neighbours are"
            f" {'mostly alike' if self.kind == 'homophily' else 'mostly not alike'}; features are"
            f" scaled by '{self.graph.about.scaling or 'row'}'; metric {title(self.metric)}"
            + (", as one class of two is rare" if self.metric == "roc_auc" else ""),
        ]
        return "\n".join(lines)


@left_as_found()
def inspect(graph: Any, **reading: Any) -> Inspection:
    """Tell at length what was understood of a graph, what to beware of, and what suits it.

    Args:
        graph: What `load_graph` takes.
        **reading: Further arguments of `load_graph`, such as `label`.

    Returns:
        What was found out; `print` it, or take its parts.

    Raises:
        DataError: The graph cannot be read.

    Example:
        >>> import l2p_search as l2p
        >>> found = l2p.inspect("demo")
        >>> found.kind, found.space
        ('heterophily', 'extended-heterophily')
    """
    loaded = load_graph(graph, **reading)
    degree = torch.bincount(loaded.edges[0], minlength=loaded.num_nodes)
    values, counts = degree.unique(return_counts=True)
    degrees: dict[str, int] = {}
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        bucket = degree_bucket(value)
        degrees[bucket] = degrees.get(bucket, 0) + count
    names = loaded.about.class_names or tuple(map(str, range(loaded.num_classes)))
    kind = default_kind(loaded)
    return Inspection(
        graph=loaded,
        kind=kind,
        degrees=degrees,
        classes=dict(zip(names, loaded.class_counts, strict=True)),
        doubts=tuple(doubts(loaded)),
        space=f"extended-{kind}",
        metric=default_metric(loaded),
    )


def _bars(counts: dict[str, int]) -> list[str]:
    names = list(map(as_printed, counts))
    most, width = max(counts.values()), max(map(len, names))
    return [
        f"  {name:<{width}}  {count:>9,}  {bar(count / most, _WIDTH)}".rstrip()
        for name, count in zip(names, counts.values(), strict=True)
    ]
