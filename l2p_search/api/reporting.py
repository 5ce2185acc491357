"""The report of a search: what its HTML page says, the verdict first."""

import shlex
from collections.abc import Sequence

from l2p_search.api.exporting import provenance_of
from l2p_search.api.summarising import class_names, summary_of
from l2p_search.data.reading_again import one_line, shell_words, train_command
from l2p_search.display.beside import luck_text, mlp_text
from l2p_search.display.headline import compared
from l2p_search.display.phrases import (
    count,
    describe_config,
    plain,
    sentence,
    tied_with,
    two_digits_or_none,
)
from l2p_search.display.score_rows import as_lists, score_rows
from l2p_search.display.travel import travel_in_words
from l2p_search.effects import Effects
from l2p_search.errors import SearchError
from l2p_search.held import HeldAgainst
from l2p_search.intervals import interval_of_test, interval_of_validation
from l2p_search.metrics import Metric, briefly, title
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH
from l2p_search.report.page import Code, Drawing, Page, Part, Section, Table, render
from l2p_search.report.page_figures import course, curves_lines, importance_bars, trial_lines
from l2p_search.report.page_profile import profile_beside, profile_groups
from l2p_search.report.search_figures import Point
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.expected_best import ExpectedBest, expected_best
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.luck import Luck
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord, best_first

_MOST_ROWS = 500
_MOST_NAMED = 12
"""More ties than these are counted, not listed."""


def report_page(journal: Journal, outcome: Outcome, importance: Effects | None) -> str:
    """The report as one HTML page that needs no network.

    Args:
        journal: The search.
        outcome: What it found.
        importance: What mattered; None where there are too few trials to tell.

    Returns:
        HTML.

    Raises:
        SearchError: No trial has all its seeds yet.
    """
    best = outcome.best
    if best is None or best.result is None:
        raise SearchError(
            f"search '{journal.directory.name}' has no complete trial yet; wait for one"
        )
    settings, metric = outcome.settings, outcome.settings.metric
    groups = profile_groups(best.result, class_names(journal))
    shown = [r for r in best_first(outcome.records) if r.objective is not None][:_MOST_ROWS]
    return render(
        Page(
            title=f"How far should messages travel on {settings.dataset}?",
            answer=_answer(outcome, best, best.result),
            headline=_headline(outcome),
            headline_note=_meaning(outcome, metric),
            beside=profile_beside(best.result),
            verdict=[
                *_unfinished(journal, outcome, best),
                *_controls(outcome, metric),
                *_ties(outcome),
            ],
            facts=_facts(journal),
            summary=f"Search {journal.directory.name}:"
            f" {count(len(outcome.records), 'trial')} of space {settings.space.name}, proposed by"
            f" {settings.sampler}, {count(settings.seeds, 'seed')} each.",
            sections=[
                Section(
                    "The numbers",
                    _numbers(journal.directory.name, outcome, best, best.result),
                ),
                Section("Who looks how far", [groups] if groups else []),
                Section("Trials", _trials(outcome, shown)),
                Section("The search", _search_figures(outcome, importance)),
                Section("How it learned", _curves(best.result, metric)),
                Section("Reproduce it", [Code(_commands(journal, outcome))]),
            ],
            configs={record.number: record.config.to_mapping() for record in shown},
        )
    )


def _answer(outcome: Outcome, best: TrialRecord, result: TrialResult) -> str:
    """Two sentences: how far nodes look, and what reaches which score and beats what."""
    settings = outcome.settings
    sentences = []
    if result.profiles is not None:
        sentences.append(sentence(travel_in_words(result)))
    number = outcome.confirmed or outcome.protocol
    score = f"reaches {number} % test {title(settings.metric)}"
    if number is None:
        score = f"is the best on {briefly('validation', settings.metric)}"
    if len(outcome.records) == 1:
        score += "; no other configuration was tried"
    if told := compared(outcome.held):
        score += f": {told}"
    config = describe_config(best.config, settings.space.dimensions)
    named = f"{best.config.method.upper()}{' with ' * bool(config)}{config}"
    sentences.append(f"{named} {score}.")
    return " ".join(sentences)


