"""`l2p-search report`: a search as one HTML page."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.cli.options import add_copy, add_dir
from l2p_search.cli.output import write_output
from l2p_search.errors import UserError

if TYPE_CHECKING:
    from l2p_search.report.page import Page
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import Outcome

_SHOWN = 20


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report",
        help="write a search as one self-contained HTML page",
        description="Write the result of a search, its interval, the leaderboard with ties, its"
        " figures and how to reproduce it as one HTML page that needs no network; MLflow gets a"
        " copy.",
        epilog="example: l2p-search report --search wisconsin-paper --out report.html",
    )
    parser.add_argument("--search", metavar="NAME", help="a search (default: the latest)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="(default: report.html in the search's folder)"
    )
    add_copy(parser)
    add_dir(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read, draw, write."""
    from l2p_search.api.recording import attach
    from l2p_search.report.page import render
    from l2p_search.search.records.directory import find_search, searches_folder
    from l2p_search.search.records.journal import Journal
    from l2p_search.search.records.outcome import read_outcome

    directory = find_search(searches_folder(args.dir), args.search)
    journal = Journal.read(directory)
    outcome = read_outcome(journal)
    if outcome.best is None:
        raise UserError(f"search '{directory.name}' has no complete trial yet; wait for one")
    text = render(_page(journal, outcome))
    write_output(args.out or directory / "report.html", text)
    attach(args, {journal}, {"report.html": text.encode()})
    return 0


def _page(journal: "Journal", outcome: "Outcome") -> "Page":
    from l2p_search.api.exporting import provenance_of
    from l2p_search.display.phrases import count, describe_config, paper_figure, plain
    from l2p_search.intervals import accuracy_of_test, accuracy_of_validation
    from l2p_search.report.drawing import curves_figure, rendered
    from l2p_search.report.page import Page
    from l2p_search.report.profile_drawing import profile_svg
    from l2p_search.search.records.plots import interactive_figures, plotly_script
    from l2p_search.trial_record import best_first

    best, settings = outcome.best, outcome.settings
    if best is None or best.result is None:
        raise ValueError("no complete trial")
    keys = list(settings.space.dimensions)
    ties = {record.number for record in outcome.ties}
    rows = []
    for record in best_first(outcome.records)[:_SHOWN]:
        if record.result is None or record.objective is None:
            continue
        values = record.config.to_mapping()
        note = "best" if record.number == best.number else "tie" if record.number in ties else ""
        rows.append(
            [
                str(record.number),
                f"{record.objective:.2f} ± {record.result.val_accuracy_std:.2f}",
                note,
                f"{record.result.seconds:.1f}",
                *(plain(values[key]) for key in keys),
            ]
        )
    paper = paper_figure(settings.dataset, best.config)
    confirmed, protocol = outcome.confirmed, outcome.protocol
    notes = [
        f"Best on validation: trial {best.number}, {accuracy_of_validation(best.result)} %, tied"
        f" with {count(len(ties) - 1, 'other')}: {describe_config(best.config, keys)}.",
        f"By the paper's protocol, on the search's own seeds: {protocol} %."
        + (f" The paper reports {paper}." if paper is not None else ""),
        *(
            f"Trial {number} on the same fresh seeds: {accuracy_of_test(result)} %."
            for number, result in outcome.confirmations.items()
            if number != best.number
        ),
        "± behind a result is its 95 % interval, with a split's seeds taken as one; in the table"
        " it is the standard deviation over seeds. A tie cannot be told from the best by a paired"
        " t-test at 5 %. Nothing was chosen by test accuracy.",
    ]
    figures = interactive_figures(outcome)
    provenance = provenance_of(journal, outcome) or {}
    commands = [
        f"l2p-search --dataset {settings.dataset} --space {settings.space.name}"
        f" --trials {len(outcome.records)} --seeds {settings.seeds} --sampler {settings.sampler}"
        f" --seed {settings.seed}{' --race' * settings.race}",
        f"l2p-search export --search {journal.directory.name} --out best.yaml",
        f"l2p-search train --dataset {settings.dataset} --config best.yaml",
        "",
        f"# data {settings.data_digest}; "
        + ", ".join(f"{name} {v}" for name, v in provenance.get("versions", {}).items()),
    ]
    images = {}
    if best.result.profile is not None:
        images["How far nodes look"] = profile_svg(best.result, f"trial {best.number}")
    if best.result.curves is not None:
        images["How it learned"] = rendered(curves_figure(best.result.curves), "png", dpi=120)
    return Page(
        title=f"Search {journal.directory.name}",
        summary=f"{count(len(outcome.records), 'trial')} of space {settings.space.name} on"
        f" {settings.dataset}, {settings.seeds} seeds each",
        headline=f"{confirmed or protocol} %",
        headline_note="test accuracy on fresh seeds that chose nothing"
        if confirmed is not None
        else "test accuracy on the search's own seeds; not confirmed on fresh ones",
        notes=notes,
        columns=["trial", "validation %", "", "seconds", *keys],
        rows=rows,
        images=images,
        figures=figures,
        script=plotly_script() if figures else "",
        commands="\n".join(commands),
    )
