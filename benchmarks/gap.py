"""Where does one model lose against another? Validation accuracy by the kind of node.

    python benchmarks/gap.py cora paper-quick-cora-l2q paper-quick-cora-dagnn [--dir searches]

The best configuration of each search (on validation) is trained on its fresh seeds, the same for
searches of as many seeds, and the validation nodes are told apart by their degree and by the share
of their class among their neighbours. No prediction of a test node is looked at.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np


def hits(dataset: str, directory: Path, seeds: int) -> tuple[str, np.ndarray, float]:
    """Of one search's best: its method, how often each validation node is right, the loss."""
    import torch

    from l2p_search.data.loading import load_graph
    from l2p_search.searching.records.journal import Journal
    from l2p_search.searching.records.outcome import fresh_seeds, read_outcome
    from l2p_search.training.fit import Predicted, fit

    torch.set_num_threads(1)
    graph = load_graph(dataset)
    val = graph.val[0]
    journal = Journal.read(directory)
    best = read_outcome(journal).best
    if best is None:
        raise SystemExit(f"{directory}: no trial has all its seeds; search on")
    right: list[torch.Tensor] = []

    def keep(predicted: Predicted) -> None:
        right.append((predicted.log_p[val].argmax(dim=1) == graph.y[val]).double())

    result = fit(graph, best.config, fresh_seeds(journal.settings, seeds), on_seed=keep)
    losses = [seed.val_loss for seed in result.seeds if seed.val_loss is not None]
    return best.config.method, torch.stack(right).mean(dim=0).numpy(), float(np.mean(losses))


def kinds_of_nodes(dataset: str) -> dict[str, np.ndarray]:
    """The validation nodes by what they are: masks over them."""
    from l2p_search.data.loading import load_graph

    graph = load_graph(dataset)
    row, column = graph.edges.numpy()
    degree = np.bincount(row, minlength=graph.num_nodes)
    labels = graph.y.numpy()
    alike = np.bincount(row, weights=labels[row] == labels[column], minlength=graph.num_nodes)
    share = alike / np.maximum(degree, 1)
    kinds = {
        "all": degree >= 0,
        "degree 0": degree == 0,
        "degree 1-2": (degree >= 1) & (degree <= 2),
        "degree 3-5": (degree >= 3) & (degree <= 5),
        "degree 6 and more": degree >= 6,
        "no neighbour of its class": (degree > 0) & (share == 0),
        "up to half": (share > 0) & (share <= 0.5),
        "most": (share > 0.5) & (share < 1),
        "all neighbours of its class": share == 1,
    }
    val = graph.val[0].numpy()
    return {name: mask[val] for name, mask in kinds.items() if mask[val].any()}


def main() -> None:
    """Train and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("dataset", help="a dataset of one split: cora, citeseer, pubmed")
    parser.add_argument("searches", nargs="+")
    parser.add_argument("--dir", type=Path, default=Path("searches"))
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = [
            pool.submit(hits, args.dataset, args.dir / name, args.seeds) for name in args.searches
        ]
        found = [each.result() for each in running]
    names = [
        f"{method} ({search})" for search, (method, _, _) in zip(args.searches, found, strict=True)
    ]
    print(f"| validation nodes | number | {' | '.join(names)} |")
    print(f"|---|---|{'---|' * len(names)}")
    for kind, mask in kinds_of_nodes(args.dataset).items():
        cells = " | ".join(f"{100 * right[mask].mean():.1f}" for _, right, _ in found)
        print(f"| {kind} | {int(mask.sum())} | {cells} |")
    print(f"| loss, all | | {' | '.join(f'{loss:.3f}' for _, _, loss in found)} |")


if __name__ == "__main__":
    main()
