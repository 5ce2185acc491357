"""Writing a file so that a reader sees the old text or the new one, whole."""

import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Write beside the target, flush to the disk, rename. Raises OSError; leaves no rest."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
