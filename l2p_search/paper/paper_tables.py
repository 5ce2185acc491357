"""Tables 1 to 4 of the L2P paper, from one search per method and dataset."""

from collections.abc import Callable, Mapping, Sequence

from l2p_search.api.spent import spent
from l2p_search.api.writing import figure_files
from l2p_search.durations import format_duration
from l2p_search.errors import UserError, argument, did_you_mean
from l2p_search.intervals import Interval, interval_of_test
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH
from l2p_search.paper.budgets import BUDGETS, grid_study, method_study
from l2p_search.paper.studies import Reproduction, Request, outcomes_of
from l2p_search.paper.table_verdicts import cell, over_graphs_lines, pair_lines
from l2p_search.published import STEPS, TABLE_1, TABLE_2, TABLE_3, TABLE_4
from l2p_search.results import TrialResult
from l2p_search.searching.records.outcome import Outcome

_INCEPTION_STEPS = 16
"""The largest K of IncepGCN, whose number of layers grows with K squared: 1,955 at K = 64."""


def accuracies_table(
    request: Request,
    title: str,
    paper: Mapping[str, Mapping[str, float]],
    beside: Sequence[str] = (),
) -> Reproduction:
    """Tables 1 to 3: the test accuracy of every method on every dataset, on fresh seeds.

    Args:
        request: What the user asks for.
        title: Of the table.
        paper: Method -> dataset -> what the paper reports, in percent.
        beside: Methods that the paper's table has not, as further rows.

    Returns:
        The table, and below it L2P compared with its backbones and with those beside.

    Raises:
        UserError: The request names a method or dataset that the table does not have.
    """
    methods = _chosen("methods", request.methods, [*paper, *beside])
    columns = [dataset for row in paper.values() for dataset in row]
    wanted = list(dict.fromkeys(columns))
    if "cornell-legacy" in wanted:
        wanted.insert(wanted.index("cornell-legacy") + 1, "cornell")
    datasets = _chosen("datasets", request.datasets, wanted)
    pairs = [(method, dataset) for dataset in datasets for method in methods]
    outcomes = _outcomes(request, pairs)
    results = _winners(outcomes)
    budget = BUDGETS[request.budget]
    lines = [
        f"### {title}\n",
        f"| | {' | '.join(datasets)} |\n|---{'|---' * len(datasets)}|",
    ]
    for method in methods:
        cells = []
        for dataset in datasets:
            theirs = paper.get(method, {}).get(dataset)
            found = results.get((method, dataset))
            cells.append(f"{cell(found)} ({'-' if theirs is None else theirs})")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    lines.append(
        f"\nTest accuracy in percent on {budget.confirm} fresh seeds. ± is the 95 % interval for"
        f" {THIS_GRAPH}; in square brackets that for {OTHER_NODES}; in round ones the paper's"
        f" number. Budget {request.budget}: {budget.in_words()}."
    )
    if without := [method for method in methods if method not in paper]:
        lines.append(f"The paper's table has no row {', '.join(without)}.")
    if "cornell" in datasets:
        lines.append(
            "`cornell` is the corrected dataset: the paper's number is of `cornell-legacy`."
        )
    lines += [
        *pair_lines(results, datasets, request.margin),
        *over_graphs_lines(request, results),
        *_budgets(outcomes, methods),
    ]
    return Reproduction(text="\n".join(lines))


def best_results(
    request: Request, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], TrialResult]:
    """Search methods on datasets, and get the best trial of each on fresh seeds.

    Args:
        request: What the user asks for.
        pairs: Method and dataset.

    Returns:
        (method, dataset) -> result; a search without a complete trial is left out.
    """
    return _winners(_outcomes(request, pairs))


def _outcomes(
    request: Request, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], Outcome]:
    """(method, dataset) -> what its search found."""
    graphs = request.graphs([dataset for _, dataset in pairs])
    studies = [method_study(method, dataset, request.budget) for method, dataset in pairs]
    return dict(zip(pairs, outcomes_of(request, studies, graphs), strict=True))


def _winners(
    outcomes: Mapping[tuple[str, str], Outcome],
) -> dict[tuple[str, str], TrialResult]:
    """The best trials on fresh seeds; a search without a complete trial is left out."""
    return {
        pair: outcome.confirmations[outcome.best.number]
        for pair, outcome in outcomes.items()
        if outcome.best is not None and outcome.best.number in outcome.confirmations
    }


