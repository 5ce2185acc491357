"""Lists as features: bags of words for lists of different lengths, vectors for equal ones."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from l2p_search.data.sources.table import quoted
from l2p_search.errors import DataError

MOST_WORDS = 1_000_000
"""Word numbers beyond this are taken for a mistake: each number up to the highest is a feature."""


@dataclass(frozen=True, eq=False)
class Lists:
    """R lists end to end.

    Attributes:
        values: All values: whole numbers, numbers or text.
        starts: [R + 1], where each list begins in `values`, and where the last one ends.
    """

    values: np.ndarray
    starts: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """[R]."""
        return np.diff(self.starts)

    def owner(self, place: int) -> int:
        """The list that holds the value at this place."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1


@dataclass(frozen=True, eq=False)
class ListFeatures:
    """Features from lists: a matrix [R, F], a name for each of the F, and a note."""

    x: np.ndarray | csr_array
    names: tuple[str, ...]
    note: str


def features_of(
    lists: Lists, name: str, error: Callable[[str, int | None], DataError]
) -> ListFeatures:
    """A bag of words [R, F] for lists of words; a matrix for lists that are vectors.

    Vectors are lists of numbers of one length: with fractions, of 0 and 1 alone, with negative
    ones, or mostly zeros. Words are text, or whole numbers from 0 on.

    Args:
        lists: R lists.
        name: What the features are called: `name:3` is the word number 3.
        error: Makes an error from a message and the number of a list.

    Returns:
        The features.

    Raises:
        DataError: Word numbers are negative or absurd, or vectors differ in length.

    Example:
        >>> words = Lists(np.array([0, 2, 2, 1]), np.array([0, 3, 4, 4]))
        >>> features_of(words, "words", lambda message, row: DataError(message)).x.toarray()
        array([[1., 0., 2.],
               [0., 1., 0.],
               [0., 0., 0.]], dtype=float32)
    """
    values, lengths = lists.values, lists.lengths
    if values.size == 0:
        raise error("every list is empty; give the words of each node", None)
    equal = bool((lengths == lengths[0]).all())
    if values.dtype.kind in "OU":
        words, values = np.unique(values.astype(str), return_inverse=True)
        return _bag(lists, values, tuple(f"{name}:{word}" for word in words))
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values)
        if bad.any():
            place = int(bad.argmax())
            raise error(f"{values[place]} is not a finite number; correct it", lists.owner(place))
        if not equal:
            row = int((lengths != lengths[0]).argmax())
            raise error(
                f"has {lengths[row]} numbers where the first has {lengths[0]}; give vectors of"
                " one length, or whole numbers for a bag of words",
                row,
            )
    if values.dtype.kind == "f" or (equal and lengths[0] > 1 and _are_entries(values)):
        size = int(lengths[0])
        names = tuple(f"{name}:{place}" for place in range(size))
        note = f"{quoted(name)} was read as vectors of {size:,} numbers"
        return ListFeatures(values.reshape(-1, size).astype(np.float64), names, note)
    for place in (int(values.argmin()), int(values.argmax())):
        if not 0 <= values[place] < MOST_WORDS:
            what = "negative" if values[place] < 0 else "absurdly high"
            raise error(
                f"the word number {values[place]} is {what}; number the words from 0 on, without"
                " gaps",
                lists.owner(place),
            )
    names = tuple(f"{name}:{word}" for word in range(int(values.max()) + 1))
    return _bag(lists, values, names)


def lists_of(rows: Sequence[Any], error: Callable[[str, int | None], DataError]) -> Lists:
    """Python's lists end to end.

    Args:
        rows: R lists of whole numbers, numbers or text; None is an empty one.
        error: Makes an error from a message and the number of a list.

    Returns:
        The lists.

    Raises:
        DataError: An entry is no list, or a list holds something else.

    Example:
        >>> lists_of([[1, 2], [], [0]], lambda message, row: DataError(message)).starts.tolist()
        [0, 2, 2, 3]
    """
    for row, entry in enumerate(rows):
        if entry is not None and not isinstance(entry, list):
            raise error(f"{quoted(entry)} is no list; give a list of words or numbers", row)
    filled = [entry or [] for entry in rows]
    flat = list(itertools.chain.from_iterable(filled))
    starts = np.cumsum([0, *map(len, filled)])
    kinds = set(map(type, flat))
    if not kinds <= {int, float, bool} and kinds != {str}:
        numbers = [isinstance(value, int | float) for value in flat]
        place = numbers.index(not numbers[0]) if any(numbers) else 0
        row = Lists(np.empty(0), starts).owner(place)
        raise error(f"{quoted(flat[place])} is no word number; give whole numbers", row)
    if kinds == {str}:
        return Lists(np.array(flat, dtype=object), starts)
    if kinds == {int}:
        for place in (flat.index(min(flat)), flat.index(max(flat))):
            if abs(flat[place]) >= 2**62:
                raise error(
                    f"the word number {quoted(flat[place])} is absurd; number the words from 0 on",
                    Lists(np.empty(0), starts).owner(place),
                )
    return Lists(np.array(flat, dtype=np.float64 if float in kinds else np.int64), starts)


def _are_entries(values: np.ndarray) -> bool:
    """Whether whole numbers are entries of vectors: they cannot all be numbers of words."""
    return bool(values.max() <= 1 or values.min() < 0 or (values == 0).mean() >= 0.5)


def _bag(lists: Lists, values: np.ndarray, names: tuple[str, ...]) -> ListFeatures:
    """How often each word occurs in each list."""
    counts = np.ones(len(values), dtype=np.float32)
    # A copy, because summing sorts in place, and arrays that come from pyarrow are read-only.
    places = np.array(values), np.array(lists.starts)
    bag = csr_array((counts, *places), shape=(len(lists.lengths), len(names)))
    bag.sum_duplicates()
    name = names[0].rpartition(":")[0]
    note = (
        f"{quoted(name)} was read as a bag of {len(names):,} words,"
        f" {lists.lengths.mean():.1f} per node"
    )
    return ListFeatures(bag, names, note)
