"""What MLflow gets of a search and of its trials: numbers, words, figures and files."""

import csv
import io
import json
import shlex
from dataclasses import replace
from typing import Any

import numpy as np

from l2p_search.api.budget_curve import budget_image, budget_series
from l2p_search.api.exporting import provenance_of
from l2p_search.api.summarising import class_names, summary_of
from l2p_search.display.beside import mlp_text
from l2p_search.display.phrases import count, describe_config, sentence, tied_with
from l2p_search.display.score_rows import as_lists, score_rows
from l2p_search.display.travel import travel_in_words
from l2p_search.intervals import interval_of_validation
from l2p_search.learned import shortened
from l2p_search.masking import masked
from l2p_search.metrics import briefly, title
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH
from l2p_search.published import paper_accuracy
from l2p_search.report.config_file import as_yaml
from l2p_search.report.drawing import curves_figure, rendered
from l2p_search.report.profile_drawing import profile_panels, profile_svg
from l2p_search.report.profile_picture import profile_png
from l2p_search.report.search_figures import Point, course_figure, lines_figure
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.importance import importance_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.search_space import Choices, SearchSpace
from l2p_search.tracking.entries import Mark, SearchEntry, TrialEntry, image_files, inert
from l2p_search.trial_record import TrialRecord, best_first
from l2p_search.yaml_file import dump_yaml

_SMALL = 200
"""Pixels of a profile beside others: four in a row of MLflow's charts."""


_ROOM = "&nbsp;" * 3


def trial_entry(journal: Journal, record: TrialRecord) -> TrialEntry:
    """The run of a trial that has ended.

    Args:
        journal: The search.
        record: The trial.

    Returns:
        Its entry, with the configuration and the profile as files; without files if it has no
        result.
    """
    settings = journal.settings
    if record.result is not None:
        record = replace(record, result=_as_kept(record.result))
    title = f"{journal.directory.name}/{record.number:03d}"
    return TrialEntry(
        uid=trial_uid(journal, record),
        number=record.number,
        status=record.status,
        config=record.config,
        result=record.result,
        reason=record.reason,
        ended=record.ended,
        files={}
        if record.result is None
        else _trial_files(record.result, title, class_names(journal)),
        search=journal.directory.name,
        logarithms=drawn_by_logarithm(settings.space),
        description=_of_trial(record, settings),
    )


def _as_kept(result: TrialResult) -> TrialResult:
    """A result with the digits that journals keep: the same at once as by a later `sync`."""
    return TrialResult.from_record(
        result.to_record(), result.config, result.dataset, result.data_digest, result.metric
    )


def _of_trial(record: TrialRecord, settings: SearchSettings) -> str:
    """A trial in a sentence or two: its score, its configuration, how far nodes look."""
    result = record.result
    config = describe_config(record.config, settings.space.dimensions)
    found = f"{record.config.method} `{config}`" if config else record.config.method
    if result is None or result.val_mean is None:
        return sentence(found)
    score = f"**{result.val_mean:.2f} % on {briefly('validation', settings.metric)}**"
    far = "" if result.profiles is None else f" {sentence(inert(travel_in_words(result)))}"
    return f"{score} over {count(len(result.finished), 'seed')}, with {found}.{far}"


def trial_uid(journal: Journal, record: TrialRecord) -> str:
    """The tag by which a trial's run is found again: unique over all searches."""
    return f"{journal.uid}/{record.number}"


