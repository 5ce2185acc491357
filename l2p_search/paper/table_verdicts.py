"""What may be said below a table of the paper: L2P against others, per graph and over graphs."""

from collections.abc import Mapping, Sequence

from l2p_search.display.phrases import count
from l2p_search.other_nodes import estimate_of_test
from l2p_search.over_graphs import average_ranks, distinct_graphs, signed_ranks
from l2p_search.paper.studies import Request
from l2p_search.report.comparison import compare, judged_together
from l2p_search.results import TrialResult
from l2p_search.verdicts import points

_PAIRS = (
    ("l2q", "appnp"),
    ("l2s", "appnp"),
    ("l2q", "mlp"),
    ("l2s", "mlp"),
    ("l2q-gcn", "gcn"),
    ("l2s-gcn", "gcn"),
)
"""L2P, and its backbone or MLP that it is held against."""

Results = Mapping[tuple[str, str], TrialResult]
"""(method, dataset) -> the winner on fresh seeds."""


def cell(found: TrialResult | None) -> str:
    """A result with both intervals, such as "85.59 ± 2.88 [80.78, 90.40]"."""
    estimate = None if found is None else estimate_of_test(found)
    if estimate is None:
        return "failed"
    elsewhere = estimate.other_nodes
    if elsewhere is None or elsewhere.low is None:
        return str(estimate.this_graph)
    return f"{estimate.this_graph} [{elsewhere.low:.2f}, {elsewhere.high:.2f}]"


def pair_lines(results: Results, datasets: Sequence[str], margin: float) -> list[str]:
    """L2P against its backbone and MLP on every graph, compared seed by seed.

    Args:
        results: Of the table.
        datasets: Its graphs.
        margin: The points within which two scores are called equivalent.

    Returns:
        A line per pair and graph; their verdicts hold together, by Holm.
    """
    pairs = [
        (method, other, dataset)
        for method, other in _PAIRS
        for dataset in datasets
        if (method, dataset) in results and (other, dataset) in results
    ]
    if not pairs:
        return []
    found = judged_together(
        [compare(results[o, dataset], results[m, dataset], "test") for m, o, dataset in pairs],
        margin,
    )
    return [
        "\nL2P against its backbone and against MLP, paired by seed and split; verdicts at 5 %,"
        f" adjusted by Holm for {count(len(pairs), 'comparison')}; equivalent means within"
        f" {points(margin)}:\n",
        *(
            f"- {dataset}: {method} against {other} {each.difference} points: {each.in_words}"
            for (method, other, dataset), each in zip(pairs, found, strict=True)
        ),
    ]


def over_graphs_lines(request: Request, results: Results) -> list[str]:
    """Methods over the graphs of a table, of which each distinct one counts once.

    Args:
        request: Where the graphs are found.
        results: Of the table.

    Returns:
        Average ranks with their critical difference, and a signed-rank test per pair; empty with
        one graph.
    """
    names = list(dict.fromkeys(dataset for _, dataset in results))
    graphs = request.graphs(names)
    kept, repeats = distinct_graphs({name: graphs[name].node_digest for name in names})
    table = {
        graph: {
            method: result.test_mean
            for (method, dataset), result in results.items()
            if dataset == graph and result.test_mean is not None
        }
        for graph in kept
    }
    ranks = average_ranks(table)
    if len(kept) < 2 or not ranks.average:
        return []
    head = f"\nOver {len(kept)} distinct graphs (signed-rank tests, Holm)."
    head += "".join(
        f" {name} is left out: it has the features and labels of {same}."
        for name, same in repeats.items()
    )
    told = ", ".join(f"{method} {rank:.2f}" for method, rank in ranks.average.items())
    head += f" Average ranks on the {len(ranks.graphs)} that have all methods: {told}"
    if ranks.critical_difference is not None:
        head += (
            f"; critical difference {ranks.critical_difference:.2f} (Nemenyi, 5 %), Friedman's"
            f" test has p = {ranks.friedman_p:.3f}"
        )
    methods = {method for row in table.values() for method in row}
    pairs = [(other, method) for method, other in _PAIRS if {method, other} <= methods]
    return [
        f"{head}.\n",
        *(
            f"- {each.second} against {each.first}: {each.verdict}, ahead on {each.wins}, behind"
            f" on {each.losses}, {each.median:+.2f} points in the median (p = {each.p:.3f}; the"
            f" least that so many graphs can give is {each.least_p:.3f})"
            for each in signed_ranks(pairs, table)
        ),
    ]
