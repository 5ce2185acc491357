"""What to do after a search, as commands that work when they are pasted."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.cli.invocation import as_called

if TYPE_CHECKING:
    from l2p_search.api.found import Search


def next_steps(searches: "Sequence[Search]", tracked: bool) -> list[str]:
    """The commands that a reader of the result may want next.

    Args:
        searches: One search, or one per model in the order in which they were run.
        tracked: Whether MLflow has a copy to look at.

    Returns:
        Lines, each a command; none where no search has found anything.
    """
    found = [search for search in searches if search.best is not None]
    if not found:
        return []
    best = max(found, key=lambda search: (search.best and search.best.objective) or 0.0)
    name, where = shlex.quote(best.name), where_of(best.directory)
    lines = []
    if tracked:
        lines.append("l2p-search ui   # compare the trials in MLflow")
    lines.append(f"l2p-search report {name}{where}")
    lines.append(f"l2p-search export {name}{where} --out best.yaml")
    lines += _with_the_graph(best)
    if len(searches) == 1:
        more = 2 * len(best.outcome.records)
        lines.append(f"l2p-search --resume --name {name}{where} --trials {more}   # search on")
    return [as_called(line) for line in lines]


def _with_the_graph(search: "Search") -> list[str]:
    """Train again and predict: on a graph that can be read again."""
    from l2p_search.data.reading_again import one_line, shell_words, train_command

    settings = search.settings
    lines = [train_command(settings.graph, settings.dataset, str(search.directory / "best.yaml"))]
    kept, graph = search.directory / "model", shell_words(settings.graph, settings.dataset)
    if kept.is_dir() and graph is not None:
        lines.append(one_line(["l2p-search", "predict", str(kept), *graph]))
    return lines


def resume_command(directory: Path) -> str:
    """The command that continues the search in that folder."""
    name = shlex.quote(directory.name)
    return as_called(f"l2p-search --resume --name {name}{where_of(directory)}")


def where_of(directory: Path) -> str:
    """The flag that a command needs to find a search; empty where it looks anyway."""
    from l2p_search.display.phrases import elsewhere
    from l2p_search.searching.records.directory import searches_folder

    return elsewhere(directory, searches_folder(None))
