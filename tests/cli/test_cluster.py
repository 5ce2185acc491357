"""The search on a cluster that loses a machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Cli, scores, wait_until

_NODES = Path(__file__).with_name("two_nodes.py")


@pytest.fixture
def two_nodes() -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, str(_NODES)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
    )
    yield process
    if process.poll() is None:
        process.communicate("\n\n", timeout=60)


@pytest.mark.slow
def test_a_search_on_two_nodes_survives_the_loss_of_the_second(
    tmp_path: Path, two_nodes: "subprocess.Popen[str]"
) -> None:
    assert two_nodes.stdout is not None
    assert two_nodes.stdin is not None
    address = two_nodes.stdout.readline().strip()
    cli = Cli(tmp_path)
    options = ("--dataset", "demo", "--space", "space.yaml", "--trials", "16", "--confirm", "0")
    options += ("--no-tracking",)
    process = cli.start(*options, "--sampler", "random", "--name", "far", "--address", address)
    wait_until(lambda: cli.ended("far") >= 4, process)
    two_nodes.stdin.write("\n")
    two_nodes.stdin.flush()
    assert two_nodes.stdout.readline().strip() == "removed"
    _, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    trials = cli.trials("far")
    assert {trial["status"] for trial in trials} == {"complete"}, err
    assert len({trial["config_id"] for trial in trials}) == 16
    near = cli.run(*options, "--sampler", "random", "--name", "near")
    assert near.returncode == 0, near.stderr
    assert scores(trials) == scores(cli.trials("near"))


def test_an_address_where_no_cluster_is_gets_one_clear_line(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    found = cli.run(
        *("--dataset", "demo", "--space", "space.yaml", "--trials", "1"),
        *("--address", "127.0.0.1:1"),
    )
    assert found.returncode == 2
    assert "--address 127.0.0.1:1: no Ray cluster answers there" in found.stderr.splitlines()[-1]
