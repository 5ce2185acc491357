"""Every argument of every command with values that nobody means: the cases, and one case run.

Commands and their arguments are read off the parser, so that a new one is tried by itself.

    python -m tests.faults.sweeping [COMMAND ..]     # all of their arguments with all values
"""

import argparse
import importlib
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from l2p_search.cli.main import build_parser, main
from l2p_search.cli.words import subcommands

LONGEST = 20
"""Seconds of computing after which a command that has nothing to train hangs."""
_PATIENCE = 10
"""Seconds by the clock for each of them: on a busy machine a command waits without computing."""

VALUES = (
    *("", " ", "-", "--", "x", "None", "~", "*", "%s%n", "$(id)", "'", '"', "<b>&", "\\", "?#%20"),
    *("0", "-1", "1.5", "1e300", "1e-300", "1e400", "nan", "-inf", "NaN", "0x10", "1_0", "٣"),
    *("9" * 30, "9" * 5000, "-" + "9" * 5000, "2147483648", "1000000000000"),
    *("a\nb", "a\x1b[31mb", "a\0b", "\udcff", "\u202e", "x" * 300, "x" * 100_000, "é" * 200),
    *(".", "..", "../..", "/", "a/b", "x/" * 3000, "/dev/null", "/dev/zero", "/proc/self/mem"),
    *("{pipe}", "{folder}", "{file}", "{missing}", "{unwritable}", "{loop}", "{yaml}"),
    *("s:", "s:99", "s:-1", ":0", "s:" + "9" * 5000, "K=", "=1", "K=1=2", "a,b", ",", "a,,b"),
    *("os:system", "pyg:", "ogb:", "http://me:hunter2@127.0.0.1:1", "http://[::1", "file:///"),
    *("http://192.0.2.1:9", "postgresql://me:hunter2@127.0.0.1:1/x", "sqlite:///{folder}"),
    *("sqlite://me:hunter2@/x", "nosuch://me:hunter2@host", "auto", "127.0.0.1:1", "ray://x:1"),
)
"""Braces name what `Place` makes."""

_GOOD = {
    **dict.fromkeys(("name", "search", "trial", "first", "searches"), "s"),
    **{"second": "s:1", "what": "table3", "graph": "demo", "dataset": "demo", "shell": "bash"},
    **{"model": "{model}", "out": "{out}", "node": "0", "action": "show"},
}
"""What an argument is given that a command cannot do without."""

_CHEAP = {
    "": ["--dataset", "demo", "--space", "smoke", "--dry-run"],
    "train": ["--set", "epochs=1", "patience=1", "hidden=2", "K=1", "--seeds", "1"],
    "node": ["s", "--seeds", "1", "--no-tracking"],
}
"""Less work than a command would do by itself."""


_IMPORTED = (
    *(f"l2p_search.api.{name}" for name in ("answering", "comparing", "exporting", "interface")),
    *(f"l2p_search.api.{name}" for name in ("overview", "predicting", "publishing", "recording")),
    *("l2p_search.api.reporting", "l2p_search.api.reproducing", "matplotlib.pyplot", "networkx"),
    *("mlflow.store.tracking.sqlalchemy_store", "optuna", "pandas", "pyarrow.csv"),
)


class Place:
    """A folder with a search in it, a model, and things that are not what they seem."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.work = root / "above" / "work"
        self.names = {
            "pipe": root / "pipe",
            "folder": root / "folder",
            "file": root / "file",
            "missing": root / "no" / "such" / "file",
            "unwritable": Path("/proc/nosuch"),
            "loop": root / "loop",
            "yaml": root / "bad.yaml",
            "model": self.work / "searches" / "s" / "model",
            "out": root / "out",
        }
        for folder in ("folder", "tmp", "cache", "above/work"):
            (root / folder).mkdir(parents=True)
        os.mkfifo(self.names["pipe"])
        self.names["file"].write_text("x")
        self.names["loop"].symlink_to("loop")
        self.names["yaml"].write_text("K: [1, {")

    def put(self, word: str) -> str:
        """A word with its braces filled."""
        for name, path in self.names.items():
            word = word.replace(f"{{{name}}}", str(path))
        return word


def recorded(root: Path) -> Place:
    """A place with a search of two trials, in MLflow too."""
    import l2p_search as l2p
    from l2p_search.training.fit import fit
    from tests.api.in_process import without_ray

    for module in _IMPORTED:  # once, instead of in every try
        importlib.import_module(module)
    place = Place(root)
    child = os.fork()  # a database that was opened here would be shared with every try
    if child == 0:
        code = 1
        try:
            os.chdir(place.work)
            without_ray(pytest.MonkeyPatch(), fit)
            l2p.search(
                "demo",
                space={"K": {"choices": [1, 2]}, "hidden": 4, "epochs": 3, "patience": 3},
                name="s",
                folder="searches",
                trials=2,
                seeds=2,
                confirm=2,
                display="off",
            )
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    return place


def sweep(command: str, place: Place, few: int | None = None) -> tuple[int, list[str]]:
    """Try a command's arguments, or a few of the cases.

    Returns:
        How many command lines were tried; and those that were neither taken nor refused by a
        line, each with what was wrong.
    """
    lines = list(cases(command, commands()[command]))
    if few is not None:
        lines = random.Random(command).sample(lines, min(few, len(lines)))
    wrong = []
    for words in lines:
        problem, said = run(words, place)
        if problem:
            wrong.append(f"{problem}: {[word[:60] for word in words]}: {said[-300:]}")
    return len(lines), wrong


def cases(command: str, parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Command lines in each of which one argument has a value that nobody means."""
    begin = [command] if command else []
    taking = [each for each in parser._actions if each.nargs != 0 and not _is_command(each)]
    for action in taking:
        others = [each for each in taking if each is not action]
        for value in VALUES:
            yield [*begin, *_good(command, others), *_with(action, value)]
        if action.nargs in ("+", "*"):
            yield [*begin, *_good(command, others), *_with(action, "x"), *["x"] * 3000]