def _unfinished(journal: Journal, outcome: Outcome, best: TrialRecord) -> list[Part]:
    """That there is more to come, and what is above may change; empty once a search has ended."""
    goal, trials = outcome.goal, len(outcome.records)
    ended = sum(record.status is not TrialStatus.RUNNING for record in outcome.records)
    most = trials if goal is None or goal.time_budget else outcome.settings.at_most(goal.trials)
    asked = goal is not None and goal.confirm > 0 and best.number not in outcome.confirmations
    if ended >= most and not asked:
        return []
    stand = f"{ended} of {count(max(most, trials), 'trial')} ended"
    if asked:
        stand += ", and the best is not confirmed yet"
    if is_locked(journal.directory):
        return [f"The search is running: {stand}."]
    name = shlex.quote(journal.directory.name)
    go_on = Code(f"l2p-search --resume --name {name}")
    return [f"The search is not finished: {stand}. It goes on with", go_on]


def _headline(outcome: Outcome) -> str:
    number = outcome.confirmed or outcome.protocol
    return "sealed" if number is None else f"{number} %"


def _meaning(outcome: Outcome, metric: Metric) -> str:
    """What the large number is."""
    best = outcome.best
    if best is None or best.result is None:
        return ""
    fresh = outcome.confirmations.get(best.number)
    result = fresh or best.result
    splits = len({seed.split for seed in result.finished})
    over = count(splits, "split") if splits > 1 else count(len(result.finished), "seed")
    number = outcome.estimate or outcome.protocol_estimate
    if number is None:
        return f"no test {title(metric)} was computed, and nothing is confirmed on fresh seeds"
    sign = (
        f"± is its 95 % interval for {THIS_GRAPH}, by {over};"
        f" the one for {OTHER_NODES}: {number.elsewhere}."
    )
    if number.this_graph.low is None:
        sign = sentence(f"{over} cannot tell how far off it is")
    if fresh is None:
        return (
            f"test {title(metric)} on the search's own seeds; not confirmed on fresh ones, so it"
            f" is too high on average. {sign}"
        )
    return (
        f"test {title(metric)} on {count(len(fresh.seeds), 'fresh seed')} that chose nothing: the"
        f" number to quote. {sign}"
    )


def _controls(outcome: Outcome, metric: Metric) -> list[Part]:
    """What the winner is held against, as a table."""
    held: HeldAgainst = outcome.held
    rows = [
        [
            each.name,
            f"{interval_of_test(each.result)}",
            "the winner itself" if each.is_winner else each.difference.signed,
            "" if each.is_winner else each.verdict,
        ]
        for each in held.others
    ]
    if not rows:
        return []
    columns = ["held against", f"test {title(metric)}, %", "winner minus it, points", "verdict"]
    together = [] if held.together is None else [sentence(held.together)]
    return [Table(columns, rows), *together]


def _ties(outcome: Outcome) -> list[Part]:
    """One line; nothing of a search of one trial."""
    others = [record.number for record in outcome.ties[1:]]
    if not others:
        alone = "No ties: validation tells the best from every other configuration."
        return [alone] if len(outcome.records) > 1 else []
    named = ", ".join(map(str, others[:_MOST_NAMED]))
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    fresh = [
        interval.mean
        for number, result in outcome.confirmations.items()
        if number in others and (interval := interval_of_test(result)) is not None
    ]
    told = (
        f"; on the same fresh seeds {len(fresh)} of them have {min(fresh):.2f} to"
        f" {max(fresh):.2f} %"
        if len(fresh) > 1
        else ""
    )
    word = "Ties: trials" if len(others) > 1 else "Tie: trial"
    return [f"{word} {named}{more} may be as good as the best on validation{told}."]


def _facts(journal: Journal) -> list[str]:
    """The graph, as it was described when the search began."""
    told = [each["graph"] for each in journal.invocations if isinstance(each.get("graph"), str)]
    return [f"The graph: {told[-1]}"] if told else []


