"""`l2p-search profiles`: how far nodes look, over datasets (the paper's figures 5 and 6)."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_copy, add_dir
from l2p_search.cli.output import write_figure
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.search.records.journal import Journal


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "profiles",
        help="draw the learned profiles of the best trials over datasets",
        description="Draw q(t) of the best recorded trial of each dataset, for quit and select,"
        " and the cosine of every two profiles; PNG and SVG. MLflow"
        " gets a copy.",
        epilog="example: l2p-search profiles --datasets cora wisconsin --out figures",
    )
    parser.add_argument(
        "--datasets", nargs="+", metavar="NAME", help="(default: all that were searched)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("figures"), metavar="DIR", help="(default: ./figures)"
    )
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Find the best of each dataset and posterior, draw, write."""
    from l2p_search.api.recording import attach
    from l2p_search.report.profile_figures import correlation_figure, datasets_figure

    found = _profiles(args)
    if not found:
        raise UserError("no search has a complete trial yet; see l2p-search status")
    panels: dict[str, dict[str, Sequence[float]]] = {}
    for best in found:
        panels.setdefault(best.posterior, {})[best.dataset] = best.profile
    figures = {
        "profiles": datasets_figure(panels),
        "correlation": correlation_figure(
            {f"{best.dataset} ({best.posterior})": best.profile for best in found}
        ),
    }
    files: dict[str, bytes] = {}
    for name, figure in figures.items():
        files |= write_figure(args.out / name, figure)
    attach(args, {best.journal for best in found}, files)
    return 0


@dataclass(frozen=True, eq=False)
class _Best:
    """The profile of the best trial of a dataset with one posterior."""

    posterior: str
    dataset: str
    accuracy: float
    profile: Sequence[float]
    journal: "Journal"


def _profiles(args: argparse.Namespace) -> list[_Best]:
    """The best of each posterior and dataset over all searches, in the paper's order."""
    from l2p_search.data.catalogue import DATASETS
    from l2p_search.search.records.directory import list_searches, searches_folder
    from l2p_search.search.records.journal import Journal

    found: dict[tuple[str, str], _Best] = {}
    folder = searches_folder(args.dir)
    seen = set()
    for directory in list_searches(folder):
        journal = Journal.read(directory)
        dataset = journal.settings.dataset
        seen.add(dataset)
        for record in journal.records():
            if record.objective is None or record.result is None or not record.result.profile:
                continue
            key = (record.config.posterior, dataset)
            if key not in found or found[key].accuracy < record.objective:
                found[key] = _Best(*key, record.objective, record.result.profile, journal)
    for name in args.datasets or ():
        if name not in seen:
            there = ", ".join(sorted(seen)) or "none"
            raise UserError(f"--datasets {name}: no search of it in {folder} (there are: {there})")
    paper = list(DATASETS)
    wanted = [best for best in found.values() if best.dataset in (args.datasets or seen)]

    def place(best: "_Best") -> tuple[str, int, str]:
        order = paper.index(best.dataset) if best.dataset in paper else len(paper)
        return best.posterior, order, best.dataset

    return sorted(wanted, key=place)
