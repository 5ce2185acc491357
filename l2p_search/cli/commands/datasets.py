"""`l2p-search datasets`: what can be trained on, with the paper's figures beside ours."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from l2p_search.cli.invocation import in_words
from l2p_search.cli.options import add_data_dir
from l2p_search.display.phrases import count

if TYPE_CHECKING:
    from l2p_search.data.catalogue import Dataset
    from l2p_search.data.graph import Graph

_WIDE = 1000
"""Columns for which the table is measured: a measure is never wider than its console."""


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "datasets",
        help="list the datasets with their statistics and the paper's",
        description="List the datasets with their statistics, the paper's, and edge homophily.",
        epilog="example: l2p-search datasets --data-dir ./data",
    )
    add_data_dir(parser)
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Load each dataset; one that is not to be had gets its reason instead of its figures."""
    from l2p_search.data.catalogue import DATASETS
    from l2p_search.data.loading import load_graph
    from l2p_search.errors import DataError

    rows: list[dict[str, Any]] = []
    for dataset in DATASETS.values():
        try:
            rows.append(_figures(dataset, load_graph(dataset.name, data_dir=args.data_dir)))
        except DataError as error:
            rows.append(
                {"name": dataset.name, "kind": dataset.kind, "error": in_words(error.message)}
            )
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        _print_table(rows)
    return 0


def _figures(dataset: "Dataset", graph: "Graph") -> dict[str, Any]:
    paper = dataset.paper
    sizes = (graph.train[0].sum(), graph.val[0].sum(), graph.test[0].sum())
    return {
        "name": graph.name,
        "kind": dataset.kind,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "features": graph.num_features,
        "classes": graph.num_classes,
        "edge_homophily": round(graph.edge_homophily, 3),
        "splits": graph.num_splits,
        "train_val_test": [int(size) for size in sizes],
        "digest": graph.digest,
        "paper": None
        if paper is None
        else {
            "nodes": paper.nodes,
            "edges": paper.edges,
            "features": paper.features,
            "classes": paper.classes,
        },
    }


def _print_table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="In brackets: the paper, where it prints another figure", title_style="")
    for heading in ("dataset", "kind"):
        table.add_column(heading, no_wrap=True)
    for heading in ("nodes", "edges", "features", "classes", "homophily", "splits"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("train/val/test", justify="right", no_wrap=True)
    missing = []
    for row in rows:
        if "error" in row:
            missing.append(row["error"])
            table.add_row(row["name"], row["kind"], *["-"] * 7)
            continue
        table.add_row(
            row["name"],
            row["kind"],
            *(_beside(row, key) for key in ("nodes", "edges", "features", "classes")),
            f"{row['edge_homophily']:.3f}",
            str(row["splits"]),
            "/".join(map(str, row["train_val_test"])),
        )
    console = Console(width=None if Console().is_terminal else 120)
    if Console(width=_WIDE).measure(table).maximum <= console.width:
        console.print(table)
    else:  # columns would lose their numbers
        for row in rows:
            console.print(_in_lines(row), highlight=False)
        console.print(table.title)
    console.print(
        "Edges are undirected, each counted once, without self-loops. cornell-legacy is what"
        " papers before July 2022 measured under the name of Cornell; cornell is the corrected"
        " dataset, and the two cannot be compared.",
        highlight=False,
    )
    for error in missing:
        console.print(error, markup=False, highlight=False)


def _in_lines(row: dict[str, Any]) -> str:
    """A dataset for a terminal that is too narrow for the table."""
    name = f"{row['name']}, {row['kind']}"
    if "error" in row:
        return f"{name}: not here"
    counts = (f"{_beside(row, key)} {key}" for key in ("nodes", "edges", "features", "classes"))
    splits = f"{count(row['splits'], 'split')} of {'/'.join(map(str, row['train_val_test']))}"
    return f"{name}: {', '.join(counts)}, homophily {row['edge_homophily']:.3f}, {splits}"


def _beside(row: dict[str, Any], key: str) -> str:
    paper = row["paper"]
    ours = f"{row[key]:,}"
    return ours if paper is None or paper[key] == row[key] else f"{ours} ({paper[key]:,})"
