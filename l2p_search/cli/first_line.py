"""The first line of a search: what is searched, before torch and Ray are imported."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from l2p_search import defaults


def first_line(options: Mapping[str, Any]) -> str | None:
    """What is about to be searched, from the options alone.

    Args:
        options: Those of a search.

    Returns:
        One line; None where a look at the options shows that the search will be refused, so that
        the reason is the only line that is printed.
    """
    dataset, space = options["dataset"], options["space"]
    if dataset is not None and not _may_be_a_graph(dataset):
        return None
    if space is not None and not _may_be_a_space(space):
        return None
    folder = Path(options["dir"] or os.environ.get("L2P_SEARCH_DIR") or "searches")
    if dataset is None:
        name = options["name"]
        if name is None:
            there = any(folder.glob("*/journal.log"))
            return _starting("resuming the latest search") if there else None
        exists = (folder / name / "journal.log").is_file()
        return _starting(f"resuming {name}") if exists and options["resume"] else None
    what = f"the space {space or defaults.SPACE}"
    if options["model"] is not None:
        what = f"model {options['model']}"
    if options["models"] is not None:
        what = f"models {options['models']}"
        names = [each.strip() for each in options["models"].split(",")]
    else:
        names = [options["model"] or Path(space or defaults.SPACE).stem]
    graph = Path(dataset).stem if Path(dataset).exists() else dataset.lower()
    there = any((folder / f"{graph}-{name}" / "journal.log").is_file() for name in names)
    if there and not options["resume"] and options["name"] is None:
        return None
    trials = options["trials"]
    many = "" if trials is None else f", {trials} trial{'s' * (trials != 1)}"
    return _starting(f"searching {dataset}: {what}{many}")


def _starting(what: str) -> str:
    return f"{what}; torch and Ray start .."


def _may_be_a_graph(dataset: str) -> bool:
    from l2p_search.data.catalogue import DATASETS

    return dataset.lower() in DATASETS or ":" in dataset or Path(dataset).exists()


def _may_be_a_space(space: str) -> bool:
    from l2p_search.searching.space.shipped import shipped_spaces

    return space in shipped_spaces() or Path(space).is_file()
