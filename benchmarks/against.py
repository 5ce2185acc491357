"""Epochs of this tree against those of another one, such as the version before a change.

    git worktree add /tmp/before COMMIT
    python benchmarks/against.py /tmp/before [--case cora --case large ..] [--json]

Each tree trains in a process of its own, one thread each, and the two take turns, so that a slow
moment of the machine hits both. A figure is CPU time, not wall time: the median over the turns of
the time of one epoch, and of the ratio within one turn. `same` says whether the two trees have
trained the same weights to the last bit.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

_ROOT = Path(__file__).parents[1]
_OWN = _ROOT.parent / "shared" / "data" / "own"


class Case(NamedTuple):
    """What is trained: a graph by its name, keys of the configuration, seeds at once."""

    graph: str
    config: dict[str, Any]
    seeds: int


_GRAPH = {"K": 16, "hidden": 64}
_STACK = {"K": 4, "hidden": 64, "dropout": 0.5}
_TUNED = {"norm": "layer", "residual": "linear", "head_layers": 2}
CASES = {
    "wisconsin": Case("wisconsin", _GRAPH, 20),
    "wisconsin-3": Case("wisconsin", _GRAPH, 3),
    "wisconsin-1": Case("wisconsin", _GRAPH, 1),
    "cora": Case("cora", _GRAPH, 20),
    "cora-3": Case("cora", _GRAPH, 3),
    "cora-per-step": Case("cora", {**_GRAPH, "scorer": "per_step"}, 20),
    "wisconsin-per-step": Case("wisconsin", {**_GRAPH, "scorer": "per_step"}, 20),
    "l2q-gcn": Case("minesweeper", {"backbone": "gcn", **_STACK}, 4),
    "l2q-gcn-1": Case("minesweeper", {"backbone": "gcn", **_STACK}, 1),
    "l2q-gcn-tuned": Case("minesweeper", {"backbone": "gcn", **_STACK, **_TUNED}, 4),
    "l2q-gcn-batch": Case(
        "minesweeper", {"backbone": "gcn", **_STACK, **_TUNED, "norm": "batch"}, 4
    ),
    "l2q-gcn-dropedge": Case("minesweeper", {"backbone": "gcn", **_STACK, "edge_dropout": 0.2}, 4),
    "l2q-sage": Case("minesweeper", {"backbone": "sage", **_STACK}, 4),
    "l2q-gat": Case("minesweeper", {"backbone": "gat", "heads": 4, **_STACK}, 4),
    "l2q-gcnii": Case("minesweeper", {"backbone": "gcnii", **_STACK}, 4),
    "l2q-sage-tuned": Case("minesweeper", {"backbone": "sage", **_STACK, **_TUNED}, 4),
    "l2q-gat-tuned": Case("minesweeper", {"backbone": "gat", "heads": 4, **_STACK, **_TUNED}, 4),
    "l2q-gcn-cora": Case("cora", {"backbone": "gcn", **_STACK}, 20),
    "l2q-gat-cora": Case("cora", {"backbone": "gat", "heads": 4, **_STACK}, 20),
    "l2q-gcn-wisconsin": Case("wisconsin", {"backbone": "gcn", **_STACK}, 20),
    "gcn-wisconsin": Case("wisconsin", {"model": "gcn", **_STACK}, 20),
    "gat-wisconsin": Case("wisconsin", {"model": "gat", "heads": 4, **_STACK}, 20),
    "gcn": Case("minesweeper", {"model": "gcn", **_STACK}, 4),
    "gcn-tuned": Case("minesweeper", {"model": "gcn", **_STACK, **_TUNED}, 4),
    "jknet": Case("minesweeper", {"model": "jknet", **_STACK}, 4),
    "sage": Case("minesweeper", {"model": "sage", **_STACK}, 4),
    "sage-tuned": Case("minesweeper", {"model": "sage", **_STACK, **_TUNED}, 4),
    "gat": Case("minesweeper", {"model": "gat", "heads": 4, **_STACK}, 4),
    "gcnii": Case("minesweeper", {"model": "gcnii", **_STACK}, 4),
    "large-1": Case("large", {"K": 8, "hidden": 64}, 1),
    "large-5": Case("large", {"K": 8, "hidden": 64}, 5),
}
_USUAL = ("wisconsin", "cora", "cora-per-step", "l2q-gcn")


def epoch_of(case: Case, data_dir: Path | None) -> tuple[Callable[[], None], Callable[[], str]]:
    """An epoch of the tree that is imported, and a digest of the weights it has arrived at."""
    import torch
    from growth import synthetic

    from l2p_search.config import TrialConfig
    from l2p_search.data.loading import load_graph
    from l2p_search.model.building import build_network
    from l2p_search.model.problem import Problem
    from l2p_search.training.bilevel import BiLevel
    from l2p_search.training.memory import keep_freed_memory

    torch.set_num_threads(1)
    keep_freed_memory()
    if case.graph == "large":
        graph = synthetic(170_000, 1_200_000, 128, 40, 1.0, train=9 / 17, val=3 / 17)
    elif case.graph == "minesweeper":
        graph = load_graph(str(_OWN / "minesweeper.npz"))
    else:
        graph = load_graph(case.graph, data_dir=data_dir)
    problem, config = Problem(graph), TrialConfig(**case.config)
    learner = BiLevel(problem, build_network(problem, config), config, range(case.seeds))

    def epoch() -> None:
        learner.lower_step()
        read, _ = learner.evaluate()
        learner.upper_step(read)

    def digest() -> str:
        found = hashlib.sha256()
        for level in (learner.levels.theta, learner.levels.phi):
            for name in sorted(level):
                found.update(level[name].detach().numpy().tobytes())
        return found.hexdigest()

    return epoch, digest


def serve(name: str, data_dir: Path | None) -> None:
    """Train as many epochs as each line of stdin says; print their median CPU time."""
    epoch, digest = epoch_of(CASES[name], data_dir)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            started = time.thread_time()
            epoch()
            times.append(time.thread_time() - started)
        print(json.dumps({"ms": 1e3 * statistics.median(times), "digest": digest()}), flush=True)


class Side:
    """One tree's process, which waits between its turns."""

    def __init__(self, tree: Path, name: str, data_dir: Path | None) -> None:
        command = [sys.executable, __file__, str(tree), "--serve", name]
        if data_dir is not None:
            command += ["--data-dir", str(data_dir)]
        self._process = subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def turn(self, epochs: int) -> dict[str, Any]:
        """Train, and say how long an epoch took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(epochs, file=self._process.stdin, flush=True)
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def compare(tree: Path, name: str, turns: int, data_dir: Path | None) -> dict[str, Any]:
    """The two trees' epochs of one case."""
    sides = [Side(tree, name, data_dir), Side(_ROOT, name, data_dir)]
    try:
        warm = [side.turn(2) for side in sides]
        epochs = max(1, min(10, int(400 / warm[0]["ms"])))
        found = [[side.turn(epochs) for side in sides] for _ in range(turns)]
    finally:
        for side in sides:
            side.end()
    before, after = zip(*found, strict=True)
    ratios = [b["ms"] / a["ms"] for b, a in found]
    return {
        "before_ms": statistics.median(one["ms"] for one in before),
        "after_ms": statistics.median(one["ms"] for one in after),
        "faster": statistics.median(ratios),
        "same": all(b["digest"] == a["digest"] for b, a in [warm, *found]),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("tree", type=Path, help="the folder of the other version")
    parser.add_argument("--case", action="append", choices=[*CASES, "all"])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve, args.data_dir)
        return
    names = args.case or _USUAL
    results = {}
    for name in CASES if "all" in names else names:
        results[name] = compare(args.tree, name, args.turns, args.data_dir)
        if not args.json:
            one = results[name]
            weights = "the same weights" if one["same"] else "other weights"
            print(
                f"{name:20s} before {one['before_ms']:8.1f} ms   after {one['after_ms']:8.1f} ms"
                f"   {one['faster']:.2f} times faster   {weights}",
                flush=True,
            )
    if args.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
