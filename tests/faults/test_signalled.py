"""Ctrl-C, SIGTERM and a closed terminal in the middle of every command that takes a while."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import psutil
import pytest

from tests.cli.running import Cli, wait_until
from tests.faults import sweeping
from tests.faults.conftest import Tried

pytestmark = pytest.mark.faults
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_COMMANDS = {
    "train": "--dataset demo --seeds 400 --set K=64 --save model --out trained.json",
    "compare": "s:0 s:1 --train 2000",
    "reproduce": "s:0",
    "export": "s --format script --out best.py",
    "publish": "--searches s --out paper",
    "report": "s --out report.html",
    "profiles": "--out figures",
    "sync": "s --tracking-uri sqlite:///new.db",
    "ui": "s --no-browser",
}
_SEARCH = (
    "--dataset demo --space space.yaml --trials 4 --confirm 0 --concurrency 1"
    " --no-tracking --name s"
)
_SHARES = (0.3, 0.5, 0.8)
"""When a signal comes, as a share of a command's seconds: while it imports, while it works."""
_LONGEST = 4.0
"""Seconds after which it comes at the latest, as to a training or an interface."""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sweeping.recorded(tmp_path_factory.mktemp("signalled")).work


@pytest.fixture(scope="module")
def seconds(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], float]:
    """How long a command takes, up to a limit: measured once, as machines differ."""

    @cache
    def measured(command: str) -> float:
        folder = tmp_path_factory.mktemp(command) / "work"
        shutil.copytree(work, folder)
        started = time.monotonic()
        with _started(command, folder) as process:
            try:
                process.communicate(timeout=_LONGEST)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=120)
        return min(_LONGEST, time.monotonic() - started)

    return measured


def _hidden(folder: Path) -> set[str]:
    """Files that are written beside their places."""
    return {path.name for path in folder.rglob(".*") if path.name != ".mlflow"}


@pytest.mark.parametrize("number", _SIGNALS)
@pytest.mark.parametrize("command", _COMMANDS)
def test_a_command_ends_within_seconds_and_leaves_nothing_half_written(
    command: str,
    number: signal.Signals,
    work: Path,
    seconds: Callable[[str], float],
    tmp_path: Path,
    tried: Tried,
) -> None:
    tried("machine", f"{number.name} in the middle of a command", len(_SHARES))
    ended = 0
    for share in _SHARES:
        folder = tmp_path / str(share)
        shutil.copytree(work, folder)
        before = _hidden(folder)
        with _started(command, folder) as process:
            time.sleep(share * seconds(command))
            children = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(number)
            _, said = process.communicate(timeout=120)
        _, alive = psutil.wait_procs(children, timeout=60)
        assert [each.name() for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
        assert _hidden(folder) == before, "a file is left that was not whole"
        if process.returncode in (0, -number):  # it was just about to end by itself
            continue
        ended += 1
        assert process.returncode == 128 + number, said
        assert len(said.splitlines()) <= 2, said  # ui says that it starts
        assert said.splitlines()[-1].startswith("l2p-search: ")
    assert ended


def _started(command: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "l2p_search", command, *_COMMANDS[command].split()],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_search_under_nohup_outlives_its_terminal(tmp_path: Path, tried: Tried) -> None:
    tried("machine", "SIGHUP to a search under nohup")
    cli = Cli(tmp_path)
    process = subprocess.Popen(
        ["nohup", sys.executable, "-m", "l2p_search", *_SEARCH.split()],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: cli.ended("s") >= 1, process)
    process.send_signal(signal.SIGHUP)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert cli.ended("s") == 4
