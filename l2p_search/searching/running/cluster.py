"""Ray, started quietly on this machine alone or joined at an address, and ended without a trace.

A program that has called `ray.init` itself keeps its Ray: trials run on it, and it is not ended.
"""

import gc
import io
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import psutil

from l2p_search import defaults
from l2p_search.errors import SearchError, argument, first_line
from l2p_search.guard import ending_with_us
from l2p_search.searching.running.alongside import alongside
from l2p_search.searching.running.nodes import refuse_other_nodes
from l2p_search.searching.running.ray_processes import sessions_of_their_own, watched
from l2p_search.searching.running.scratch import scratch_folder

_log = logging.getLogger(__name__)

_QUIET = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
}
_PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0"}
# Despite its name, this variable makes everything in Ray bind to the loopback address.
_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
_OURS = {
    "RAY_CHDIR_TO_TRIAL_DIR": "0",  # a trial starts 100 ms sooner
    "TUNE_DISABLE_SIGINT_HANDLER": "1",  # the caller handles Ctrl-C
    "TUNE_GLOBAL_CHECKPOINT_S": "86400",  # a search is resumed from its journal, not from this
    "TUNE_MAX_PENDING_TRIALS_PG": "1000",  # all workers start at once
    "TUNE_WARN_THRESHOLD_S": "60",
}
_PRELOADED = {"RAY_preload_python_modules": "torch,l2p_search.searching.running.tuner"}
"""What the workers of a Ray of our own import while they wait for their first trial."""
_WORKERS = 64
"""Workers that any machine may be asked for; each takes some 400 MB."""
_OBJECT_STORE = 256 * 2**20


@dataclass(frozen=True, kw_only=True)
class Resources:
    """What a user wants trials to run on.

    Args:
        concurrency: Trials at once; None for as many as the CPUs and GPUs allow.
        cpus_per_trial: Threads per trial.
        device: What a trial computes on: auto, cpu, cuda or mps; `placement.settled` decides.
        gpus_per_trial: GPUs reserved per trial; a fraction shares one. None leaves it to the
            device.
        address: Of a Ray cluster to join; None for the caller's Ray or one of our own.
        worker_log: Whether what workers print is passed on to the log.
    """

    concurrency: int | None = None
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL
    device: str = defaults.DEVICE
    gpus_per_trial: float | None = defaults.GPUS_PER_TRIAL
    address: str | None = None
    worker_log: bool = False


_kept: list[ExitStack] = []
"""What ends the Ray that several searches share, within `one_ray`."""


@dataclass(frozen=True)
class Cluster:
    """A running Ray.

    Args:
        concurrency: How many trials run at once.
        scratch: A folder for what Tune wants to write, removed at the end.
        head: The address of the head of a cluster that was joined; None for a Ray of our own.
    """

    concurrency: int
    scratch: Path
    head: str | None = None


@contextmanager
def ray_cluster(
    wanted: Resources,
    shared_bytes: int,
    meanwhile: Callable[[Callable[[], bool]], None] | None = None,
    on_lost: Callable[[str], None] = lambda name: None,
) -> Iterator[Cluster]:
    """Use the Ray at an address, the caller's own, or one that is started for this block.

    The variables that Ray is started with are restored. What Ray itself changes in this process
    is put back by `left_as_found` around the whole search: MLflow is still being written to when
    this block ends, with an environment and loggers of its own.

    Args:
        wanted: What the user asks for.
        shared_bytes: The size of what all workers read, the graphs, which Ray keeps once in
            shared memory.
        meanwhile: Is called while Ray starts in a thread, with what says whether it has started.
        on_lost: Is called with the name of a process of Ray that dies while Ray starts.

    Yields:
        The cluster. It is shut down at the end unless the caller started it, or further searches
        may need it: `one_ray`.

    Raises:
        SearchError: No Ray answers at the address, or not even one trial fits into the cluster.
    """
    ours = _QUIET | _PRIVATE | _OURS
    if wanted.address is None:
        ours |= _LOOPBACK | _PRELOADED
    with _environment(ours, without="RAY_ADDRESS" if wanted.address is None else None):
        started: list[int] = []

        def begin() -> None:
            import ray  # not before its environment is set

            with sessions_of_their_own() as groups:
                if wanted.address is not None:
                    _join(wanted.address, wanted)
                    refuse_other_nodes(wanted.address)
                elif not ray.is_initialized():
                    _start(wanted, own, scratch, shared_bytes)
            started.extend(groups)
            # It takes a while, too.
            import l2p_search.searching.running.tuner  # noqa: F401

        theirs = wanted.address is None and ray_runs()
        # Told before anything is trained.
        own = 0 if theirs or wanted.address is not None else _local_concurrency(wanted)
        with _output_to_log(), ExitStack() as until_the_end:
            # What workers print between two searches would get into what a command prints.
            keeps = not (theirs or wanted.address or wanted.worker_log) and bool(_kept)
            stack = _kept[-1] if keeps else until_the_end
            scratch = stack.enter_context(scratch_folder())
            if not theirs:
                stack.callback(_shut_down)
            with _own_signals(), watched(on_lost):
                stack.enter_context(alongside(begin, meanwhile))
            import ray

            stack.enter_context(ending_with_us(started))
            if not theirs:
                stack.callback(_shut_down)  # while the thread lives that has started it
            head = ray.get_runtime_context().gcs_address if wanted.address else None
            yield Cluster(_concurrency(wanted, ray.cluster_resources()), scratch, head)


