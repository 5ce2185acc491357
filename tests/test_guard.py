import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from l2p_search.guard import ending_with_us, own_group

_PARENT = """
import subprocess, sys, time
from l2p_search.guard import ending_with_us
child = subprocess.Popen(["sleep", "300"], start_new_session=True)
with ending_with_us([child.pid]):
    print(child.pid, flush=True)
    time.sleep(300)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_is_killed_leaves_nothing_behind(number: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    assert os.getpgid(child.pid) == child.pid
    parent.send_signal(number)
    parent.communicate()
    psutil.wait_procs([child], timeout=30)
    assert not child.is_running()


def test_a_block_that_ends_kills_nobody_and_leaves_no_watcher() -> None:
    before = psutil.Process().children()
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    try:
        with ending_with_us([child.pid]):
            pass
        time.sleep(0.1)
        assert child.poll() is None
        assert {each.pid for each in psutil.Process().children()} == {
            *(each.pid for each in before),
            child.pid,
        }
    finally:
        child.kill()
        child.wait()


def test_a_child_leads_a_group_of_its_own(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid() == os.getpgid(0) == os.getsid(0))"],
        preexec_fn=own_group,
        capture_output=True,
        text=True,
    )
    assert shown.stdout == "True\n"
