"""Edge lists as SNAP and KONECT publish them: two whole numbers per line, and comments."""

import re
from pathlib import Path

from l2p_search.data.sources.table import Table, quoted
from l2p_search.data.sources.whole_input import decoded
from l2p_search.errors import DataError

NAMES = ("column 1", "column 2")
"""What messages call the columns, which have no names of their own."""

_COMMENT = ("#", "%")
_EDGE = re.compile(r"\s*(-?\d+)[ \t]+(-?\d+)\s*")
_LIKE_CSV = re.compile(r"-?\d+\t-?\d+")


def is_edge_list(text: str) -> bool:
    r"""Whether text is an edge list: its first line below the comments is two whole numbers.

    Two numbers with one tab between them and no comment above are left to the reader of CSV,
    which also takes ids of text further down.

    Args:
        text: The file's content, or its first lines.

    Returns:
        True or False.

    Example:
        >>> is_edge_list("# FromNodeId\tToNodeId\n0\t1\n"), is_edge_list("source target\n0 1\n")
        (True, False)
    """
    commented, start = False, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        if line and not line.startswith(_COMMENT):
            return _EDGE.fullmatch(line) is not None and (
                commented or _LIKE_CSV.fullmatch(line) is None
            )
        commented, start = commented or bool(line), end + 1
    return False


def parse_edge_list(path: Path, content: bytes) -> Table | None:
    r"""The edge list in a file's content.

    Args:
        path: The file, for messages.
        content: Its bytes. Lines that begin with # or % are comments; the two numbers of any
            other line have spaces or tabs between them.

    Returns:
        A table of two columns of text, called "column 1" and "column 2"; None if the content is
        no edge list, see `is_edge_list`.

    Raises:
        DataError: A line further down is not two whole numbers, or the content is no text.

    Example:
        >>> table = parse_edge_list(Path("web.txt"), b"# Nodes: 3 Edges: 2\n0 1\n1   2\n")
        >>> table.arrays["column 2"].to_pylist(), table.place(0)
        (['1', '2'], 'line 2')
    """
    import pyarrow as pa  # type: ignore[import-untyped]

    text = decoded(path, content)
    if not is_edge_list(text):
        return None
    ends: tuple[list[str], list[str]] = ([], [])
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if edge := _EDGE.fullmatch(line):
            lines.append(number)
            ends[0].append(edge[1])
            ends[1].append(edge[2])
        elif line.strip() and not line.lstrip().startswith(_COMMENT):
            raise DataError(
                f"{path}, line {number}: {quoted(line.strip())} is not two whole numbers, as the"
                " lines above are; correct it, or write a CSV table with a line of names"
            )
    columns = {
        name: pa.array(values, pa.large_string()) for name, values in zip(NAMES, ends, strict=True)
    }
    return Table(
        str(path), columns, len(lines), lambda row: f"line {lines[row]}", has_header=False
    )
