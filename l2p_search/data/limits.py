"""What is too large for this machine is refused before it is read."""

from pathlib import Path

import psutil

from l2p_search.errors import DataError

_SHARE = 0.7
"""Of the memory that is free: a graph is copied while it is read, and then trained on."""


_CONTAINER = Path("/sys/fs/cgroup")
"""Where Linux tells what a container may use."""


def available_bytes() -> int:
    """Memory that processes may take now: of the machine, or of the container if that is less."""
    available = psutil.virtual_memory().available
    try:
        most = int((_CONTAINER / "memory.max").read_text())
        used = int((_CONTAINER / "memory.current").read_text())
        told = (_CONTAINER / "memory.stat").read_text().split()
    except (OSError, ValueError):
        return available  # no container, or none with a limit
    # Pages of files that can be dropped count as used.
    droppable = int(dict(zip(told[::2], told[1::2], strict=False)).get("inactive_file", 0))
    return max(0, min(available, most - used + droppable))


def free_bytes() -> int:
    """Memory that a graph may take on this machine now."""
    return int(available_bytes() * _SHARE)


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
            f"{what} would take {gigabytes(needed)} GB of memory, and {gigabytes(free)} GB can"
            f" be used; {remedy}"
        )


def gigabytes(count: int) -> str:
    """Bytes as GiB for people, with a digit behind the point where there are few.

    Example:
        >>> gigabytes(3 * 2**29), gigabytes(2**40)
        ('1.5', '1,024')
    """
    size = count / 2**30
    return f"{size:,.0f}" if size >= 10 else f"{size:.1f}"
