"""The command as it was called, so that what is printed works when it is pasted."""

import os
import re
import shlex
import shutil
import sys
from pathlib import Path

from l2p_search.errors import in_shell

PROGRAM = "l2p-search"
COMMANDS = frozenset(
    {
        *("answer", "compare", "completion", "datasets", "export", "inspect", "node", "paper"),
        *(
            "predict",
            "profiles",
            "publish",
            "report",
            "reproduce",
            "spaces",
            "status",
            "sync",
            "train",
        ),
        *("trials", "ui"),
    }
)
"""The commands by name: any other word behind the program's name is part of a sentence."""
_WRITTEN = re.compile(rf"(?<![\w/.-]){PROGRAM} (?=--?[a-z]|[a-z]+\b)")
"""Where a text names the program with a flag or a word behind it, and is no sentence about it."""


def called() -> str:
    """How this process was called, without its arguments.

    Returns:
        "l2p-search" where a shell finds that one; else its path, relative to the current folder
        where it is inside, or "python -m l2p_search" with the Python that runs this.
    """
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        python = Path(sys.executable)
        return f"{_word(python, ('python', 'python3'))} -m l2p_search"
    if program.name != PROGRAM:
        return PROGRAM
    return _word(program, (PROGRAM,))


def as_called(text: str) -> str:
    """A text whose commands begin as this process was called.

    Args:
        text: It names commands as "l2p-search status" or "l2p-search --resume".

    Returns:
        The same text, where `l2p-search` alone would not be found by a shell.
    """
    program = called()
    if program == PROGRAM:
        return text

    def replaced(found: re.Match[str]) -> str:
        behind = re.match(r"[a-z]+", text[found.end() :])
        if behind is not None and behind[0] not in COMMANDS:
            return found[0]
        return f"{program} "

    return _WRITTEN.sub(replaced, text)


def in_words(message: str) -> str:
    """A message as a reader of this terminal reads it: flags, and commands as this one was."""
    return as_called(in_shell(message))


def _word(program: Path, names: tuple[str, ...]) -> str:
    """The shortest word that a shell understands as this file."""
    for name in names:
        found = shutil.which(name)
        if found is not None and Path(found).absolute() == program.absolute():
            return name
    here = Path.cwd()
    absolute = Path(os.path.normpath(program.absolute()))
    if absolute.is_relative_to(here):
        inside = str(absolute.relative_to(here))
        return shlex.quote(inside if os.sep in inside else f".{os.sep}{inside}")
    return shlex.quote(str(absolute))
