"""Parser: a word that is wrong gets one line with the nearest that is right, and exit code 2."""

import argparse
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from l2p_search.cli.invocation import called, in_words
from l2p_search.cli.signals import on_screen
from l2p_search.errors import UserError, cut, one_line

_NEAR = 0.6
_LONGEST = 60
_INSTEAD = {
    "search": "searching needs no command: l2p-search --dataset demo --trials 10",
    "help": "did you mean l2p-search --help?",
    "version": "did you mean l2p-search --version?",
    "run": "searching needs no command: l2p-search --dataset demo --trials 10",
}
"""What people type for what is no command -> what to type."""
_REQUIRED = re.compile(r"the following arguments are required: (.*)")
_TOO_MANY = re.compile(r"unrecognized arguments: (.*)", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, *given: Any, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        super().__init__(*given, **options)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and exit with 2; the usage is a screen of its own."""
        command = self.prog.partition(" ")[2]
        prefix = f"{command}: " if command else ""
        message = message.removeprefix("argument ")
        if found := _REQUIRED.match(message):
            message = f"{prefix}give {found[1]} too, as in: {self._example}"
        elif found := _TOO_MANY.match(message):
            see = f"l2p-search {command + ' ' if command else ''}--help"
            message = f"{prefix}'{cut(found[1].split()[0])}' is one word too many; see {see}"
        print_error(one_line(message))
        sys.exit(2)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """The value of an argument; argparse would make an empty list of `--dataset=--`."""
        if action.option_strings and arg_strings == ["--"]:
            raise argparse.ArgumentError(action, "'--' is no value")
        return super()._get_values(action, arg_strings)

    @property
    def _example(self) -> str:
        return (self.epilog or "").removeprefix("example: ") or f"{self.prog} --help"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices, and name the nearest."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        near = get_close_matches(str(value)[:_LONGEST].lower(), known, n=1, cutoff=_NEAR)
        remedy = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"
        raise argparse.ArgumentError(action, f"'{cut(str(value))}' is none of them; {remedy}")


@dataclass(frozen=True)
class Word:
    """A word of a command line, and what it is.

    Attributes:
        text: The word.
        parser: The parser that reads it.
        option: The option, where it is one's name or value; None for a positional argument.
        is_value: Whether it is an option's value.
        place: Which positional argument of its parser it is, counted from 0.
        literal: Whether it stands behind "--", where nothing is a flag.
    """

    text: str
    parser: argparse.ArgumentParser
    option: argparse.Action | None = None
    is_value: bool = False
    place: int = 0
    literal: bool = False


def print_error(message: str) -> None:
    """Print an error as one line, which a terminal that is narrower gets between words.

    Where a command is in it the terminal itself breaks it: what is copied there has no line ends.
    """
    said = in_words(message)
    line = f"l2p-search: error: {said}"
    print(line if f"{called()} " in said else on_screen(line, sys.stderr), file=sys.stderr)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of a parser by their names; none for a command's own parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The options of a parser by their names, such as "--trials" and "-v"."""
    return dict(parser._option_string_actions)


def walk(parser: argparse.ArgumentParser, words: Sequence[str]) -> Iterator[Word]:
    """Say of each word what it is, as the parser will read it, also of words that are wrong.

    Args:
        parser: That of the program.
        words: The command line without the program.

    Yields:
        The words. An unknown flag is a word without an option.
    """
    place = 0
    waits: argparse.Action | None = None
    room = 0
    for position, text in enumerate(words):
        if text == "--":
            for behind in words[position + 1 :]:
                yield Word(behind, parser, place=place, literal=True)
                place += 1
            return
        if waits is not None and room > 0 and not _is_flag(text, parser):
            room -= 1
            yield Word(text, parser, waits, is_value=True)
            continue
        waits, room = None, 0
        if _is_flag(text, parser):
            name, equals, _ = text.partition("=")
            option = options_of(parser).get(name)
            yield Word(text, parser, option)
            if option is not None and not equals:
                waits, room = option, _most(option)
            continue
        yield Word(text, parser, place=place)
        place += 1
        inner = subcommands(parser).get(text)
        if inner is not None:
            parser, place = inner, 0


def check_words(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse a flag or a command that does not exist.

    argparse would take the value behind an unknown flag for a command.

    Args:
        parser: That of the program.
        words: The command line without the program.

    Raises:
        UserError: There is one; the message has the nearest that exists.
    """
    commands = subcommands(parser)
    for word in walk(parser, words):
        if _is_flag(word.text, word.parser) and not (word.is_value or word.literal):
            if word.option is None:
                raise UserError(_unknown_flag(word, commands, options_of(parser)))
        elif word.option is None and word.parser is parser and word.text not in commands:
            raise UserError(_unknown_command(word.text, commands))
        elif word.option is None and word.parser is not parser:
            _check_place(word)


def _check_place(word: Word) -> None:
    """Refuse a word behind the last one that a command takes."""
    places = [each for each in word.parser._actions if not each.option_strings]
    if word.place >= len(places) and not any(each.nargs in ("*", "+") for each in places):
        command = word.parser.prog.partition(" ")[2]
        remedy = f"see l2p-search {command} --help"
        if "=" in word.text and "--set" in options_of(word.parser):
            remedy = f"did you mean --set {cut(word.text)}?"
        elif "--edges" in options_of(word.parser) and Path(word.text).suffix:
            remedy = "name the table of edges with --edges"
        elif "--dataset" in options_of(word.parser) and _is_a_graph(word.text):
            remedy = f"did you mean --dataset {cut(word.text)}?"
        raise UserError(f"{command}: '{cut(word.text)}' is one word too many; {remedy}")


def _unknown_flag(
    word: Word, commands: dict[str, argparse.ArgumentParser], of_a_search: Collection[str]
) -> str:
    name = word.text.partition("=")[0]
    command = next((key for key, each in commands.items() if each is word.parser), "")
    known = [flag for flag in options_of(word.parser) if flag.startswith("--")]
    near = [flag for flag in known if flag.startswith(name.lower()) and name.strip("-")]
    near = near or get_close_matches(name[:_LONGEST].lower(), known, n=1, cutoff=_NEAR)
    others = [key for key, each in commands.items() if name in options_of(each)]
    if command and name in of_a_search:
        others.insert(0, "a search (no command)")
    see = f"l2p-search {command + ' ' if command else ''}--help"
    if (key := _hyperparameter(name)) is not None:
        remedy = f"{key} is a hyperparameter: name its values in a space file (--space FILE)"
        if "--set" in options_of(word.parser):
            remedy = f"{key} is a hyperparameter: --set {key}=.."
    elif others:
        remedy = f"{' and '.join(others[:2])} {'have' if others[1:] else 'has'} it; see {see}"
    elif near:
        remedy = f"did you mean {near[0]}?"
    else:
        remedy = f"see {see}"
    where = f"{command} has no such option" if command else "there is no such option"
    return f"{cut(name)}: {where}; {remedy}"


def _hyperparameter(flag: str) -> str | None:
    """The hyperparameter that a flag is the name of, if it is one's."""
    from l2p_search.hyperparameters import Hyperparameters

    keys = {field.name.lower(): field.name for field in fields(Hyperparameters)}
    return keys.get(flag.removeprefix("--").replace("-", "_").lower())


def _unknown_command(text: str, commands: dict[str, argparse.ArgumentParser]) -> str:
    if text in _INSTEAD:
        return f"'{text}' is no command; {_INSTEAD[text]}"
    if _is_a_graph(text):
        command = f"l2p-search --dataset {shlex.quote(text)}"
        return f"'{cut(text)}' is no command; to search that graph: {command}"
    near = get_close_matches(text[:_LONGEST].lower(), commands, n=1, cutoff=_NEAR)
    remedy = f"did you mean {near[0]}?" if near else "see l2p-search --help"
    return f"'{cut(text)}' is no command; {remedy}"


def _is_a_graph(text: str) -> bool:
    """Whether a word in a command's place is a dataset's name, or a file that is there."""
    from l2p_search.data.catalogue import DATASETS

    try:
        return text.lower() in DATASETS or Path(text).is_file()
    except (OSError, ValueError):
        return False


def _is_flag(text: str, parser: argparse.ArgumentParser) -> bool:
    """Whether argparse reads a word as a flag: a lone dash and a negative number are values."""
    if not text.startswith("-") or text == "-":
        return False
    if text.partition("=")[0] in options_of(parser):
        return True
    return " " not in text and not re.fullmatch(r"-\d+|-\d*\.\d+", text)


def _most(option: argparse.Action) -> int:
    """How many values an option takes at the most."""
    if option.nargs is None or option.nargs == "?":
        return 1
    if isinstance(option.nargs, int):
        return option.nargs
    return sys.maxsize
