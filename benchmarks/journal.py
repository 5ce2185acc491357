"""What a long search costs its driver: proposing, recording, memory and the journal's bytes.

    python benchmarks/journal.py [--json] [--trials 2000] [--sampler tpe] [--space extended]

A search whose training is pretended (20 seeds, 100 points of each curve, 251 nodes), driven in
this process without Ray. Times are CPU time, so that what else the machine does is not in them.

    proposing_ms     milliseconds per proposal, a median over 25 trials up to the one named
    recording_ms     milliseconds per result, likewise
    rss_mb           resident memory of this process after so many trials
    bytes_per_trial  of the journal
    result_s         seconds from the last trial to the result: reading it, and best.yaml
    status_s         seconds of `status` of twenty such searches, as their ends remember them
    status_killed_s  the same of twenty that were killed, from the brief that they kept on the way
    status_cold_s    of one that was killed and whose brief was lost, too
"""

import argparse
import json
import math
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from l2p_search.api.exporting import write_best
from l2p_search.api.statuses import remember_status, status_of, statuses
from l2p_search.config import TrialConfig
from l2p_search.learned import Curves, Profiles
from l2p_search.results import SeedResult, TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.shipped import load_space

SEEDS, NODES, POINTS = 20, 251, 100
SEARCHES = 20
LOOKS = (50, 200, 500, 1000, 1500, 2000)
WINDOW = 25


def pretended(config: TrialConfig) -> dict[str, Any]:
    """What a worker would report: numbers that depend on the configuration alone."""
    draws = random.Random(config.config_id)
    level = 70 + 10 * config.dropout - abs(math.log10(config.lr) + 2) * 5

    def series(count: int) -> tuple[float, ...]:
        return tuple(draws.random() for _ in range(count))

    steps = config.K + 1
    seeds = tuple(
        SeedResult(
            seed=seed,
            split=seed % 10,
            epochs=300,
            best_epoch=200,
            val_loss=draws.random(),
            val=level + draws.gauss(0, 3),
            test=level + draws.gauss(0, 3),
            expected_step=draws.random(),
            profile=series(steps),
        )
        for seed in range(SEEDS)
    )
    curves = Curves(tuple(range(POINTS)), series(POINTS), series(POINTS), series(POINTS))
    profiles = Profiles(
        {str(degree): series(steps) for degree in range(6)},
        {str(label): series(steps) for label in range(5)},
        series(NODES),
    )
    result = TrialResult(
        config=config,
        dataset="pretended",
        data_digest="0",
        seeds=seeds,
        seconds=1.0,
        curves=curves,
        profiles=profiles,
    )
    measured: dict[str, Any] = json.loads(json.dumps(result.measured()))
    return measured


def measure(directory: Path, space: str, sampler: Any, trials: int) -> dict[str, Any]:
    """Run the search and look at its costs at some trials."""
    settings = SearchSettings(
        dataset="pretended",
        data_digest="0",
        space=load_space(space),
        base=TrialConfig(),
        seeds=SEEDS,
        sampler=sampler,
        seed=0,
        race=None,
    )
    goal = Goal(trials=trials, confirm=0)
    journal = Journal.create(directory, settings)
    journal.begin(goal, {})
    coordinator = Coordinator(journal, goal)
    process, proposing, recording = psutil.Process(), [], []
    found: dict[str, Any] = {"proposing_ms": {}, "recording_ms": {}, "rss_mb": {}}
    for number in range(1, trials + 1):
        started = time.process_time()
        task = coordinator.next_task()
        proposing.append(time.process_time() - started)
        if task is None:
            raise SystemExit(f"the space '{space}' has only {number - 1} configurations")
        measured = pretended(task.config)
        started = time.process_time()
        coordinator.report(task, measured)
        coordinator.release(task)
        recording.append(time.process_time() - started)
        if number in LOOKS or number == trials:
            found["proposing_ms"][number] = 1000 * statistics.median(proposing[-WINDOW:])
            found["recording_ms"][number] = 1000 * statistics.median(recording[-WINDOW:])
            found["rss_mb"][number] = process.memory_info().rss / 1e6
    started = time.process_time()
    outcome = read_outcome(journal)
    write_best(journal, outcome)
    remember_status(directory, outcome)
    found["result_s"] = time.process_time() - started
    journal.close()
    found["bytes_per_trial"] = (directory / "journal.log").stat().st_size / trials
    return found


def look(directory: Path) -> dict[str, float]:
    """Time `status` of twenty copies of a search: ended, killed, and one without a brief."""
    for number in range(1, SEARCHES):
        copy = directory.with_name(f"{directory.name}-{number}")
        shutil.copytree(directory, copy, copy_function=shutil.copy2)
    found = {}
    started = time.process_time()
    assert len(statuses(None, directory.parent)) == SEARCHES
    found["status_s"] = time.process_time() - started
    for remembered in directory.parent.glob("*/status.json"):
        remembered.unlink()
    started = time.process_time()
    assert len(statuses(None, directory.parent, whole=False)) == SEARCHES
    found["status_killed_s"] = time.process_time() - started
    (directory / "brief.json").unlink()
    started = time.process_time()
    status_of(directory)
    found["status_cold_s"] = time.process_time() - started
    return found


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--sampler", default="tpe", choices=["tpe", "random"])
    parser.add_argument("--space", default="extended")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder) / "long", args.space, args.sampler, args.trials)
        found |= look(Path(folder) / "long")
    if args.json:
        print(json.dumps(found, indent=2))
        return
    print("trials  proposing ms  recording ms  memory MB")
    for number, milliseconds in found["proposing_ms"].items():
        recording, memory = found["recording_ms"][number], found["rss_mb"][number]
        print(f"{number:6}  {milliseconds:12.1f}  {recording:12.1f}  {memory:9.0f}")
    print(f"journal: {found['bytes_per_trial']:.0f} bytes per trial")
    print(f"result: {found['result_s']:.2f} s after the last trial")
    status, cold = found["status_s"], found["status_cold_s"]
    print(f"status: {status:.2f} s for {SEARCHES} searches, {cold:.2f} s for one not remembered")


if __name__ == "__main__":
    main()
