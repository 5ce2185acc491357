"""compare: two searches, trials or results, paired by seed and split."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from l2p_search.api.found import Search
from l2p_search.api.opening import open_search
from l2p_search.caller import left_as_found
from l2p_search.errors import UserError
from l2p_search.metrics import title
from l2p_search.published import paper_accuracy
from l2p_search.report.comparison import Comparison
from l2p_search.report.comparison import compare as compare_results
from l2p_search.results import TrialResult
from l2p_search.trial_record import TrialRecord

_PARTS = {"test": "test", "val": "validation"}
_NUMBER = 14
"""The width of the column of scores."""


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

    @property
    def verdict(self) -> str:
        """On test nodes, at 95 %: whether the second is "better", "worse" or "a tie"."""
        return self.test.verdict

    @property
    def difference(self) -> Any:
        """The second's score on test nodes minus the first's, in points, with its interval."""
        return self.test.difference

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "fresh_seeds": self.fresh,
            "comparisons": [self.test.to_mapping(), self.validation.to_mapping()],
        }

    def __str__(self) -> str:
        seeds = "fresh ones that chose nothing" if self.fresh else "the searches' own"
        lines = [f"on {self.test.seeds} seeds, {seeds}; ± is the 95 % interval over splits"]
        width = max(len(self.first), len(self.second))
        words = {
            "a tie": f"a tie: {self.first} and {self.second} cannot be told apart",
            "better": f"{self.second} is better than {self.first}",
            "worse": f"{self.second} is worse than {self.first}",
        }
        for each in (self.test, self.validation):
            lines += [
                "",
                f"{_PARTS[each.part]} {title(each.metric)}",
                f"  {self.first:<{width}}  {each.first} %",
                f"  {self.second:<{width}}  {each.second} %",
                f"  difference {each.difference} points: {words[each.verdict]}",
            ]
        return "\n".join(lines)


@left_as_found()
def compare(first: Any, second: Any, *, folder: str | Path | None = None) -> Paired:
    """Compare two searches, trials or results on the seeds that both have.

    The same seed has the same split, initialisation and noise for both: differences are paired.
    Where both were confirmed, the fresh seeds are compared, else the searches' own.

    Args:
        first: A `Search` or its name, a trial such as "NAME:12", or a `TrialResult` of `fit`.
        second: Another one, on the same graph.
        folder: The folder that names are looked up in; $L2P_SEARCH_DIR, then ./searches by
            default.

    Returns:
        The second against the first, on test and on validation nodes.

    Raises:
        UserError: They are of different graphs or metrics, or share no seeds, or one has no result
            yet.

    Example:
        >>> import l2p_search as l2p
        >>> one = l2p.fit("demo", K=2, epochs=20, seeds=2)
        >>> l2p.compare(one, one).verdict
        'a tie'
    """
    sides = [_side(given, folder) for given in (first, second)]
    names = [name for name, _, _ in sides]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    fresh = all(confirmed is not None for _, _, confirmed in sides)
    results = [confirmed if fresh and confirmed else own for _, own, confirmed in sides]
    return Paired(
        first=names[0],
        second=names[1],
        fresh=fresh,
        test=compare_results(results[0], results[1], "test"),
        validation=compare_results(results[0], results[1], "val"),
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
    """

    dataset: str
    fresh: bool
    searches: Sequence[str]
    methods: Sequence[str]
    comparisons: Sequence[Comparison]

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        rows = [
            {"method": method, "search": name, **comparison.to_mapping()}
            for method, name, comparison in zip(
                self.methods, self.searches, self.comparisons, strict=True
            )
        ]
        return {"first": self.methods[0], "fresh_seeds": self.fresh, "comparisons": rows}

    def __str__(self) -> str:
        kind = "fresh seeds, which chose nothing" if self.fresh else "seeds, the searches' own"
        width = max(map(len, self.methods))
        metric = self.comparisons[0].metric
        head = f"{title(metric)}, %"
        number = max(_NUMBER, len(head))
        lines = [
            f"{self.dataset}: test {title(metric)} on {self.comparisons[0].seeds} {kind}",
            f"  {'':<{width}}  {head:<{number}}  {'paper':>6}  against {self.methods[0]}, paired",
        ]
        for method, comparison in zip(self.methods, self.comparisons, strict=True):
            paper = paper_accuracy(method, self.dataset) if metric == "accuracy" else None
            against = f"{comparison.difference} points: {comparison.verdict}"
            lines.append(
                f"  {method:<{width}}  {comparison.second!s:<{number}}"
                f"  {'-' if paper is None else f'{paper:.2f}':>6}"
                f"  {against if comparison is not self.comparisons[0] else ''}".rstrip()
            )
        return "\n".join([*lines, "  ± is the 95 % interval, with a split's seeds taken as one"])


def rank(searches: Sequence[Search]) -> Ranking:
    """Compare the best of several searches of one graph, each with the first.

    Args:
        searches: The searches, at least one.

    Returns:
        Their test accuracies, on fresh seeds if all were confirmed, else on their own seeds.

    Raises:
        UserError: A search has no complete trial, or they share no seeds.
    """
    missing = [found.name for found in searches if found.best is None]
    if missing:
        raise UserError(f"no trial of {', '.join(missing)} has all its seeds: nothing to compare")
    sides = [_side(found, None) for found in searches]
    fresh = all(confirmed is not None for _, _, confirmed in sides)
    results = [confirmed if fresh and confirmed else own for _, own, confirmed in sides]
    return Ranking(
        dataset=searches[0].settings.dataset,
        fresh=fresh,
        searches=[found.name for found in searches],
        methods=[result.config.method for result in results],
        comparisons=[compare_results(results[0], each, "test") for each in results],
    )


def _side(given: Any, folder: str | Path | None) -> tuple[str, TrialResult, TrialResult | None]:
    """Of one side: its name, the result on its own seeds, and the one on fresh seeds or None."""
    if isinstance(given, TrialResult):
        return given.config.method, given, None
    if isinstance(given, Search):
        return _of_search(given, given.name, given.best)
    if not isinstance(given, str):
        raise UserError(
            f"{type(given).__name__} cannot be compared; give a search, its name, a trial such as"
            " NAME:12, or a result of fit"
        )
    name, colon, number = given.rpartition(":")
    if not (colon and number.isdecimal()):  # a colon may be part of a name
        found = open_search(given, folder)
        return _of_search(found, given, found.best)
    found = open_search(name, folder)
    return _of_search(found, given, _numbered(found, given, number))


def _of_search(
    found: Search, name: str, chosen: TrialRecord | None
) -> tuple[str, TrialResult, TrialResult | None]:
    if chosen is None or chosen.result is None:
        raise UserError(f"{name}: has no result yet; wait for one, or look at its trials")
    return name, chosen.result, found.outcome.confirmations.get(chosen.number)


def _numbered(found: Search, text: str, number: str) -> TrialRecord:
    for record in found.outcome.records:
        if record.number == int(number):
            return record
    last = len(found.outcome.records) - 1
    which = f"give one of 0 to {last}" if last >= 0 else "the search has none yet"
    raise UserError(f"{text}: there is no trial {number}; {which}")
