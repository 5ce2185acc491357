"""All searches of a folder on one page: what each found, beside one another, by graph."""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from l2p_search.api.writing import write_file
from l2p_search.display.phrases import count
from l2p_search.display.travel import travel_in_words
from l2p_search.errors import SearchError
from l2p_search.intervals import interval_of_validation
from l2p_search.metrics import title
from l2p_search.published import paper_accuracy
from l2p_search.report.page import Drawing, Link, Page, Section, Table, render
from l2p_search.report.page_figures import profile_bars, spark
from l2p_search.report.page_profile import in_numbers
from l2p_search.searching.records.directory import searches_folder
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.preference import RULE, Facts, facts, preferred
from l2p_search.searching.records.readable import readable_searches

_COLUMNS = (
    "graph",
    "search",
    "model",
    "confirmed, %",
    "± 95 %",
    "the paper, %",
    "validation, %",
    "trials",
    "seeds",
    "profile",
)
_BESTS = ("graph", "its best search", "model", "test score, %", "how far nodes look")
REPORT = "report.html"


def report_all(folder: str | Path | None = None, out: str | Path | None = None) -> Path:
    """Compare all searches of a folder on one HTML page that needs no network.

    Args:
        folder: The folder of searches; ./searches where it is not given.
        out: The file to write; report.html in that folder where it is not given.

    Returns:
        The file.

    Raises:
        UserError: No search has a complete trial, or the file cannot be written.
    """
    place = searches_folder(None if folder is None else Path(folder))
    path = place / REPORT if out is None else Path(out)
    found = {journal.directory: read_outcome(journal) for journal, _ in readable_searches(place)}
    return write_file(path, overview_page(found, path.parent))


def overview_page(found: dict[Path, Outcome], beside: Path) -> str:
    """The page.

    Args:
        found: Folder of a search -> what it found, the latest first.
        beside: The folder of the page, from which reports of single searches are linked.

    Returns:
        HTML.

    Raises:
        SearchError: No search has a complete trial.
    """
    told = {
        folder: outcome
        for folder, outcome in found.items()
        if outcome.best is not None and outcome.best.result is not None
    }
    if not told:
        raise SearchError("no search has a complete trial yet; search first")
    ordered = sorted(told, key=lambda each: (told[each].settings.dataset, each.name))
    graphs = list(dict.fromkeys(told[each].settings.dataset for each in ordered))
    begun = [folder.name for folder in found if folder not in told]
    left = [f"Without a complete trial yet: {', '.join(begun)}."] if begun else []
    every = Table(_COLUMNS, _rows(ordered, told, beside), sorts=True)
    sections = [
        Section("All searches", [every, *left]),
        Section("Profiles", [drawn] if (drawn := _profiles(ordered, told)) else []),
    ]
    return render(
        Page(
            title="What the searches found",
            answer=f"The best search of each graph: {RULE}.",
            headline=f"{count(len(ordered), 'search').replace('searchs', 'searches')} on"
            f" {count(len(graphs), 'graph')}",
            verdict=[
                Table(_BESTS, _bests(graphs, told, beside), sorts=True, prose=_BESTS[-1:]),
            ],
            headline_note="Confirmed is the test score on fresh"
            " seeds that chose nothing; ± its 95 % interval over splits, or over seeds where there"
            " is one split. Searches of one graph are listed beside one another, not ranked: to"
            " rank them by these numbers would be choosing by the test nodes. l2p-search compare"
            " pairs two by seed.",
            sections=sections,
        )
    )


def _bests(
    graphs: Sequence[str], told: dict[Path, Outcome], beside: Path
) -> list[list[str | Drawing | Link]]:
    """For each graph its best search, by the rule of all commands, and how far its nodes look."""
    rows: list[list[str | Drawing | Link]] = []
    for graph in graphs:
        mine = [each for each in told if told[each].settings.dataset == graph]
        first = preferred(mine, lambda each: _facts(told[each]))
        best = told[first].best
        if best is None or best.result is None:
            continue
        far = "" if best.result.profiles is None else travel_in_words(best.result)
        rows.append([graph, _named(first, beside), best.config.method, _score(told[first]), far])
    return rows


def _facts(outcome: Outcome) -> Facts:
    return facts(
        outcome.records,
        outcome.goal,
        bool(outcome.confirmations),
        seeds=outcome.settings.seeds,
        metric=outcome.settings.metric,
        score=(outcome.best.objective or 0.0) if outcome.best is not None else 0.0,
    )


def _score(outcome: Outcome) -> str:
    """The test score with what it is: of fresh seeds, of the search's own, or none."""
    metric = outcome.settings.metric
    named = "" if metric == "accuracy" else f" {title(metric)}"
    if outcome.confirmed is not None:
        return f"{outcome.confirmed}{named}"
    number = outcome.protocol
    return "sealed" if number is None else f"{number}{named}, not confirmed"


def _rows(
    ordered: Sequence[Path], told: dict[Path, Outcome], beside: Path
) -> list[list[str | Drawing | Link]]:
    rows: list[list[str | Drawing | Link]] = []
    for folder in ordered:
        outcome = told[folder]
        best, settings = outcome.best, outcome.settings
        if best is None or best.result is None:
            continue
        confirmed = outcome.confirmed
        named = "" if settings.metric == "accuracy" else f" {title(settings.metric)}"
        paper = paper_accuracy(best.config.method, settings.dataset)
        profile = best.result.profile
        rows.append(
            [
                settings.dataset,
                _named(folder, beside),
                best.config.method,
                "" if confirmed is None else f"{confirmed.mean:.2f}{named}",
                "" if confirmed is None else confirmed.plus_minus.removeprefix(" ± "),
                "" if paper is None or settings.metric != "accuracy" else f"{paper:.2f}",
                str(interval_of_validation(best.result)),
                f"{len(outcome.records)}{'' if _facts(outcome).finished else ', not finished'}",
                str(settings.seeds),
                "" if profile is None else Drawing(spark(profile), told=in_numbers(profile)),
            ]
        )
    return rows


def _named(folder: Path, beside: Path) -> str | Link:
    """A search's name, which leads to its own report where it has one."""
    report = folder / REPORT
    if not report.is_file():
        return folder.name
    way = os.path.relpath(report.absolute(), beside.absolute())
    return Link(folder.name, quote(way.replace(os.sep, "/")))


def _profiles(ordered: Sequence[Path], told: dict[Path, Outcome]) -> list[Drawing]:
    """The profiles of all searches, those of one graph side by side."""
    drawn = []
    for folder in ordered:
        outcome = told[folder]
        best = outcome.best
        if best is None or best.result is None or best.result.profile is None:
            continue
        words = travel_in_words(best.result)
        caption = f"{folder.name} on {outcome.settings.dataset}: {_score(outcome)}; {words}"
        bars = profile_bars(best.result.profile)
        drawn.append(Drawing(bars, caption, f"{folder.name}: {in_numbers(best.result.profile)}"))
    return drawn
