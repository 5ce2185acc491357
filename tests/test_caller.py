"""A program that calls the library does not notice it afterwards."""

import gc
import json
import logging
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from l2p_search.caller import left_as_found

_STATE = """
import gc, json, logging, os, random, signal, sys, threading, warnings
import numpy, optuna, torch

def state():
    loggers = [logging.root, *(logging.getLogger(n) for n in ("ray", "mlflow", "optuna", "mine"))]
    return {
        "environ": dict(os.environ),
        "streams": [id(sys.stdout), id(sys.stderr), id(sys.excepthook)],
        "logging": [(l.name, l.level, [id(h) for h in l.handlers], l.propagate) for l in loggers],
        "signals": {int(s): repr(signal.getsignal(s)) for s in signal.valid_signals()},
        "warnings": [repr(each) for each in warnings.filters],
        "gc": [gc.isenabled(), gc.get_threshold()],
        "optuna": optuna.logging.get_verbosity(),
        "threads": torch.get_num_threads(),
        "random": [repr(random.getstate())[:200], repr(numpy.random.get_state())[:200],
                   torch.get_rng_state().sum().item()],
        "folder": os.getcwd(),
        "alive": sorted(t.name for t in threading.enumerate() if not t.daemon),
    }

import mlflow, ray
logging.getLogger("mine").setLevel(17)
optuna.logging.set_verbosity(optuna.logging.WARNING)
torch.set_num_threads(2)
gc.disable()
signal.signal(signal.SIGTERM, lambda number, frame: None)
os.environ["MLFLOW_RUN_ID"] = "mine"
os.environ["RAY_DEDUP_LOGS"] = "1"
"""


def _run(program: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_search_leaves_the_process_as_it_found_it(tmp_path: Path) -> None:
    program = (
        _STATE
        + """
before = state()
import l2p_search as l2p
asked = dict(trials=3, space="smoke", seeds=2, confirm=2, display="off")
found = l2p.search("demo", name="first", **asked)
found.report("report.html")
l2p.search("demo", name="second", **asked)  # twice in one process
l2p.fit("demo", K=2, epochs=5, seeds=2)
try:
    l2p.search("demo", name="first", **asked)  # a call that raises
except l2p.UserError as error:
    print(error, file=sys.stderr)
after = state()
print(json.dumps([key for key in before if before[key] != after[key]]))
print(found.confirmed is not None, len(l2p.open_search("second").trials))
"""
    )
    found = _run(program, tmp_path)
    assert found.returncode == 0, found.stderr
    changed, said = found.stdout.splitlines()
    assert json.loads(changed) == []
    assert said == "True 3"
    assert "search 'first' exists, with 3 trials; add resume=True" in found.stderr


def test_mlflow_is_quiet_and_tells_nobody_until_a_search_has_written_its_end(
    tmp_path: Path,
) -> None:
    program = """
    import os
    import mlflow  # its loggers are there before the search
    import l2p_search as l2p
    from l2p_search.tracking.recorder import Recorder

    finish, seen = Recorder._finish, []

    def spied(self):
        seen.append(os.environ.get("MLFLOW_DISABLE_TELEMETRY"))
        return finish(self)

    Recorder._finish = spied
    l2p.search("demo", name="x", trials=2, space="smoke", seeds=2, confirm=2, display="off")
    print(seen, os.environ.get("MLFLOW_DISABLE_TELEMETRY"))
    """
    found = _run(program, tmp_path)
    assert found.stdout.strip() == "['true'] None", found.stderr
    assert found.stderr == ""


def test_it_searches_on_the_callers_own_ray_and_leaves_it_running(tmp_path: Path) -> None:
    program = """
    import ray
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    import l2p_search as l2p
    found = l2p.search("demo", trials=3, space="smoke", seeds=2, confirm=0, name="x",
                       display="off", tracking=False)
    print(ray.is_initialized(), len(found.trials))
    """
    found = _run(program, tmp_path)
    assert found.stdout.splitlines()[-1:] == ["True 3"], found.stderr


def test_it_searches_in_a_running_event_loop_and_in_another_thread(tmp_path: Path) -> None:
    program = """
    import asyncio, threading
    import l2p_search as l2p
    asked = dict(trials=2, space="smoke", seeds=2, confirm=0, display="off", tracking=False)
    async def main():
        return l2p.search("demo", name="loop", **asked)
    found = [asyncio.run(main())]
    thread = threading.Thread(target=lambda: found.append(l2p.search("demo", name="t", **asked)))
    thread.start(); thread.join()
    print([len(each.trials) for each in found])
    """
    found = _run(program, tmp_path)
    assert found.stdout.strip() == "[2, 2]", found.stderr


def test_an_interrupt_ends_a_search_in_good_order_and_it_can_be_resumed(tmp_path: Path) -> None:
    program = """
    import os, signal, threading
    import l2p_search as l2p

    class Display:
        ended = 0
        def note(self, text): pass
        def update(self, event, snapshot):
            self.ended += event.kind == "ended"
            if self.ended == 2:
                os.kill(os.getpid(), signal.SIGINT)

    asked = dict(trials=12, space="smoke", seeds=2, confirm=0, name="x", concurrency=1)
    try:
        l2p.search("demo", display=Display(), tracking=False, **asked)
    except KeyboardInterrupt:
        kept = l2p.open_search("x")
        print(2 <= len(kept.outcome.records) < 12, kept.running)
    print(len(l2p.open_search("x").resume(display="off", tracking=False).trials))
    """
    found = _run(program, tmp_path)
    assert found.stdout.splitlines() == ["True False", "12"], found.stderr


def test_what_a_block_changes_is_put_back_when_it_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "before")
    handler, logger = signal.getsignal(signal.SIGTERM), logging.getLogger("of.a.caller")
    draws = random.getstate(), torch.get_rng_state(), np.random.get_state()[1].tolist()
    filters = list(warnings.filters)

    @left_as_found()
    def change() -> None:
        os.environ["KEPT"] = "after"
        os.environ["ADDED"] = "1"
        sys.stdout = sys.__stderr__
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        logger.setLevel(3)
        logger.addHandler(logging.NullHandler())
        gc.disable()
        torch.set_num_threads(2)
        random.seed(1)
        torch.manual_seed(1)
        np.random.seed(1)
        warnings.simplefilter("ignore")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change()
    assert os.environ["KEPT"] == "before"
    assert "ADDED" not in os.environ
    assert sys.stdout is not sys.__stderr__
    assert signal.getsignal(signal.SIGTERM) is handler
    assert (logger.level, logger.handlers) == (0, [])
    assert gc.isenabled()
    assert torch.get_num_threads() == 1
    assert random.getstate() == draws[0]
    assert torch.equal(torch.get_rng_state(), draws[1])
    assert np.random.get_state()[1].tolist() == draws[2]
    assert warnings.filters == filters


def test_it_works_in_a_thread_that_may_set_no_signals() -> None:
    left: list[bool] = []

    def work() -> None:
        with left_as_found():
            os.environ["ADDED"] = "1"
        left.append("ADDED" in os.environ)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert left == [False]
