"""The default configurations on all the paper's graphs, 20 seeds each.

    python benchmarks/accuracy.py [--json] [--seeds 20] [--dataset NAME ...]

The defaults (one for homophilous and one for heterophilous graphs) were chosen by validation
accuracy; test accuracy is only printed. The graphs are trained in separate processes, as many
at a time as there are cores.
"""

import argparse
import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from l2p_search.data.catalogue import DATASETS
from l2p_search.published import paper_accuracy
from l2p_search.results import TrialResult

_LONGEST_FIRST = (
    "pubmed", "actor", "citeseer", "cora", "wisconsin", "texas", "cornell", "cornell-legacy",
)  # fmt: skip


def train(name: str, seeds: int, data_dir: Path | None) -> TrialResult:
    """One graph with its kind's default configuration, on one thread."""
    import torch

    from l2p_search.config import DEFAULTS
    from l2p_search.data.loading import load_graph
    from l2p_search.training.fit import fit

    torch.set_num_threads(1)
    return fit(load_graph(name, data_dir=data_dir), DEFAULTS[DATASETS[name].kind], range(seeds))


def main() -> None:
    """Train and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--dataset", action="append", choices=_LONGEST_FIRST)
    parser.add_argument("--data-dir", type=Path)
    args = parser.parse_args()
    names = [name for name in _LONGEST_FIRST if name in (args.dataset or _LONGEST_FIRST)]
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = {name: pool.submit(train, name, args.seeds, args.data_dir) for name in names}
        results = {name: running[name].result() for name in DATASETS if name in running}
    if args.json:
        print(
            json.dumps({name: result.to_mapping() for name, result in results.items()}, indent=2)
        )
        return
    print(
        "| dataset | validation | sd | test | sd | paper (L2Q) | q at steps 0, 1, 2 | mean step |"
        " seconds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, result in results.items():
        paper = paper_accuracy("l2q", name)
        shares = ", ".join(f"{share:.2f}" for share in (result.profile or ())[:3])
        print(
            f"| {name} | {result.val_mean:.2f} | {result.val_std:.2f}"
            f" | {result.test_mean:.2f} | {result.test_std:.2f}"
            f" | {paper or '-'} | {shares}"
            f" | {result.expected_step:.2f} | {result.seconds:.0f} |"
        )


if __name__ == "__main__":
    main()
