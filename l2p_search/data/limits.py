"""What is too large for this machine is refused before it is read."""

import psutil

from l2p_search.errors import DataError

_SHARE = 0.7
"""Of the memory that is free: a graph is copied while it is read, and then trained on."""


def free_bytes() -> int:
    """Memory that a graph may take on this machine now."""
    return int(psutil.virtual_memory().available * _SHARE)


def check_fits(what: str, needed: int, remedy: str) -> None:
    """Refuse what would not fit.

    Args:
        what: The file or array, for the message.
        needed: How many bytes it takes in memory.
        remedy: What to do about it.

    Raises:
        DataError: It names what, how much it needs and how much there is.
    """
    free = free_bytes()
    if needed > free:
        raise DataError(
            f"{what} would take {_gigabytes(needed)} GB of memory, and {_gigabytes(free)} GB can"
            f" be used; {remedy}"
        )


def _gigabytes(count: int) -> str:
    size = count / 2**30
    return f"{size:,.0f}" if size >= 10 else f"{size:.1f}"
