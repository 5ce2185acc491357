"""MLflow's database while it is made: killed, and without room on the disk."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.store import URI_VARIABLE, find_store
from tests.faults.conftest import Tried

pytestmark = pytest.mark.faults

_MAKE = """
import mlflow
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.store import find_store
print("ready", flush=True)
store = find_store(None)
with explained(store):
    store.prepare()
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(URI_VARIABLE, raising=False)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 600 kB, with less room than the database needs."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.system(f"mount -t tmpfs -o size=600k tmpfs {folder} 2>/dev/null") != 0:
        pytest.skip("a small tmpfs cannot be mounted here (it takes root)")
    yield folder
    os.system(f"umount --lazy {folder}")  # the test may still be in it


def _use() -> None:
    store = find_store(None)
    with explained(store):
        assert MlflowTracker(store).views(1) == {}


def _make() -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", _MAKE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_a_kill_while_the_database_is_made_leaves_a_store_that_works(
    tmp_path: Path, tried: Tried
) -> None:
    tried("machine", "kill -9 while MLflow's database is made", times=6)
    cut = 0
    for number in range(6):
        folder = tmp_path / str(number)
        folder.mkdir()
        os.chdir(folder)
        process = _make()
        assert process.stdout is not None
        process.stdout.readline()
        beside = f".mlflow.db.{process.pid}.tmp"
        while process.poll() is None and not (folder / "mlflow" / beside).exists():
            time.sleep(0.005)
        time.sleep(0.2 * number)
        process.kill()
        process.communicate()
        cut += not (folder / "mlflow" / "mlflow.db").exists()
        _use()
        assert [p.name for p in (folder / "mlflow").glob("*.db*")] == ["mlflow.db"]
    assert cut >= 3  # otherwise the kills came too late to try anything


def test_a_full_disk_while_the_database_is_made_leaves_a_store_that_works_later(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    tried("machine", "full disk while MLflow's database is made")
    monkeypatch.chdir(small_disk)
    process = _make()
    _, err = process.communicate()
    assert process.returncode == 1
    assert "UserError: sqlite:///" in err.splitlines()[-1]
    assert list((small_disk / "mlflow").glob("**/*.db*")) == []
    os.system(f"mount -o remount,size=10m {small_disk}")
    _use()