def commands() -> dict[str, argparse.ArgumentParser]:
    """All commands by their names; the empty one searches."""
    parser = build_parser()
    return {"": parser, **subcommands(parser)}


def _is_command(action: argparse.Action) -> bool:
    return isinstance(action, argparse._SubParsersAction)


def _with(action: argparse.Action, value: str) -> list[str]:
    if not action.option_strings:
        return ["--", value] if value.startswith("-") else [value]
    name = action.option_strings[-1]
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _good(command: str, actions: Sequence[argparse.Action]) -> list[str]:
    """The arguments that a command needs; positional ones that follow stand in their order."""
    words = list(_CHEAP.get(command, []))
    given = {word for word in words if word.startswith("--")}
    for action in actions:
        if action.option_strings and action.required and action.option_strings[-1] not in given:
            words += [action.option_strings[-1], _GOOD[action.dest]]
    if command == "node":
        return words
    for action in actions:
        if not action.option_strings and action.nargs in (None, "?"):
            words.append(_GOOD[action.dest])
    return words


def run(words: Sequence[str], place: Place, elsewhere: Path = Path("/dev")) -> tuple[str, str]:
    """Run a command line in a process of its own, which may write into a folder elsewhere.

    Returns:
        What was wrong about how it ended, empty if nothing was; and what it said.
    """
    said = place.root / "said"
    child = os.fork()
    if child == 0:
        _in_child([place.put(word) for word in words], place, said, elsewhere)
    until = time.monotonic() + _PATIENCE * LONGEST
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return f"hangs for {_PATIENCE * LONGEST} s", said.read_text(errors="replace")
        time.sleep(0.002)
    return _judged(ended[1], said.read_text(errors="surrogateescape")), said.read_text(
        errors="replace"
    )


def _judged(ended: int, said: str) -> str:
    if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGXCPU:
        return f"hangs, computing for {LONGEST} s"
    if os.WIFSIGNALED(ended):
        return f"killed by signal {os.WTERMSIG(ended)}"
    code = os.WEXITSTATUS(ended)
    if "Traceback" in said or code not in (0, 1, 2):
        return f"exit code {code}"
    if "hunter2" in said:
        return "tells a password"
    lines = said.rstrip("\n").split("\n")
    if code == 2 and not lines[-1].startswith("l2p-search: error: "):
        return "refused without a line"
    if code == 2 and not (lines[-1].isprintable() and len(lines[-1]) < 3000):
        return "refused with a line that cannot be read"
    return ""


def _in_child(words: list[str], place: Place, said: Path, elsewhere: Path) -> NoReturn:
    """Everything here ends with the process."""
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 5))
        os.chdir(place.work)
        os.environ.update(TMPDIR=str(place.root / "tmp"), XDG_CACHE_HOME=str(place.root / "cache"))
        tempfile.tempdir = None
        out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(out, 2)
        sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace")
        _without_work()
        _only_writes_below((place.root, elsewhere), words)
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 70
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - the parent's tests must not go on in here
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _without_work() -> None:
    """What would start Ray or a server was accepted: it ends the process."""
    import l2p_search.api.conducting
    import l2p_search.api.interface
    import l2p_search.searching.running.run

    def accepted(*given: Any, **options: Any) -> NoReturn:
        os._exit(0)

    l2p_search.searching.running.run.run_jobs = accepted
    l2p_search.api.conducting.run_jobs = accepted
    l2p_search.api.interface.serve = accepted


def _only_writes_below(folders: Sequence[Path], words: Sequence[str]) -> None:
    """Says of a write elsewhere that it was one, and ends the process."""
    allowed = (*map(str, folders), "/dev", "/proc")

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            flags = args[2] if isinstance(args[2], int) else 0
            if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) or isinstance(args[0], int):
                return
        elif event not in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"):
            return
        try:
            path = os.path.abspath(os.fsdecode(args[0]))
        except (TypeError, ValueError):
            return
        if path.startswith(allowed):
            return
        if "/" in words:
            os._exit(0)  # it was accepted, and would be written where it was asked to
        os.write(2, f"\nTraceback: {event} {path!r}\n".encode(errors="replace"))
        os._exit(71)

    sys.addaudithook(audit)


def by_hand() -> None:
    """Sweep the commands that are named, or all, and print what was wrong."""
    with tempfile.TemporaryDirectory() as root:
        place = recorded(Path(root))
        for command in sys.argv[1:] or commands():
            tried, wrong = sweep("" if command == "search" else command, place)
            print(f"{command or 'search':12} {tried:6,} command lines, {len(wrong)} wrong")
            print("".join(f"    {each}\n" for each in wrong), end="", flush=True)


if __name__ == "__main__":
    by_hand()
