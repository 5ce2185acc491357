"""Ray Tune's side: one Tune trial is one task, and the coordinator decides everything.

Tune's searcher, scheduler and callback are three small adapters around the coordinator. What Tune
keeps of its own is thrown away: the journal is the truth.
"""

import json
import logging
from pathlib import Path
from typing import Any

import torch
from ray import tune
from ray.exceptions import RayError
from ray.tune import Callback
from ray.tune.experiment import Trial
from ray.tune.schedulers import FIFOScheduler, TrialScheduler
from ray.tune.search import Searcher

from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.results import TrialResult
from l2p_search.search.cluster import Cluster, Resources
from l2p_search.search.coordinator import Coordinator, Task
from l2p_search.search.worker import Train, run_task

_log = logging.getLogger(__name__)


def tune_tasks(
    coordinator: Coordinator, graph: Graph, train: Train, cluster: Cluster, resources: Resources
) -> None:
    """Run the coordinator's tasks until it is done or stopped."""
    tasks: dict[str, Task] = {}
    trainable = tune.with_parameters(
        _trainable, graph=graph, train=train, threads=resources.cpus_per_trial
    )
    requested = {"cpu": resources.cpus_per_trial, "gpu": resources.gpus_per_trial}
    tuner = tune.Tuner(
        tune.with_resources(trainable, requested),
        tune_config=tune.TuneConfig(
            search_alg=_Proposals(coordinator, tasks),
            scheduler=_Reports(coordinator, tasks),
            num_samples=-1,  # until the coordinator is done
            reuse_actors=True,  # a worker imports torch once, not once a trial
            trial_dirname_creator=lambda trial: trial.trial_id,
        ),
        run_config=tune.RunConfig(
            name="tune",
            storage_path=str(cluster.scratch),
            verbose=0,
            callbacks=[_LeaveWhenStopping(coordinator, tasks)],
            failure_config=tune.FailureConfig(max_failures=0),  # the coordinator tries again
        ),
    )
    try:
        tuner.fit()
    except _Stopping:
        _log.info("stopping: what runs is given up")
    except (RayError, tune.TuneError) as error:
        _log.exception("Ray failed")
        raise SearchError(
            f"Ray failed ({str(error).splitlines()[0]}); what ended is kept: add --resume to"
            " continue, and --log-file to see more"
        ) from error


def _trainable(config: dict[str, Any], graph: Graph, train: Train, threads: int) -> None:
    torch.set_num_threads(threads)
    run_task(json.loads(config["task"]), graph, train, tune.report)


class _Adapter:
    """Between Tune and the coordinator; left out where Tune saves itself, as nobody reads that."""

    def __init__(self, coordinator: Coordinator, tasks: dict[str, Task]) -> None:
        super().__init__()
        self._coordinator, self._tasks = coordinator, tasks

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Adapter":
        return self


class _Proposals(_Adapter, Searcher):
    """Tune asks for a configuration; the coordinator has a task."""

    def suggest(self, trial_id: str) -> Any:
        task = self._coordinator.next_task()
        if task is None:
            return Searcher.FINISHED if self._coordinator.done else None
        self._tasks[trial_id] = task
        return {"task": json.dumps(task.to_mapping())}

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        # After an error the scheduler has already given the task back, with the reason.
        if not error:
            self._coordinator.release(self._tasks[trial_id])

    def save(self, checkpoint_path: str) -> None:
        """Nothing: the journal has it."""

    def restore(self, checkpoint_path: str) -> None:
        """Nothing: the journal has it."""


class _Reports(_Adapter, FIFOScheduler):
    """Tune reports a group of seeds or a lost worker; the coordinator says what follows."""

    def on_trial_result(self, controller: Any, trial: Trial, result: dict[str, Any]) -> str:
        task = self._tasks[trial.trial_id]
        if "error" in result:
            _log.error("trial %d failed\n%s", task.number, result.get("traceback", ""))
            self._coordinator.fail(task, result["error"])
            return TrialScheduler.CONTINUE  # the worker returns by itself
        trained = TrialResult.from_mapping(json.loads(result["result"]))
        goes_on = self._coordinator.report(task, trained)
        last = len(trained.seeds) == sum(map(len, task.groups))
        return TrialScheduler.CONTINUE if goes_on or last else TrialScheduler.STOP

    def on_trial_error(self, controller: Any, trial: Trial) -> None:
        task = self._tasks[trial.trial_id]
        error = Path(trial.error_file).read_text(encoding="utf-8") if trial.error_file else ""
        _log.error("trial %d lost its worker\n%s", task.number, error)
        self._coordinator.release(task, _why_lost(error))


class _LeaveWhenStopping(_Adapter, Callback):
    """Leave Tune's loop at once: its own way of stopping waits for the workers."""

    def on_step_end(self, iteration: int, trials: list[Trial], **info: Any) -> None:
        if self._coordinator.stopping:
            raise _Stopping


class _Stopping(BaseException):
    """Not an Exception: Tune would catch it and wait."""


def _why_lost(error: str) -> str:
    """Ray's account of a lost worker, in a few words."""
    if "low on memory" in error or "OutOfMemory" in error:
        return "its worker was killed for want of memory"
    if "node" in error and "died" in error and "actor died because its node" in error:
        return "its machine was lost"
    return "its worker died"
