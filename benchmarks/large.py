"""A large graph searched: what the dry run says before, and what is measured.

    python benchmarks/large.py [--nodes 170000] [--edges 1200000] [--model l2q] [--epochs 6] ..

A synthetic graph is written to a file, `--dry-run` is asked for its estimate, and the search is
run. CPU time is that of the workers (with a few seconds each to import torch), memory that of all
processes of the search, sampled while they run: neither depends on what else the machine does.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

_PAUSE = 0.5
"""Seconds between two looks at the processes."""


def write_graph(path: Path, nodes: int, edges: int, features: int, classes: int) -> None:
    """A random graph whose features tell a little of the class; 53 % train, 18 % validate."""
    random = np.random.default_rng(0)
    y = random.integers(0, classes, nodes)
    centres = random.normal(size=(classes, features)).astype(np.float32)
    x = 0.5 * centres[y] + random.normal(size=(nodes, features)).astype(np.float32)
    part = random.permutation(nodes) / nodes
    np.savez(
        path,
        x=x,
        edge_index=random.integers(0, nodes, (2, edges)),
        y=y,
        train_mask=part < 0.53,
        val_mask=(part >= 0.53) & (part < 0.71),
        test_mask=part >= 0.71,
    )


def watch(command: list[str], folder: Path) -> dict[str, float]:
    """Run a command and sample its processes: CPU seconds, and peaks of memory in bytes."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    cpu: dict[int, float] = {}
    of_workers: dict[int, float] = {}
    largest_worker = everything = 0
    while process.poll() is None:
        total = 0
        for one in _tree(process.pid):
            try:
                times, memory = one.cpu_times(), one.memory_full_info()
                is_worker = one.name().startswith("ray::Imp")
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
            cpu[one.pid] = times.user + times.system
            total += memory.pss
            if is_worker:
                of_workers[one.pid] = cpu[one.pid]
                largest_worker = max(largest_worker, memory.rss)
        everything = max(everything, total)
        time.sleep(_PAUSE)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return {"cpu": sum(of_workers.values()), "worker": largest_worker, "everything": everything}


def _tree(pid: int) -> list[psutil.Process]:
    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def main() -> None:
    """Estimate, search, print both."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name, usual in (
        ("nodes", 170_000),
        ("edges", 1_200_000),
        ("features", 128),
        ("classes", 40),
        ("hidden", 64),
        ("K", 8),
        ("epochs", 6),
        ("seeds", 2),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--model", default="l2q", help="such as l2q, gcn, l2q-gcn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_graph(folder / "large.npz", args.nodes, args.edges, args.features, args.classes)
        on, _, backbone = args.model.partition("-")
        model = {"model": on} if on not in ("l2q", "l2s") else {}
        if not model:
            model = {"posterior": "quit" if on == "l2q" else "select"}
            model |= {"backbone": backbone} if backbone else {}
        space = {
            **model,
            "hidden": args.hidden,
            "K": args.K,
            "epochs": args.epochs,
            "patience": args.epochs,
            "lr": {"choices": [0.01, 0.02]},
        }
        (folder / "space.yaml").write_text(json.dumps(space))
        command = [sys.executable, "-m", "l2p_search", "--dataset", "large.npz", "--space"]
        command += ["space.yaml", "--trials", "2", "--seeds", str(args.seeds)]
        command += ["--confirm", str(args.seeds), "--confirm-ties", "0", "--no-tracking"]
        command += ["--no-controls", "--no-fresh-splits"]
        told = subprocess.run(
            [*command, "--dry-run", "--json"], cwd=folder, check=True, stdout=subprocess.PIPE
        ).stdout
        said = json.loads(told)["estimate"]
        found = watch([*command, "--quiet"], folder)
    gb = 2**30
    memory = said["memory"]
    trials = 3 * said["trial_cpu_seconds"]
    print(f"CPU of three trials  said {trials:7.0f} s  measured {found['cpu']:7.0f} s")
    for what, bytes_, got in (
        ("memory of a trial", memory["trial_bytes"], found["worker"]),
        ("memory in all", memory["all_bytes"], found["everything"]),
    ):
        print(f"{what:19s}  said {bytes_ / gb:7.2f} GB measured {got / gb:7.2f} GB")


if __name__ == "__main__":
    main()
