"""What a GPU is worth to the engine, and whether its numbers can be trusted.

    python benchmarks/device.py [--json] [--device cuda] [--dataset demo --dataset cora]

For every graph, K = 16, hidden 64:

    epoch_ms        the median of an epoch with 1, 5, 20 and 80 seeds at once, on either device
    speedup         the CPU's (one thread) / the device's, with 20 seeds
    alone           the largest difference of a seed's validation loss, trained alone and in a
                    batch of 5 on the device for 30 epochs, and whether it has the same best epoch
    accuracy        mean validation accuracy of 20 seeds on either device, trained to their end;
                    the noise differs, so they differ as those of other seeds would

Where there is no device but the CPU it says so, and measures the CPU alone.
"""

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.data.loading import load_graph
from l2p_search.model.building import build_network
from l2p_search.model.devices import chosen_device, devices_here
from l2p_search.model.problem import Problem
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.fit import fit
from l2p_search.training.memory import keep_freed_memory

SEEDS = (1, 5, 20, 80)
CONFIG = TrialConfig(K=16, hidden=64)


def epoch_ms(graph: Graph, device: torch.device, seeds: int, epochs: int = 10) -> float:
    """The median time of an epoch; a device is waited for at the end of each."""
    problem = Problem(graph, device)
    learner = BiLevel(problem, build_network(problem, CONFIG), CONFIG, range(seeds))
    times = []
    for _ in range(epochs + 2):
        started = time.perf_counter()
        learner.lower_step()
        read, scores = learner.evaluate()
        learner.upper_step(read)
        scores.loss.sum().item()
        times.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times[2:])


def alone_and_together(graph: Graph, device: str) -> dict[str, Any]:
    """How far a seed that is trained alone is from the same seed in a batch."""
    config = TrialConfig(K=16, hidden=64, epochs=30)
    together = fit(graph, config, range(5), device=device)
    pairs = [(fit(graph, config, [s.seed], device=device).seeds[0], s) for s in together.seeds]
    return {
        "val_loss": max(abs((one.val_loss or 0) - (two.val_loss or 0)) for one, two in pairs),
        "same_best_epoch": all(one.best_epoch == two.best_epoch for one, two in pairs),
    }


def measured(graph: Graph, device: str) -> dict[str, Any]:
    """All figures of one graph; `device` is "cpu" where there is no other."""
    names = list(dict.fromkeys(["cpu", device]))
    found: dict[str, Any] = {
        "epoch_ms": {
            name: {seeds: epoch_ms(graph, chosen_device(name), seeds) for seeds in SEEDS}
            for name in names
        },
        "alone": {name: alone_and_together(graph, name) for name in names},
    }
    if device == "cpu":
        return found
    found["speedup"] = found["epoch_ms"]["cpu"][20] / found["epoch_ms"][device][20]
    config = default_config(graph)
    found["accuracy"] = {
        name: fit(graph, config, range(20), device=name).val_mean for name in names
    }
    return found


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--device", default="auto", help="the device to compare with the CPU")
    parser.add_argument("--dataset", action="append", help="(default: demo)")
    parser.add_argument("--data-dir", type=Path, help="a folder with raw files")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    device = str(chosen_device(args.device))
    result: dict[str, Any] = {"torch": torch.__version__, "devices": devices_here()}
    if device.startswith("cuda"):
        result["gpu"] = torch.cuda.get_device_name(device)
    if device == "cpu":
        result["note"] = "no GPU was seen: these are figures of the CPU alone, none of a GPU"
    for name in args.dataset or ["demo"]:
        result[name] = measured(load_graph(name, data_dir=args.data_dir), device)
    if args.json:
        print(json.dumps(result, indent=2))
        return
    for key, value in result.items():
        if not isinstance(value, dict):
            print(f"{key}: {value}")
            continue
        print(f"\n{key}")
        for figure, numbers in value.items():
            print(f"  {figure}: {numbers}")


if __name__ == "__main__":
    main()
