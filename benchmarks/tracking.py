"""What recording a search in MLflow costs, beside a plain loop of `log_metric` calls.

    python benchmarks/tracking.py [--json]

Two hundred trials of a recorded result (20 seeds, 100 points of each curve), written to a sqlite
store of their own.

    per_trial_ms        milliseconds a trial by our tracker, figures and files and all
    per_trial_ms_data   without the files: the same data as the plain loop writes
    plain_ms            a run a trial by `log_param` and `log_metric`, one call a value; from a few
    times_faster        plain_ms / per_trial_ms_data
"""

import argparse
import dataclasses
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from mlflow import MlflowClient

from l2p_search.api.recording import _trial_files
from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.results import TrialStatus
from l2p_search.tracking.entries import SearchEntry, TrialEntry
from l2p_search.tracking.mlflow_tracker import MlflowTracker
from l2p_search.tracking.store import Store
from l2p_search.training.fit import fit

TRIALS, PLAIN = 200, 3
SEARCH = SearchEntry(
    uid="bench", name="bench", dataset="demo", data_digest="0", params={"space": "paper"}
)


def entries() -> list[TrialEntry]:
    """Trials that look like those of a long search."""
    config = TrialConfig(K=32, epochs=1000, patience=1000, hidden=8)
    result = fit(demo_graph(), dataclasses.replace(config, epochs=100), range(20))
    return [
        TrialEntry(
            uid=f"bench/{number}",
            number=number,
            status=TrialStatus.COMPLETE,
            config=dataclasses.replace(config, lr=random.Random(number).uniform(0.001, 0.01)),
            result=result,
        )
        for number in range(TRIALS)
    ]


def ours(trials: list[TrialEntry], folder: Path, files: bool) -> float:
    """Seconds a trial by the tracker."""
    tracker = MlflowTracker(Store(f"sqlite:///{folder}/ours-{files}.db", folder / f"a-{files}"))
    parent = tracker.begin(SEARCH)
    started = time.perf_counter()
    for trial in trials:
        if files and trial.result is not None:
            trial = dataclasses.replace(trial, files=_trial_files(trial.result, trial.name))
        tracker.record(parent, SEARCH, trial)
    return (time.perf_counter() - started) / len(trials)


def plain(trials: list[TrialEntry], folder: Path) -> float:
    """Seconds a trial, one call a value."""
    client = MlflowClient(tracking_uri=f"sqlite:///{folder}/plain.db")
    experiment = client.create_experiment("plain", artifact_location=(folder / "p").as_uri())
    started = time.perf_counter()
    for trial in trials:
        run = client.create_run(experiment, tags=trial.tags()).info.run_id
        for key, value in trial.params().items():
            client.log_param(run, key, value)
        for key, number, step in trial.metrics():
            client.log_metric(run, key, number, step=step)
        client.set_terminated(run)
    return (time.perf_counter() - started) / len(trials)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    trials = entries()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, whole = ours(trials, folder, files=False), ours(trials, folder, files=True)
        loop = plain(trials[:PLAIN], folder)
    found: dict[str, Any] = {
        "per_trial_ms": round(1000 * whole, 1),
        "per_trial_ms_data": round(1000 * data, 1),
        "plain_ms": round(1000 * loop, 1),
        "times_faster": round(loop / data, 1),
        "values_a_trial": len(trials[0].metrics()) + len(trials[0].params()),
    }
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for key, value in found.items():
        print(f"{key:18} {value}")


if __name__ == "__main__":
    main()