def _numbers(name: str, outcome: Outcome, best: TrialRecord, result: TrialResult) -> list[Part]:
    """Every test score in one table, and what is to be known of them."""
    settings, metric = outcome.settings, outcome.settings.metric
    score, keys = title(metric), list(settings.space.dimensions)
    tied = f", {tied_with(len(outcome.ties) - 1)}" if len(outcome.records) > 1 else ""
    parts: list[Part] = [
        f"Best on {briefly('validation', metric)}: trial {best.number},"
        f" {interval_of_validation(result)} %{tied}: {describe_config(best.config, keys)}.",
    ]
    if rows := as_lists(score_rows(summary_of(outcome, name))):
        parts.append(Table([f"test {score}, %", "mean", THIS_GRAPH, OTHER_NODES], rows))
        parts.append(
            "Bounds are 95 % intervals. A split's seeds are taken as one; differences are in"
            f" points. Nothing was chosen by test {score}."
        )
    if (mlp := mlp_text(outcome.held, metric)) is not None:
        parts.append(mlp)
    if (nested := outcome.nested) is not None:
        parts.append(
            f"{nested.by_own} % when each split's own validation nodes choose alone, so that none"
            " of its test labels has a say."
        )
    if (luck := outcome.luck) is not None:
        parts.append(f"With the luck of the search: {luck_long(luck)}")
    if outcome.still_open:
        parts.append(
            f"{count(len(outcome.still_open), 'raced-out trial')} may be as good as the best, too:"
            " the seeds they have do not rule them out."
        )
    if outcome.spread is not None:
        parts.append(f"Spread of test {score} (sd, by cause): {outcome.spread}.")
    parts.append(f"{str(outcome.looks).capitalize()}.")
    return parts


def _trials(outcome: Outcome, shown: list[TrialRecord]) -> list[Part]:
    settings = outcome.settings
    keys, ties = list(settings.space.dimensions), {record.number for record in outcome.ties}
    rows = []
    for place, record in enumerate(shown):
        if record.result is None:
            continue
        values = record.config.to_mapping()
        note = "best" if place == 0 else "tie" if record.number in ties else ""
        rows.append(
            [
                str(record.number),
                f"{record.objective:.2f}",
                two_digits_or_none(record.result.val_std),
                note,
                f"{record.result.seconds:.1f}",
                *(plain(values[key]) for key in keys),
            ]
        )
    score = f"{briefly('validation', settings.metric)} %"
    columns = ["trial", score, "sd", "standing", "seconds", *keys]
    told = f"{count(len(rows), 'trial')} with all seeds, the best first."
    if settings.seeds > 1:
        told += " sd is the standard deviation over seeds."
    if len(rows) > 1:
        told += (
            " A tie may be as good as the best: Hsu's comparison with the best, at 5 %, does not"
            " rule it out."
        )
    numbers = [record.number for record in shown]
    without = [told, *_not_in_the_table(outcome.records, len(rows))]
    return [" ".join(without), Table(columns, rows, sorts=True, trials=numbers)]


def _not_in_the_table(records: Sequence[TrialRecord], rows: int) -> list[str]:
    """What became of the other trials, a sentence each."""
    raced = sum(record.status is TrialStatus.RACED_OUT for record in records)
    still_open = sum(record.status is TrialStatus.RUNNING for record in records)
    failed = [record for record in records if record.status is TrialStatus.FAILED]
    left = len(records) - rows - raced - still_open - len(failed)
    told = []
    if raced:
        told.append(f"{count(raced, 'trial')} more stopped early, as others were better.")
    if failed:
        first = sentence(str(failed[0].reason).rstrip("."))
        told.append(f"{count(len(failed), 'trial')} failed; trial {failed[0].number}: {first}")
    if still_open:
        told.append(f"{count(still_open, 'trial')} had not ended.")
    if left:
        told.append(f"{count(left, 'trial')} more would make the page too long.")
    return told


