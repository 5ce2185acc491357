"""Running tasks on Ray Tune: one Tune trial is one task, and the pool decides everything.

Tune's searcher, scheduler and callback are three small adapters around the pool. The state that
Tune itself saves is never read: a search is resumed from its journal.
"""

import json
import logging
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import ray
import torch
from ray import tune
from ray.exceptions import RayError
from ray.tune import Callback
from ray.tune.experiment import Trial
from ray.tune.progress_reporter import ProgressReporter
from ray.tune.schedulers import FIFOScheduler, TrialScheduler
from ray.tune.search import Searcher

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, argument, either, first_line
from l2p_search.searching.running.cluster import Cluster, Resources
from l2p_search.searching.running.pool import Assignment, Pool
from l2p_search.searching.running.receiving import receive
from l2p_search.searching.running.worker import Train, run_task
from l2p_search.training.memory import keep_freed_memory

_log = logging.getLogger(__name__)


def tune_tasks(
    pool: Pool,
    graphs: Iterable[Graph],
    train: Train,
    cluster: Cluster,
    resources: Resources,
    *,
    tells_epochs: bool = False,
    beside: Callable[[], None] = lambda: None,
) -> None:
    """Run the pool's tasks until it is done or stopped.

    Args:
        pool: Hands out the tasks and takes their results.
        graphs: All graphs that its searches train on.
        train: Trains one configuration, in a worker.
        cluster: Where the workers run; Ray has been started.
        resources: CPUs and GPUs per worker.
        tells_epochs: Whether `train` takes `on_epoch`, as `fit` does.
        beside: Is called again and again, for a worker that is not Ray's.

    Raises:
        SearchError: Ray itself failed. What has ended is in the journals.
    """
    tasks: dict[str, Assignment] = {}
    kept = {graph.digest: ray.put(graph) for graph in graphs}
    trainable = tune.with_parameters(
        _trainable,
        graphs=kept,
        train=train,
        threads=resources.cpus_per_trial,
        tells_epochs=tells_epochs,
    )
    requested = {"cpu": resources.cpus_per_trial, "gpu": resources.gpus_per_trial or 0.0}
    tuner = tune.Tuner(
        tune.with_resources(trainable, requested),
        tune_config=tune.TuneConfig(
            search_alg=_Proposals(pool, tasks, beside),
            scheduler=_Reports(pool, tasks),
            num_samples=-1,  # until the pool is done
            reuse_actors=True,  # a worker imports torch once, not once per trial
            trial_dirname_creator=lambda trial: trial.trial_id,
        ),
        run_config=tune.RunConfig(
            name="tune",
            storage_path=str(cluster.scratch),
            verbose=0,
            progress_reporter=_Silent(),  # in a notebook Tune's own would clear the cell
            callbacks=[_LeaveWhenStopping(pool, tasks, beside)],
            failure_config=tune.FailureConfig(max_failures=0),  # the coordinator tries again
        ),
    )
    try:
        tuner.fit()
    except _Stopping:
        _log.info("stopping: running trials are given up")
    except (RayError, tune.TuneError) as error:
        _log.exception("Ray failed")
        raise SearchError(
            f"Ray failed ({first_line(error)}); what ended is kept: add"
            f" {argument('resume', True)} to continue, and see"
            f" {either('the log', '--log-file')} for more"
        ) from error


def _trainable(
    config: dict[str, Any],
    graphs: dict[str, "ray.ObjectRef[Graph]"],
    train: Train,
    threads: int,
    tells_epochs: bool,
) -> None:
    torch.set_num_threads(threads)
    keep_freed_memory()
    graph = _graph(graphs[config["graph"]])
    run_task(json.loads(config["task"]), graph, train, tune.report, tells_epochs=tells_epochs)


@lru_cache
def _graph(kept: "ray.ObjectRef[Graph]") -> Graph:
    """The graph, fetched once per worker, not once per trial."""
    graph: Graph = ray.get(kept)
    return graph


class _Silent(ProgressReporter):
    """Says nothing: what happens is told to the search's own display."""

    def setup(self, *args: Any, **options: Any) -> None:
        """Nothing."""

    def should_report(self, trials: list[Trial], done: bool = False) -> bool:
        """Never."""
        return False

    def report(self, *args: Any, **options: Any) -> None:
        """Nothing."""


class _Adapter:
    """What the three adapters share: the pool, and which task each Tune trial runs.

    Tune saves and copies its parts; of an adapter it gets nothing to save, and no copy.
    """

    def __init__(
        self,
        pool: Pool,
        tasks: dict[str, Assignment],
        beside: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self._pool, self._tasks, self._beside = pool, tasks, beside

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Adapter":
        return self


class _Proposals(_Adapter, Searcher):
    """Tune's searcher: asked for a configuration, it gives the pool's next task."""

    def suggest(self, trial_id: str) -> Any:
        self._beside()  # Tune asks here once a second while it has no trial, and makes no steps
        given = self._pool.next()
        if given is None:
            return Searcher.FINISHED if self._pool.done else None
        self._tasks[trial_id] = given
        return {"task": json.dumps(given.task.to_mapping()), "graph": given.graph}

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        # After an error the scheduler has already given the task back, with the reason.
        if not error:
            self._pool.release(self._tasks[trial_id])

    def save(self, checkpoint_path: str) -> None:
        """Nothing to save: the journal has it."""

    def restore(self, checkpoint_path: str) -> None:
        """Nothing to restore: the journal has it."""


class _Reports(_Adapter, FIFOScheduler):
    """Tune's scheduler: passes on a group of seeds or a lost worker, and the pool's decision."""

    def on_trial_result(self, controller: Any, trial: Trial, result: dict[str, Any]) -> str:
        goes_on = receive(self._pool, self._tasks[trial.trial_id], result)
        return TrialScheduler.CONTINUE if goes_on else TrialScheduler.STOP

    def on_trial_error(self, controller: Any, trial: Trial) -> None:
        given = self._tasks[trial.trial_id]
        error = Path(trial.error_file).read_text(encoding="utf-8") if trial.error_file else ""
        _log.error("trial %d lost its worker\n%s", given.task.number, error)
        self._pool.release(given, _why_lost(error))


class _LeaveWhenStopping(_Adapter, Callback):
    """Tune's callback: leaves its loop at once, as its own way of stopping waits for workers."""

    def on_step_end(self, iteration: int, trials: list[Trial], **info: Any) -> None:
        self._beside()
        if self._pool.stopping:
            raise _Stopping


class _Stopping(BaseException):
    """Leaves Tune's loop. Not an Exception, which Tune would catch."""


def _why_lost(error: str) -> str:
    """Why a worker was lost, in a few words, from Ray's error text."""
    if "low on memory" in error or "OutOfMemory" in error:
        return "its worker was killed for want of memory"
    if "actor died because its node" in error:
        return "its machine was lost"
    return "its worker died"
