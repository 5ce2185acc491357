"""The report of a search: what its HTML page says."""

import shlex

from l2p_search.api.budget_curve import budget_image
from l2p_search.api.exporting import provenance_of
from l2p_search.data.reading_again import one_line, shell_words, train_command
from l2p_search.display.beside import held_paragraphs, luck_text
from l2p_search.display.phrases import count, describe_config, paper_figure, plain
from l2p_search.effects import Effects
from l2p_search.errors import SearchError
from l2p_search.intervals import interval_of_validation
from l2p_search.metrics import briefly, title
from l2p_search.other_nodes import THIS_GRAPH, estimate_of_test
from l2p_search.report.drawing import curves_figure, rendered
from l2p_search.report.page import Page, render
from l2p_search.report.profile_drawing import profile_svg
from l2p_search.searching.records.expected_best import expected_best
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.luck import Luck
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.records.plots import interactive_figures, plotly_script
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.trial_record import best_first

_SHOWN = 20


def report_page(journal: Journal, outcome: Outcome, importance: Effects | None) -> str:
    """The report as one HTML page that needs no network.

    Args:
        journal: The search.
        outcome: What it found.
        importance: What mattered; None where there are too few trials to tell, and then there
            are no interactive figures.

    Returns:
        HTML.

    Raises:
        SearchError: No trial has all its seeds yet.
    """
    if outcome.best is None:
        raise SearchError(
            f"search '{journal.directory.name}' has no complete trial yet; wait for one"
        )
    return render(_page(journal, outcome, importance))


def _page(journal: Journal, outcome: Outcome, importance: Effects | None) -> Page:
    best, settings = outcome.best, outcome.settings
    if best is None or best.result is None:
        raise ValueError("no complete trial")
    keys = list(settings.space.dimensions)
    metric, score = settings.metric, title(settings.metric)
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
                f"{record.objective:.2f}",
                f"{record.result.val_std:.2f}",
                note,
                f"{record.result.seconds:.1f}",
                *(plain(values[key]) for key in keys),
            ]
        )
    paper = paper_figure(settings.dataset, best.config, metric)
    confirmed, protocol, nested = outcome.confirmed, outcome.protocol, outcome.nested
    luck = outcome.luck
    notes = [
        f"Best on {briefly('validation', metric)}: trial {best.number},"
        f" {interval_of_validation(best.result)} %, tied with"
        f" {count(len(ties) - 1, 'other')}: {describe_config(best.config, keys)}.",
        (
            "Sealed: the trials have no test score, so there is none by the paper's protocol."
            if protocol is None
            else f"By the paper's protocol, on the search's own seeds: {protocol} %."
        )
        + (f" The paper reports {paper}." if paper is not None else ""),
        *(
            []
            if nested is None
            else [
                f"Nested: {nested.by_others} % when each split is tested with what the other"
                f" splits choose, {nested.overtuning} points below the search's own choice: its"
                f" overtuning. {nested.by_own} % when each split's own validation nodes choose"
                " alone, so that none of its test labels has a say."
            ]
        ),
        *(
            f"Trial {number} on the same fresh seeds: {estimate_of_test(result)} %."
            for number, result in outcome.confirmations.items()
            if number != best.number
        ),
        *([] if luck is None else [f"With the luck of the search: {luck_long(luck)}"]),
        *held_paragraphs(outcome.held, metric),
        f"{str(outcome.looks).capitalize()}.",
        f"± is the 95 % interval for {THIS_GRAPH}, with a split's seeds taken as one; sd in the"
        " table is the standard deviation over seeds. A tie may be as good as the best: Hsu's"
        " comparison with the best, at 5 %, does not rule it out. Nothing was chosen by test"
        f" {score}.",
    ]
    if outcome.estimate is not None:
        here, there = (" ".join(line.split()) for line in outcome.estimate.lines)
        notes.insert(
            0, f"95 % intervals of the confirmed test {score}, in percent: {here}; {there}."
        )
    if outcome.still_open:
        notes.append(
            f"{count(len(outcome.still_open), 'raced-out trial')} may be as good as the best, too:"
            " the seeds they have do not rule them out."
        )
    if outcome.spread is not None:
        notes.append(f"Spread of test {score} (sd, by cause): {outcome.spread}.")
    if len(expected := expected_best(outcome.records)) > 1:
        notes.append(
            f"What fewer of these trials would have found, drawn at random (validation, then test"
            f" {score}): {'; '.join(str(each) for each in expected)}."
        )
    if importance is not None:
        notes.append(f"What mattered for validation {score}: {importance}.")
    figures = {} if importance is None else interactive_figures(outcome, importance)
    provenance = provenance_of(journal, outcome) or {}
    commands = [
        _search_command(settings, len(outcome.records)),
        f"l2p-search export --search {shlex.quote(journal.directory.name)} --out best.yaml",
        train_command(settings.graph, settings.dataset, "best.yaml"),
        "",
        f"# data {settings.data_digest}; "
        + ", ".join(f"{name} {v}" for name, v in provenance.get("versions", {}).items()),
    ]
    images = {}
    if best.result.profile is not None:
        images["How far nodes look"] = profile_svg(best.result, f"trial {best.number}")
    if (curve := budget_image(outcome, dpi=120)) is not None:
        images["What fewer trials would have found"] = curve
    if best.result.curves is not None:
        images["How it learned"] = rendered(
            curves_figure(best.result.curves, metric), "png", dpi=120
        )
    return Page(
        title=f"Search {journal.directory.name}",
        summary=f"{count(len(outcome.records), 'trial')} of space {settings.space.name} on"
        f" {settings.dataset}, {settings.seeds} seeds each",
        headline="sealed" if confirmed is None is protocol else f"{confirmed or protocol} %",
        headline_note=_headline_note(outcome, score),
        notes=notes,
        columns=["trial", f"{briefly('validation', metric)} %", "sd", "", "seconds", *keys],
        rows=rows,
        images=images,
        figures=figures,
        script=plotly_script() if figures else "",
        commands="\n".join(commands),
    )


