"""The table in docs/hyperparameters.md, from what the fields of a configuration say of themselves.

    python -m l2p_search.display.key_table docs/hyperparameters.md

writes it anew between the two comments that mark its place.
"""

import sys
from collections.abc import Set
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, get_args

from l2p_search.config import TrialConfig
from l2p_search.errors import UserError
from l2p_search.hyperparameters import ALL, L2P, Model
from l2p_search.keys import about
from l2p_search.whole_file import write_whole

BEGIN, END = "<!-- keys -->", "<!-- /keys -->"
"""The comments around the table."""
_FEW = 5
"""Up to so many networks that do not read a key are named instead of those that do."""


def key_table() -> str:
    """Every hyperparameter with its defaults, its meaning and the networks that read it.

    Returns:
        A Markdown table, which ends with a line break. Of two defaults the first is for
        homophilous graphs, the second for heterophilous ones.

    Example:
        >>> print(key_table().splitlines()[2])
        | `dropout` | 0.7 / 0.2 | dropout rate on the features and on the hidden units | all |
    """
    rows = [("key", "default", "meaning", "read by"), ("---",) * 4]
    for field in fields(TrialConfig):
        rows.append((f"`{field.name}`", _defaults(field), about(field).meaning, _readers(field)))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def with_table(text: str) -> str:
    r"""A document with the table of today in its place.

    Args:
        text: A document with the two comments `BEGIN` and `END`, each on a line of its own.

    Returns:
        The same with nothing but the table between them.

    Raises:
        UserError: It lacks one of the comments.

    Example:
        >>> document = with_table("before <!-- keys -->old<!-- /keys --> after")
        >>> document.startswith("before <!-- keys -->\n| key |"), "old" in document
        (True, False)
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"has no place for the table; add the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{key_table()}{END}{after}"


def _defaults(field: "Field[Any]") -> str:
    """The default, or one per kind of graph where they differ."""
    values = dict.fromkeys(about(field).by_kind or (field.default,))
    return " / ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)


def _readers(field: "Field[Any]") -> str:
    """The networks in words: by those that do not read it, where these are few."""
    read_by, unless = about(field).read_by, about(field).unless
    missing = ALL - read_by
    words = _named(read_by) if len(missing) > _FEW else "all but " + _named(missing)
    if not missing:
        words = "all"
    return words if unless is None else f"{words}; not with `{unless[0]}: {unless[1]}`"


def _named(networks: Set[str]) -> str:
    """Their names, all backbones of L2P as one."""
    names = [model for model in get_args(Model) if model in networks]
    if backbones := sorted(network.removeprefix("l2p-") for network in networks & L2P):
        on = "" if networks >= L2P else f" on {' and '.join(backbones)}"
        names.insert(0, f"L2P{on}")
    return ", ".join(names)


def _main(paths: list[str]) -> None:
    """Write the table into each of the files."""
    for path in map(Path, paths):
        try:
            write_whole(path, with_table(path.read_text(encoding="utf-8")))
        except (OSError, UserError) as error:
            raise SystemExit(f"{path}: {error}") from None


if __name__ == "__main__":
    _main(sys.argv[1:])