def _search_figures(outcome: Outcome, importance: Effects | None) -> list[Part]:
    """How the trials compare; nothing of a single one."""
    if len(outcome.records) == 1:
        return []
    keys = list(outcome.settings.space.dimensions)
    label = f"validation {title(outcome.settings.metric)}, %"
    points = []
    for record in outcome.records:
        mean = record.result.val_mean if record.result is not None else None
        if mean is not None:
            config = record.config.to_mapping()
            values = {key: config[key] for key in keys}
            points.append(Point(record.number, mean, values, record.objective is not None))
    drawn = [Drawing(course(points, label), "Each trial, and the best so far (orange)")]
    if importance is not None and importance.told:
        what = "Share of the variance over the space (fANOVA), with 95 % intervals"
        drawn.append(Drawing(importance_bars(importance), f"{what}; {importance.basis}"))
    if len(expected := expected_best(outcome.records)) > 1:
        series = {"validation": [each.val for each in expected]}
        tests = [each.test for each in expected if each.test is not None]
        if len(tests) == len(expected):
            series["test"] = tests
        curve = curves_lines([each.trials for each in expected], series, "%", "trials")
        drawn.append(Drawing(curve, "What fewer of these trials would have found, at random"))
    through = (
        "Trials as lines through their hyperparameters; the best is orange, point at a line for"
        " its trial"
    )
    lines = [Drawing(svg, through) for svg in trial_lines(points, keys, "score, %")]
    parts: list[Part] = [drawn]
    if len(expected) > 1:
        columns = ["trials", "best on validation, %", "in 90 of 100 draws", "its test, %"]
        parts.append(Table(columns, [_budget_row(each) for each in expected]))
    if importance is not None and not importance.told:
        parts.append(f"What mattered for {label.removesuffix(', %')}: {importance}.")
    return [*parts, lines]


def _budget_row(each: ExpectedBest) -> list[str]:
    test = "" if each.test is None else f"{each.test:.2f}"
    return [str(each.trials), f"{each.val:.2f}", f"{each.low:.2f} to {each.high:.2f}", test]


def _curves(result: TrialResult, metric: Metric) -> list[Part]:
    curves = result.curves
    if curves is None:
        return []
    losses = {"validation": curves.val_loss, "training": curves.train_loss}
    return [
        [
            Drawing(curves_lines(curves.epochs, losses, "loss"), "Loss, mean over seeds"),
            Drawing(
                curves_lines(curves.epochs, {"validation": curves.val}, "%"),
                f"Validation {title(metric)}, mean over seeds",
            ),
        ]
    ]


def _commands(journal: Journal, outcome: Outcome) -> str:
    settings = outcome.settings
    provenance = provenance_of(journal, outcome) or {}
    return "\n".join(
        [
            _search_command(settings, len(outcome.records), outcome.goal),
            f"l2p-search export --search {shlex.quote(journal.directory.name)} --out best.yaml",
            train_command(settings.graph, settings.dataset, "best.yaml"),
            "",
            f"# data {settings.data_digest}; "
            + ", ".join(f"{name} {v}" for name, v in provenance.get("versions", {}).items()),
        ]
    )


def luck_long(luck: Luck) -> str:
    """The interval with the luck of the search, and plainly what it contains."""
    return (
        f"{luck_text(luck.estimate.this_graph)}. As many trials as the search has were drawn anew"
        " from its own, with replacement; the best of them by validation stands for the winner of"
        f" another search ({count(luck.winners, 'trial')} of {luck.trials} would win in one search"
        f" of a hundred or more), {luck.points:.2f} points away in the root mean square, to which"
        " the error of the headline is added. It knows no configuration that this search did not"
        " meet, and trials of a sampler that learns are no random draws."
    )


def _search_command(settings: SearchSettings, trials: int, goal: Goal | None) -> str:
    """The line that searches again: a command, or Python for a graph that was made in memory."""
    asked: dict[str, object] = {
        "space": settings.space.name,
        "trials": trials,
        "seeds": settings.seeds,
        "sampler": settings.sampler,
        "seed": settings.seed,
        "metric": settings.metric,
    }
    if goal is not None:
        asked["confirm"] = goal.confirm
    graph = shell_words(settings.graph, settings.dataset)
    if graph is None:
        if settings.race:
            asked["race"] = settings.race
        keys = ", ".join(f"{key}={value!r}" for key, value in asked.items())
        return f"python: l2p.search(graph, {keys})  # {settings.dataset} was made in memory"
    words = [word for key, value in asked.items() for word in (f"--{key}", str(value))]
    race = [] if settings.race is None else ["--race", settings.race]
    return one_line(["l2p-search", *graph, *words, *race])
