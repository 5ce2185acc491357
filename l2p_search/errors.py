"""What a user can cause, each error in one line with its remedy.

Everything that derives from `UserError` is shown as one line and ends a command with exit code 2.
Anything else is a bug and keeps its traceback.

A message speaks the caller's language: `argument("trials")` reads `trials` for a Python program
and `--trials` on the command line. Both forms travel in the message until somebody shows it.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from l2p_search.masking import masked

_OPEN, _BAR, _CLOSE = "\x02", "\x1f", "\x03"
"""Control characters around the two forms of a word; no user's text may hold them."""
_BOTH = re.compile(f"{_OPEN}([^{_BAR}]*){_BAR}([^{_CLOSE}]*){_CLOSE}")
_WITHOUT_MARKS = dict.fromkeys(map(ord, (_OPEN, _BAR, _CLOSE)))

_FLAGS = {
    "folder": "--dir",
    "memory_gb": "--memory",
    "source_column": "--source",
    "target_column": "--target",
    "graph": "--dataset",
}
"""Arguments whose flag has another name; all others are spelled alike."""
_LONGEST = 60
"""Characters of a value that a message shows."""
_LONGEST_LINE = 2000
_LONG_WORD = re.compile(f"[^\\s{_OPEN}{_BAR}{_CLOSE}]{{301,}}")
"""Longer than paths usually are: nobody reads it to its end."""
_CONTROL = re.compile(
    "[\x00-\x01\x04-\x1e\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What would end the line, turn it round or command a terminal; our three marks are not in it."""


class UserError(Exception):
    """A mistake in the input: the message names the input, what is wrong and what to do.

    `str(error)` names the library's arguments, `in_shell(error.message)` the flags.
    """

    def __init__(self, message: str) -> None:
        line = one_line(message)
        super().__init__(line)
        self.message = line

    def __str__(self) -> str:
        return in_python(self.message)


class ConfigError(UserError):
    """A configuration that cannot be trained."""


class DataError(UserError):
    """A graph, or one of its files, that cannot be used."""


class DeviceError(UserError):
    """A device that is none, or that this machine does not have."""


class ModelError(UserError):
    """A saved model that cannot be loaded or written, or that cannot do what is asked."""


class SearchError(UserError):
    """A search that cannot be started, continued or found."""


class SearchExistsError(SearchError):
    """A search of that name is recorded already, and nobody said to continue it.

    Attributes:
        finished: Whether it has all the trials that were asked for.
    """

    def __init__(self, message: str, *, finished: bool = False) -> None:
        super().__init__(message)
        self.finished = finished


class TrainingBugError(Exception):
    """Training raised what only a bug in l2p-search raises; it holds the worker's traceback.

    It is no `UserError`: nothing that a user changes would mend it, and every further trial would
    end the same way. The search stops; what has ended is kept, and can be resumed.
    """


def one_line(message: str) -> str:
    """A message that is one line whatever was put into it.

    Passwords are masked, control characters are as Python writes them, and the middle of a very
    long word or line is left out.

    Example:
        >>> one_line(f"{'two'}{chr(7)}, http://me:secret@host").isprintable()
        True
    """
    message = _LONG_WORD.sub(
        lambda word: f"{word[0][:_LONGEST]}..{word[0][-20:]}", masked(message)
    )
    if len(message) > _LONGEST_LINE:
        half = _LONGEST_LINE // 2
        message = f"{message[:half]} .. {message[-half:]}"
    return printable(message)


def printable(text: str) -> str:
    r"""A text that commands no terminal: control characters are as Python writes them.

    Example:
        >>> print(printable("no\x1b[31m\nde.csv"))
        no\x1b[31m\nde.csv
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def cut(text: str, most: int = _LONGEST) -> str:
    """What a user typed, as a message echoes it: of a long text the first characters.

    Example:
        >>> cut("demo-paper"), cut("a" * 2000, most=5)
        ('demo-paper', 'aaaaa..')
    """
    return text if len(text) <= most else f"{text[:most]}.."


def either(python: str, shell: str) -> str:
    """Words that read differently in a Python program and in a shell."""
    return f"{_OPEN}{python}{_BAR}{shell}{_CLOSE}"


def argument(name: str, value: object = None) -> str:
    """An argument by its name, such as `trials` or `--trials`; with a value as it is given.

    `argument("resume", True)` is `resume=True` or `--resume`, `argument("sampler", "tpe")` is
    `sampler='tpe'` or `--sampler tpe`.
    """
    flag = _FLAGS.get(name, "--" + name.replace("_", "-"))
    if value is None:
        return either(name, flag)
    if isinstance(value, Path):
        value = str(value)
    return either(f"{name}={shown(value)}", flag if value is True else f"{flag} {value}")


def shown(value: object) -> str:
    """A value as Python writes it, in one line; all but strings are cut where they are long.

    Example:
        >>> shown("a b"), shown([1] * 50)
        ("'a b'", '[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ..')
    """
    if isinstance(value, str):
        return repr(value)
    line = " ".join(repr(value).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 2]}.."


def first_line(error: BaseException) -> str:
    """What another library's error says, in one line; the name of its class if it says nothing.

    Passwords in addresses are masked.

    Example:
        >>> first_line(OSError("the disk is full")), first_line(TimeoutError())
        ('the disk is full', 'TimeoutError')
    """
    lines = str(error).strip().splitlines()
    return masked(lines[0]) if lines else type(error).__name__


def in_python(message: str) -> str:
    """The message as a Python program reads it."""
    return _BOTH.sub(r"\1", message).translate(_WITHOUT_MARKS)


def in_shell(message: str) -> str:
    """The message as a reader of a terminal reads it."""
    return _BOTH.sub(r"\2", message).translate(_WITHOUT_MARKS)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest known name as a remedy, or all of them when none is near."""
    names = sorted(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    near = get_close_matches(name[:_LONGEST].lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{lowered[near[0]]}'?"
    return f"choose one of {', '.join(names)}"
