"""publish: the tables, figures and words that a paper needs of some searches, in one folder."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from l2p_search.api.arguments import above_zero, path_of
from l2p_search.api.found import Search
from l2p_search.api.opening import open_search
from l2p_search.api.publish_entries import collected
from l2p_search.api.publish_files import kit_files
from l2p_search.caller import left_as_found
from l2p_search.errors import UserError, argument, shown
from l2p_search.verdicts import MARGIN
from l2p_search.whole_file import write_whole


@dataclass(frozen=True)
class Published:
    """A paper kit that was written.

    Attributes:
        folder: Where it is.
        files: The names of its files.
        table: Its main table, in Markdown.

    Example:
        >>> published = l2p.publish(["first"], "paper")  # doctest: +SKIP
        >>> published.files[0]                           # doctest: +SKIP
        'scores.tex'
    """

    folder: Path
    files: tuple[str, ...]
    table: str

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"folder": str(self.folder), "files": list(self.files)}


@left_as_found()
def publish(
    searches: Sequence[Search | str],
    out: str | Path,
    *,
    folder: str | Path | None = None,
    margin: float = MARGIN,
) -> Published:
    """Write what a paper needs of some searches into a new folder.

    The tables (LaTeX with booktabs, and Markdown), figures (PDF and PNG), paragraphs of methods,
    the reproducibility checklist, and for every number the line of the journal it comes from.
    Searches of one graph make a column, those of one method a row; all numbers are on fresh seeds.

    Args:
        searches: Searches or their names, at least one. All others are compared with the method
            of the first one.
        out: The folder to make; it may not exist.
        folder: The folder that names are looked up in; $L2P_SEARCH_DIR, then ./searches by
            default.
        margin: Points within which two scores are called equivalent.

    Returns:
        What was written.

    Raises:
        UserError: A search is not there, is damaged, running, unfinished or unconfirmed; those of
            one graph have different metrics or no fresh seeds in common; or the folder exists or
            cannot be written. Nothing is written then.

    Example:
        >>> l2p.publish(["no-such-search"], "paper")
        Traceback (most recent call last):
        ...
        l2p_search.errors.SearchError: searches: no searches there; start one, such as ...
    """
    above_zero("margin", margin)
    place = _new_folder(out)
    entries = collected(_opened(searches, folder))
    files = kit_files(entries, margin)
    _write(place, files)
    return Published(place, tuple(files), files["scores.md"].decode())


def _opened(searches: Any, folder: str | Path | None) -> list[Search]:
    if isinstance(searches, (str, Search)):
        searches = [searches]
    given = list(searches) if isinstance(searches, Sequence) else []
    if not given or not all(isinstance(each, (str, Search)) for each in given):
        raise UserError(
            f"{argument('searches')}: {shown(searches)} must be one or more searches, or names"
        )
    found = [each if isinstance(each, Search) else open_search(each, folder) for each in given]
    places = [search.directory.absolute() for search in found]
    for search, place in zip(found, places, strict=True):
        if places.count(place) > 1:
            raise UserError(
                f"{argument('searches')}: '{search.name}' is named twice; name it once"
            )
    return found


def _new_folder(out: str | Path) -> Path:
    """The folder to make, if it can be made."""
    place = path_of("out", out)
    if place is None:
        raise UserError(f"{argument('out')}: name a folder to make")
    if "\0" in str(place):
        raise UserError(f"{argument('out', place)}: is no name of a folder; name a new one")
    if os.path.lexists(place):
        what = "exists already" if place.is_dir() else "is no folder"
        raise UserError(f"{argument('out', place)}: {what}; name a new folder")
    if not place.name or place.name == "..":
        raise UserError(f"{argument('out', place)}: is no name of a folder; name a new one")
    return place


def _write(place: Path, files: dict[str, bytes]) -> None:
    """Write beside the place and move there: a reader sees all of it or nothing."""
    beside = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        beside.mkdir(parents=True)
        for name, content in files.items():
            write_whole(beside / name, content)
        os.rename(beside, place)
    except OSError as error:
        raise UserError(
            f"{argument('out', place)}: cannot be written ({error.strerror}); choose another"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
