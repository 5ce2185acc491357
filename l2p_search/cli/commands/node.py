"""`l2p-search node`: one node, its surroundings and how far it looks (figures 7 and 8)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_copy, add_dataset, add_dir, natural, positive
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.config import TrialConfig
    from l2p_search.search.records.journal import Journal


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "node",
        help="draw a node's neighbourhood and the steps it takes",
        description="Train the best recorded configuration of a dataset (else its default) and"
        " draw one node's 3-hop neighbourhood, coloured by class, with the node's q(t). The"
        " run of the search gets a copy in MLflow.",
        epilog="example: l2p-search node --dataset cora --node 17",
    )
    add_dataset(parser)
    parser.add_argument("--node", type=natural, required=True, metavar="N", help="from 0")
    parser.add_argument("--seeds", type=positive, default=5, metavar="N", help="(default: 5)")
    parser.add_argument(
        "--out", type=Path, default=Path("figures"), metavar="DIR", help="(default: ./figures)"
    )
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Train, draw, write."""
    import torch

    from l2p_search.api.recording import attach
    from l2p_search.cli.output import write_figure
    from l2p_search.data.catalogue import find_dataset
    from l2p_search.data.loading import load_graph
    from l2p_search.report.profile_figures import node_figure
    from l2p_search.training.fit import node_posterior

    dataset = find_dataset(args.dataset)
    graph = load_graph(dataset.name, args.data_dir)
    if args.node >= graph.num_nodes:
        raise UserError(
            f"--node {args.node}: {dataset.name} has {graph.num_nodes} nodes; give one of 0 to"
            f" {graph.num_nodes - 1}"
        )
    torch.set_num_threads(1)
    config, journal = _config(args, dataset.name, dataset.kind)
    origin = "default configuration" if journal is None else f"best of {journal.directory.name}"
    mean = node_posterior(graph, config, range(args.seeds), args.node)
    steps = float(mean @ torch.arange(len(mean), dtype=torch.float64))
    print(f"{dataset.name}, {origin}: node {args.node} takes {steps:.2f} steps on average")
    figure = node_figure(graph.edges.numpy(), graph.y.numpy(), args.node, mean.tolist())
    files = write_figure(args.out / f"{dataset.name}-node-{args.node}", figure)
    if journal is not None:
        attach(args, {journal}, files)
    return 0


def _config(
    args: argparse.Namespace, dataset: str, kind: str
) -> tuple["TrialConfig", "Journal | None"]:
    """The best configuration of the latest search of the dataset, or the default."""
    from l2p_search.config import DEFAULTS
    from l2p_search.search.records.directory import list_searches, searches_folder
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import best_of

    for directory in list_searches(searches_folder(args.dir)):
        journal = Journal.read(directory)
        best = best_of(journal.records())
        if journal.settings.dataset == dataset and best is not None:
            return best.config, journal
    return DEFAULTS[kind], None
