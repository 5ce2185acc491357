"""What may follow the words of a command line: flags, commands, searches, datasets, spaces."""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from l2p_search.cli.words import options_of, subcommands, walk

SHELLS = ("bash", "zsh", "fish")
_NAMED = {
    "dataset": "datasets",
    "datasets": "datasets",
    "space": "spaces",
    "model": "models",
    "models": "models",
    "search": "searches",
    "searches": "searches",
}
"""Where an option's value is one of a list -> which; elsewhere shells offer files."""
_POSITIONS = {
    ("compare", "first"): "searches",
    ("compare", "second"): "searches",
    ("inspect", "graph"): "datasets",
    ("spaces", "words"): "spaces",
}
"""Command and positional argument -> which list; any other NAME is that of a search."""


def completions(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """What the last word may become.

    Args:
        parser: That of the program.
        words: The command line without the program; the last word is being typed, and may be
            empty.

    Returns:
        Whole words that begin with it, sorted; none where a shell should offer files.
    """
    *before, typed = words or [""]
    known = list(walk(parser, before))
    at = _parser_at(parser, before)
    flag, equals, value = typed.partition("=")
    if equals and flag in options_of(at):
        found = _values(options_of(at)[flag], at, words)
        return [f"{flag}={each}" for each in _matching(found, value)]
    if known and (option := _waiting(known[-1].option, before, at)) is not None:
        found = _values(option, at, words)
        if found or not typed.startswith("-"):
            return _of_a_list(option, found, typed)
    if typed.startswith("-"):
        return _matching([each for each in options_of(at) if each.startswith("--")], typed)
    place = sum(
        word.option is None and word.parser is at and not word.text.startswith("-")
        for word in known
    )
    return _matching(_positional(at, place, parser, words), typed)


def _parser_at(parser: argparse.ArgumentParser, before: Sequence[str]) -> argparse.ArgumentParser:
    """The parser that reads what comes next."""
    at = parser
    for word in walk(parser, before):
        if word.parser is parser and word.option is None:
            at = subcommands(parser).get(word.text, at)
    return at


def _waiting(
    option: argparse.Action | None, before: Sequence[str], at: argparse.ArgumentParser
) -> argparse.Action | None:
    """The option whose value comes next, if one does."""
    if option is None or option.nargs == 0:
        return None
    last = before[-1]
    if last in options_of(at):
        return option
    return option if option.nargs in ("+", "*") and "=" not in last else None


def _of_a_list(option: argparse.Action, found: Sequence[str], typed: str) -> list[str]:
    """Values; of --models, which takes several with commas, the last one of them."""
    head, comma, tail = typed.rpartition(",")
    if option.dest != "models":
        return _matching(found, typed)
    taken = head.split(",") if comma else []
    left = [each for each in found if each not in taken]
    return [f"{head}{comma}{each}" for each in _matching(left, tail)]


def _values(
    option: argparse.Action, at: argparse.ArgumentParser, words: Sequence[str]
) -> list[str]:
    if option.choices is not None:
        return [str(choice) for choice in option.choices]
    if option.dest == "name":
        return searches(words)
    kind = _NAMED.get(option.dest)
    return [] if kind is None else _LISTS[kind](words)


def _positional(
    at: argparse.ArgumentParser,
    place: int,
    program: argparse.ArgumentParser,
    words: Sequence[str],
) -> list[str]:
    if at is program:
        return list(subcommands(program))
    positions = [
        action
        for action in at._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]
    if not positions:
        return []
    action = positions[min(place, len(positions) - 1)]
    if place >= len(positions) and action.nargs not in ("*", "+"):
        return []
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    command = at.prog.rpartition(" ")[2]
    kind = _POSITIONS.get((command, action.dest), "searches" if action.dest == "name" else None)
    return [] if kind is None else _LISTS[kind](words)


def searches(words: Sequence[str]) -> list[str]:
    """The names of the searches in the folder that the words or the environment name."""
    given = None
    for position, word in enumerate(words):
        if word.startswith("--dir="):
            given = word.partition("=")[2]
        elif word == "--dir" and position + 1 < len(words):
            given = words[position + 1]
    folder = Path(given or os.environ.get("L2P_SEARCH_DIR") or "searches").expanduser()
    try:
        return [path.parent.name for path in folder.glob("*/journal.log")]
    except OSError:
        return []


def _datasets(words: Sequence[str]) -> list[str]:
    from l2p_search.data.catalogue import DATASETS

    return list(DATASETS)


def _spaces(words: Sequence[str]) -> list[str]:
    from l2p_search.searching.space.shipped import shipped_spaces

    return list(shipped_spaces())


def _models(words: Sequence[str]) -> list[str]:
    from l2p_search.searching.space.shipped import models_of_spaces

    return list(models_of_spaces().values())


_LISTS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "datasets": _datasets,
    "spaces": _spaces,
    "models": _models,
    "searches": searches,
}


def _matching(found: Sequence[str], typed: str) -> list[str]:
    return sorted({each for each in found if each.startswith(typed)})
