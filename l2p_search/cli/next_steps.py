"""What to do after a search, as commands that work when they are pasted.

There is no comment behind any of them: zsh takes a pasted one for arguments.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.cli.invocation import as_called
from l2p_search.masking import masked

if TYPE_CHECKING:
    from l2p_search.api.found import Search


def next_steps(
    searches: "Sequence[Search]", tracked: bool, uri: str | None = None
) -> dict[str, str]:
    """The commands that a reader of the result may want next.

    Args:
        searches: One search, or one per model in the order in which they were run.
        tracked: Whether MLflow has a copy to look at.
        uri: The server that has it, where one was named.

    Returns:
        What it is for -> the command; none where no search has found anything.
    """
    found = [search for search in searches if search.best is not None]
    if not found:
        return {}
    best = max(found, key=lambda search: (search.best and search.best.objective) or 0.0)
    name, where, copy = shlex.quote(best.name), where_of(best.directory), copy_of(tracked, uri)
    steps = {
        "every number": full_command(best.directory),
        "a page with figures": as_called(f"l2p-search report {name}{where}{copy}"),
    }
    if tracked:
        steps["MLflow"] = as_called(f"l2p-search ui{copy}")
    steps |= _with_the_graph(best)
    made = len(best.outcome.records)
    if len(searches) == 1 and best.settings.at_most(2 * made) > made:  # else all were visited
        steps["a longer search"] = f"{resume_command(best.directory, copy)} --trials {2 * made}"
    return steps


def full_command(directory: Path) -> str:
    """The command that prints all that is known of the search in that folder."""
    name = shlex.quote(directory.name)
    return as_called(f"l2p-search status {name}{where_of(directory)} --full")


def _with_the_graph(search: "Search") -> dict[str, str]:
    """Predict with the kept model; without one, or without its graph, train the best again."""
    from l2p_search.data.reading_again import one_line, shell_words, train_command

    settings = search.settings
    kept, graph = search.directory / "model", shell_words(settings.graph, settings.dataset)
    if kept.is_dir() and graph is not None:
        predict = one_line(["l2p-search", "predict", str(kept), *graph])
        return {"predictions": as_called(predict)}
    best = str(search.directory / "best.yaml")
    train = train_command(settings.graph, settings.dataset, best)
    return {"the best trained again": as_called(train)}


def resume_command(directory: Path, copy: str = "") -> str:
    """The command that continues the search in that folder; `copy` is that of `copy_of`."""
    name = shlex.quote(directory.name)
    return as_called(f"l2p-search --resume --name {name}{where_of(directory)}{copy}")


def copy_of(tracked: bool, uri: str | None) -> str:
    """The flags by which a further command gives MLflow what this one gave it.

    An address with a password is left out: it would be printed.
    """
    if not tracked:
        return " --no-tracking"
    return "" if uri is None or masked(uri) != uri else f" --tracking-uri {shlex.quote(uri)}"


def where_of(directory: Path) -> str:
    """The flag that a command needs to find a search; empty where it looks anyway."""
    from l2p_search.display.phrases import elsewhere
    from l2p_search.searching.records.directory import searches_folder

    return elsewhere(directory, searches_folder(None))
