"""Files as an enemy would write them, for every reader that takes a file from a user.

    python -m tests.faults.fuzzing space --seconds 120     # or: config, journal, graph, model, all

Starts from good files, changes bytes, or values within JSON, and reads the result. Each file has
to be understood or refused with one line; a reader that raises anything else, takes longer than a
file of this size can take, opens a pickle, or writes outside the folder it was given has failed.
With `--coverage`, atheris (from PyPI, no dependency of ours) steers the changes by what is run.
On a busy machine CPU seconds may take minutes: it ends by the clock, too, and a signal ends it
with the counts so far.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from l2p_search.errors import UserError
from tests.faults.fuzz_targets import Target, targets

LONGEST = 20
"""Seconds after which a file of some kilobytes hangs a reader."""
_PATIENCE = 3
"""Ends after so many seconds by the clock for each second of CPU time that it was given."""
_LARGEST = 200_000
_VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        10**400,
        0.5,
        -0.0,
        1e308,
        "",
        "a",
        "\x00",
        "../x",
    ),
    *("l2p", "\ud800", "9" * 5000, [], {}, [[]], [None], {"": None}, [0] * 50, "NaN", "1e400"),
)


class _Deadline:
    """Whether the time is over: the process has computed for so long, or the clock says so."""

    def __init__(self, seconds: float) -> None:
        self._cpu = time.process_time() + seconds
        self._clock = time.monotonic() + _PATIENCE * seconds

    @property
    def over(self) -> bool:
        return time.process_time() > self._cpu or time.monotonic() > self._clock


class EscapedError(AssertionError):
    """A reader did what no reader may."""


def check(target: Target, content: bytes, folder: Path) -> bool:
    """Read one file in a fresh folder.

    Returns:
        Whether it was understood; False when it was refused with a line.

    Raises:
        EscapedError: It wrote elsewhere, opened a pickle, or said more than a line.
        Exception: What the reader raised.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with _watched(folder), _limited():
        try:
            target.read(content, folder)
        except UserError as error:
            unshown = ("Cc", "Cs", "Zl", "Zp")
            if any(unicodedata.category(letter) in unshown for letter in str(error)):
                raise EscapedError(f"not one line: {str(error)!r}") from error
            return False
    return True


def changed(content: bytes, chance: random.Random) -> bytes:
    """The file with some bytes, or a value within a line of JSON, put in others' place."""
    if chance.random() < 0.5 and (found := _changed_json(content, chance)) is not None:
        return found
    letters = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        place = chance.randint(0, len(letters))
        new = chance.choice([b"", chance.randbytes(chance.randint(1, 4)), b"\n", b"0", b"-", b","])
        if chance.random() < 0.2:
            start = chance.randint(0, len(letters))
            new = bytes(letters[start : start + chance.randint(1, 64)])
        letters[place : place + chance.choice([0, 1, 1, 2, 16])] = new
    return bytes(letters[:_LARGEST])


def _changed_json(content: bytes, chance: random.Random) -> bytes | None:
    lines = content.splitlines(keepends=True) or [b""]
    places = [0] if content[:1] == b"{" and len(lines) < 2 else [*range(len(lines))]
    whole = chance.random() < 0.5
    place = chance.choice(places)
    try:
        value = json.loads(content if whole else lines[place])
    except ValueError:
        return None
    holder: Any = [value]
    root, key = holder, 0
    while isinstance(holder[key], list | dict) and holder[key] and chance.random() < 0.85:
        holder = holder[key]
        key = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    if isinstance(holder, dict) and chance.random() < 0.2:
        holder[chance.choice(["x", "format", ""])] = holder.pop(key)
    else:
        holder[key] = chance.choice(_VALUES)
    text = json.dumps(root[0]).encode()
    return text if whole else b"".join([*lines[:place], text + b"\n", *lines[place + 1 :]])


_ALLOWED: list[Path] = []


def _audit(event: str, args: tuple[Any, ...]) -> None:
    """Raises at the forbidden act itself, so that the traceback shows who did it."""
    if not _ALLOWED:
        return
    if event in ("pickle.find_class", "os.system", "subprocess.Popen", "socket.connect"):
        raise EscapedError(f"{event}{args}")
    if event == "open":
        writes = isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        inside = isinstance(args[0], str | bytes) and os.fsdecode(args[0]).startswith(
            tuple(map(str, _ALLOWED))
        )
        if writes and not inside and not isinstance(args[0], int):
            raise EscapedError(f"writes {args[0]!r}")


