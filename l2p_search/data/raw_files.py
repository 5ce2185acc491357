"""The raw files of a dataset: where they are, and whether they are what they should be.

Planetoid's files are Python pickles, and opening a pickle runs what it says: nothing is
opened before its SHA-256 is known to be right.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from l2p_search.data.catalogue import Dataset
from l2p_search.errors import DataError, argument

DATA_VARIABLE = "L2P_SEARCH_DATA"


def data_folders(data_dir: Path | None) -> list[Path]:
    """Where raw files are looked for, in order: `--data-dir`, the environment, ./data."""
    named = os.environ.get(DATA_VARIABLE)
    return [Path(folder) for folder in (data_dir, named, "data") if folder]


def find_raw(dataset: Dataset, data_dir: Path | None) -> Path | None:
    """The dataset's raw folder in the first data folder that has it."""
    # os.path says no to a name that is too long; Path would raise.
    if data_dir is not None and not os.path.isdir(data_dir):
        raise DataError(f"{argument('data_dir')} {data_dir}: no such folder; check the path")
    for folder in data_folders(data_dir):
        raw = folder / dataset.folder / "raw"
        if os.path.isdir(raw):
            return raw
    return None


def verify(dataset: Dataset, raw: Path) -> None:
    """Refuse raw files that are missing, unreadable or not the published ones."""
    for name, expected in dataset.checksums.items():
        path = raw / name
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
        except FileNotFoundError:
            raise DataError(
                f"{dataset.name}: {path} is missing; put the published file there, or take the"
                " folder away to have all of them downloaded"
            ) from None
        except OSError as error:
            raise DataError(
                f"{dataset.name}: {path} cannot be read ({error.strerror}); check its permissions"
            ) from None
        if found != expected:
            raise DataError(
                f"{dataset.name}: {path} is not the published file (its SHA-256 is {found[:12]}..,"
                f" not {expected[:12]}..): it may be cut short or changed; replace it, or take the"
                " folder away to have it downloaded"
            )


def cache_folder() -> Path:
    """Where downloads and parsed graphs are kept: XDG_CACHE_HOME or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "l2p-search"


@contextlib.contextmanager
def temporary_beside(target: Path) -> Iterator[Path]:
    """A folder beside `target` to make it in, so that no reader sees half of it.

    Raises:
        DataError: The folder cannot be written to.
    """
    with contextlib.ExitStack() as stack:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            name = stack.enter_context(tempfile.TemporaryDirectory(dir=target.parent))
        except OSError as error:
            raise DataError(
                f"{target.parent}: cannot be written to ({error.strerror}); name another cache"
                " folder by XDG_CACHE_HOME"
            ) from None
        yield Path(name)
