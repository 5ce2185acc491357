"""How time and memory grow: with K, seeds, nodes and labels; the memory of the largest graphs.

    python benchmarks/growth.py [--json] [--plot FILE] [--skip-memory]

Time is the median CPU time of an epoch on one thread. `order` is the slope of log time against
log size: 1 is linear. `order_of_upper_half` is that of the larger sizes alone, where fixed costs
no longer flatter it, and where a random graph's columns leave the cache. Memory is the peak of a
process of its own, measured over two epochs, as each epoch uses the same.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph, undirected
from l2p_search.data.loading import load_graph
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.fit import fit
from l2p_search.training.memory import keep_freed_memory

_STEPS = (2, 4, 8, 16, 32, 64)
_SEEDS = (1, 2, 5, 10, 20, 40)
_NODES = (1_000, 3_000, 10_000, 30_000, 100_000)
_LABELLED = (5, 10, 20, 40, 80)
"""Percent of the nodes; three quarters of them train, a quarter validates."""


def synthetic(
    nodes: int,
    edges: int,
    features: int,
    classes: int,
    density: float,
    train: float = 0.05,
    val: float = 0.05,
) -> Graph:
    """A random graph; the shares `train` and `val` of its nodes are for that, the rest test."""
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(nodes, features, generator=generator)
    if density < 1.0:
        x *= torch.rand(nodes, features, generator=generator) < density
    ends = torch.randint(0, nodes, (2, edges), generator=generator)
    part = torch.randperm(nodes, generator=generator)
    is_train, is_test = part < round(train * nodes), part >= round((train + val) * nodes)
    return Graph(
        name=f"synthetic-{nodes}",
        x=x,
        edges=undirected(ends, nodes),
        y=torch.randint(0, classes, (nodes,), generator=generator),
        train=is_train[None],
        val=(~is_train & ~is_test)[None],
        test=is_test[None],
    )


def epoch_ms(graph: Graph, config: TrialConfig, seeds: int, epochs: int) -> float:
    """The median time of an epoch."""
    problem = Problem(graph)
    learner = BiLevel(problem, build_network(problem, config), config, range(seeds))
    times = []
    for _ in range(epochs + 2):
        started = time.thread_time()
        learner.lower_step()
        read, _ = learner.evaluate()
        learner.upper_step(read)
        times.append(1e3 * (time.thread_time() - started))
    return statistics.median(times[2:])


def order(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time against log size."""
    xs, ys = [math.log(size) for size in sizes], [math.log(value) for value in times]
    return statistics.linear_regression(xs, ys).slope


def growth(cora: Graph) -> dict[str, dict[str, object]]:
    """Time against K and seeds on Cora, against nodes and labels on random graphs of degree 10."""
    series: dict[str, tuple[tuple[int, ...], Callable[[int], float]]] = {
        "K": (_STEPS, lambda k: epoch_ms(cora, TrialConfig(K=k, hidden=64), 20, 8)),
        "seeds": (_SEEDS, lambda s: epoch_ms(cora, TrialConfig(K=16, hidden=64), s, 8)),
        "nodes": (
            _NODES,
            lambda n: epoch_ms(
                synthetic(n, 5 * n, 200, 5, 0.05), TrialConfig(K=16, hidden=64), 5, 4
            ),
        ),
        "labelled": (
            _LABELLED,
            lambda percent: epoch_ms(
                synthetic(
                    50_000, 250_000, 64, 40, 1.0, train=0.0075 * percent, val=0.0025 * percent
                ),
                TrialConfig(K=8, hidden=64),
                1,
                4,
            ),
        ),
    }
    results = {}
    for name, (sizes, measure) in series.items():
        times = [measure(size) for size in sizes]
        half = len(sizes) // 2
        results[name] = {
            "sizes": sizes,
            "ms": times,
            "order": order(sizes, times),
            "order_of_upper_half": order(sizes[half:], times[half:]),
        }
    return results


_MEMORY = {
    "pubmed, K=64, 20 seeds": ("pubmed", 4.0),
    "170,000 nodes, 1.2 million edges, 40 classes, K=16, 20 seeds": ("large", 12.0),
}


def memory_child(which: str, data_dir: Path | None) -> None:
    """Two epochs of `fit` in this process, then its peak memory in GB on stdout."""
    import resource

    torch.set_num_threads(1)
    if which == "pubmed":
        graph, config = (
            load_graph("pubmed", data_dir=data_dir),
            TrialConfig(K=64, hidden=64, epochs=2),
        )
    else:
        graph = synthetic(170_000, 1_200_000, 128, 40, 1.0)
        config = TrialConfig(K=16, hidden=64, epochs=2)
    result = fit(graph, config, range(20))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"gb": peak, "seconds": result.seconds, "seeds": len(result.finished)}))


def memory(data_dir: Path | None) -> dict[str, dict[str, float]]:
    """The peak memory of each large case, in a process of its own."""
    results = {}
    for title, (which, limit) in _MEMORY.items():
        command = [sys.executable, __file__, "--memory-child", which]
        if data_dir is not None:
            command += ["--data-dir", str(data_dir)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        results[title] = {**json.loads(printed), "limit_gb": limit}
    return results


def plot(series: dict[str, dict[str, object]], path: Path) -> None:
    """Four log-log panels with a linear slope to compare to."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    titles = {
        "K": "propagation steps K (Cora, 20 seeds)",
        "seeds": "seeds (Cora, K=16)",
        "nodes": "nodes (degree 10, 5 seeds, K=16)",
        "labelled": "labelled nodes in percent (of 50,000, K=8)",
    }
    figure, axes = pyplot.subplots(1, 4, figsize=(14, 3.4), layout="constrained")
    for axis, (name, values) in zip(axes, series.items(), strict=True):
        sizes, times = values["sizes"], values["ms"]
        axis.loglog(sizes, times, "o-", color="#0072B2", label="measured")
        linear = [times[-1] * size / sizes[-1] for size in sizes]
        axis.loglog(sizes, linear, "--", color="#999999", label="linear")
        axis.set_xlabel(titles[name])
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("ms an epoch")
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    parser.add_argument("--skip-memory", action="store_true")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--memory-child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.memory_child:
        memory_child(args.memory_child, args.data_dir)
        return
    torch.set_num_threads(1)
    keep_freed_memory()
    series = growth(load_graph("cora", data_dir=args.data_dir))
    peaks = {} if args.skip_memory else memory(args.data_dir)
    if args.plot:
        plot(series, args.plot)
    if args.json:
        print(json.dumps({"growth": series, "memory": peaks}, indent=2))
        return
    for name, values in series.items():
        cells = zip(values["sizes"], values["ms"], strict=True)
        print(f"{name:8s}", "  ".join(f"{size:,}: {ms:.1f} ms" for size, ms in cells))
        upper = values["order_of_upper_half"]
        print(f"       order {values['order']:.2f}, of the upper half {upper:.2f} (1 is linear)")
    for title, peak in peaks.items():
        print(f"{title}: {peak['gb']:.2f} GB (limit {peak['limit_gb']:g})")


if __name__ == "__main__":
    main()
