"""Where searches live: a folder of folders, each named after its search."""

import math
import os
import stat
import unicodedata
from pathlib import Path

from l2p_search.errors import SearchError, argument, cut, did_you_mean, either
from l2p_search.searching.records.lock import is_locked
from l2p_search.whole_file import is_path

DIR_VARIABLE = "L2P_SEARCH_DIR"
_JOURNAL = "journal.log"
_OF_THE_DISK = "lost+found"
"""What repaired file systems keep for their owner in the top folder of a disk."""
_LONGEST = 100
_UNSHOWN = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's categories of control characters, surrogates and separators of lines."""
_MOST_BYTES = 255
"""The longest file name of common file systems; a character has up to four bytes."""
_FIRST = either("l2p.search('demo', trials=10)", "l2p-search --dataset demo --trials 10")


def searches_folder(given: Path | None) -> Path:
    """Choose the folder that holds all searches.

    Args:
        given: The folder that the caller named, if any.

    Returns:
        That folder, else the one in the environment variable L2P_SEARCH_DIR, else ./searches.

    Raises:
        SearchError: No folder could have such a name, or it is that of a file.

    Example:
        >>> searches_folder(Path("mine")).name
        'mine'
    """
    folder = given or Path(os.environ.get(DIR_VARIABLE) or "searches")
    if not is_path(folder):
        raise SearchError(
            f"{argument('folder')}: {str(folder)[:60]!r} is no path, as a name in it is too long"
            " or holds what no name can hold; choose another"
        )
    if folder.exists() and not folder.is_dir():
        raise SearchError(f"{argument('folder')}: {folder} is no folder; choose another")
    return folder


def search_directory(folder: Path, name: str, *, made: bool = False) -> Path:
    """The directory of a search, whether it exists or not.

    Args:
        folder: The folder that holds all searches.
        name: The name of the search, in any script.
        made: Whether the name was made of the graph's and the space's, as none was given.

    Returns:
        Its directory.

    Raises:
        SearchError: The name cannot be that of a folder.

    Example:
        >>> search_directory(Path("searches"), "demo-paper").name
        'demo-paper'
    """
    bad = not name or name.startswith(".") or set(name) & set("/\\") or not _is_shown(name)
    if bad or len(name) > _LONGEST or len(os.fsencode(name)) > _MOST_BYTES:
        rule = f"at most {_LONGEST} characters ({_MOST_BYTES} bytes), no slash, no dot in front"
        if made:
            raise SearchError(
                f"the search would be called {cut(name)!r}, which is no name of a folder:"
                f" {rule}; give it another with {argument('name')}"
            )
        raise SearchError(
            f"{argument('name')} {cut(name)!r}: must be the name of a folder: {rule}"
        )
    return folder / name


def _is_shown(name: str) -> bool:
    """Whether a name can be printed: no control characters, no line ends, nothing undecodable."""
    return not any(unicodedata.category(letter) in _UNSHOWN for letter in name)


def list_searches(folder: Path) -> list[Path]:
    """The directories of all searches.

    Args:
        folder: The folder that holds them; it need not exist.

    Returns:
        The directories that have a journal, the most recently written one first; then those that
        may not be looked into, as a search may be hidden there.

    Raises:
        SearchError: The folder is there and cannot be read.
    """
    found: dict[Path, float] = {}
    try:
        for path in sorted(folder.iterdir()):
            try:
                written = (path / _JOURNAL).stat()
            except PermissionError:
                if path.name != _OF_THE_DISK:
                    found[path] = -math.inf
            except OSError:  # something else lives there, or it is being removed
                continue
            else:
                if stat.S_ISREG(written.st_mode):
                    found[path] = written.st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SearchError(
            f"{folder}: cannot be read ({error.strerror}); check its permissions, or name another"
            f" with {argument('folder')}"
        ) from None
    return sorted(found, key=lambda path: found[path], reverse=True)


def find_search(folder: Path, name: str | None) -> Path:
    """The directory of an existing search.

    Args:
        folder: The folder that holds all searches.
        name: The name of the search; None for the one that is running, or the most recently
            written one when none is.

    Returns:
        Its directory.

    Raises:
        SearchError: There is no search at all, or none of that name.
    """
    found = list_searches(folder)
    if not found:
        raise SearchError(
            f"{folder}: no searches there; start one, such as {_FIRST}, or name their folder with"
            f" {argument('folder')}"
        )
    if name is None:
        return next((path for path in found if is_locked(path)), found[0])
    directory = next((path for path in found if path.name == name), None)
    if directory is None:
        # A shell completes the path of its folder, and a search is known by the folder's name.
        near = did_you_mean(Path(name).name or name, [path.name for path in found])
        raise SearchError(f"no search '{cut(name)}' in {folder}; {near}")
    return directory
