"""Running the command as a user does: in a process of its own."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SPACE = """
dropout: {choices: [0.1, 0.3, 0.5]}
lr: {choices: [0.01, 0.05]}
K: {choices: [1, 2, 4]}
epochs: 60
patience: 60
hidden: 8
seeds: 4
"""


class Cli:
    """`l2p-search` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        (folder / "space.yaml").write_text(SPACE)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "l2p_search", *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """End what a failed test has left running: the next tests would meet it."""
        for process in self._started:
            if process.returncode is None:
                process.kill()
                process.communicate()

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "l2p_search", *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def trials(self, name: str, *options: str) -> list[dict[str, Any]]:
        found = self.run("trials", name, "--json", *options)
        assert found.returncode == 0, found.stderr
        trials: list[dict[str, Any]] = json.loads(found.stdout)
        return trials

    def ended(self, name: str) -> int:
        """Trials whose result is in the journal; counted without a process."""
        return self._noted(name, "outcome")

    def proposed(self, name: str) -> int:
        """Trials that have begun, ended or not; counted likewise."""
        return self._noted(name, "proposal")

    def _noted(self, name: str, what: str) -> int:
        journal = self.folder / "searches" / name / "journal.log"
        return journal.read_text().count(f'"{what}"') if journal.exists() else 0


def wait_until(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Wait for something that a running process does."""
    for _ in range(3600):
        if condition():
            return
        if process.poll() is not None:
            raise AssertionError(f"ended early: {process.communicate()}")
        time.sleep(0.05)
    raise AssertionError("waited for three minutes")


def scores(trials: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    """What must be equal between a killed search and a whole one."""
    keys = ("number", "status", "config_id", "val_accuracy_mean", "val_accuracy_std", "seeds")
    return {tuple(trial[key] for key in keys) for trial in trials}