def search_entry(journal: Journal, outcome: Outcome | None = None) -> SearchEntry:
    """The run of a search.

    Args:
        journal: The search.
        outcome: What it found; None while it runs.

    Returns:
        Its entry; with an outcome also metrics, a description and files.
    """
    settings = journal.settings
    newest = journal.invocations[-1] if journal.invocations else {}
    params = {
        "dataset": settings.dataset,
        "space": settings.space.name,
        "seeds": str(settings.seeds),
        "sampler": settings.sampler,
        "seed": str(settings.seed),
        "race": settings.race or "no",
        "metric": settings.metric,
        "method": settings.typical_config().method,
        "sealed": str(settings.sealed),
    }
    varied = list(settings.space.dimensions)
    found: dict[str, Any] = {}
    if outcome is not None:
        found = {
            "metrics": _search_metrics(outcome),
            "description": _description(journal, outcome),
            "files": _search_files(journal, outcome),
            "marks": _marks(journal, outcome),
            "answer": _answer(outcome),
            "profile": _profile(outcome),
            "series": budget_series(outcome),
        }
        if (effects := importance_of(outcome)) is not None and effects.told:
            varied.sort(key=lambda key: -effects.shares[key].share if key in effects.shares else 1)
    began, _ = journal.span
    return SearchEntry(
        uid=journal.uid,
        name=journal.directory.name,
        dataset=settings.dataset,
        data_digest=settings.data_digest,
        params=params,
        metric=settings.metric,
        varied=tuple(varied),
        logarithms=drawn_by_logarithm(settings.space),
        began=began,
        tags={
            "command": masked(str(newest.get("command", ""))),  # old journals have it as typed
            "device": str(newest.get("device", "cpu")),
            "versions": ", ".join(f"{k} {v}" for k, v in newest.get("versions", {}).items()),
            "data_digest": settings.data_digest,
        },
        **found,
    )


def _trial_files(result: TrialResult, title: str, classes: list[str]) -> dict[str, bytes]:
    files = {"config.yaml": dump_yaml(result.config.to_mapping()).encode()}
    profile = result.profile
    if profile is None:
        return files
    seeds = [seed for seed in result.finished if seed.profile is not None]
    data: dict[str, Any] = {
        "seeds": [seed.seed for seed in seeds],
        "profile": list(profile),
        "profile_by_seed": [list(seed.profile or ()) for seed in seeds],
    }
    if result.profiles is not None:
        data |= shortened(result.profiles.to_mapping())
    arrays: dict[str, Any] = {
        key: np.array(list(value.values()) if isinstance(value, dict) else value)
        for key, value in data.items()
    }
    for key in ("by_degree", "by_class"):
        if key in data:
            arrays[f"{key}_labels"] = np.array(list(data[key]))
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return files | {
        "profile.npz": packed.getvalue(),
        "profile.json": json.dumps(data, allow_nan=False).encode(),
        "profile.svg": profile_svg(result, title, classes),
        **_pictures(profile, title),
    }


def _pictures(profile: tuple[float, ...], title: str) -> dict[str, bytes]:
    small = profile_png(profile, title, _SMALL, _SMALL)
    return image_files(profile_png(profile, title), small)


def drawn_by_logarithm(space: SearchSpace) -> tuple[str, ...]:
    """The hyperparameters that vary over so many orders that a linear axis hides most of them.

    Example:
        >>> space = SearchSpace.from_mapping("mine", {"lr": {"low": 1e-4, "high": 0.1}, "K": 4})
        >>> drawn_by_logarithm(space)
        ('lr',)
    """
    wide = []
    for key, dimension in space.dimensions.items():
        ends = (
            dimension.values if isinstance(dimension, Choices) else (dimension.low, dimension.high)
        )
        numbers = [each for each in ends if isinstance(each, (int, float))]
        if len(numbers) == len(ends) and min(numbers) > 0 and max(numbers) >= 30 * min(numbers):
            wide.append(key)
    return tuple(wide)


def _marks(journal: Journal, outcome: Outcome) -> dict[str, Mark]:
    best, ties = outcome.best, {record.number for record in outcome.ties}
    if best is None or best.objective is None:
        return {}
    complete = [record for record in outcome.records if record.objective is not None]
    return {
        trial_uid(journal, record): Mark(
            rank, record.number in ties, best.objective - (record.objective or 0.0)
        )
        for rank, record in enumerate(best_first(complete), start=1)
    }


def _answer(outcome: Outcome) -> str:
    """What was found in one line: the number to quote, by what, and how far nodes look."""
    best, metric = outcome.best, outcome.settings.metric
    if best is None or best.result is None:
        return ""
    number = f"{outcome.confirmed or outcome.protocol} % test {title(metric)}"
    if outcome.confirmed is None:
        sealed = outcome.protocol is None
        number = f"no test {title(metric)}, sealed" if sealed else f"{number}, not confirmed"
    config = describe_config(best.config, outcome.settings.space.dimensions)
    far = "" if best.result.profiles is None else f"; {travel_in_words(best.result)}"
    return f"{number} with {best.config.method}, {config}{far}"


