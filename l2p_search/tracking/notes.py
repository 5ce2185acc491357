"""What MLflow's pages say first, of a trial, a search and a dataset: Markdown with links."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from l2p_search.metrics import Metric, title
from l2p_search.tracking.entries import SMALL_PICTURE, SearchEntry, TrialEntry, inert
from l2p_search.tracking.view import (
    SEARCHES_VIEW,
    WHOLE_VIEW,
    run_link,
    runs_link,
    search_view,
)

if TYPE_CHECKING:
    from mlflow.entities import Run

ANSWER = "answer"
"""The tag of a search's run that holds what it found, in one line."""
_BETWEEN = " · "
_PROFILES = re.compile(rf"(\[profiles\]\([^)]*\))({_BETWEEN}\[all graphs\]\([^)]*\))?")
"""Where the link to the searches on all graphs stands, or will."""
_PANELS = ("profile-nodes.svg", "profile-degree.svg", "profile-class.svg")


def search_note(search: SearchEntry, experiment: str, run: str) -> str:
    """The description of a search's run: what was found, links, its profile, its budget.

    Args:
        search: The search; its description is Markdown already.
        experiment: The experiment that it is in.
        run: Its run.

    Returns:
        Markdown. MLflow's page shows the first three lines or so, until one asks for more.
    """
    if search.kind != "search":
        return search.description
    view = search_view(search.uid)
    links = [
        _link("trials, ranked", runs_link("", experiment, view)),
        _link("charts", runs_link("", experiment, view, charts=True)),
        _link("searches on this graph", runs_link("", experiment, SEARCHES_VIEW)),
    ]
    if "report.html" in search.files:
        links.append(_link("report", _artifact(run, "report.html")))
    first, _, rest = search.description.partition("\n\n")
    lines = [first, _BETWEEN.join(links), rest]
    # MLflow shows pictures as wide as they are, and text beside one that is wider than the screen
    # runs out of it: so these are small, stand side by side, and below each other on a telephone.
    panels = [each for each in _PANELS if each in search.files]
    drawn = [f"![How far nodes look]({_artifact(run, each)})" for each in panels]
    lines.insert(2, " ".join(drawn))
    if "budget.svg" in search.files:
        lines.append(f"![What fewer trials would have found]({_artifact(run, 'budget.svg')})")
    return "\n\n".join(line for line in lines if line)


def trial_note(
    trial: TrialEntry, search: SearchEntry, experiment: str, parent: str, run: str
) -> str:
    """The description of a trial's run: how it ended, what it scored, links, its profile.

    Args:
        trial: The trial; its description is Markdown already.
        search: Its search.
        experiment: The experiment that both are in.
        parent: The run of the search.
        run: The run of the trial.

    Returns:
        Markdown.
    """
    word = trial.status.value.replace("_", " ").capitalize()
    links = [
        _link(inert(f"search {search.name}"), run_link("", experiment, parent)),
        _link("its trials, ranked", runs_link("", experiment, search_view(search.uid))),
    ]
    lines = [
        "" if trial.reason is None else f"**{word}**: {inert(trial.reason)}",
        trial.description,
        _BETWEEN.join(links),
    ]
    if SMALL_PICTURE in trial.files:  # a wider one would push the text out of a telephone
        lines.append(f"![How far nodes look]({_artifact(run, SMALL_PICTURE)})")
    return "\n\n".join(line for line in lines if line)


def dataset_note(
    experiment: str, searches: Sequence["Run"], experiments: Sequence[str], metric: Metric
) -> str:
    """The description of an experiment, which holds all searches on one graph.

    MLflow's home page shows its beginning as plain text, and the experiment's page the first line
    of its first paragraph: so the number comes first, then the links, then the configuration.

    Args:
        experiment: Its identifier.
        searches: The runs of its searches, the best on validation first. Those that have finished
            come before others, and of these the ones with the most seeds, as everywhere.
        experiments: The identifiers of all datasets' experiments.
        metric: What the searches are judged by.

    Returns:
        Markdown.
    """
    links = [
        _link("searches", runs_link("", experiment, SEARCHES_VIEW)),
        _link("all trials", runs_link("", experiment, WHOLE_VIEW)),
        _link("profiles", runs_link("", experiment, SEARCHES_VIEW, charts=True)),
    ]
    if len(experiments) > 1:
        links.append(_all_graphs(experiment, experiments))
    answered = [run for run in searches if run.data.tags.get(ANSWER)]
    told = sorted(answered, key=_place)
    if not told:
        return f"No search has a complete trial yet. {_BETWEEN.join(links)}"
    best = told[0]
    number, _, found = best.data.tags[ANSWER].partition(" with ")
    by = "on validation" if best is answered[0] else "by seeds, then validation"
    of = f", the best of {len(told)} searches {by}" if len(told) > 1 else ""
    name = _link(inert(best.info.run_name), run_link("", experiment, best.info.run_id))
    # On a telephone four words of it are shown: the number, and the link to its search.
    score, percent, what = number.partition(" % ")
    first = f"{inert(number)} ({name}{of})"
    if percent:
        first = f"{inert(score)} % ({name}: {inert(what)}{of})"
    config = found.partition("; ")[0]
    rows = [
        f"| {_link(_cell(run.info.run_name), run_link('', experiment, run.info.run_id))}"
        f" | {_cell(run.data.tags[ANSWER])} |"
        for run in told
    ]
    table = "\n".join([f"| search | test {title(metric)} on fresh seeds |", "|---|---|", *rows])
    first = _BETWEEN.join([first, *links, inert(config)])
    return f"{first}\n\nWith {inert(found)}.\n\n{table}"


def with_all_graphs(note: str, experiment: str, experiments: Sequence[str]) -> str:
    """A dataset's description, whose link to the searches on all graphs has those of today.

    Args:
        note: As `dataset_note` made it, or as a person has changed it.
        experiment: The identifier of its experiment.
        experiments: The identifiers of all datasets' experiments, two or more.

    Returns:
        The same where the link that it would stand behind is no longer there.
    """
    link = _all_graphs(experiment, experiments)
    return _PROFILES.sub(lambda found: f"{found[1]}{_BETWEEN}{link}", note, count=1)


def _all_graphs(experiment: str, experiments: Sequence[str]) -> str:
    others = [experiment, *(each for each in experiments if each != experiment)]
    return _link("all graphs", runs_link("", others, SEARCHES_VIEW))


def _place(run: "Run") -> tuple[bool, int]:
    return run.info.status != "FINISHED", -int(run.data.params.get("seeds", 0))


def _link(text: str, address: str) -> str:
    return f"[{text}]({address})"


def _cell(text: str) -> str:
    """Text that stays in its cell of a table."""
    return inert(text).replace("|", "&#124;")


def _artifact(run: str, path: str) -> str:
    return f"get-artifact?path={quote(path, safe='')}&run_uuid={run}"
