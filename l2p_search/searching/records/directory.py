"""Where searches live: a folder of folders, each named after its search."""

import os
from pathlib import Path

from l2p_search.errors import SearchError, argument, did_you_mean, either
from l2p_search.searching.records.lock import is_locked

DIR_VARIABLE = "L2P_SEARCH_DIR"
_JOURNAL = "journal.log"
_FIRST = either("l2p.search('demo', trials=10)", "l2p-search --dataset demo --trials 10")


def searches_folder(given: Path | None) -> Path:
    """The folder of searches: given, or by the environment, or ./searches."""
    return given or Path(os.environ.get(DIR_VARIABLE) or "searches")


def search_directory(folder: Path, name: str) -> Path:
    """The directory of a search, whether it exists or not."""
    if not name or name.startswith(".") or len(name) > 100 or set(name) & set("/\\\0\n\r\t"):
        raise SearchError(
            f"{argument('name')} {name!r}: must be the name of a folder: at most 100 characters,"
            " no slash, no dot in front"
        )
    return folder / name


def list_searches(folder: Path) -> list[Path]:
    """The directories of all searches, the latest written one first."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if (path / _JOURNAL).is_file()]
    return sorted(found, key=lambda path: (path / _JOURNAL).stat().st_mtime, reverse=True)


def find_search(folder: Path, name: str | None) -> Path:
    """An existing search by its name; without one the running, else the latest."""
    found = list_searches(folder)
    if not found:
        raise SearchError(
            f"{folder}: no searches there; start one, such as {_FIRST}, or name their folder with"
            f" {argument('folder')}"
        )
    if name is None:
        return next((path for path in found if is_locked(path)), found[0])
    directory = search_directory(folder, name)
    if directory not in found:
        near = did_you_mean(name, [path.name for path in found])
        raise SearchError(f"no search '{name}' in {folder}; {near}")
    return directory
