"""The first line of a long command: what it will do, before torch and Ray are imported."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.answer_methods import BACKBONES
from l2p_search.cli.signals import say
from l2p_search.data.own_names import own_name
from l2p_search.durations import format_duration
from l2p_search.errors import SearchError, printable
from l2p_search.searching.records.directory import search_directory
from l2p_search.whole_file import is_path


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
    if not is_path(folder / str(options["name"])):
        return None
    if dataset is None:
        name = options["name"]
        if name is None:
            there = any(folder.glob("*/journal.log"))
            return _starting("resuming the latest search") if there else None
        exists = _is_file(folder / name / "journal.log")
        return _starting(f"resuming {name}") if exists and options["resume"] else None
    what = f"the space {space or defaults.SPACE}"
    if options["model"] is not None:
        what = f"model {options['model']}"
    if options["models"] is not None:
        what = f"models {options['models']}"
        names = [each.strip() for each in options["models"].split(",")]
    else:
        names = [options["model"] or Path(space or defaults.SPACE).stem]
    if (options["model"] or options["models"]) and not _are_models(names):
        return None
    path, graphs = Path(dataset), {dataset.lower()}
    if path.exists():
        graphs = {path.stem, own_name(path)} if path.is_file() else {path.stem}
    places = [folder / f"{each}-{name}" for each in graphs for name in names]
    if options["name"] is not None:
        try:
            places = [search_directory(folder, options["name"])]
        except SearchError:  # it cannot be the name of a folder
            return None
    journals = [each / "journal.log" for each in places]
    if not all(map(is_path, journals)):
        return None
    if any(map(_is_file, journals)) and not options["resume"]:
        return None
    trials = options["trials"]
    many = "" if trials is None else f", {trials} trial{'s' * (trials != 1)}"
    return _starting(f"searching {dataset}: {what}{many}")


def _is_file(path: Path) -> bool:
    """Whether a file is there, as far as may be seen."""
    try:
        return path.is_file()
    except OSError:
        return False


def first_line_of_answer(options: Mapping[str, Any]) -> str | None:
    """What `answer` is about to train, from its options alone; None where it will be refused."""
    if not _may_be_a_graph(options["dataset"]):
        return None
    trials = options["trials"]
    budget = f"about {format_duration(options['time_budget'])}"
    if trials is not None:
        budget = f"{trials} trial{'s' * (trials != 1)} each"
    backbone = BACKBONES[options["backbone"]]
    methods = list(dict.fromkeys([f"L2Q on {backbone}", backbone, "MLP", "GCN"]))
    told = f"{', '.join(methods[:-1])} and {methods[-1]}"
    return _starting(f"answering for {options['dataset']}: {told}, {budget}")


def say_first(line: str | None, *, quiet: bool) -> None:
    """Print it, unless nobody waits: a program that has imported torch starts at once."""
    if line is not None and not quiet and "torch" not in sys.modules:
        say(line, wrapped=True)


def _starting(what: str) -> str:
    return f"{printable(what)}; torch and Ray start .."


def _may_be_a_graph(dataset: str) -> bool:
    from l2p_search.data.catalogue import DATASETS

    if not is_path(Path(dataset)):
        return False
    return dataset.lower() in DATASETS or ":" in dataset or Path(dataset).exists()


def _are_models(names: list[str]) -> bool:
    from l2p_search.searching.space.shipped import models_of_spaces

    return set(names) <= {*models_of_spaces().values(), ""}


def _may_be_a_space(space: str) -> bool:
    from l2p_search.searching.space.shipped import shipped_spaces

    return space in shipped_spaces() or (is_path(Path(space)) and Path(space).is_file())
