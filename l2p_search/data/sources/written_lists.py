"""Lists and vectors that are written as text in one column: as pandas, DGL and Neo4j do."""

import ast
import json
import re
import warnings
from typing import Any

import numpy as np

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_BETWEEN = r"(?:\s*[,;|]\s*|\s+)"
_VECTOR = rf"^\s*\[?\s*{_NUMBER}(?:{_BETWEEN}{_NUMBER})+\s*\]?\s*$"
_OF_PYTHON = r"(?s)^(\[.*\]|\(.*,.*\)|\{.*\})$"
_NUMPY_NUMBER = re.compile(r"\bnp\.\w+\(([^()]*)\)")
_ONE_NUMBER = r"^\s*[+-]?(\d{1,3}(,\d{3})+(\.\d+)?|\d*(\.\d{3})*,\d+)\s*$"
"""Thousands with commas, or a decimal comma: one number, though it looks like several."""


def written_lists(name: str, text: np.ndarray) -> Any:
    """The lists that text stands for.

    - `[3, 1]`, as pandas writes lists: any lists in JSON; `['a', 'b']`, `('a', 'b')`, `{3, 1}`
      and `[np.float64(0.5)]`, as it writes those of words, tuples, sets and of numpy's numbers.
    - `0.5,0.25,1` (DGL), `0.5;0.25;1` (Neo4j), `[0.5 0.25 1.]` (numpy's arrays in pandas):
      vectors of one length. Whole numbers alone are vectors only if all are 0 or 1: `1,234` and
      `555 1234` are something else.
    - `a;b;c` in a column whose name ends in [], as Neo4j's do.

    Args:
        name: The column's name.
        text: [R] text (dtype object) with None where there is none.

    Returns:
        R lists, as Python's lists or a pyarrow array of lists; None if it stands for others.

    Example:
        >>> written_lists("words", np.array(["[3, 1]", None], dtype=object))
        [[3, 1], None]
        >>> written_lists("feat", np.array(["0.5,1", "2, .25"], dtype=object)).to_pylist()
        [[0.5, 1.0], [2.0, 0.25]]
        >>> written_lists("tags:string[]", np.array(["a;b", "b"], dtype=object))
        [['a', 'b'], ['b']]
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    array = pa.array(text, pa.large_string())
    given = array.drop_null()
    if len(given) == 0:
        return None
    if name.endswith("[]"):
        return _separated(text)
    if pc.all(pc.match_substring_regex(given, r"(?s)^\[.*\]$")).as_py():
        lists = _json(text)
        if lists is not None:
            return lists
    if pc.all(pc.match_substring_regex(given, _OF_PYTHON)).as_py():
        lists = _python(text)
        if lists is not None:
            return lists
    # The first value spares large columns of words the rest.
    for values in (given[:1], given):
        if not pc.all(pc.match_substring_regex(values, _VECTOR)).as_py():
            return None
        if pc.all(pc.match_substring_regex(values, _ONE_NUMBER)).as_py():
            return None
    return _vectors(array)


def _json(text: np.ndarray) -> list[list[Any] | None] | None:
    try:
        lists: list[list[Any] | None] = json.loads(
            f"[{','.join(value or 'null' for value in text)}]"
        )
    except (ValueError, RecursionError):
        return None
    return lists if len(lists) == len(text) else None


def _python(text: np.ndarray) -> list[list[Any] | None] | None:
    """Lists, tuples and sets as Python prints them; None if one of them is something else."""
    rows: list[list[Any] | None] = []
    for value in text:
        row = None if value is None else _python_list(_NUMPY_NUMBER.sub(r"\1", value))
        if value is not None and row is None:
            return None
        rows.append(row)
    return rows


def _python_list(value: str) -> list[Any] | None:
    if '"' not in value and "\\" not in value and value[0] != "{":
        inside = value[1:-1].rstrip().removesuffix(",").replace("'", '"')
        try:  # many times faster than the parser of Python
            found = json.loads(f"[{inside}]")
        except (ValueError, RecursionError):
            pass
        else:
            return list(found)
    try:
        with warnings.catch_warnings(action="ignore"):  # of backslashes in words
            read = ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if isinstance(read, set | frozenset):
        return sorted(read, key=lambda word: (str(type(word)), word))
    return list(read) if isinstance(read, list | tuple) else None


def _separated(text: np.ndarray) -> list[list[Any] | None]:
    """Neo4j's arrays: numbers if all are, else words."""
    rows = [None if value is None else value.split(";") for value in text]
    for kind in (int, float):
        try:
            return [None if row is None else [kind(value) for value in row] for row in rows]
        except (ValueError, OverflowError):
            continue
    return [None if row is None else list(row) for row in rows]


def _vectors(array: Any) -> Any:
    """Vectors of one length as a pyarrow array; None if lengths differ or all are whole."""
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.replace_substring_regex(array, r"[\[\],;|\s]+", " ")
    bare = pc.utf8_trim_whitespace(bare)
    lengths = pc.add(pc.count_substring(bare, " "), 1)
    if pc.min(lengths).as_py() != pc.max(lengths).as_py():
        return None
    values = np.fromstring(" ".join(bare.drop_null().to_pylist()), sep=" ")
    if len(values) != pc.sum(lengths).as_py():
        return None
    fractions = pc.any(pc.match_substring_regex(bare, r"[.eE]")).as_py()
    if not fractions and not np.isin(values, (0, 1)).all():
        return None
    starts = np.concatenate([[0], np.cumsum(pc.fill_null(lengths, 0).to_numpy())])
    return pa.LargeListArray.from_arrays(pa.array(starts, pa.int64()), pa.array(values))
