"""The paper's tables 1 to 4: a search for each method and dataset, or for each depth."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from l2p_search.cli.output import write_figure
from l2p_search.data.catalogue import find_dataset
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import UserError, did_you_mean
from l2p_search.intervals import Interval, accuracy_of_test
from l2p_search.paper.budgets import BUDGETS, grid_study, method_study
from l2p_search.paper.studies import outcomes_of
from l2p_search.published import STEPS, TABLE_1, TABLE_2, TABLE_3, TABLE_4
from l2p_search.report.comparison import compare
from l2p_search.results import TrialResult

_INCEPTION_STEPS = 16
"""The layers of an inception network are quadratic in K: at 64 there are 1,955."""


def print_accuracies(
    args: argparse.Namespace, title: str, paper: Mapping[str, Mapping[str, float]]
) -> None:
    """Tables 1 to 3: every method on every dataset, on fresh seeds."""
    methods = _chosen("--methods", args.methods, list(paper))
    columns = [dataset for row in paper.values() for dataset in row]
    wanted = list(dict.fromkeys(columns))
    if "cornell-legacy" in wanted:
        wanted.insert(wanted.index("cornell-legacy") + 1, "cornell")
    datasets = _chosen("--datasets", args.datasets, wanted)
    pairs = [(method, dataset) for dataset in datasets for method in methods]
    results = best_results(args, pairs)
    budget = BUDGETS[args.budget]
    print(f"### {title}\n")
    print(f"| | {' | '.join(datasets)} |\n|---{'|---' * len(datasets)}|")
    for method in methods:
        cells = []
        for dataset in datasets:
            theirs = paper[method].get(dataset)
            found = results.get((method, dataset))
            own = str(accuracy_of_test(found)) if found is not None else "failed"
            cells.append(f"{own} ({'-' if theirs is None else theirs})")
        print(f"| {method} | {' | '.join(cells)} |")
    print(
        f"\nTest accuracy in percent on {budget.confirm} fresh seeds, with its 95 % interval; in"
        f" brackets the paper's. Budget {args.budget}: {budget.in_words()}."
    )
    if "cornell" in datasets:
        print("`cornell` is the corrected dataset: the paper's number is of `cornell-legacy`.")
    _print_pairs(results, datasets)


def best_results(
    args: argparse.Namespace, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], TrialResult]:
    """The winners of searches of a method on a dataset, on seeds that chose nothing."""
    graphs = graphs_of(args, [dataset for _, dataset in pairs])
    studies = [method_study(method, dataset, args.budget) for method, dataset in pairs]
    found = {}
    for pair, outcome in zip(pairs, outcomes_of(args, studies, graphs), strict=True):
        if outcome.best is not None and outcome.best.number in outcome.confirmations:
            found[pair] = outcome.confirmations[outcome.best.number]
    return found


def graphs_of(args: argparse.Namespace, datasets: Iterable[str]) -> dict[str, Graph]:
    """The graphs by name, each loaded once."""
    return {
        name: load_graph(find_dataset(name).name, args.data_dir)
        for name in dict.fromkeys(datasets)
    }


def _print_pairs(results: Mapping[tuple[str, str], TrialResult], datasets: Sequence[str]) -> None:
    """L2P against the backbone that it is put on, paired by seed."""
    lines = []
    for method, backbone in (
        ("l2q", "appnp"),
        ("l2s", "appnp"),
        ("l2q-gcn", "gcn"),
        ("l2s-gcn", "gcn"),
    ):
        for dataset in datasets:
            if (method, dataset) in results and (backbone, dataset) in results:
                found = compare(
                    results[backbone, dataset], results[method, dataset], "test_accuracy"
                )
                lines.append(
                    f"- {dataset}: {method} is {found.verdict} against {backbone},"
                    f" {found.difference} points"
                )
    if lines:
        print("\nL2P against its backbone, paired by seed and split:\n")
        print("\n".join(lines))


def print_depths(args: argparse.Namespace) -> None:
    """Table 4: each method at 2 to 64 steps, everything else as it was best on Cora."""
    from l2p_search.report.paper_figures import depth_figure

    methods = _chosen("--methods", args.methods, list(TABLE_4))
    if len(args.datasets or ()) > 1:
        raise UserError(f"--datasets {' '.join(args.datasets)}: table 4 is of one; name one")
    (dataset,) = args.datasets or ["cora"]
    graphs = graphs_of(args, [dataset])
    searches = [method_study(method, dataset, args.budget) for method in methods]
    studies = {}
    for method, outcome in zip(methods, outcomes_of(args, searches, graphs), strict=True):
        if outcome.best is None:
            continue
        best = outcome.best.config.to_mapping()
        fixed = {key: value for key, value in best.items() if key != "K"}
        depths = {"K": _depths(method, args.budget)}
        studies[method] = grid_study(f"{method}-depth", dataset, args.budget, depths, fixed)
    ours: dict[str, dict[int, Interval]] = {}
    found = outcomes_of(args, list(studies.values()), graphs)
    for method, outcome in zip(studies, found, strict=True):
        accuracies = {
            record.config.K: accuracy_of_test(record.result)
            for record in outcome.records
            if record.result is not None
        }
        ours[method] = {k: value for k, value in accuracies.items() if value is not None}
    print(f"### Table 4: accuracy on {dataset} by the number of steps\n")
    print(f"| | {' | '.join(map(str, STEPS))} |\n|---{'|---' * len(STEPS)}|")
    for method, row in ours.items():
        cells = [f"{row.get(k, 'not run')} ({TABLE_4[method].get(k, '-')})" for k in STEPS]
        print(f"| {method} | {' | '.join(cells)} |")
    print(
        f"\nTest accuracy in percent on {BUDGETS[args.budget].seeds} seeds, 95 % intervals; in"
        " brackets the paper's, for Cora. Everything but K is as the best on validation of the"
        f" method's search (budget {args.budget}) has it. IncepGCN ends at {_INCEPTION_STEPS}"
        " steps: its layers are quadratic in them."
    )
    write_figure(args.out / "table4", depth_figure(ours, dataset))


def _depths(method: str, budget: str) -> list[int]:
    most = 4 if budget == "smoke" else 64
    if method.startswith("incepgcn"):
        most = min(most, _INCEPTION_STEPS)
    return [steps for steps in STEPS if steps <= most]


def _chosen(option: str, given: Sequence[str] | None, known: list[str]) -> list[str]:
    for name in given or ():
        if name not in known:
            raise UserError(f"{option} {name}: is not in it; {did_you_mean(name, known)}")
    return list(given or known)


TABLES: dict[str, Any] = {
    "table1": lambda args: print_accuracies(args, "Table 1: homophily graphs", TABLE_1),
    "table2": lambda args: print_accuracies(args, "Table 2: heterophily graphs", TABLE_2),
    "table3": lambda args: print_accuracies(args, "Table 3: connections on GCN", TABLE_3),
    "table4": print_depths,
}
