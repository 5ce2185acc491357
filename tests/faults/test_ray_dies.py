"""Signals to the whole process group, and processes of Ray that die under a search."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.running import Cli, scores, wait_until
from tests.faults.conftest import Tried

pytestmark = pytest.mark.faults
_SEARCH = (
    *("--dataset", "demo", "--space", "space.yaml", "--trials", "12", "--confirm", "0"),
    *("--concurrency", "1", "--no-tracking", "--name", "s"),
)


class _Running:
    """A search in a process group of its own, which has ended two trials."""

    def __init__(self, folder: Path) -> None:
        self.cli = Cli(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "l2p_search", *_SEARCH],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_until(lambda: self.cli.ended("s") >= 2, self.process)
        self.children = psutil.Process(self.process.pid).children(recursive=True)

    def named(self, name: str) -> psutil.Process:
        """A process of Ray by how its name begins; the first trials do not wait for Ray."""

        def found() -> list[psutil.Process]:
            self.children = psutil.Process(self.process.pid).children(recursive=True)
            return [child for child in self.children if child.name().startswith(name)]

        wait_until(lambda: bool(found()), self.process)
        return found()[0]

    def end(self) -> str:
        """Wait for the end of all processes; what was said."""
        _, said = self.process.communicate(timeout=300)
        _, alive = psutil.wait_procs(self.children, timeout=30)
        left = [each.name() for each in alive if each.status() != psutil.STATUS_ZOMBIE]
        assert left == [], "left behind"
        return said


@pytest.fixture
def running(tmp_path: Path) -> Iterator[_Running]:
    found = _Running(tmp_path)
    yield found
    if found.process.poll() is None:
        found.process.kill()
        found.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_group_ends_the_search_in_good_order(
    number: signal.Signals, running: _Running, tried: Tried
) -> None:
    tried("machine", f"{number.name} to the process group of a search")
    os.killpg(running.process.pid, number)
    said = running.end()
    assert running.process.returncode == 128 + number
    assert " -m l2p_search --resume --name s" in said.splitlines()[-1]
    assert "Traceback" not in said
    found = running.cli.run("--resume", "--name", "s", "--trials", "6", "--no-tracking")
    assert found.returncode == 0, found.stderr
    assert len(scores(running.cli.trials("s"))) >= 6


@pytest.mark.parametrize("moment", ["as soon as it is there", "under its workers"])
@pytest.mark.parametrize("name", ["raylet", "gcs_server"])
def test_a_process_of_ray_that_dies_is_named_in_one_line(
    name: str, moment: str, running: _Running, tried: Tried
) -> None:
    tried("machine", f"Ray's {name} killed {moment}")
    kept = running.cli.ended("s")
    if moment == "under its workers":
        running.named("ray::")
    running.named(name).kill()
    said = running.end()
    assert running.process.returncode == 2
    assert f"error: Ray's process '{name}' died" in said.splitlines()[-1]
    assert "resume" in said.splitlines()[-1]
    assert running.cli.ended("s") >= kept


def test_a_search_that_is_killed_leaves_no_process(running: _Running, tried: Tried) -> None:
    tried("machine", "kill -9 of a search: processes left behind")
    running.process.kill()
    running.end()


def test_an_interface_that_is_killed_leaves_no_process(tmp_path: Path, tried: Tried) -> None:
    tried("machine", "kill -9 of the interface: processes left behind")
    cli = Cli(tmp_path)
    options = ("--space", "space.yaml", "--trials", "1", "--confirm", "0", "--seeds", "1")
    found = cli.run("--dataset", "demo", *options)
    assert found.returncode == 0, found.stderr
    process = cli.start("ui")
    assert process.stdout is not None
    assert "http://127.0.0.1:" in process.stdout.readline()
    server = psutil.Process(process.pid)
    wait_until(lambda: len(server.children(recursive=True)) >= 4, process)
    children = server.children(recursive=True)
    listening = {
        connection.laddr.ip
        for child in children
        for connection in child.net_connections()
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening <= {"127.0.0.1"}
    assert not any("mlflow.db" in part for child in children for part in child.cmdline())
    process.kill()
    process.communicate()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert [each.name() for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
