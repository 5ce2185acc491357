"""From edges as they are listed to undirected ones: each once per direction, without loops."""

from typing import NamedTuple

import numpy as np

from l2p_search.errors import DataError


class Undirected(NamedTuple):
    """Both directions of every edge, sorted by source, and one sentence per change.

    Shapes: edges [2, E], weights [E] or None when all edges count alike.
    """

    edges: np.ndarray
    weights: np.ndarray | None
    changes: tuple[str, ...]


def make_undirected(
    source: str, edges: np.ndarray, weights: np.ndarray | None, num_nodes: int
) -> Undirected:
    """Remove self-loops, merge doubles, and add the way back where it is missing.

    Weights of doubles are added up, as each may stand for one contact. When the two directions
    of an edge weigh differently, the larger weight holds for both, which leaves a symmetric
    graph as it is (adding the directions up would double its weights). Edges of weight 0 are no
    edges.

    Args:
        source: What error messages call the graph.
        edges: [2, E], integers.
        weights: [E], or None.
        num_nodes: N.

    Returns:
        The edges with both directions, their weights, and what was changed.

    Raises:
        DataError: An edge names no node, weights have another length or cannot be used, or no
            edge is left.

    Example:
        >>> tidy = make_undirected("mine", np.array([[0, 1, 2], [1, 0, 2]]), None, 3)
        >>> tidy.edges.tolist(), tidy.changes
        ([[0, 1], [1, 0]], ('1 self-loop was removed', '1 node has no edge'))
    """
    _check(source, edges, weights, num_nodes)
    changes: list[str] = []
    if weights is not None and not weights.all():
        kept = weights != 0
        changes.append(f"{_count(int((~kept).sum()), 'edge', ' of weight 0')} removed")
        edges, weights = edges[:, kept], weights[kept]
    loops = edges[0] == edges[1]
    if loops.any():
        changes.append(f"{_count(int(loops.sum()), 'self-loop')} removed")
        edges, weights = edges[:, ~loops], None if weights is None else weights[~loops]
    if not edges.shape[1]:
        raise DataError(f"{source}: no edge joins two nodes; check the edge list")

    keys, weights, doubles = _merged(edges[0] * num_nodes + edges[1], weights)
    if doubles:
        added = "" if weights is None else ", their weights added up"
        changes.append(f"{_count(doubles, 'repeated edge')} merged{added}")
    backward = keys % num_nodes * num_nodes + keys // num_nodes
    both, weights, unequal = _both_ways(keys, backward, weights)
    one_way = len(both) - len(keys)
    if one_way == len(both) // 2:
        changes.append("every edge was listed in one direction and is taken in both")
    elif one_way:
        changes.append(f"{_count(one_way, 'directed edge')} made undirected")
    if unequal:
        changes.append(
            f"{_count(unequal, 'edge', ' with two different weights')} given the larger one"
        )
    tidy = np.stack([both // num_nodes, both % num_nodes])
    alone = num_nodes - len(np.flatnonzero(np.bincount(tidy[0], minlength=num_nodes)))
    if alone:
        changes.append(f"{alone:,} nodes have no edge" if alone > 1 else "1 node has no edge")
    if weights is not None:
        weights = weights.astype(np.float32)
        if (weights == 1).all():
            weights = None
    return Undirected(tidy, weights, tuple(changes))


def _check(source: str, edges: np.ndarray, weights: np.ndarray | None, num_nodes: int) -> None:
    if edges.ndim != 2 or edges.shape[0] != 2 or not np.issubdtype(edges.dtype, np.integer):
        raise DataError(
            f"{source}: edges have shape {list(edges.shape)} and type {edges.dtype};"
            " give [2, edges] positions of nodes"
        )
    outside = ((edges < 0) | (edges >= num_nodes)).any(axis=0)
    if outside.any():
        place = int(outside.argmax())
        start, end = edges[:, place].tolist()
        raise DataError(
            f"{source}: edge {place} goes from node {start} to node {end}, but nodes are 0 to"
            f" {num_nodes - 1} ({int(outside.sum())} such edges in all); check the edge list"
        )
    if weights is None:
        return
    if weights.shape != edges.shape[1:] or weights.dtype.kind not in "biuf":
        raise DataError(
            f"{source}: weights have shape {list(weights.shape)} and type {weights.dtype};"
            f" give {edges.shape[1]} numbers, one per edge"
        )
    with np.errstate(over="ignore"):
        bad = ~((weights >= 0) & np.isfinite(weights.astype(np.float32)))
    if bad.any():
        place = int(bad.argmax())
        start, end = edges[:, place].tolist()
        raise DataError(
            f"{source}: the edge from node {start} to node {end} (edge {place}) has weight"
            f" {weights[place]} ({int(bad.sum())} such weights in all); weights must be finite and"
            " not negative"
        )


def _merged(
    keys: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Each key once, sorted; the weights of equal keys added up; how many were merged."""
    if weights is None:
        keys = np.sort(keys)
    else:
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order].astype(np.float64)
    first = np.diff(keys, prepend=-1) != 0
    if weights is not None:
        # Sorted within a key too, as floating-point sums depend on the order of their terms.
        weights = weights[np.lexsort((weights, keys))]
        weights = np.add.reduceat(weights, np.flatnonzero(first))
    return keys[first], weights, len(keys) - int(first.sum())


def _both_ways(
    keys: np.ndarray, backward: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None, int]:
    """All keys of both directions, sorted; the larger weight; how many had two weights."""
    every = np.concatenate([keys, backward])
    if weights is None:
        every = np.sort(every)
        return every[np.diff(every, prepend=-1) != 0], None, 0
    order = np.argsort(every, kind="stable")
    every, doubled = every[order], np.concatenate([weights, weights])[order]
    starts = np.flatnonzero(np.diff(every, prepend=-1) != 0)
    larger = np.maximum.reduceat(doubled, starts)
    unequal = int((larger != np.minimum.reduceat(doubled, starts)).sum()) // 2
    return every[starts], larger, unequal


def _count(count: int, noun: str, which: str = "") -> str:
    """As in "1 edge was" and "3 edges of weight 0 were"."""
    return f"{count:,} {noun}s{which} were" if count != 1 else f"1 {noun}{which} was"
