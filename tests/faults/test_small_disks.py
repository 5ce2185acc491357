"""Disks that are full, and folders that may not be read: what every command does with them."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults import sweeping
from tests.faults.conftest import Tried
from tests.faults.sweeping import Place

pytestmark = pytest.mark.faults
_SIZES = ("4k", "16k", "50k", "200k", "1m", "2m")
_COMMANDS = {
    "export": "s --out {disk}/best.json",
    "export of a script": "s --format script --out {disk}/best.py",
    "report": "s --out {disk}/report.html",
    "publish": "--searches s --out {disk}/paper",
    "profiles": "--no-tracking --out {disk}/figures",
    "train": "--dataset demo --set epochs=1 hidden=64 --seeds 4 --save {disk}/m --out {disk}/t",
    "predict": "{model} --dataset demo --out {disk}/predicted.csv",
    "node": "s --node 0 --no-tracking --out {disk}/node",
    "sync": "s --tracking-uri sqlite:///{disk}/runs.db",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return sweeping.recorded(tmp_path_factory.mktemp("disks"))


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_disk_without_room_is_one_line_and_nothing_half_written(
    command: str, place: Place, mounted: Callable[[str], Path], tried: Tried
) -> None:
    tried("machine", "full disk of some size under what a command writes", len(_SIZES))
    full = 0
    for size in _SIZES:
        disk = mounted(f"size={size}")
        words = _COMMANDS[command].replace("{disk}", str(disk)).split()
        problem, said = sweeping.run([command.split()[0], *words], place, elsewhere=disk)
        assert problem == "", f"{size}: {said}"
        full += "error: " in said
        assert [path for path in disk.rglob(".*") if path.is_file()] == [], size
    assert full or command == "export"  # a config is smaller than the smallest disk


_FORBIDDEN = {
    "the folder of searches": ("searches", "status", "trials s", "export s", "report s"),
    "one search among others": (
        "searches/s",
        *(
            "status",
            "export --all --out all",
            "report --all --out r.html",
            "trials s",
            "export s",
            "report s",
            "sync s",
        ),
        *("--resume --name s", "compare s:0 s:1", "reproduce s:0", "publish --searches s --out p"),
    ),
    "a journal": ("searches/s/journal.log", "trials s", "export s", "reproduce s"),
    "a model folder": ("searches/s/model", "predict searches/s/model --dataset demo"),
    "MLflow's database": ("mlflow/mlflow.db", "sync s", "ui --no-browser"),
    "MLflow's folder": ("mlflow", "sync s", "ui --no-browser"),
    "a graph file": ("graph.npz", "inspect graph.npz", "train --dataset graph.npz"),
}


@pytest.fixture
def somebody_else() -> list[str]:
    """The words that run a command as a user whom permissions hold back."""
    if os.geteuid() != 0:
        return []
    if os.system("setpriv --version > /dev/null 2>&1") != 0:
        pytest.skip("root may read everything, and no setpriv is here to be somebody else")
    words = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--reuid=65534"]
    return [*words, "--regid=65534", "--clear-groups"]


@pytest.mark.parametrize("what", _FORBIDDEN)
def test_what_may_not_be_read_is_one_line(
    what: str, somebody_else: list[str], tried: Tried
) -> None:
    path, *commands = _FORBIDDEN[what]
    tried("machine", "permissions 000", len(commands))
    # Not in pytest's own folders, which it closes to all other users.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = sweeping.recorded(Path(folder) / "place")
        if what == "one search among others":
            shutil.copytree(place.work / "searches" / "s", place.work / "searches" / "other")
        (place.work / "graph.npz").write_bytes(b"x")
        if somebody_else:
            subprocess.run(["chown", "-R", "65534:65534", str(place.root)], check=True)
            writes = subprocess.run([*somebody_else, "test", "-w", str(place.work)])
            if writes.returncode != 0:
                pytest.skip(f"{folder}: no other user may come there")
        forbidden = place.work / path
        forbidden.chmod(0)
        try:
            for command in commands:
                _is_refused_in_a_line(command, place, somebody_else)
        finally:
            forbidden.chmod(0o700)


_OF_ALL = ("status", "export --all", "report --all")
"""Commands for every search of a folder: one that may not be read is a line beside the others."""


def _is_refused_in_a_line(command: str, place: Place, somebody_else: list[str]) -> None:
    found = subprocess.run(
        [*somebody_else, sys.executable, "-m", "l2p_search", *command.split()],
        cwd=place.work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "HOME": str(place.root), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    said = found.stdout + found.stderr
    assert "Traceback" not in said, f"{command}: {said}"
    assert "ermission denied" in said or "unable to open" in said, f"{command}: {said}"
    if command.startswith(_OF_ALL) and (place.work / "searches" / "other").exists():
        assert found.returncode == 0, f"{command}: {said}"
        assert command != "status" or "other: " in found.stdout, said
    else:
        assert found.returncode == 2, f"{command}: {said}"
