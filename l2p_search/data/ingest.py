"""RawGraph -> Graph: undirected, numbered, scaled, split, and told in plain sentences."""

import re
from dataclasses import replace

import numpy as np
import torch
from scipy.sparse import csr_array

from l2p_search.data.about import About
from l2p_search.data.checks import check_splits
from l2p_search.data.graph import Graph
from l2p_search.data.labelling import Labelling, number_classes
from l2p_search.data.made_features import make_features
from l2p_search.data.raw import RawGraph
from l2p_search.data.scaling import SCALES, scale_features
from l2p_search.data.split_rules import DEFAULT_RULE, make_splits
from l2p_search.data.undirecting import make_undirected
from l2p_search.data.unlabelled import Unlabelled
from l2p_search.errors import DataError, did_you_mean


def ingest(
    raw: RawGraph, *, splits: str | None = None, scale: str = "auto", to_predict: bool = False
) -> Graph:
    """Make a checked graph of what a reader found.

    Args:
        raw: The graph as its file has it.
        splits: A rule to make splits by (see `split_rules`). None takes the masks of the source
            when it has some, else `10x48/32/20`.
        scale: "auto", "row", "standard" or "none" (see `scaling`).
        to_predict: Whether it is only to be predicted: labels may be missing, and no splits are
            made. Of labels that are there the names are kept.

    Returns:
        The graph; its `about.changes` says what was merged, removed, made or left out.

    Raises:
        DataError: One line that names the source, what is wrong with it and where.

    Example:
        >>> import numpy as np
        >>> raw = RawGraph(
        ...     name="path", source="path.csv", num_nodes=12,
        ...     edges=np.stack([np.arange(11), np.arange(1, 12)]),
        ...     labels=np.array(["cat", "dog"] * 6, dtype=object),
        ... )
        >>> graph = ingest(raw)
        >>> graph.about.changes[0]
        'every edge was listed in one direction and is taken in both'
        >>> graph.about.split_rule, graph.num_splits
        ('10x48/32/20', 10)
    """
    source = raw.source
    if scale not in SCALES:
        raise DataError(f"scale '{scale}' is unknown; {did_you_mean(scale, SCALES)}")
    if raw.num_nodes < 1:
        raise DataError(f"{source}: there are no nodes; check the file")
    _check_ids(raw)
    labelling = _labelling(raw, to_predict)
    tidy = make_undirected(source, raw.edges, raw.weights, raw.num_nodes)
    features, names, standard = raw.x, raw.feature_names, None
    if features is None or 0 in features.shape[1:]:
        x, names, told = make_features(tidy.edges, raw.num_nodes)
        scaling = "made"
    else:
        _check_features(raw, features)
        x, scaling, told, standard = scale_features(source, features, scale, names)
    name = re.sub(r"[^\w.-]+", "-", raw.name).strip("-.") or "graph"
    edges = torch.from_numpy(tidy.edges)
    weights = None if tidy.weights is None else torch.from_numpy(tidy.weights)
    about = About(
        source=source,
        node_ids=None if raw.node_ids is None else tuple(raw.node_ids.tolist()),
        class_names=None if labelling is None else labelling.class_names,
        feature_names=names,
        scaling=scaling,
        standard=standard,
        features=told,
        changes=(*raw.notes, *tidy.changes),
    )
    if to_predict or labelling is None:
        return Unlabelled.of(name, x, edges, weights, about)
    masks, rule, compromises = _splits(raw, labelling.y, splits)
    y = torch.from_numpy(labelling.y)
    train, val, test = map(torch.from_numpy, masks)
    check_splits(source, y, train, val, test, labelling.class_names)
    changes = (*about.changes, *labelling.changes, *compromises)
    about = replace(about, split_rule=rule, changes=changes)
    return Graph(name, x, edges, y, train, val, test, weights, about)


def _labelling(raw: RawGraph, to_predict: bool) -> Labelling | None:
    """The classes; None for a graph to predict that has none to learn from, which need not be."""
    try:
        return number_classes(raw.source, raw.labels, raw.num_nodes, raw.label_name)
    except DataError:
        if not to_predict:
            raise
    return None


def _check_ids(raw: RawGraph) -> None:
    ids = raw.node_ids
    if ids is None:
        return
    if ids.shape != (raw.num_nodes,):
        raise DataError(
            f"{raw.source}: {ids.size} ids for {raw.num_nodes} nodes; give one per node"
        )
    seen: dict[object, int] = {}
    for place, value in enumerate(ids.tolist()):
        if value in seen:
            raise DataError(
                f"{raw.source}: id {value!r} names node {seen[value]} and node {place}; ids must"
                " differ"
            )
        seen[value] = place


def _check_features(raw: RawGraph, x: np.ndarray | csr_array) -> None:
    """Features are [N, F] finite numbers; a bad one is named by its node and column."""
    source, kind = raw.source, x.dtype.kind
    if x.ndim != 2 or x.shape[0] != raw.num_nodes:
        raise DataError(
            f"{source}: features have shape {list(x.shape)} for {raw.num_nodes} nodes; give"
            " [nodes, features]"
        )
    if kind not in "biuf":
        raise DataError(f"{source}: features have the type {x.dtype}; give numbers")
    if raw.feature_names is not None and len(raw.feature_names) != x.shape[1]:
        raise DataError(
            f"{source}: {len(raw.feature_names)} names for {x.shape[1]} features; give one each"
        )
    values = x if isinstance(x, np.ndarray) else x.data
    if kind == "f" and not np.isfinite(values).all():
        if isinstance(x, np.ndarray):
            node, feature = np.argwhere(~np.isfinite(x))[0].tolist()
            value = x[node, feature]
        else:
            entries = x.tocoo()
            place = int((~np.isfinite(entries.data)).argmax())
            node, feature, value = entries.row[place], entries.col[place], entries.data[place]
        called = f"'{raw.feature_names[feature]}'" if raw.feature_names else feature
        whose = node if raw.node_ids is None else repr(raw.node_ids.tolist()[node])
        count = int((~np.isfinite(values)).sum())
        raise DataError(
            f"{source}: feature {called} of node {whose} is {value} ({count} such values in all);"
            " replace what is not finite, for example by 0"
        )


def _splits(
    raw: RawGraph, y: np.ndarray, rule: str | None
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], str, tuple[str, ...]]:
    """Masks of the source or of a rule; the rule's name; one sentence per compromise."""
    if raw.masks is None or rule is not None:
        rule = DEFAULT_RULE if rule is None else rule
        made = make_splits(rule, y, raw.columns, source=raw.source)
        return (made.train, made.val, made.test), rule, made.changes
    train, val, test = (np.atleast_2d(mask).astype(bool) for mask in raw.masks)
    for part, mask in (("train", train), ("val", val), ("test", test)):
        if mask.shape != (len(train), raw.num_nodes):
            raise DataError(
                f"{raw.source}: the {part} masks have shape {list(mask.shape)}; give"
                f" [splits, {raw.num_nodes}]"
            )
    unlabelled = y < 0
    inside = int(((train | val | test).any(axis=0) & unlabelled).sum())
    taken = "1 unlabelled node was" if inside == 1 else f"{inside:,} unlabelled nodes were"
    told = f"{taken} taken out of the splits"
    train, val, test = (mask & ~unlabelled for mask in (train, val, test))
    return (train, val, test), "given", (told,) if inside else ()
