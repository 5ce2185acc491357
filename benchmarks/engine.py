"""How fast the engine is: against a plain loop over seeds, against itself, against its kernels.

    python benchmarks/engine.py [--json] [--dataset wisconsin --dataset cora --dataset large]

One process, one thread, of which the CPU time is taken. The sides take turns in short rounds, so
that a slow moment of the machine hits all of them, and each figure is the median over the rounds
of a ratio within one. K = 16, hidden 64, 20 seeds.

    speedup_vs_sequential   20 epochs of the plain program (one seed) / 1 epoch of 20 seeds
    seed_cost               1 epoch of 20 seeds / 1 epoch of 1 seed, both by the engine
    kernel_bound            the sparse products and Adam alone / the whole epoch

`large` has the shape of ogbn-arxiv: 170,000 nodes, 1.2 million random edges, 128 dense features,
40 classes, 90,000 training and 30,000 validation nodes; K = 8. Its plain program takes tens of
seconds and several GB for an epoch, so it runs one, and the engine a few:

    speedup_per_seed        1 epoch of the plain program / 1 epoch of the engine, one seed each
    together                1 epoch of 3 seeds at once / 3 epochs of one seed
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
from growth import synthetic
from sequential import Trainer

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import UserError
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
            started = time.thread_time()
            result = call(*args, **kwargs)
            spent += time.thread_time() - started
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
                started = time.thread_time()
                call()
                times.append(time.thread_time() - started)
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
            started = time.thread_time()
            twenty()
            shares.append(spent() / (time.thread_time() - started))

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


def measure_large(rounds: int) -> dict[str, float]:
    """The figures of the large graph."""
    graph = synthetic(170_000, 1_200_000, 128, 40, 1.0, train=9 / 17, val=3 / 17)
    config = TrialConfig(K=8, hidden=64)
    sides = {"one": (engine(graph, config, 1), 2), "three": (engine(graph, config, 3), 1)}
    seconds = timed_rounds(sides, min(rounds, 3))
    started = time.thread_time()
    Trainer(graph, config).epoch()
    plain = time.thread_time() - started
    one, three = (statistics.median(seconds[name]) for name in ("one", "three"))
    return {
        "speedup_per_seed": plain / one,
        "together": three / (3 * one),
        "sequential_ms": 1e3 * plain,
        "one_seed_ms": 1e3 * one,
        "three_seeds_ms": 1e3 * three,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true", help="print one object, a key a dataset")
    parser.add_argument("--dataset", action="append", help="default: wisconsin, cora and large")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--scorer", choices=["shared", "per_step"], default="shared")
    args = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    config = TrialConfig(K=16, hidden=64, scorer=args.scorer)
    results = {}
    for name in args.dataset or ["wisconsin", "cora", "large"]:
        if name == "large":
            results[name] = measure_large(args.rounds)
        else:
            try:
                graph = load_graph(name, data_dir=args.data_dir)
            except UserError as error:
                parser.error(error.message)
            results[name] = measure(graph, config, args.rounds)
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
