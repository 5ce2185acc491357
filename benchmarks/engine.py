"""How fast the engine is: against a plain loop over seeds, against itself, against its kernels.

    python benchmarks/engine.py [--json] [--dataset wisconsin --dataset cora]

One process, one thread. The sides take turns in short rounds, so that a slow moment of the
machine hits all of them, and each figure is the median over the rounds of a ratio within one.
K = 16, hidden 64, 20 seeds.

    speedup_vs_sequential   20 epochs of the plain program (one seed) / 1 epoch of 20 seeds
    seed_cost               1 epoch of 20 seeds / 1 epoch of 1 seed, both by the engine
    kernel_bound            the sparse products and Adam alone / the whole epoch
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from sequential import Trainer

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.model import sparse
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.memory import keep_freed_memory

SEEDS = 20


def engine(graph: Graph, config: TrialConfig, seeds: int) -> Callable[[], None]:
    """An epoch of the engine, as `fit` runs it."""
    problem = Problem(graph)
    learner = BiLevel(problem, build_network(problem, config), config, range(seeds))

    def epoch() -> None:
        learner.lower_step()
        read, _ = learner.evaluate()
        learner.upper_step(read)

    return epoch


@contextmanager
def kernel_clock() -> Iterator[Callable[[], float]]:
    """Measure in place the seconds spent in the sparse product and in the fused Adam."""
    spent = 0.0
    originals = (sparse.embedding_bag, torch._fused_adam_)

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*args: Any, **kwargs: Any) -> Any:
            nonlocal spent
            started = time.perf_counter()
            result = call(*args, **kwargs)
            spent += time.perf_counter() - started
            return result

        return measured

    sparse.embedding_bag, torch._fused_adam_ = map(timed, originals)
    try:
        yield lambda: spent
    finally:
        sparse.embedding_bag, torch._fused_adam_ = originals


def timed_rounds(
    sides: dict[str, tuple[Callable[[], None], int]], rounds: int
) -> dict[str, list[float]]:
    """The median seconds of one call of each side in each round, in which they take turns."""
    medians: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, (call, calls) in sides.items():
            call()  # the caches are warm again after the other side's turn
            times = []
            for _ in range(calls):
                started = time.perf_counter()
                call()
                times.append(time.perf_counter() - started)
            if turn > 0:  # the first round only warms up
                medians[name].append(statistics.median(times))
    return medians


def measure(graph: Graph, config: TrialConfig, rounds: int) -> dict[str, float]:
    """The three figures of one graph."""
    trainer = Trainer(graph, config)
    twenty = engine(graph, config, SEEDS)
    shares: list[float] = []

    def clocked() -> None:
        with kernel_clock() as spent:
            started = time.perf_counter()
            twenty()
            shares.append(spent() / (time.perf_counter() - started))

    seconds = timed_rounds(
        {
            "sequential": (lambda: trainer.epoch() and None, 4),
            "twenty": (twenty, 8),
            "one": (engine(graph, config, 1), 8),
            "clocked": (clocked, 4),
        },
        rounds,
    )

    def ratio(above: str, below: str) -> float:
        return statistics.median(
            a / b for a, b in zip(seconds[above], seconds[below], strict=True)
        )

    return {
        "speedup_vs_sequential": SEEDS * ratio("sequential", "twenty"),
        "seed_cost": ratio("twenty", "one"),
        "kernel_bound": statistics.median(shares),
        "sequential_ms": 1e3 * statistics.median(seconds["sequential"]),
        "twenty_seeds_ms": 1e3 * statistics.median(seconds["twenty"]),
        "one_seed_ms": 1e3 * statistics.median(seconds["one"]),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true", help="print one object, a key a dataset")
    parser.add_argument("--dataset", action="append", help="default: wisconsin and cora")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--scorer", choices=["shared", "per_step"], default="shared")
    args = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    config = TrialConfig(K=16, hidden=64, scorer=args.scorer)
    results = {}
    for name in args.dataset or ["wisconsin", "cora"]:
        results[name] = measure(load_graph(name, data_dir=args.data_dir), config, args.rounds)
        if not args.json:
            print(name, *(f"{key}={value:.2f}" for key, value in results[name].items()))
    if args.json:
        rounded = {
            name: {key: round(value, 3) for key, value in figures.items()}
            for name, figures in results.items()
        }
        print(json.dumps(rounded, indent=2))


if __name__ == "__main__":
    main()
