"""Columns that say which nodes train, validate and test."""

import re
from dataclasses import dataclass

import numpy as np

from l2p_search.data.sources.table import Table, listed, quoted
from l2p_search.data.sources.table_columns import read_column, text_values
from l2p_search.data.sources.table_names import plain
from l2p_search.errors import argument

_PARTS = {"train": 0, "training": 0, "test": 2, "testing": 2}
_PARTS |= dict.fromkeys(("val", "valid", "validation", "dev"), 1)
_NAMES = ("train", "validation", "test")
_MASKS = (("train_mask",), ("val_mask", "valid_mask"), ("test_mask",))
_NUMBERED = re.compile(r"(.*?)[_\s]?(\d+)")

Masks = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class FoundSplits:
    """The splits of a table.

    Attributes:
        masks: Train, validation and test, each bool [P, N]; None without a split.
        columns: The columns that hold the splits, and so are no features.
        notes: A sentence per decision.
    """

    masks: Masks | None
    columns: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_splits(table: Table, split: str | None, *, with_masks: bool = True) -> FoundSplits:
    """The splits in columns with values train, val (valid, validation, dev) and test, in any case.

    Args:
        table: The table of nodes.
        split: A column, several with commas between them, or the name that numbered columns
            (split_0, split_1, ...) begin with. None looks for `split`, `split_0`, ..., or for
            the boolean columns train_mask, val_mask and test_mask.
        with_masks: Whether to read what the columns hold. If not, other splits take the place
            of these: the columns are found all the same, as they are no features.

    Returns:
        The masks, a row for each of P splits; an empty value is a node in no part.

    Raises:
        DataError: A column is missing, a value is no part, or a part has no node.

    Example:
        >>> import pyarrow as pa
        >>> table = Table("nodes.csv", {"split": pa.array(["train", "Val", "test", ""])}, 4, str)
        >>> read_splits(table, None).masks[1].tolist()
        [[False, True, False, False]]
    """
    if split is not None:
        columns = _named(table, split)
    else:
        columns = _numbered(table, "split") or [c for c in table.arrays if plain(c) == "split"]
        columns = [name for name in columns if _has_a_part(table, name)]
    if not columns:
        columns = _mask_columns(table)
        return _from_masks(table, columns) if with_masks else FoundSplits(None, tuple(columns))
    if not with_masks:
        return FoundSplits(None, tuple(columns))
    parts = np.stack([_parts(table, name) for name in columns])
    masks = (parts == 0, parts == 1, parts == 2)
    for place, name in enumerate(columns):
        _check_parts(table, name, [mask[place] for mask in masks])
    word = "split" if len(columns) == 1 else "splits"
    note = f"{len(columns)} {word} taken from {table.word} {listed(columns, 3)}"
    return FoundSplits(masks, tuple(columns), (note,))


def _named(table: Table, split: str) -> list[str]:
    if split in table.arrays:
        return [split]
    numbered = _numbered(table, split)
    if numbered:
        return numbered
    return [table.checked(name.strip(), argument("split")) for name in split.split(",")]


def _numbered(table: Table, start: str) -> list[str]:
    """The columns split_0, split_1, ... in the order of their numbers."""
    found = []
    for name in table.arrays:
        match = _NUMBERED.fullmatch(name)
        if match and match[1].lower() == start.lower():
            found.append((int(match[2]), name))
    return [name for _, name in sorted(found)]


def _has_a_part(table: Table, name: str) -> bool:
    """Whether some value is a part; a column called split may hold something else."""
    if read_column(table, name, strict=False).kind != "text":
        return False
    values = text_values(table.arrays[name])
    return any(value is not None and value.lower() in _PARTS for value in set(values))


def _parts(table: Table, name: str) -> np.ndarray:
    """0 for train, 1 for validation, 2 for test, -1 for none of them: [N]."""
    if read_column(table, name, strict=False).kind in ("lists", "other"):
        raise table.error("holds no text; write train, val or test", column=name)
    values = text_values(table.arrays[name])
    known = {value: _PARTS.get(value.lower(), -2) for value in set(values) if value is not None}
    parts = np.array([-1 if value is None else known[value] for value in values])
    if (parts == -2).any():
        row = int((parts == -2).argmax())
        raise table.error(
            f"{quoted(values[row])} is no part of a split; write train, val or test, or leave it"
            " empty",
            column=name,
            row=row,
        )
    return parts


def _mask_columns(table: Table) -> list[str]:
    """The columns train_mask, val_mask and test_mask, as in PyG and DGL, as far as they are."""
    columns = [next((c for c in table.arrays if plain(c) in names), None) for names in _MASKS]
    return [name for name in columns if name is not None]


def _from_masks(table: Table, columns: list[str]) -> FoundSplits:
    """The one split that three boolean columns are."""
    if not columns:
        return FoundSplits(None)
    if len(columns) < len(_MASKS):
        there = {plain(name) for name in columns}
        missing = [names[0] for names in _MASKS if there.isdisjoint(names)]
        note = f"{listed(columns)} played no part, as there is no {' and no '.join(missing)}"
        return FoundSplits(None, tuple(columns), (note,))
    masks = []
    for name in columns:
        column = read_column(table, name, strict=False)
        values = np.asarray(column.values) if column.kind in ("boolean", "integer") else None
        if values is None or not np.isin(values, (0, 1)).all():
            raise table.error("is no mask: write True or False in every row", column=name)
        masks.append(values.astype(bool))
    _check_parts(table, None, masks)
    shared = np.stack(masks).sum(axis=0) > 1
    if shared.any():
        row = int(shared.argmax())
        both = [name for name, mask in zip(columns, masks, strict=True) if mask[row]]
        raise table.error(
            f"is in two parts of the split: {listed(both)} are both true; leave it in one", row=row
        )
    train, val, test = (mask[None] for mask in masks)
    note = f"1 split taken from {table.word}s {listed(columns)}"
    return FoundSplits((train, val, test), tuple(columns), (note,))


def _check_parts(table: Table, column: str | None, masks: list[np.ndarray]) -> None:
    for name, mask in zip(_NAMES, masks, strict=True):
        if not mask.any():
            raise table.error(
                f"the split has no {name} node; give it train, val and test nodes", column=column
            )
