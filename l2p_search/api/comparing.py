"""compare: two searches, trials or results, paired by seed and split."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

from l2p_search import defaults
from l2p_search.api.arguments import check, path_of
from l2p_search.api.found import Search
from l2p_search.api.pairing import on_common_seeds, side_of, trained_on_common_seeds
from l2p_search.api.spent import Spent, budget_lines, spent
from l2p_search.caller import left_as_found
from l2p_search.display.phrases import count
from l2p_search.display.training_bar import OnEpoch
from l2p_search.errors import UserError
from l2p_search.metrics import title
from l2p_search.other_nodes import NOT_RECORDED, OTHER_NODES, THIS_GRAPH, Estimate
from l2p_search.published import paper_accuracy
from l2p_search.report.comparison import Comparison, judged_together
from l2p_search.report.comparison import compare as compare_results
from l2p_search.verdicts import MARGIN, Judged, Verdict, points

_PARTS = {"test": "test", "val": "validation"}


@dataclass(frozen=True, kw_only=True)
class Paired:
    """The second result against the first, on the seeds that both have.

    Attributes:
        first: The name of the result that is compared with.
        second: The name of the result that is compared.
        fresh: Whether the seeds are fresh ones that chose nothing. If not, they are the searches'
            own, which chose the configurations.
        test: The comparison on test nodes; its `difference` is the second minus the first.
        validation: The comparison on validation nodes.
        same_method: Whether both are of one method. Only then there is a verdict on validation
            nodes: L2P learns phi from their labels, and a baseline does not.

    Example:
        >>> import l2p_search as l2p
        >>> first = l2p.fit("demo", K=1, epochs=20, seeds=3)
        >>> second = l2p.fit("demo", K=4, epochs=20, seeds=3)
        >>> l2p.compare(first, second).test.seeds
        3
    """

    first: str
    second: str
    fresh: bool
    test: Comparison
    validation: Comparison
    same_method: bool = True

    @property
    def verdict(self) -> Verdict:
        """On test nodes: whether the second is better, worse, equivalent, or undecided.

        Equivalent is within the margin, by two one-sided tests at 5 %; undecided is what neither
        these nor a two-sided test at 5 % can tell.
        """
        return self.test.verdict

    @property
    def difference(self) -> Any:
        """The second's score on test nodes minus the first's, in points, with its interval."""
        return self.test.difference

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        validation = self.validation.to_mapping()
        if not self.same_method:
            validation["verdict"] = None
        return {
            "first": self.first,
            "second": self.second,
            "fresh_seeds": self.fresh,
            "comparisons": [self.test.to_mapping(), validation],
        }

    def __str__(self) -> str:
        seeds = "fresh ones that chose nothing" if self.fresh else "the searches' own"
        lines = [
            f"on {self.test.seeds} seeds, {seeds}; equivalent means within"
            f" {points(self.test.judged.margin)}",
            f"± is the 95 % interval for {THIS_GRAPH}; {self._elsewhere}",
        ]
        width = max(len(self.first), len(self.second))
        for each in (self.test, self.validation):
            one = Estimate(each.first, each.first_elsewhere)
            two = Estimate(each.second, each.second_elsewhere)
            lines += [
                "",
                f"{_PARTS[each.part]} {title(each.metric)}",
                f"  {self.first:<{width}}  {each.first} %{one.beside}",
                f"  {self.second:<{width}}  {each.second} %{two.beside}",
                f"  difference {each.difference.signed} points"
                f"{Estimate(each.difference, each.elsewhere).beside}:"
                f" {self._said(each.judged)}",
            ]
            elsewhere = each.judged_elsewhere
            if elsewhere is not None and elsewhere.word != each.verdict:
                lines.append(f"  on {OTHER_NODES}: {self._said(elsewhere)}")
        if not self.same_method:
            lines[-1] = (
                f"  difference {self.validation.difference.signed} points: no verdict across"
                " methods, as phi learns from these labels"
            )
        return "\n".join(lines)

    @property
    def _elsewhere(self) -> str:
        """Where the interval for other nodes stands, or why there is none."""
        if self.test.elsewhere is not None:
            return f"in brackets it is for {OTHER_NODES}"
        why = "" if self.fresh else ": a search's trials keep no nodes, fresh seeds do"
        return f"that for {OTHER_NODES} is {NOT_RECORDED}{why}"

    def _said(self, judged: Judged) -> str:
        if judged.word == "undecided":
            return f"undecided: {self.second} may be better or worse than {self.first}"
        if judged.word == "equivalent":
            return f"equivalent: {self.second} is within {points(judged.margin)} of {self.first}"
        small = f", by less than {points(judged.margin)}" if judged.within_margin else ""
        return f"{self.second} is {judged.word} than {self.first}{small}"


@left_as_found()
def compare(
    first: Any,
    second: Any,
    *,
    train: int | None = None,
    margin: float = MARGIN,
    folder: str | Path | None = None,
    graph: Any = None,
    data_dir: str | Path | None = None,
    memory_gb: float = defaults.MEMORY_GB,
    display: OnEpoch | Literal["auto", "off"] = "off",
) -> Paired:
    """Compare two searches, trials or results on the seeds that both have.

    The same seed has the same split, initialisation and noise for both: differences are paired.
    Where both were confirmed on common fresh seeds, these are compared, else the searches' own.

    Args:
        first: A `Search` or its name, a trial such as "NAME:12", or a `TrialResult` of `fit`.
        second: Another one, on the same graph.
        train: Compare on so many fresh seeds that chose neither, and train what is missing of
            them; nothing of it is recorded.
        margin: The points within which two scores are called equivalent.
        folder: The folder that names are looked up in; $L2P_SEARCH_DIR, then ./searches by
            default.
        graph: The graph to train on, where it cannot be loaded as it was recorded.
        data_dir: A folder with raw files of named datasets, to train on.
        memory_gb: Memory for the seeds that train together.
        display: "auto" draws a progress bar on a terminal while it trains.

    Returns:
        The second against the first, on test and on validation nodes.

    Raises:
        UserError: They are of different graphs or metrics, or share no seeds, or one has no result
            yet.

    Example:
        >>> import l2p_search as l2p
        >>> one = l2p.fit("demo", K=2, epochs=20, seeds=2)
        >>> l2p.compare(one, one).verdict
        'equivalent'
    """
    check(margin=margin)
    sides = [side_of(given, folder) for given in (first, second)]
    names = [side.name for side in sides]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    if train is None:
        fresh, results = on_common_seeds(sides)
    else:
        fresh, results = (
            True,
            trained_on_common_seeds(
                sides,
                train,
                graph=graph,
                data_dir=path_of("data_dir", data_dir),
                memory_gb=memory_gb,
                display=display,
            ),
        )
    return Paired(
        first=names[0],
        second=names[1],
        fresh=fresh,
        test=compare_results(results[0], results[1], "test", margin),
        validation=compare_results(results[0], results[1], "val", margin),
        same_method=results[0].config.method == results[1].config.method,
    )


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The best configurations of several searches on the same seeds, each against the first.

    Attributes:
        dataset: The graph's name.
        fresh: Whether the seeds are fresh ones that chose nothing.
        searches: The names of the searches.
        methods: What each of them trained, such as "l2q" or "appnp".
        comparisons: Test accuracy of each against the first; the first one is against itself.
            Their verdicts hold together, by Holm.
        spent: What each was given: trials, the size of its space, CPU time.
    """

    dataset: str
    fresh: bool
    searches: Sequence[str]
    methods: Sequence[str]
    comparisons: Sequence[Comparison]
    spent: Sequence[Spent]

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        rows = [
            {
                "method": method,
                "search": name,
                **comparison.to_mapping(),
                "budget": given.to_mapping(),
            }
            for method, name, comparison, given in zip(
                self.methods, self.searches, self.comparisons, self.spent, strict=True
            )
        ]
        return {"first": self.methods[0], "fresh_seeds": self.fresh, "comparisons": rows}

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int | None = None) -> str:
        """How they compare, in lines.

        Args:
            width: Columns of the screen: a table that is wider is told row by row.
        """
        kind = "fresh seeds, which chose nothing" if self.fresh else "seeds, the searches' own"
        metric = self.comparisons[0].metric
        lines = [
            f"{self.dataset}: test {title(metric)} on {self.comparisons[0].seeds} {kind}",
            *(f"  {line}" for line in self._table(width)),
        ]
        others = len(self.comparisons) - 1
        lines += [
            "  differences are in points, paired by seed and split; ± is the 95 % interval for",
            f"  {THIS_GRAPH}, with a split's seeds taken as one;",
            f"  verdicts hold for the table as a whole (Holm, {count(others, 'comparison')});"
            f" equivalent means within {points(self.comparisons[0].judged.margin)}",
            "  given to each:",
        ]
        given = budget_lines(dict(zip(self.methods, self.spent, strict=True)))
        return "\n".join([*lines, *(f"    {line}" for line in given)])

    def _table(self, width: int | None) -> list[str]:
        names, *rows = self._rows()
        table = _aligned([names, *rows])
        if width is None or max(map(len, table)) + 2 <= width:
            return table
        lines = []
        for method, *cells in rows:
            numbers = ", ".join(map(" ".join, zip(names[1:], cells, strict=False)))
            verdict = "".join(f": {word}" for word in cells[len(names) - 1 :])
            lines.append(f"{method}: {numbers}{verdict}")
        return lines

    def _rows(self) -> list[list[str]]:
        """The table in cells, its titles first; the paper's numbers where it has some."""
        metric, first = self.comparisons[0].metric, self.methods[0]
        published = [
            paper_accuracy(method, self.dataset) if metric == "accuracy" else None
            for method in self.methods
        ]
        shown = any(each is not None for each in published)
        paper = ["paper"] if shown else []
        rows = [
            ["", f"{title(metric)}, %", "other nodes", *paper, f"minus {first}", "other nodes"]
        ]
        for method, comparison, theirs in zip(
            self.methods, self.comparisons, published, strict=True
        ):
            score = Estimate(comparison.second, comparison.second_elsewhere)
            row = [method, str(comparison.second), score.elsewhere]
            row += [("-" if theirs is None else f"{theirs:.2f}")] if shown else []
            if comparison is not self.comparisons[0]:
                difference, elsewhere = comparison.difference, comparison.elsewhere
                row.append(difference.signed)
                row.append(NOT_RECORDED if elsewhere is None else elsewhere.bounds("+"))
                row.append(comparison.in_words)
            rows.append(row)
        return rows


def _aligned(rows: list[list[str]]) -> list[str]:
    """Lines whose cells stand beneath one another; a row may be shorter than others."""
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]


def rank(searches: Sequence[Search], margin: float = MARGIN) -> Ranking:
    """Compare the best of several searches of one graph, each with the first.

    Args:
        searches: The searches, at least one.
        margin: The points within which two scores are called equivalent.

    Returns:
        Their test accuracies, on fresh seeds if all were confirmed, else on their own seeds.

    Raises:
        UserError: A search has no complete trial, or they share no seeds.
    """
    missing = [found.name for found in searches if found.best is None]
    if missing:
        raise UserError(f"no trial of {', '.join(missing)} has all its seeds: nothing to compare")
    fresh, results = on_common_seeds([side_of(found, None) for found in searches])
    return Ranking(
        dataset=searches[0].settings.dataset,
        fresh=fresh,
        searches=[found.name for found in searches],
        methods=[result.config.method for result in results],
        comparisons=judged_together(
            [compare_results(results[0], each, "test") for each in results], margin
        ),
        spent=[
            spent(found.settings, found.outcome.records, found.journal.checked().values())
            for found in searches
        ],
    )