def luck_long(luck: Luck) -> str:
    """The interval with the luck of the search, and plainly what it contains."""
    return (
        f"{luck_text(luck.interval)}. As many trials as the search has were drawn anew from"
        " its own, with replacement; the best of them by validation stands for the winner of"
        f" another search ({count(luck.winners, 'trial')} of {luck.trials} would win in one search"
        f" of a hundred or more), {luck.points:.2f} points away in the root mean square, to which"
        " the error of the headline is added. It knows no configuration that this search did not"
        " meet, and trials of a sampler that learns are no random draws."
    )


def _headline_note(outcome: Outcome, score: str) -> str:
    if outcome.confirmed is not None:
        return f"test {score} on fresh seeds that chose nothing"
    if outcome.protocol is None:
        return f"no test {score} was computed, and nothing is confirmed on fresh seeds"
    return f"test {score} on the search's own seeds; not confirmed on fresh ones"


def _search_command(settings: SearchSettings, trials: int) -> str:
    """The line that searches again: a command, or Python for a graph that was made in memory."""
    asked: dict[str, object] = {
        "space": settings.space.name,
        "trials": trials,
        "seeds": settings.seeds,
        "sampler": settings.sampler,
        "seed": settings.seed,
        "metric": settings.metric,
    }
    graph = shell_words(settings.graph, settings.dataset)
    if graph is None:
        if settings.race:
            asked["race"] = True
        keys = ", ".join(f"{key}={value!r}" for key, value in asked.items())
        return f"python: l2p.search(graph, {keys})  # {settings.dataset} was made in memory"
    words = [word for key, value in asked.items() for word in (f"--{key}", str(value))]
    return one_line(["l2p-search", *graph, *words, *["--race"] * settings.race])
