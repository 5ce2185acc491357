"""A network that fails: a machine that is slow to reach, one that is cut off for half a minute."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Cli, wait_until
from tests.faults.conftest import Tried
from tests.faults.namespaces import Machines

pytestmark = pytest.mark.faults
_SEARCH = (
    *("--dataset", "demo", "--space", "space.yaml", "--trials", "18", "--confirm", "0"),
    *("--sampler", "random", "--no-tracking", "--name", "s"),
)


@pytest.fixture
def machines() -> Iterator[Machines]:
    try:
        made = Machines(3)
    except OSError as error:
        pytest.skip(f"no network namespaces here ({error})")
    try:
        made.start_ray()
        yield made
    finally:
        made.remove()


def test_a_slow_machine_and_a_partition_of_30_seconds_lose_no_trial(
    machines: Machines, tmp_path: Path, tried: Tried
) -> None:
    cli = Cli(tmp_path)
    process = subprocess.Popen(
        machines.inside(
            *(0, sys.executable, "-m", "l2p_search", *_SEARCH, "--address", machines.address)
        ),
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: cli.ended("s") >= 3, process)
        tried("cluster", "three nodes, one cut off for 30 s while it trains")
        tried("cluster", "three nodes, one ten times slower than the others")
        machines.cut_off(2)
        with machines.slowed_down(1):
            time.sleep(30)
            machines.plug_in(2)
            _, said = process.communicate(timeout=400)
    finally:
        process.kill()
    assert process.returncode == 0, said
    assert "Traceback" not in said
    trials = cli.trials("s")
    assert sorted(trial["number"] for trial in trials) == list(range(18))
    assert {trial["status"] for trial in trials} == {"complete"}
    again = cli.run("reproduce", f"s:{trials[0]['number']}")
    assert again.returncode == 0, again.stdout
