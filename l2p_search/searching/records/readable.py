"""All searches of a folder that can be read; one that cannot takes no other down."""

import logging
from collections.abc import Iterator
from pathlib import Path

from l2p_search.errors import SearchError
from l2p_search.searching.records.directory import list_searches
from l2p_search.searching.records.journal import Journal
from l2p_search.trial_record import TrialRecord

_log = logging.getLogger(__name__)


def readable_searches(
    folder: Path, begins: str = ""
) -> Iterator[tuple[Journal, list[TrialRecord]]]:
    """The searches of a folder; one that cannot be read is logged and left out.

    Args:
        folder: The folder of searches; it need not exist.
        begins: How the names begin of the searches that are wanted.

    Yields:
        The journals with their trials, the most recently written one first.
    """
    for directory in list_searches(folder):
        if directory.name.startswith(begins):
            try:
                journal = Journal.read(directory)
                records = journal.records()
            except SearchError as error:
                _log.warning("left out: %s", error)
            else:
                yield journal, records