def _profile(outcome: Outcome) -> tuple[float, ...]:
    best = outcome.best
    return tuple((best.result.profile if best and best.result else None) or ())


def _search_metrics(outcome: Outcome) -> dict[str, float]:
    counts, metric = outcome.to_mapping()["trials"], outcome.settings.metric
    metrics = {f"trials_{status}": float(number) for status, number in counts.items()}
    if (labels := outcome.held.labels) is not None:
        metrics["optimism_of_shared_validation"] = round(labels.optimism.mean, 2)
    metrics["trials"] = float(len(outcome.records))
    if outcome.best is not None and outcome.best.objective is not None:
        metrics[f"best_val_{metric}"] = round(outcome.best.objective, 2)
        paper = paper_accuracy(outcome.best.config.method, outcome.settings.dataset)
        if paper is not None and metric == "accuracy":
            metrics["paper"] = paper
    if (confirmed := outcome.confirmed) is not None:
        shown = {
            "confirmed": confirmed.mean,
            "interval_low": confirmed.low,
            "interval_high": confirmed.high,
        }
        metrics |= {name: round(end, 2) for name, end in shown.items() if end is not None}
    luck, nested = outcome.luck, outcome.nested
    metrics["test_looks"] = float(outcome.looks.total)
    for name, interval in (
        (f"confirmed_test_{metric}", outcome.confirmed),
        (f"confirmed_with_luck_{metric}", None if luck is None else luck.estimate.this_graph),
        (f"protocol_test_{metric}", outcome.protocol),
        (f"nested_test_{metric}", None if nested is None else nested.by_others.this_graph),
        (f"fresh_splits_test_{metric}", outcome.held.on_fresh_splits),
        *((f"minus_{each.role}_test_{metric}", each.difference) for each in outcome.held.others),
    ):
        if interval is not None:
            metrics[name] = round(interval.mean, 2)
            if interval.half_width is not None:
                metrics[f"{name}_half_width"] = round(interval.half_width, 2)
    for name, estimate in (
        (f"confirmed_test_{metric}", outcome.estimate),
        (f"confirmed_with_luck_{metric}", None if luck is None else luck.estimate),
        (f"protocol_test_{metric}", outcome.protocol_estimate),
        (f"nested_test_{metric}", None if nested is None else nested.by_others),
        (f"fresh_splits_test_{metric}", outcome.held.estimate_on_fresh_splits),
    ):
        elsewhere = None if estimate is None else estimate.other_nodes
        if elsewhere is not None and elsewhere.low is not None and elsewhere.high is not None:
            metrics[f"{name}_other_nodes_low"] = round(elsewhere.low, 2)
            metrics[f"{name}_other_nodes_high"] = round(elsewhere.high, 2)
    return metrics


def _description(journal: Journal, outcome: Outcome) -> str:
    """Markdown for the run's page."""
    settings, best = outcome.settings, outcome.best
    score = title(settings.metric)
    whole = (
        f"{count(len(outcome.records), 'trial')} of space {inert(settings.space.name)} on"
        f" {inert(settings.dataset)}, {settings.seeds} seeds each, proposed by"
        f" {settings.sampler} (seed {settings.seed})."
    )
    if best is None or best.result is None:
        return f"{whole} No trial has all its seeds yet."
    name = shlex.quote(journal.directory.name).replace("`", "?")  # it would end the code
    # The page shows the first lines only, until one asks for more.
    config = describe_config(best.config, settings.space.dimensions)
    first = f"**Confirmed test {score}: {outcome.confirmed} %** on fresh seeds"
    if outcome.confirmed is None:
        first = f"**Test {score} on the search's own seeds: {outcome.protocol} %**, not confirmed"
        if outcome.protocol is None:
            first = f"**Sealed: no test {score} was computed**"
    far = ""
    if best.result.profiles is not None:
        words = inert(travel_in_words(best.result))
        far = f" {sentence(words)}"
    lines = [f"{first}, with {best.config.method} `{config}`.{far}"]
    lines += [_scores(outcome, journal.directory.name)]
    if (together := outcome.held.together) is not None:
        lines.append(sentence(together))
    if (mlp := mlp_text(outcome.held, settings.metric)) is not None:
        lines.append(inert(mlp))
    lines += [
        f"Best on {briefly('validation', settings.metric)}: trial {best.number},"
        f" {interval_of_validation(best.result)} %,"
        f" {tied_with(len(outcome.ties) - 1)}.",
        whole,
        f"{str(outcome.looks).capitalize()}.",
        *([] if outcome.spread is None else [f"Spread of test {score} (sd): {outcome.spread}."]),
        f"± is the 95 % interval for {THIS_GRAPH}. Nothing was chosen by test {score}.",
        f"Take it away: `l2p-search export --search {name} --out best.yaml`, or `best.yaml`"
        " among the artifacts.",
    ]
    return "\n\n".join(line for line in lines if line)


