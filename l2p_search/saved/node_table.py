"""A graph as one table, for programs that can send nothing else: a row per node.

    node   age   income   neighbours
    ann     31     2100   ["bob"]
    bob     44     1900   ["ann", "cay"]
    cay     25     2500   []

A saved model that is served by MLflow gets its graphs in this form, by JSON, CSV or as a
DataFrame. Features are in the units of the source, as a user has them: the model scales them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from l2p_search.data.about import About
from l2p_search.data.graph import Graph
from l2p_search.data.made_features import make_features
from l2p_search.data.scaling import scale_features
from l2p_search.data.undirecting import make_undirected
from l2p_search.data.unlabelled import Unlabelled
from l2p_search.errors import DataError
from l2p_search.saved.expected import Expected
from l2p_search.saved.served_columns import FEATURES, NEIGHBOURS, NODE, WEIGHTS, feature_columns

_NAME = "the table"


def graph_of_table(table: Mapping[str, Sequence[Any]], expected: Expected) -> Graph:
    """Read a graph from its table.

    Args:
        table: Columns by name, each with one value per node; a DataFrame is one. `node` has the
            ids (the numbers of the rows where there is no such column). `neighbours` has lists of
            ids; naming an edge at one of its ends is enough. `weights`, where given, has the
            weights of those edges. A list may be text in JSON, as in a CSV file. Features are in
            the columns of `feature_columns`, not scaled.
        expected: What the model knows of its graph.

    Returns:
        The graph, its features scaled as those that the model has learned from.

    Raises:
        DataError: One line that names the column and the row.

    Example:
        >>> from l2p_search.data.standardising import Standard
        >>> expected = Expected(
        ...     dataset="people", digest="", nodes=2, features=1, feature_names=("age",),
        ...     classes=("no", "yes"), scaling="standard", standard=Standard((30.0,), (10.0,)),
        ...     splits="",
        ... )
        >>> table = {"node": ["ann", "bob"], "age": [40, 50], "neighbours": [["bob"], []]}
        >>> graph = graph_of_table(table, expected)
        >>> graph.x.tolist(), graph.edges.tolist()
        ([[1.0], [2.0]], [[0, 1], [1, 0]])
    """
    columns = feature_columns(expected)
    for name in (*columns, NEIGHBOURS):
        if name not in table:
            wanted = ", ".join([NODE, *columns[:8], *[".."] * (len(columns) > 8), NEIGHBOURS])
            raise DataError(f"{_NAME}: no column '{name}'; give {wanted}")
    count = len(table[NEIGHBOURS])
    ids = _ids(table, count)
    edges, weights = _edges(table, ids)
    tidy = make_undirected(_NAME, edges, weights, count)
    if columns:
        x = _scaled(_features(table, columns, ids, expected.features), expected)
    else:
        x = make_features(tidy.edges, count).x
    about = About(
        node_ids=tuple(ids.values()),
        feature_names=expected.feature_names if columns else None,
        scaling=expected.scaling,
        standard=expected.standard,
    )
    kept = None if tidy.weights is None else torch.from_numpy(tidy.weights)
    return Unlabelled.of(_NAME, x, torch.from_numpy(tidy.edges), kept, about)


def _ids(table: Mapping[str, Sequence[Any]], count: int) -> dict[str, str | int]:
    """The ids as words -> as they are given, in the order of the rows.

    As words, because a table from a CSV file may have numbers where another one has text.
    """
    ids: dict[str, str | int] = {}
    for row, given in enumerate(table[NODE] if NODE in table else range(count)):
        value = _plain(given)
        if not isinstance(value, str | int) or value == "":
            raise DataError(
                f"{_NAME}: column '{NODE}' of row {row} is {value!r}; give every node an id"
            )
        if str(value) in ids:
            raise DataError(f"{_NAME}: node {value!r} has two rows; give every node one")
        ids[str(value)] = value
    return ids


def _edges(
    table: Mapping[str, Sequence[Any]], ids: Mapping[str, str | int]
) -> tuple[np.ndarray, np.ndarray | None]:
    """The edges as they are listed, [2, E], and their weights, [E], where there are some."""
    place = {word: row for row, word in enumerate(ids)}
    ends: list[tuple[int, int]] = []
    weights: list[float] = []
    weighted = WEIGHTS in table and any(_plain(cell) is not None for cell in table[WEIGHTS])
    for row, cell in enumerate(table[NEIGHBOURS]):
        named = [str(_plain(each)) for each in _list(cell, NEIGHBOURS, row)]
        for word in named:
            if word not in place:
                raise DataError(
                    f"{_NAME}: column '{NEIGHBOURS}' of row {row} names node '{word}', which has"
                    " no row; add it with its features"
                )
            ends.append((row, place[word]))
        if weighted:
            given = _numbers(table[WEIGHTS][row], WEIGHTS, row)
            if len(given) != len(named):
                raise DataError(
                    f"{_NAME}: row {row} has {len(given)} {WEIGHTS} for {len(named)} {NEIGHBOURS};"
                    " give one each"
                )
            weights += given
    if not any(start != end for start, end in ends):
        raise DataError(
            f"{_NAME}: no row names another node in column '{NEIGHBOURS}'; give the edges, as"
            " lists of ids"
        )
    edges = np.array(ends, dtype=np.int64).T
    return edges, np.array(weights, dtype=np.float64) if weighted else None


def _features(
    table: Mapping[str, Sequence[Any]],
    columns: tuple[str, ...],
    ids: Mapping[str, str | int],
    count: int,
) -> np.ndarray:
    """The features as they are given, [N, F]."""
    x = np.empty((len(ids), count))
    if columns == (FEATURES,):
        for row, cell in enumerate(table[FEATURES]):
            given = _numbers(cell, FEATURES, row)
            if len(given) != count:
                raise DataError(
                    f"{_NAME}: row {row} has {len(given):,} {FEATURES}, but the model was trained"
                    f" on {count:,}; give the same ones in the same order"
                )
            x[row] = given
    else:
        for at, name in enumerate(columns):
            x[:, at] = [_number(value, name, row) for row, value in enumerate(table[name])]
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        row, at = bad[0].tolist()
        name = columns[at] if columns != (FEATURES,) else FEATURES
        raise DataError(
            f"{_NAME}: column '{name}' of row {row} has {x[row, at]}; replace what is missing or"
            " not finite"
        )
    return x


def _scaled(raw: np.ndarray, expected: Expected) -> torch.Tensor:
    if expected.standard is not None:
        return expected.standard.scaled(torch.from_numpy(raw))
    scale = "row" if expected.scaling == "row" else "none"
    return scale_features(_NAME, raw, scale).x


def _list(cell: Any, column: str, row: int) -> list[Any]:
    """The list in a cell; JSON where it is text, and nothing where it is empty."""
    value = _plain(cell)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            value = cell
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise DataError(
            f"{_NAME}: column '{column}' of row {row} is {str(value)[:40]!r}; give a list, such as"
            ' ["a", "b"] or [1, 2]'
        )
    return value


def _numbers(cell: Any, column: str, row: int) -> list[float]:
    return [_number(value, column, row) for value in _list(cell, column, row)]


def _number(value: Any, column: str, row: int) -> float:
    number = _plain(value)
    if number is None:
        return float("nan")
    if not isinstance(number, int | float):
        raise DataError(
            f"{_NAME}: column '{column}' of row {row} has {str(number)[:40]!r}; give a number"
        )
    return float(number)


def _plain(value: Any) -> Any:
    """A cell without numpy: numbers that are whole as int, and what is missing as None."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float) and value != value:
        return None
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
