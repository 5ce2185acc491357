"""open_search: recorded searches, by name, by dataset, or all of a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.api.arguments import check, path_of
from l2p_search.caller import left_as_found
from l2p_search.errors import SearchError, UserError, argument
from l2p_search.searching.records.directory import find_search, list_searches, searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.preference import Facts, facts, preferred

if TYPE_CHECKING:
    from l2p_search.api.found import Search

_DIGITS = 18
"""Python reads no number of any length; no search has as many trials as one of so many digits."""


@left_as_found()
def open_search(name: str | None = None, folder: str | Path | None = None) -> "Search":
    """Open a recorded search, running or not, without touching it.

    Args:
        name: Its name; None for the one that runs now, else the latest.
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.

    Returns:
        The search as its journal has it now.

    Raises:
        SearchError: There is none of that name; the message has the nearest one.

    Example:
        >>> import l2p_search as l2p
        >>> l2p.open_search("no-such-search")
        Traceback (most recent call last):
        ...
        l2p_search.errors.SearchError: searches: no searches there; start one, such as ...
    """
    check(name=name)
    return _opened(find_search(_place(folder), name))


def split_trial(given: str) -> tuple[str, int | None]:
    """Take the name of a search and the number of a trial apart.

    Args:
        given: NAME:NUMBER, or a name; a name may have a colon of its own.

    Returns:
        The name, and the number or None.

    Raises:
        UserError: The number has more digits than any trial's.

    Example:
        >>> split_trial("wisconsin:12"), split_trial("a:b")
        (('wisconsin', 12), ('a:b', None))
    """
    name, colon, number = given.rpartition(":")
    if not (colon and number.isdecimal()):
        return given, None
    if len(number) > _DIGITS:
        raise UserError(
            f"{name}: has no trial with a number of {len(number)} digits; see l2p-search trials"
        )
    return name, int(number)


def open_all(folder: str | Path | None = None) -> "tuple[list[Search], list[SearchError]]":
    """Every search of a folder that can be read, and why the others cannot.

    Args:
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.

    Returns:
        The searches, the latest first, and an error per search that cannot be read.

    Raises:
        SearchError: There is no search at all.
    """
    place = _place(folder)
    find_search(place, None)  # raises where there is none
    readable, errors = [], []
    for directory in list_searches(place):
        try:
            readable.append(_opened(directory))
        except SearchError as error:
            errors.append(error)
    return readable, errors


def open_named(
    name: str | None, folder: str | Path | None = None
) -> "tuple[list[Search], list[SearchError]]":
    """The search of that name, or every one.

    Args:
        name: The search's name; None for all of them.
        folder: The folder of searches.

    Returns:
        The searches, the latest first, and an error per search that cannot be read.

    Raises:
        SearchError: The named search cannot be read, or there is no search at all.
    """
    return open_all(folder) if name is None else ([open_search(name, folder)], [])


def best_by_dataset(folder: str | Path | None = None) -> "dict[str, Search]":
    """The best search of every dataset: finished before interrupted, as `preference` says.

    Args:
        folder: The folder of searches.

    Returns:
        Dataset -> its best search that has a complete trial.

    Raises:
        SearchError: There is no search at all.
    """
    searches: dict[str, list[Search]] = {}
    for found in open_all(folder)[0]:
        if found.best is not None:
            searches.setdefault(found.settings.dataset, []).append(found)
    return {dataset: preferred(several, _facts) for dataset, several in searches.items()}


def best_of_dataset(dataset: str, folder: str | Path | None = None) -> "Search":
    """The best search of a dataset: finished before interrupted, as `preference` says.

    Args:
        dataset: The graph's name.
        folder: The folder of searches.

    Returns:
        The search.

    Raises:
        UserError: There is none; the message has the datasets that were searched.
    """
    best = best_by_dataset(folder)
    if dataset not in best:
        there = ", ".join(sorted(best)) or "none"
        raise UserError(
            f"{argument('dataset', dataset)}: no search of it in {_place(folder)} has a complete"
            f" trial (there are: {there}); search it first"
        )
    return best[dataset]


def _opened(directory: Path) -> "Search":
    """The search in a folder, once it is known to be there: what it can do takes torch."""
    journal = Journal.read(directory)

    from l2p_search.api.found import Search

    return Search(journal)


def _facts(found: "Search") -> Facts:
    outcome, settings = found.outcome, found.settings
    return facts(
        outcome.records,
        outcome.goal,
        bool(outcome.confirmations),
        seeds=settings.seeds,
        metric=settings.metric,
        score=(found.best and found.best.objective) or 0.0,
    )


def _place(folder: str | Path | None) -> Path:
    """The folder of searches that is meant."""
    return searches_folder(path_of("folder", folder))