def _budgets(outcomes: Mapping[tuple[str, str], Outcome], methods: Sequence[str]) -> list[str]:
    """A table of what every method was given, over all its graphs."""
    lines = [
        "\nGiven to each method, over all graphs of the table:\n",
        "| | trials | configurations in its space | seeds trained | CPU time of the trials |",
        "|---|---|---|---|---|",
    ]
    for method in methods:
        given = [
            spent(outcome.settings, outcome.records, outcome.confirmations.values())
            for (name, _), outcome in outcomes.items()
            if name == method
        ]
        sizes = dict.fromkeys(
            "not countable" if each.configurations is None else f"{each.configurations:,}"
            for each in given
        )
        known = [each.cpu_seconds for each in given if each.cpu_seconds is not None]
        time = format_duration(sum(known)) if len(known) == len(given) else "not recorded"
        lines.append(
            f"| {method} | {sum(each.trials for each in given)} | {' or '.join(sizes)} |"
            f" {sum(each.trainings for each in given):,} | {time} |"
        )
    return lines


def depths_table(request: Request) -> Reproduction:
    """Table 4: the test accuracy of each method at 2 to 64 propagation steps.

    All other hyperparameters are those of the best trial of the method's search.

    Args:
        request: What the user asks for; one dataset at the most, by default Cora.

    Returns:
        The table, and a plot of it.

    Raises:
        UserError: The request names several datasets, or a method that the table does not have.
    """
    from l2p_search.report.paper_figures import depth_figure

    methods = _chosen("methods", request.methods, list(TABLE_4))
    if len(request.datasets or ()) > 1:
        names = " ".join(request.datasets or ())
        raise UserError(f"{argument('datasets')} {names}: table 4 is of one; name one")
    (dataset,) = request.datasets or ["cora"]
    graphs = request.graphs([dataset])
    searches = [method_study(method, dataset, request.budget) for method in methods]
    studies = {}
    for method, outcome in zip(methods, outcomes_of(request, searches, graphs), strict=True):
        if outcome.best is None:
            continue
        best = outcome.best.config.to_mapping()
        fixed = {key: value for key, value in best.items() if key != "K"}
        depths = {"K": _depths(method, request.budget)}
        studies[method] = grid_study(f"{method}-depth", dataset, request.budget, depths, fixed)
    ours: dict[str, dict[int, Interval]] = {}
    found = outcomes_of(request, list(studies.values()), graphs)
    for method, outcome in zip(studies, found, strict=True):
        accuracies = {
            record.config.K: interval_of_test(record.result)
            for record in outcome.records
            if record.result is not None
        }
        ours[method] = {k: value for k, value in accuracies.items() if value is not None}
    lines = [
        f"### Table 4: accuracy on {dataset} by the number of steps\n",
        f"| | {' | '.join(map(str, STEPS))} |\n|---{'|---' * len(STEPS)}|",
    ]
    for method, row in ours.items():
        cells = [f"{row.get(k, 'not run')} ({TABLE_4[method].get(k, '-')})" for k in STEPS]
        lines.append(f"| {method} | {' | '.join(cells)} |")
    lines.append(
        f"\nTest accuracy in percent on {BUDGETS[request.budget].seeds} seeds; ± is the 95 %"
        f" interval for {THIS_GRAPH}; in brackets the paper's number, for Cora. Everything but K"
        " is as the best on validation of the"
        f" method's search (budget {request.budget}) has it. IncepGCN ends at {_INCEPTION_STEPS}"
        " steps: its layers are quadratic in them."
    )
    files = figure_files("table4", depth_figure(ours, dataset))
    return Reproduction(text="\n".join(lines), files=files)


def _depths(method: str, budget: str) -> list[int]:
    most = 4 if budget == "smoke" else 64
    if method.startswith("incepgcn"):
        most = min(most, _INCEPTION_STEPS)
    return [steps for steps in STEPS if steps <= most]


def _chosen(option: str, given: Sequence[str] | None, known: list[str]) -> list[str]:
    for name in given or ():
        if name not in known:
            raise UserError(
                f"{argument(option)} {name}: is not in it; {did_you_mean(name, known)}"
            )
    return list(given or known)


TABLES: dict[str, Callable[[Request], Reproduction]] = {
    "table1": lambda request: accuracies_table(request, "Table 1: homophily graphs", TABLE_1),
    "table2": lambda request: accuracies_table(
        request, "Table 2: heterophily graphs", TABLE_2, beside=["mlp"]
    ),
    "table3": lambda request: accuracies_table(request, "Table 3: connections on GCN", TABLE_3),
    "table4": depths_table,
}
