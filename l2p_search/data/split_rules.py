"""Rules that make splits: 10x48/32/20, 140/500/1000-nodes, 20-per-class/500/1000, temporal:COLUMN.

The same rule on the same labels gives the same splits on every machine.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from l2p_search.errors import DataError, did_you_mean

DEFAULT_RULE = "10x48/32/20"
"""Ten random splits of each class, in the shares of Geom-GCN's benchmarks (Pei et al. 2020)."""

_SEED = 20210814
_SHARE = r"\d+(?:\.\d+)?"
_SHARES = re.compile(rf"(?:(\d+)x)?({_SHARE})/({_SHARE})/({_SHARE})")
_NODES = re.compile(r"(?:(\d+)x)?(\d+)/(\d+)/(\d+)-nodes")
_COUNT = r"(\d+)(-per-class)?"
_COUNTS = re.compile(rf"(?:(\d+)x)?(\d+)-per-class/{_COUNT}/(?:(rest)|{_COUNT})")
_TEMPORAL = re.compile(rf"temporal:(.+?)(?::({_SHARE})/({_SHARE})/({_SHARE}))?")
_ISO = re.compile(
    r"\d{4}(?:[-/.]?\d\d(?:[-/.]?\d\d(?:[T ]\d\d:?\d\d(?::?\d\d(?:\.\d+)?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_EXAMPLES = "10x48/32/20, 10x60/20/20, 20-per-class/500/1000 or temporal:COLUMN"
_MOST_SPLITS = 100


class MadeSplits(NamedTuple):
    """Masks of P splits, each [P, N], and one sentence per compromise."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray
    changes: tuple[str, ...]


def make_splits(
    rule: str,
    y: np.ndarray,
    columns: Mapping[str, np.ndarray] | None = None,
    *,
    source: str = "the graph",
    draw: int = 0,
) -> MadeSplits:
    """Splits of the labelled nodes, made by a rule.

    - `10x48/32/20`: ten random splits, with these percentages of each class for training,
      validation and test. A class of few nodes has at least one training node in every split.
    - `10x140/500/1000-nodes`: ten random splits with about so many nodes in all for training,
      validation and test, each class with its share of them.
    - `20-per-class/500/1000`: one random split (`10x20-per-class/..`: ten of them) with 20
      training nodes per class, 500 validation and 1,000 test nodes, as on Planetoid's graphs. Of
      a class with fewer than 40 nodes, half of them train. Validation and test can be per class
      too, and `rest` tests on all others: `10x20-per-class/30-per-class/rest`, as in Shchur et
      al. 2018.
    - `temporal:year`: the earliest 48 % of the nodes by the column `year` train, the next 32 %
      validate, the latest 20 % test; `temporal:year:60/20/20` for other shares. Nodes of the same
      value stay together.

    Args:
        rule: One of these.
        y: Classes [N], -1 for nodes without a label, which are in no split.
        columns: Values per node by the column's name, each [N].
        source: What error messages call the graph.
        draw: Another number draws other splits by the same rule; a temporal one has no others.

    Returns:
        Masks, and what was done about classes of few nodes.

    Raises:
        DataError: It names the rule and what is wrong with it on this graph.

    Example:
        >>> y = np.repeat([0, 1], 50)
        >>> made = make_splits("10x48/32/20", y)
        >>> made.train.shape, int(made.train[0].sum()), int(made.test[0].sum())
        ((10, 100), 48, 20)
    """
    rule = rule.strip()
    if found := _SHARES.fullmatch(rule):
        orders = _orders(_repeats(rule, found[1]), len(y), draw)
        made = _by_shares(orders, _shares(rule, found.groups()[1:]), y)
    elif found := _NODES.fullmatch(rule):
        orders = _orders(_repeats(rule, found[1]), len(y), draw)
        made = _by_shares(orders, _parts(rule, source, found.groups()[1:], y), y)
    elif found := _COUNTS.fullmatch(rule):
        orders = _orders(_repeats(rule, found[1]), len(y), draw)
        made = _by_counts(rule, source, orders, found.groups()[1:], y)
    elif found := _TEMPORAL.fullmatch(rule):
        shares = found.groups()[1:] if found[2] else ("48", "32", "20")
        made = _by_time(rule, source, found[1], _shares(rule, shares), y, columns or {})
    else:
        raise DataError(f"splits '{rule}': no such rule; give {_EXAMPLES}")
    for part, masks in (("training", made.train), ("validation", made.val), ("test", made.test)):
        if not masks.any(axis=1).all():
            raise DataError(
                f"{source}: splits '{rule}' leave no {part} node: {int((y >= 0).sum())} labelled"
                " nodes are too few for it; give another rule, or masks of your own"
            )
    return made


def _repeats(rule: str, text: str | None) -> int:
    repeats = int(text) if text else 1
    if not 1 <= repeats <= _MOST_SPLITS:
        raise DataError(f"splits '{rule}': {repeats} splits; give 1 to {_MOST_SPLITS} of them")
    return repeats


def _shares(rule: str, texts: tuple[str, ...]) -> list[Fraction]:
    shares = [Fraction(text) for text in texts]
    if sum(shares) != 100 or not all(shares):
        raise DataError(
            f"splits '{rule}': the shares add up to {float(sum(shares)):g}; give three percentages"
            " above 0 that add up to 100"
        )
    return [share / 100 for share in shares]


def _parts(rule: str, source: str, texts: tuple[str, ...], y: np.ndarray) -> list[Fraction]:
    """Numbers of nodes as shares of the labelled ones."""
    labelled, wanted = int((y >= 0).sum()), [int(text) for text in texts]
    if sum(wanted) > labelled or not all(wanted):
        raise DataError(
            f"{source}: splits '{rule}' want {sum(wanted)} nodes, and {labelled} are labelled;"
            " give three numbers above 0 that add up to no more"
        )
    return [Fraction(number, labelled) for number in wanted]


def _orders(repeats: int, nodes: int, draw: int) -> np.ndarray:
    """A random order of all nodes for each split: [P, N].

    The raw stream of a bit generator is the same in every version of numpy, which `permutation`
    need not be.
    """
    drawn = np.random.PCG64(_SEED + draw).random_raw(repeats * nodes).reshape(repeats, nodes)
    return np.asarray(drawn.argsort(axis=1, kind="stable"))


def _by_shares(orders: np.ndarray, shares: list[Fraction], y: np.ndarray) -> MadeSplits:
    """Nodes that the shares leave over, where they do not add up to 1, are in no part."""
    masks = np.zeros((3, *orders.shape), dtype=bool)
    sizes = np.bincount(y[y >= 0])
    for split, order in enumerate(orders):
        by_class = order[y[order].argsort(kind="stable")][len(y) - sizes.sum() :]
        for nodes in np.split(by_class, sizes.cumsum()[:-1]):
            size = len(nodes)
            train = max(1, _rounded(shares[0] * size))
            val = min(_rounded(shares[1] * size), size - train)
            test = size - train - val
            if sum(shares) < 1:
                test = min(_rounded(shares[2] * size), test)
            parts = np.split(nodes, [train, train + val, train + val + test])
            for part, chosen in enumerate(parts[:3]):
                masks[part, split, chosen] = True
    few = int((sizes < 3).sum())
    told = "1 class has" if few == 1 else f"{few} classes have"
    changes = (f"{told} fewer than 3 nodes: training comes first",) if few else ()
    return MadeSplits(masks[0], masks[1], masks[2], changes)


def _by_counts(
    rule: str, source: str, orders: np.ndarray, parts: tuple[str | None, ...], y: np.ndarray
) -> MadeSplits:
    train, val, val_per_class, rest, test, test_per_class = parts
    each_trains = int(train or 0)
    sizes = np.bincount(y[y >= 0])
    per_class = np.minimum(each_trains, np.maximum(1, sizes // 2))
    if not each_trains:
        raise DataError(f"splits '{rule}': no training nodes; give at least 1-per-class")
    masks = np.zeros((3, *orders.shape), dtype=bool)
    for split, order in enumerate(orders):
        order = order[y[order] >= 0]
        rank = _rank_in_class(y[order])
        first = rank < per_class[y[order]]
        masks[0, split, order[first]] = True
        order = order[~first]
        for part, count, each in ((1, val, val_per_class), (2, test, test_per_class)):
            if part == 2 and rest:
                chosen = np.ones(len(order), dtype=bool)
            elif each:
                chosen = _rank_in_class(y[order]) < int(count or 0)
            else:
                chosen = np.arange(len(order)) < int(count or 0)
                if len(order) < int(count or 0):
                    raise DataError(
                        f"{source}: splits '{rule}' want {count}"
                        f" {('validation', 'test')[part - 1]} nodes, and {len(order)} labelled"
                        " nodes are left; give smaller numbers, or shares such as 10x48/32/20"
                    )
            masks[part, split, order[chosen]] = True
            order = order[~chosen]
    short = int((per_class < each_trains).sum())
    told = "1 class has" if short == 1 else f"{short} classes have"
    changes = (f"{told} fewer than {2 * each_trains} nodes: half of them train",) if short else ()
    return MadeSplits(masks[0], masks[1], masks[2], changes)


def _by_time(
    rule: str,
    source: str,
    column: str,
    shares: list[Fraction],
    y: np.ndarray,
    columns: Mapping[str, np.ndarray],
) -> MadeSplits:
    if column not in columns:
        nearest = did_you_mean(column, columns) if columns else "it has none but features"
        raise DataError(f"{source}: splits '{rule}' need a column '{column}'; {nearest}")
    times = np.asarray(columns[column])
    known = _is_given(times) & (y >= 0)
    values = times[known]
    if values.dtype.kind == "O":
        numbers = all(isinstance(value, int | float | np.number) for value in values)
        values = values.astype(np.float64 if numbers else str)
    if values.dtype.kind == "U":
        _check_times(source, rule, column, values)
    distinct, of_node = np.unique(values, return_inverse=True)
    if len(distinct) < 3:
        raise DataError(
            f"{source}: splits '{rule}': column '{column}' has {len(distinct)} different values on"
            " labelled nodes; at least three are needed"
        )
    # Each cut comes after the value that is nearest to the share, with values left behind it.
    ends = np.bincount(of_node).cumsum()
    first = int(np.abs(ends[:-2] - float(shares[0] * len(values))).argmin())
    later = ends[first + 1 : -1]
    second = first + 1 + int(np.abs(later - float((1 - shares[2]) * len(values))).argmin())
    masks = np.zeros((3, 1, len(y)), dtype=bool)
    part = (of_node > first).astype(np.int64) + (of_node > second)
    masks[part, 0, np.flatnonzero(known)] = True
    unknown = int((y >= 0).sum()) - len(values)
    told = f"{unknown:,} labelled nodes have no '{column}' and are in no split"
    return MadeSplits(masks[0], masks[1], masks[2], (told,) if unknown else ())


def _check_times(source: str, rule: str, column: str, values: np.ndarray) -> None:
    """Refuse text whose order is not that of time: 31.12.2019 comes behind 01.01.2020."""
    for value in np.unique(values).tolist():
        if not _ISO.fullmatch(value.strip()):
            raise DataError(
                f"{source}: splits '{rule}': column '{column}' has {value[:40]!r}, which is no"
                " time; write times as 2020-12-31, with or without an hour, or as numbers"
            )


def _is_given(values: np.ndarray) -> np.ndarray:
    """Which values are not None, NaN, NaT or empty text."""
    if values.dtype.kind == "O":
        given = [value is not None and value == value and value != "" for value in values]
        return np.array(given, dtype=bool)
    return np.asarray(values != "" if values.dtype.kind in "US" else values == values)


def _rank_in_class(labels: np.ndarray) -> np.ndarray:
    """How many nodes of the same class come before each one."""
    rank = np.empty(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        of_class = labels == label
        rank[of_class] = np.arange(int(of_class.sum()))
    return rank


def _rounded(value: Fraction) -> int:
    """Half up."""
    return int(value + Fraction(1, 2))
