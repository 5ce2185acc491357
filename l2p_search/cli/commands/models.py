"""`l2p-search --models A,B,..`: a search of each, with the same budget, and how they compare."""

import argparse
import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.report.comparison import Comparison
    from l2p_search.search.records.outcome import Outcome


def single_searches(args: argparse.Namespace) -> list[argparse.Namespace]:
    """The arguments of each model's search."""
    names = [name.strip() for name in args.models.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise UserError(
            f"--models {args.models}: name two or more different ones, such as l2q,appnp,mlp"
        )
    for option, given in (
        ("--name", args.name),
        ("--space", args.space),
        ("--model", args.model),
    ):
        if given is not None:
            raise UserError(f"{option} {given}: does not go with --models, which has one for each")
    if args.dataset is None:
        raise UserError("--models: give the --dataset too")
    singles = []
    for name in names:
        single = copy.copy(args)
        single.models, single.model = None, name
        singles.append(single)
    return singles


def print_comparison(directories: list[Path], as_json: bool) -> None:
    """The best of every search on the same seeds, and each against the first."""
    from l2p_search.report.comparison import compare
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import read_outcome

    outcomes = [read_outcome(Journal.read(directory)) for directory in directories]
    missing = [d.name for d, o in zip(directories, outcomes, strict=True) if o.best is None]
    if missing:
        raise UserError(f"no trial of {', '.join(missing)} has all its seeds: nothing to compare")
    fresh = all(_confirmed(outcome) is not None for outcome in outcomes)
    results = [
        found for outcome in outcomes if (found := _confirmed(outcome) if fresh else _own(outcome))
    ]
    first = results[0]
    comparisons = [compare(first, result, "test_accuracy") for result in results]
    methods = [result.config.method for result in results]
    if as_json:
        rows = [
            {"method": method, "search": directory.name, **comparison.to_mapping()}
            for method, directory, comparison in zip(
                methods, directories, comparisons, strict=True
            )
        ]
        mapping = {"first": methods[0], "fresh_seeds": fresh, "comparisons": rows}
        print(json.dumps(mapping, indent=2, allow_nan=False))
        return
    _print(outcomes[0].settings.dataset, methods, comparisons, fresh)


def _print(dataset: str, methods: list[str], comparisons: list["Comparison"], fresh: bool) -> None:
    from l2p_search.published import paper_accuracy

    kind = "fresh seeds, which chose nothing" if fresh else "the searches' own seeds"
    print(f"\n{dataset}: test accuracy on {comparisons[0].seeds} {kind}")
    width = max(map(len, methods))
    print(f"  {'':<{width}}  {'accuracy, %':<14}  {'paper':>6}  against {methods[0]}, paired")
    for method, comparison in zip(methods, comparisons, strict=True):
        paper = paper_accuracy(method, dataset)
        against = f"{comparison.difference} points: {comparison.verdict}"
        print(
            f"  {method:<{width}}  {comparison.second!s:<14}"
            f"  {'-' if paper is None else f'{paper:.2f}':>6}"
            f"  {against if comparison is not comparisons[0] else ''}".rstrip()
        )
    print("  ± is the 95 % interval, with a split's seeds taken as one")


def _confirmed(outcome: "Outcome") -> Any:
    return outcome.confirmations.get(outcome.best.number) if outcome.best else None


def _own(outcome: "Outcome") -> Any:
    return outcome.best.result if outcome.best else None
