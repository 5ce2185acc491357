"""`l2p-search profiles`: how far nodes look, over datasets (the paper's figures 5 and 6)."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_dir
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "profiles",
        help="draw the learned profiles of the best trials over datasets",
        description="Draw q(t) of the best recorded trial of each dataset, for quit and select,"
        " and the cosine of every two profiles; PNG and SVG.",
        epilog="example: l2p-search profiles --datasets cora wisconsin --out figures",
    )
    parser.add_argument(
        "--datasets", nargs="+", metavar="NAME", help="(default: all that were searched)"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("figures"), metavar="DIR", help="(default: ./figures)"
    )
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Find the best of each dataset and posterior, draw, write."""
    from l2p_search.report.profile_figures import correlation_figure, datasets_figure

    found = _profiles(args)
    if not found:
        raise UserError("no search has a complete trial yet; see l2p-search status")
    figures = {
        "profiles": datasets_figure(found),
        "correlation": correlation_figure(
            {
                f"{dataset} ({posterior})": profile
                for posterior, panel in found.items()
                for dataset, profile in panel.items()
            }
        ),
    }
    for name, figure in figures.items():
        write_figure(args.out / name, figure)
    return 0


def write_figure(stem: Path, figure: "Figure") -> None:
    """Write a figure as PNG and as SVG."""
    from l2p_search.report.figures import rendered

    try:
        stem.parent.mkdir(parents=True, exist_ok=True)
        for form in ("png", "svg"):
            path = stem.with_suffix(f".{form}")
            path.write_bytes(rendered(figure, form, dpi=150))
            print(f"wrote {path}")
    except OSError as error:
        raise UserError(
            f"--out {stem.parent}: cannot be written ({error.strerror}); choose another"
        ) from None


def _profiles(args: argparse.Namespace) -> dict[str, dict[str, tuple[float, ...]]]:
    """Posterior -> dataset -> q(t) of the best trial with it, over all searches."""
    from l2p_search.search.directory import list_searches, searches_folder
    from l2p_search.search.journal import Journal
    from l2p_search.search.records import best_first

    best: dict[tuple[str, str], tuple[float, tuple[float, ...]]] = {}
    folder = searches_folder(args.dir)
    seen = set()
    for directory in list_searches(folder):
        journal = Journal.read(directory)
        dataset = journal.settings.dataset
        seen.add(dataset)
        for record in best_first(journal.records()):
            if record.objective is None or record.result is None or not record.result.profile:
                break
            key = (record.config.posterior, dataset)
            if key not in best or best[key][0] < record.objective:
                best[key] = (record.objective, record.result.profile)
    for name in args.datasets or ():
        if name not in seen:
            there = ", ".join(sorted(seen)) or "none"
            raise UserError(f"--datasets {name}: no search of it in {folder} (there are: {there})")
    wanted = set(args.datasets or seen)
    return {
        posterior: panel
        for posterior in ("quit", "select")
        if (
            panel := {
                dataset: profile
                for (kind, dataset), (_, profile) in sorted(best.items())
                if kind == posterior and dataset in wanted
            }
        )
    }
