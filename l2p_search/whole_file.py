"""Writing a file so that a reader sees the old content or the new one, whole."""

import os
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the target, flush to the disk, rename. Raises OSError; leaves no rest."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
