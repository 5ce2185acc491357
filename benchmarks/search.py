"""What the search costs beyond training, what racing saves, and what users do today.

    python benchmarks/search.py [--json] [--part overhead --part race --part versus --part confirm]
        [--dataset wisconsin --dataset cora] [--race halving] [--repeats 3]

All searches are run as a user runs them, in processes of their own, on all CPUs.

    overhead    1 - (the trials' own training seconds / (wall seconds x trials at once)), for 40
                trials on Wisconsin, from the start of the command to its end
    race        60 trials of TPE with --race / without, on Wisconsin and Cora, three seeds of the
                sampler: shares of seed-trainings, of training time and of wall time, and the
                difference on 20 fresh seeds between what the two chose
    versus      the same 40 configurations by a plain loop: one seed after another with the
                program of sequential.py. How many times faster a trial is, on one core each, at
                equal epochs: every eighth configuration is trained by `fit`, and the plain
                program's seconds an epoch are taken before and after it
    confirm     20 fresh seeds of one configuration on Cora: the seconds that they add to a
                search, with as many workers as there are CPUs / with one
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
PARTS = ["overhead", "versus", "confirm", "race"]
_PLAIN_EPOCHS = 15


def search(
    folder: Path, name: str, *options: str, dataset: str = DATASET
) -> tuple[float, list[dict[str, Any]]]:
    """Run a search; its wall seconds and its trials."""
    command = [sys.executable, "-m", "l2p_search"]
    started = time.perf_counter()
    subprocess.run(
        [*command, "--dataset", dataset, "--name", name, "--confirm", "0", "--quiet", *options],
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


def measure_race(
    folder: Path, dataset: str, rule: str, trials: int, repeats: int
) -> dict[str, Any]:
    """Trials of TPE with all seeds, and with a race; the choices of both on fresh seeds."""
    rows = []
    for repeat in range(repeats):
        names = [f"{dataset}-full-{repeat}", f"{dataset}-{rule}-{repeat}"]
        options = ("--trials", str(trials), "--sampler", "tpe", "--seed", str(repeat))
        full_wall, full = search(folder, names[0], *options, dataset=dataset)
        race_wall, raced = search(folder, names[1], *options, "--race", rule, dataset=dataset)
        full_training, race_training = (sum(t["seconds"] for t in each) for each in (full, raced))
        row = {
            "seed": repeat,
            "seeds_share": sum(t["seeds"] for t in raced) / sum(t["seeds"] for t in full),
            "training_share": race_training / full_training,
            "wall_share": race_wall / full_wall,
            "training_seconds": [round(full_training), round(race_training)],
            "wall_seconds": [round(full_wall), round(race_wall)],
            **_choices_compared(folder, names, raced[0]["config_id"] == full[0]["config_id"]),
        }
        rows.append(row)
        print(dataset, rule, json.dumps(row), file=sys.stderr, flush=True)
    shares = ("seeds_share", "training_share", "wall_share")
    return {key: round(sum(row[key] for row in rows) / len(rows), 3) for key in shares} | {
        "repeats": rows
    }


def _choices_compared(folder: Path, names: list[str], same: bool) -> dict[str, Any]:
    """What the race chose minus what the full search chose, on fresh seeds that chose neither."""
    if same:
        return {"race_minus_full": [0.0, 0.0, 0.0], "verdict": "the same configuration"}
    found = subprocess.run(
        [sys.executable, "-m", "l2p_search", "compare", *names, "--train", "20", "--json"],
        check=True,
        cwd=folder,
        capture_output=True,
    )
    on_test = json.loads(found.stdout)["comparisons"][0]
    interval = [round(on_test["difference"][key], 2) for key in ("mean", "low", "high")]
    return {"race_minus_full": interval, "verdict": on_test["verdict"]}


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


def measure_confirmation(folder: Path, dataset: str = "cora", fresh: int = 20) -> dict[str, Any]:
    """What fresh seeds of the winner add to a short search, on one worker and on all.

    It has so many trials that Ray has started when they end; drawn at random, they are the same.
    """

    def added(workers: int) -> float:
        walls = []
        for seeds in (0, fresh):
            options = ("--trials", "10", "--seeds", "2", "--sampler", "random")
            options += ("--no-controls", "--no-fresh-splits", "--confirm-ties", "0")
            options += ("--confirm", str(seeds), "--concurrency", str(workers))
            walls.append(search(folder, f"on-{workers}-{seeds}", *options, dataset=dataset)[0])
        return walls[1] - walls[0]

    every = len(os.sched_getaffinity(0))
    one, all_ = added(1), added(every)
    return {
        "confirm_share": round(all_ / one, 3),
        "confirm_seconds": {"1": round(one, 1), str(every): round(all_, 1)},
    }


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
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--trials", type=int, default=60, help="of the race")
    parser.add_argument("--dataset", action="append", help="of the race (wisconsin and cora)")
    parser.add_argument("--race", choices=["halving", "paired"], default="halving")
    args = parser.parse_args()
    parts = args.part or PARTS
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "overhead" in parts:
            found |= measure_overhead(folder)
        if "versus" in parts:
            found |= measure_versus(folder)
        if "confirm" in parts:
            found |= measure_confirmation(folder)
        if "race" in parts:
            for dataset in args.dataset or ["wisconsin", "cora"]:
                measured = measure_race(folder, dataset, args.race, args.trials, args.repeats)
                found |= {f"{dataset}_{key}": value for key, value in measured.items()}
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
