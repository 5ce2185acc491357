"""A cluster that fails: a node is lost, the head is lost, a node has another version."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.running import Cli, scores, wait_until
from tests.faults.conftest import Tried

pytestmark = pytest.mark.faults
_NODES = Path(__file__).with_name("nodes.py")
_SEARCH = (
    *("--dataset", "demo", "--space", "space.yaml", "--trials", "12", "--confirm", "0"),
    *("--sampler", "random", "--no-tracking", "--name", "s"),
)
Nodes = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    started: list[subprocess.Popen[str]] = []

    def start(*paths: Path | str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, str(_NODES), *map(str, paths)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _address(cluster: "subprocess.Popen[str]") -> str:
    assert cluster.stdout is not None
    return cluster.stdout.readline().strip()


def _kill(cluster: "subprocess.Popen[str]", what: str) -> None:
    assert cluster.stdin is not None
    assert cluster.stdout is not None
    cluster.stdin.write(f"{what}\n")
    cluster.stdin.flush()
    assert cluster.stdout.readline().strip() == "killed"


def test_a_search_that_loses_a_node_ends_with_the_same_numbers(
    tmp_path: Path, nodes: Nodes, tried: Tried
) -> None:
    tried("cluster", "one of two nodes lost under a search")
    cli, cluster = Cli(tmp_path), nodes()
    process = cli.start(*_SEARCH, "--address", _address(cluster))
    wait_until(lambda: cli.ended("s") >= 4, process)
    _kill(cluster, "second")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    trials = cli.trials("s")
    assert {trial["status"] for trial in trials} == {"complete"}, said
    assert len({trial["config_id"] for trial in trials}) == 12
    near = cli.run(*_SEARCH, "--name", "near")
    assert near.returncode == 0, near.stderr
    assert scores(trials) == scores(cli.trials("near"))


def test_a_search_whose_head_is_lost_says_so_and_is_resumed_elsewhere(
    tmp_path: Path, nodes: Nodes, tried: Tried
) -> None:
    tried("cluster", "head lost under a search, then resumed elsewhere")
    cli, cluster = Cli(tmp_path), nodes()
    process = cli.start(*_SEARCH, "--address", _address(cluster))
    wait_until(lambda: cli.ended("s") >= 3, process)
    _kill(cluster, "head")
    _, said = process.communicate(timeout=300)
    assert process.returncode == 2, said
    assert "resume" in said.splitlines()[-1]
    kept = {score for score in scores(cli.trials("s")) if score[1] == "complete"}
    assert len(kept) >= 3
    found = cli.run("--resume", "--name", "s", "--no-tracking")
    assert found.returncode == 0, found.stderr
    assert kept <= scores(cli.trials("s"))
    assert {trial["status"] for trial in cli.trials("s")} == {"complete"}


_WITHOUT = """
import importlib.machinery, importlib.metadata
found, version = importlib.machinery.PathFinder.find_spec, importlib.metadata.version
def find_spec(name, *given):
    return None if name.partition(".")[0] == "l2p_search" else found(name, *given)
def version_of(name):
    if name == "l2p-search":
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.machinery.PathFinder.find_spec = find_spec
importlib.metadata.version = version_of
"""
"""Hides the package from a node of this machine, which has it."""


def test_a_node_without_l2p_search_is_refused_by_its_name(
    tmp_path: Path, nodes: Nodes, tried: Tried
) -> None:
    tried("cluster", "node without l2p-search")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text(_WITHOUT)
    cluster = nodes(tmp_path / "other", os.environ.get("PYTHONPATH", ""))
    found = Cli(tmp_path).run(*_SEARCH, "--address", _address(cluster))
    assert found.returncode == 2, found.stderr
    last = found.stderr.splitlines()[-1]
    assert "its node " in last
    assert "has no l2p-search; install the same there" in last
    assert "Traceback" not in found.stderr


def test_a_node_with_another_version_is_refused_by_its_name(
    tmp_path: Path, nodes: Nodes, tried: Tried
) -> None:
    tried("cluster", "node with another version of l2p-search")
    metadata = tmp_path / "other" / "l2p_search-9.9.9.dist-info" / "METADATA"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("Metadata-Version: 2.1\nName: l2p-search\nVersion: 9.9.9\n")
    cluster = nodes(tmp_path / "other", os.environ.get("PYTHONPATH", ""))
    cli = Cli(tmp_path)
    found = cli.run(*_SEARCH, "--address", _address(cluster))
    assert found.returncode == 2, found.stderr
    last = found.stderr.splitlines()[-1]
    assert "its node " in last
    assert "has l2p-search 9.9.9, this machine" in last
    assert "Traceback" not in found.stderr
