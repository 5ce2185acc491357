"""Which seeds two or more results are compared on: common ones, trained if need be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.fitting import fit
from l2p_search.api.found import Search
from l2p_search.api.graph_again import graph_again
from l2p_search.api.opening import open_search, split_trial
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.display.training_bar import OnEpoch
from l2p_search.errors import UserError, argument
from l2p_search.results import SeedResult, TrialResult
from l2p_search.searching.records.looks import note_look
from l2p_search.trial_record import TrialRecord


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the results that are compared.

    Attributes:
        name: What it is called.
        own: The result on the seeds that chose it.
        confirmed: The result on fresh seeds that chose nothing; None without one.
        search: Where it comes from; None for a result of `fit`.
    """

    name: str
    own: TrialResult
    confirmed: TrialResult | None = None
    search: Search | None = None


def side_of(given: Any, folder: str | Path | None) -> Side:
    """What a caller gives, as a side of a comparison.

    Args:
        given: A `Search` or its name, a trial such as "NAME:12", or a `TrialResult`.
        folder: The folder that names are looked up in.

    Returns:
        The side.

    Raises:
        UserError: There is no such search or trial, or it has no result yet.
    """
    if isinstance(given, TrialResult):
        return Side(name=given.config.method, own=given)
    if isinstance(given, Search):
        return _of_search(given, given.name, given.best)
    if not isinstance(given, str):
        raise UserError(
            f"{type(given).__name__} cannot be compared; give a search, its name, a trial such as"
            " NAME:12, or a result of fit"
        )
    name, number = split_trial(given)
    found = open_search(name, folder)
    if number is None:
        return _of_search(found, given, found.best)
    return _of_search(found, given, _numbered(found, given, number))


def on_common_seeds(sides: Sequence[Side]) -> tuple[bool, list[TrialResult]]:
    """The results of all sides on the kind of seeds that they have in common.

    Args:
        sides: What is compared.

    Returns:
        Whether these are fresh seeds, which chose nothing; and a result for each side. Fresh
        seeds are taken where all sides share two of them, or all that a side has; else the seeds
        that chose the configurations.

    Raises:
        UserError: They share neither.
    """
    fresh = [side.confirmed for side in sides if side.confirmed is not None]
    if len(fresh) == len(sides):
        enough = min(2, *(len(result.seeds) for result in fresh))
        if len(_shared(fresh)) >= enough:
            return True, fresh
    own = [side.own for side in sides]
    for side in sides:
        if any(each.test is None for each in side.own.finished):
            raise UserError(
                f"{side.name}: its search is sealed, so its trials have no test score; add"
                f" {argument('train', defaults.CONFIRM)} to train both on common fresh seeds"
            )
    if not _shared(own):
        have = ", ".join(f"{side.name} has {_span(side.own)}" for side in sides)
        raise UserError(
            f"they share no seeds: {have}; add {argument('train', defaults.CONFIRM)} to train them"
            " on common ones"
        )
    return False, own


def trained_on_common_seeds(
    sides: Sequence[Side],
    count: int,
    *,
    graph: Any = None,
    data_dir: Path | None = None,
    memory_gb: float = defaults.MEMORY_GB,
    display: OnEpoch | str = "off",
) -> list[TrialResult]:
    """Train all sides on the first seeds that chose none of them; what is there is kept.

    Args:
        sides: What is compared.
        count: How many common seeds.
        graph: The graph, where it cannot be loaded by what is recorded of it.
        data_dir: A folder with raw files of named datasets.
        memory_gb: Memory for the seeds that train together.
        display: As of `fit`.

    Returns:
        A result for each side, all on the same seeds.

    Raises:
        UserError: The sides are of different graphs, or their graph cannot be had.
    """
    check(train=count)
    first = max(_after_own(side) for side in sides)
    seeds = range(first, first + count)
    loaded = _graph_of(sides, graph, data_dir)
    results = []
    for side in sides:
        known = {each.seed: each for each in (side.confirmed or side.own).seeds}
        missing = [seed for seed in seeds if seed not in known]
        trained: dict[int, SeedResult] = {}
        if missing:
            found = fit(
                loaded,
                side.own.config,
                seeds=missing,
                metric=side.own.metric,
                memory_gb=memory_gb,
                display=display,  # type: ignore[arg-type]
            )
            trained = {each.seed: each for each in found.seeds}
            if side.search is not None:
                note_look(side.search.directory, "compare", len(missing))
        both = tuple({**known, **trained}[seed] for seed in seeds)
        results.append(replace(side.own, seeds=both, curves=None, profiles=None))
    return results


def _graph_of(sides: Sequence[Side], graph: Any, data_dir: Path | None) -> Graph:
    """The one graph that all sides were trained on."""
    given = None if graph is None else load_graph(graph, data_dir=data_dir)
    digests = {side.own.data_digest for side in sides}
    if len(digests) > 1:
        names = " and ".join(side.own.dataset for side in sides)
        raise UserError(f"{names} are not the same data; compare results on one graph")
    for side in sides:
        if side.search is not None:
            return graph_again(side.search.settings, side.search.name, given, data_dir)
    found = given or load_graph(sides[0].own.dataset, data_dir=data_dir)
    if found.digest not in digests:
        raise UserError(
            f"{argument('graph')}: {found.name} is not the graph that {sides[0].name} was trained"
            f" on (digest {found.digest}, it was {sides[0].own.data_digest}); give that one"
        )
    return found


def _after_own(side: Side) -> int:
    """The first of the seeds that did not choose this side."""
    if side.search is not None:
        return side.search.settings.seeds
    return 1 + max(each.seed for each in side.own.seeds)


def _shared(results: Sequence[TrialResult]) -> set[int]:
    """The seeds that every result has."""
    return set.intersection(*({each.seed for each in result.finished} for result in results))


def _span(result: TrialResult) -> str:
    seeds = sorted(each.seed for each in result.finished)
    return f"{seeds[0]} to {seeds[-1]}" if seeds else "none"


def _of_search(found: Search, name: str, chosen: TrialRecord | None) -> Side:
    if chosen is None or chosen.result is None:
        raise UserError(f"{name}: has no result yet; wait for one, or look at its trials")
    confirmed = found.outcome.confirmations.get(chosen.number)
    return Side(name=name, own=chosen.result, confirmed=confirmed, search=found)


def _numbered(found: Search, text: str, number: int) -> TrialRecord:
    for record in found.outcome.records:
        if record.number == number:
            return record
    last = len(found.outcome.records) - 1
    which = f"give one of 0 to {last}" if last >= 0 else "the search has none yet"
    raise UserError(f"{text}: there is no trial {number}; {which}")
