"""A tracking server that dies in the middle of a search, for real."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from l2p_search.tracking.store import Store
from tests.cli.running import Cli, wait_until
from tests.tracking.serving import contents, free_port, wait_for_server


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[Callable[[int], "subprocess.Popen[bytes]"]]:
    """Starts `mlflow server` on a port, always on the same database."""
    started: list[subprocess.Popen[bytes]] = []

    def start(port: int) -> "subprocess.Popen[bytes]":
        where = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
        kept = ["--backend-store-uri", f"sqlite:///{tmp_path}/server.db"]
        kept += ["--artifacts-destination", str(tmp_path / "served")]
        process = subprocess.Popen(
            [sys.executable, "-m", "mlflow", "server", *where, *kept],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started.append(process)
        wait_for_server(f"http://127.0.0.1:{port}")
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.slow
def test_a_server_that_dies_costs_a_search_nothing(
    tmp_path: Path, start_server: Callable[[int], "subprocess.Popen[bytes]"]
) -> None:
    cli, port = Cli(tmp_path), free_port()
    store = Store(f"http://127.0.0.1:{port}")
    server = start_server(port)
    search = cli.start(
        *("--dataset", "demo", "--space", "space.yaml", "--name", "s", "--trials", "12"),
        *("--confirm", "2", "--tracking-uri", store.uri),
    )
    wait_until(lambda: list((tmp_path / "served").rglob("profile.svg")) != [], search)
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    out, err = search.communicate(timeout=300)
    assert search.returncode == 0, err
    assert "CONFIRMED TEST ACCURACY" in out
    assert "MLflow is behind" in err
    assert " -m l2p_search sync s" in err
    assert {trial["status"] for trial in cli.trials("s")} == {"complete"}
    assert cli.ended("s") >= 12

    start_server(port)
    assert cli.run("sync", "--tracking-uri", store.uri).returncode == 0
    whole = Store(f"sqlite:///{tmp_path}/whole.db", tmp_path / "whole")
    assert cli.run("sync", "--tracking-uri", whole.uri).returncode == 0
    assert contents(store) == contents(whole)