def _scores(outcome: Outcome, name: str) -> str:
    """Every test score with its two 95 % intervals, as a table of Markdown; empty without any."""
    found = as_lists(score_rows(summary_of(outcome, name)))
    if not found:
        return ""
    head = [f"test {title(outcome.settings.metric)}, %", "mean", THIS_GRAPH, OTHER_NODES]
    # MLflow's page sets no room between the columns of a table.
    head = [f"{cell}{_ROOM}" for cell in head]
    rows = [[f"{inert(cell)}{_ROOM}".replace("|", "&#124;") for cell in row] for row in found]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in (head, ["---", "---:", "---:", "---:"], *rows)
    )


def _search_files(journal: Journal, outcome: Outcome) -> dict[str, bytes]:
    effects = importance_of(outcome)
    found = {
        **outcome.to_mapping(),
        "importance": None if effects is None else effects.to_mapping(),
    }
    files = {
        "space.yaml": dump_yaml(outcome.settings.space.to_mapping()).encode(),
        "leaderboard.csv": _leaderboard(outcome).encode(),
        "invocations.json": masked(json.dumps(journal.invocations, indent=2)).encode(),
        "outcome.json": json.dumps(found, indent=2, allow_nan=False).encode(),
    }
    best, provenance = outcome.best, provenance_of(journal, outcome)
    if best is not None and best.result is not None and provenance is not None:
        title = f"best trial on {outcome.settings.dataset}: {best.number}"
        files["best.yaml"] = as_yaml(best.config, provenance).encode()
        points = _points(outcome)
        course = course_figure(points, effects, outcome.settings.metric)
        files["search.png"] = rendered(course, "png")
        files["trials.png"] = rendered(lines_figure(points, outcome.settings.metric), "png")
        if (curve := budget_image(outcome)) is not None:
            files["budget.png"] = curve
            files["budget.svg"] = budget_image(outcome, small=True) or b""
        if best.result.profile is not None:
            names = class_names(journal)
            files["profile.svg"] = profile_svg(best.result, title, names)
            for what, panel in profile_panels(best.result, names).items():
                files[f"profile-{what}.svg"] = panel
            files |= _pictures(best.result.profile, journal.directory.name)
        if best.result.curves is not None:
            files["curves.png"] = rendered(
                curves_figure(best.result.curves, best.result.metric), "png"
            )
    return files


def _points(outcome: Outcome) -> list[Point]:
    keys = list(outcome.settings.space.dimensions)
    points = []
    for record in outcome.records:
        mean = record.result.val_mean if record.result is not None else None
        if mean is not None:
            config = record.config.to_mapping()
            values = {key: config[key] for key in keys}
            points.append(Point(record.number, mean, values, record.objective is not None))
    return points


def _leaderboard(outcome: Outcome) -> str:
    text = io.StringIO()
    keys = list(outcome.settings.space.dimensions)
    scores = [f"val_{outcome.settings.metric}_{summary}" for summary in ("mean", "std")]
    columns = ["number", "status", *scores, "seeds", "seconds"]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *keys, "tie"])
    ties = {record.number for record in outcome.ties}
    for record in best_first(outcome.records):
        if record.status is TrialStatus.RUNNING:
            continue
        row, config = record.to_mapping(), record.config.to_mapping()
        cells = [row[column] for column in columns] + [config[key] for key in keys]
        writer.writerow([*cells, record.number in ties])
    return text.getvalue()
