"""What the search costs beyond training, what racing saves, and what users do today.

    python benchmarks/search.py [--json] [--part overhead --part race --part versus]

All searches are run as a user runs them, in processes of their own, on all CPUs.

    overhead    1 - (the trials' own training seconds / (wall seconds x trials at once)), for 40
                trials on Wisconsin, from the start of the command to its end
    race_cost   seed-trainings with --race / without, for the same 60 configurations; three
                repeats, each with other configurations. Beside it the mean validation accuracy of
                the configuration that each of the two chose, on all its seeds
    versus      the same 40 configurations by a plain loop: one seed after another with the
                program of sequential.py. How many times faster a trial is, on one core each, at
                equal epochs: every eighth configuration is trained by `fit`, and the plain
                program's seconds an epoch are taken before and after it
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from sequential import Trainer

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.training.fit import fit

DATASET, SEEDS = "wisconsin", 20
_PLAIN_EPOCHS = 15


def search(folder: Path, name: str, *options: str) -> tuple[float, list[dict[str, Any]]]:
    """Run a search; its wall seconds and its trials."""
    command = [sys.executable, "-m", "l2p_search"]
    started = time.perf_counter()
    subprocess.run(
        [*command, "--dataset", DATASET, "--name", name, "--confirm", "0", "--quiet", *options],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    wall = time.perf_counter() - started
    found = subprocess.run(
        [*command, "trials", name, "--json"], check=True, cwd=folder, capture_output=True
    )
    return wall, json.loads(found.stdout)


def measure_overhead(folder: Path) -> dict[str, Any]:
    """Forty trials of the paper's space, as they come."""
    at_once = len(os.sched_getaffinity(0))
    wall, trials = search(folder, "overhead", "--trials", "40")
    training = sum(trial["seconds"] for trial in trials)
    return {
        "overhead": round(1 - training / (wall * at_once), 3),
        "wall_seconds": round(wall, 1),
        "training_seconds": round(training, 1),
        "at_once": at_once,
    }


def measure_race(folder: Path, repeats: int) -> dict[str, Any]:
    """Sixty random configurations, all seeds against a race."""
    rows = []
    for repeat in range(repeats):
        options = ("--trials", "60", "--sampler", "random", "--seed", str(repeat))
        full_wall, full = search(folder, f"full-{repeat}", *options)
        race_wall, raced = search(folder, f"race-{repeat}", *options, "--race")
        if {trial["config_id"] for trial in full} != {trial["config_id"] for trial in raced}:
            raise RuntimeError("the two searches had other configurations")
        means = {trial["config_id"]: trial["val_accuracy_mean"] for trial in full}
        best, chosen = full[0], raced[0]
        rows.append(
            {
                "race_cost": sum(t["seeds"] for t in raced) / sum(t["seeds"] for t in full),
                "race_time": race_wall / full_wall,
                "full_best": best["val_accuracy_mean"],
                "race_best": means[chosen["config_id"]],
                "standard_error": best["val_accuracy_std"] / SEEDS**0.5,
                "same": best["config_id"] == chosen["config_id"],
            }
        )
    return {
        "race_cost": round(sum(row["race_cost"] for row in rows) / len(rows), 3),
        "race_time": round(sum(row["race_time"] for row in rows) / len(rows), 3),
        "repeats": rows,
    }


def measure_versus(folder: Path) -> dict[str, Any]:
    """Our trials against the plain program's, in turns, alone on the machine."""
    torch.set_num_threads(1)
    if not (folder / "searches" / "overhead").is_dir():
        search(folder, "overhead", "--trials", "40")
    found = subprocess.run(
        [sys.executable, "-m", "l2p_search", "trials", "overhead", "--json"],
        check=True,
        cwd=folder,
        capture_output=True,
    )
    trials = sorted(json.loads(found.stdout), key=lambda trial: trial["number"])
    graph = load_graph(DATASET)
    ours = theirs = 0.0
    rows = []
    for trial in trials[::8]:
        config = TrialConfig.recorded(trial["config"])
        before = plain_epoch(graph, config)
        result = fit(graph, config, range(SEEDS))
        after = plain_epoch(graph, config)
        plain = (before + after) / 2 * sum(seed.epochs for seed in result.seeds)
        ours, theirs = ours + result.seconds, theirs + plain
        rows.append({"K": config.K, "hidden": config.hidden, "versus": plain / result.seconds})
    return {"versus": round(theirs / ours, 1), "configurations": rows}


def plain_epoch(graph: Graph, config: TrialConfig) -> float:
    """Seconds of one epoch of one seed, by the plain program."""
    trainer = Trainer(graph, config)
    for _ in range(3):
        trainer.epoch()
    started = time.perf_counter()
    for _ in range(_PLAIN_EPOCHS):
        trainer.epoch()
    return (time.perf_counter() - started) / _PLAIN_EPOCHS


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--part", action="append", choices=["overhead", "versus", "race"])
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    parts = args.part or ["overhead", "versus", "race"]
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "overhead" in parts:
            found |= measure_overhead(folder)
        if "versus" in parts:
            found |= measure_versus(folder)
        if "race" in parts:
            found |= measure_race(folder, args.repeats)
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for key, value in found.items():
        if not isinstance(value, list):
            print(f"{key:18} {value}")
            continue
        for row in value:
            cells = (
                f"{k}={v:.3g}" if isinstance(v, float) else f"{k}={v}" for k, v in row.items()
            )
            print("  " + "  ".join(cells))


if __name__ == "__main__":
    main()