@contextmanager
def _environment(ours: Mapping[str, str], *, without: str | None) -> Iterator[None]:
    """Set variables, and take one away; these and no others are put back."""
    keys = [*ours, *([] if without is None else [without])]
    before = {key: os.environ.get(key) for key in keys}
    os.environ.update(ours)
    if without is not None:
        os.environ.pop(without, None)
    try:
        yield
    finally:
        for key, value in before.items():
            os.environ.pop(key, None)
            if value is not None:
                os.environ[key] = value


@contextmanager
def one_ray() -> Iterator[None]:
    """Start Ray at most once within the block, however many searches run in it.

    The first search that needs a Ray of our own starts it; it is shut down after the block. With
    `Resources.worker_log` each search still starts its own.
    """
    with ExitStack() as kept:
        _kept.append(kept)
        try:
            yield
        finally:
            _kept.pop()
            with _output_to_log():
                kept.close()


def _shut_down() -> None:
    if ray_runs():
        with _no_garbage_collected():
            sys.modules["ray"].shutdown()


def ray_runs() -> bool:
    """Whether this process has started or joined a Ray."""
    ray = sys.modules.get("ray")
    return ray is not None and bool(ray.is_initialized())


@contextmanager
def _own_signals() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces by one that ends the process."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _no_garbage_collected() -> Iterator[None]:
    """Collect garbage now, and none within the block, in any thread.

    If one of Ray's handles is collected while Ray shuts down, Ray ends the whole process. Tune
    leaves many unreferenced handles behind, and a collection may start in any thread, such as
    the one that writes to MLflow.
    """
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _LogStream(io.TextIOBase):
    """A stream that logs what is written to it."""

    def write(self, text: str) -> int:
        """Log the text, unless it is blank."""
        if text.strip():
            _log.info("%s", text.rstrip())
        return len(text)


class _LogHandler(logging.Handler):
    """A handler that passes the records of another logger on to ours."""

    def emit(self, record: logging.LogRecord) -> None:
        """Pass one record on."""
        _log.handle(record)


@contextmanager
def _output_to_log() -> Iterator[None]:
    """Send everything that Ray and its workers print or log to our log."""
    theirs = logging.getLogger("ray")
    before = theirs.handlers, theirs.propagate
    theirs.handlers, theirs.propagate = [_LogHandler(logging.WARNING)], False
    try:
        with redirect_stdout(_LogStream()), redirect_stderr(_LogStream()):
            yield
    finally:
        theirs.handlers, theirs.propagate = before


def own_cpus() -> int:
    """How many CPUs this process may use."""
    return len(psutil.Process().cpu_affinity() or [0])


def _local_concurrency(wanted: Resources) -> int:
    """How many trials run at once on this machine; an error where so many cannot."""
    cpus = own_cpus()
    if wanted.cpus_per_trial > cpus:
        raise SearchError(
            f"{argument('cpus_per_trial', wanted.cpus_per_trial)}: this machine has {cpus} CPUs;"
            " give at most as many"
        )
    most = max(_WORKERS, 4 * cpus)
    if wanted.concurrency is not None and wanted.concurrency > most:
        raise SearchError(
            f"{argument('concurrency', wanted.concurrency)}: with {cpus} CPUs it must be at most"
            f" {most}"
        )
    return wanted.concurrency or max(1, cpus // wanted.cpus_per_trial)


def _start(wanted: Resources, concurrency: int, scratch: Path, shared_bytes: int) -> None:
    import ray

    try:
        ray.init(
            address="local",
            num_cpus=concurrency * wanted.cpus_per_trial,
            include_dashboard=False,
            object_store_memory=_OBJECT_STORE + 2 * shared_bytes,
            log_to_driver=wanted.worker_log,
            configure_logging=False,
            _node_ip_address="127.0.0.1",
            _temp_dir=str(scratch),
        )
    except Exception as error:
        _log.exception("Ray did not start")
        raise SearchError(
            f"Ray cannot be started here ({first_line(error)}); it needs memory, room in"
            f" {scratch.parent} and file descriptors (ulimit -n): free some, and try again"
        ) from error


def _join(address: str, wanted: Resources) -> None:
    import ray

    try:
        _knock(address)
        ray.init(address=address, log_to_driver=wanted.worker_log, configure_logging=False)
    except (OSError, RuntimeError, ValueError) as error:
        raise SearchError(
            f"{argument('address', address)}: no Ray cluster answers there"
            f" ({first_line(error)}); start one with `ray start --head`"
        ) from error


def _knock(address: str) -> None:
    """Try to connect first: where nobody listens, Ray itself waits for minutes."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", "")
        names = (process.info["name"] for process in psutil.process_iter(["name"]))
        if not address and "raylet" not in names:
            raise ConnectionError("no Ray runs on this machine")
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _concurrency(wanted: Resources, there: dict[str, float]) -> int:
    """How many trials run at once on these resources; an error when not even one can."""
    possible = int(there.get("CPU", 0)) // wanted.cpus_per_trial
    if wanted.gpus_per_trial:
        gpus = there.get("GPU", 0.0)
        if gpus < wanted.gpus_per_trial:
            raise SearchError(
                f"{argument('gpus_per_trial', wanted.gpus_per_trial)}: Ray has {gpus:g} GPUs;"
                f" give {argument('device', 'cpu')} alone to train on CPUs"
            )
        possible = min(possible, int(gpus / wanted.gpus_per_trial))
    if possible < 1:
        raise SearchError(
            f"{argument('cpus_per_trial', wanted.cpus_per_trial)}: the cluster has"
            f" {there.get('CPU', 0):g} CPUs; give a smaller number"
        )
    return min(possible, wanted.concurrency or possible)