@contextmanager
def _watched(folder: Path) -> Iterator[None]:
    if not getattr(sys, "_l2p_fuzzed", False):
        sys.addaudithook(_audit)
        sys._l2p_fuzzed = True  # type: ignore[attr-defined]
    _ALLOWED[:] = [folder, Path(tempfile.gettempdir()), Path("/dev/null")]
    try:
        yield
    finally:
        _ALLOWED.clear()


@contextmanager
def _limited() -> Iterator[None]:
    def late(number: int, frame: object) -> None:
        raise TimeoutError(f"no answer after {LONGEST} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fuzz(
    name: str, seconds: float, seed: int = 0
) -> tuple[int, int, dict[str, tuple[str, bytes]]]:
    """Change and read files for some seconds of CPU time.

    Returns:
        How many were read; how many of them were understood; and for each place in the package
        where a reader failed, what it said and a file that did it.
    """
    target, chance = targets()[name](), random.Random(seed)
    pool, failures, understood, tried = list(target.seeds), {}, 0, 0
    deadline = _Deadline(seconds)
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if Path("/dev/shm").is_dir() else None
    ) as made:
        while not deadline.over:
            content = changed(chance.choice(pool), chance)
            tried += 1
            try:
                good = check(target, content, Path(made) / "f")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
                place, said = _place(error)
                failures.setdefault(place, (said, content))
                continue
            understood += good
            if good and len(pool) < 200:
                pool.append(content)  # changes of changes go deeper
    return tried, understood, failures


def fuzz_by_coverage(name: str, seconds: float, seed: int) -> None:
    """The same, steered by atheris; it ends the process, after what failed was printed."""
    import atheris

    with atheris.instrument_imports(include=["l2p_search"]):
        target = targets()[name]()
        check(target, target.seeds[0], Path(tempfile.gettempdir()) / "l2p-fuzz-first")
    found: dict[str, tuple[str, bytes]] = {}
    counts = {"tried": 0, "understood": 0}
    made = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    corpus = made / "corpus"
    corpus.mkdir()
    for number, content in enumerate(target.seeds):
        (corpus / str(number)).write_bytes(content)

    def one(content: bytes) -> None:
        counts["tried"] += 1
        try:
            counts["understood"] += check(target, content, made / "f")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
            place, said = _place(error)
            found.setdefault(place, (said, content))
        if deadline.over:
            end()

    def end(*signalled: object) -> None:
        _print(name, counts["tried"], counts["understood"], found)
        shutil.rmtree(made, ignore_errors=True)
        os._exit(0)  # libFuzzer has no other way to end, and would call this a crash

    def mutated(content: bytes, most: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(content, most))
        return changed(content, chance)[:most]

    limits = [f"-seed={seed + 1}", f"-max_len={_LARGEST}", "-rss_limit_mb=4000", "-verbosity=0"]
    limits += [f"-artifact_prefix={made}/"]  # files that it finds slow, on a busy machine any
    limits += ["-handle_term=0", "-handle_int=0"]  # libFuzzer's handlers would end it uncounted
    atheris.Setup([sys.argv[0], *limits, str(corpus)], one, custom_mutator=mutated)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    deadline = _Deadline(seconds)
    atheris.Fuzz()


def _place(error: BaseException) -> tuple[str, str]:
    """Where within the package an exception came from; and what it says."""
    found, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if "l2p_search/" in code.co_filename:
            found = f"{code.co_filename.rpartition('l2p_search/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{found} {type(error).__name__}", str(error)[:150]


def main() -> None:
    """Fuzz, print what failed, and keep the files that did it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", choices=[*targets(), "all"])
    parser.add_argument("--seconds", type=float, default=60.0, help="of CPU time, for each")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for the files that failed")
    parser.add_argument("--coverage", action="store_true", help="steered by atheris")
    args = parser.parse_args()
    for name in targets() if args.name == "all" else [args.name]:
        if args.coverage:
            fuzz_by_coverage(name, args.seconds, args.seed)
        tried, understood, failures = fuzz(name, args.seconds, args.seed)
        _print(name, tried, understood, failures)
        for number, (_, content) in enumerate(failures.values()):
            if args.keep is not None:
                args.keep.mkdir(parents=True, exist_ok=True)
                (args.keep / f"{name}-{args.seed}-{number}").write_bytes(content)


def _print(name: str, tried: int, understood: int, failures: dict[str, tuple[str, bytes]]) -> None:
    print(f"{name:8} {tried:8,} files, {understood:8,} understood, {len(failures)} failures")
    for place, (said, _) in failures.items():
        print(f"    {place}: {said}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
