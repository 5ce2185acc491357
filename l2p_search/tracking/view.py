"""The views of MLflow's runs page: useful columns and charts, sorted by what matters.

By default that page shows neither metrics nor parameters. A view is stored in a tag of the
experiment and opened by a link that names its key. There is one view per search with its trials,
one per dataset with the trials of all searches, and one of the searches themselves, which a link
may open for all datasets at once.
"""

import json
from collections.abc import Sequence
from urllib.parse import quote

from l2p_search.metrics import Metric

WHOLE_VIEW = "l2p-search"
"""The key of the view of all trials on a dataset."""
SEARCHES_VIEW = "l2p-searches"
"""The key of the view of the searches."""
IMAGE = "profile"
"""The name of the picture that each run has of its profile."""
_MOST_COLUMNS = 8
_MOST_AXES = 5
"""Of a chart of parallel coordinates: with more, MLflow's labels run into one another."""
_COLUMNS = ("dropout", "lr", "hidden", "weight_decay", "K")
_GROUPS = ("curve", "profile", "seed", "budget", "Model metrics")
"""Sections of charts that MLflow adds by itself, one per prefix of metric names: folded away."""
_PROFILES, _TRIALS = "l2p-pictures", "l2p"
"""The sections that are open: pictures over the whole width, and charts, two in a row."""


def search_view(search_uid: str) -> str:
    """The key of the view of one search's trials.

    Args:
        search_uid: The identifier of the search.

    Returns:
        The key, short enough for a link.

    Example:
        >>> search_view("0123456789abcdef")
        'l2p-search-0123456789ab'
    """
    return f"{WHOLE_VIEW}-{search_uid[:12]}"


def view_tag(key: str) -> str:
    """The name of the experiment's tag that holds a view.

    Args:
        key: Of the view.

    Returns:
        The name under which MLflow's interface looks for it.

    Example:
        >>> view_tag("l2p-search")
        'mlflow.sharedViewState.l2p-search'
    """
    return f"mlflow.sharedViewState.{key}"


def trials_view(
    parent: str | None = None,
    varied: Sequence[str] = (),
    metric: Metric = "accuracy",
    logarithms: Sequence[str] = (),
    ranked: bool = False,
) -> str:
    """The view of trials, in the JSON that MLflow's interface itself writes.

    Args:
        parent: The run of a search, for a view of its trials; None for the trials of all searches.
        varied: The hyperparameters to show, the most important first, of which eight become
            columns; those that the paper searches if there are none.
        metric: The trials are sorted by its mean on validation nodes.
        logarithms: The hyperparameters that are drawn by their logarithm.
        ranked: Whether the trials have their rank, as they have once their search has ended.

    Returns:
        The value of the tag.
    """
    params = list(varied) or list(_COLUMNS)
    mean = f"val_{metric}_mean"
    if parent is None:
        # The mean of a trial that was raced out, over two seeds, would stand above the best.
        chosen = "tags.kind = 'trial' and attributes.status = 'FINISHED'"
        columns = [f"metrics.`{mean}`"]
    else:
        chosen = f"tags.`mlflow.parentRunId` = '{parent}'"
        columns = [f"metrics.`{name}`" for name in ("rank", "tie", mean)]
    columns += [f"params.`{name}`" for name in params[:_MOST_COLUMNS]]
    columns += ["tags.`search`"] * (parent is None)
    charts = [_image(), *_lines(params, logarithms, mean)]
    if parent is not None:  # they count within one search
        charts += [_scatter("course", "trial", mean), _bar("behind", "behind_best")]
    charts += [_line("profiles", "profile/q"), _line("curve", "curve/val_loss")]
    order = "rank" if ranked else mean
    return _state(chosen, f"metrics.`{order}`", columns, charts, ascending=ranked)


def searches_view() -> str:
    """The view of searches: the number to quote, its interval, the paper's, budget and model.

    Returns:
        The value of the tag, the same for every experiment.
    """
    metrics = ("confirmed", "interval_low", "interval_high", "paper", "trials")
    columns = [f"metrics.`{name}`" for name in metrics]
    columns += [f"params.`{name}`" for name in ("dataset", "method", "seeds", "space")]
    charts = [
        _image(),
        _line("profiles", "profile/q"),
        _scatter("confirmed", "trials", "confirmed"),
    ]
    return _state("tags.kind = 'search'", "attributes.start_time", columns, charts)


def runs_link(
    base: str, experiments: str | Sequence[str], view: str = WHOLE_VIEW, charts: bool = False
) -> str:
    """The link that opens the runs of an experiment, or of several at once, with a view.

    Args:
        base: The address of MLflow's interface, without a slash at the end; empty for a link from
            one of its own pages.
        experiments: The identifier of the experiment, or several; the view is the first one's.
        view: The key of the view.
        charts: Whether to open it at its charts instead of its table.

    Returns:
        The link, which also switches the interface to model training.

    Example:
        >>> runs_link("http://127.0.0.1:5000", "7").partition("?")[0]
        'http://127.0.0.1:5000/#/experiments/7/runs'
    """
    asked = f"workflowType=machine_learning&viewStateShareKey={view}"
    asked += "&compareRunsMode=CHART" * charts
    start = f"{base}/" if base else ""
    ids = [experiments] if isinstance(experiments, str) else list(experiments)
    if len(ids) == 1:
        return f"{start}#/experiments/{ids[0]}/runs?{asked}"
    listed = quote(json.dumps(ids, separators=(",", ":")))
    return f"{start}#/compare-experiments/s?experiments={listed}&{asked}"


def run_link(base: str, experiment: str, run: str) -> str:
    """The link that opens the page of a run.

    Example:
        >>> run_link("", "7", "abc")
        '#/experiments/7/runs/abc?workflowType=machine_learning'
    """
    start = f"{base}/" if base else ""
    return f"{start}#/experiments/{experiment}/runs/{run}?workflowType=machine_learning"


def _state(
    chosen: str,
    order: str,
    columns: Sequence[str],
    charts: Sequence[dict[str, object]],
    ascending: bool = False,
) -> str:
    return json.dumps(
        {
            "searchFilter": chosen,
            "orderByKey": order,
            "orderByAsc": ascending,
            "selectedColumns": [*columns, "attributes.`Status`"],
            "compareRunSections": [
                _section(_PROFILES, "How far nodes look", True, columns=1),
                _section(_TRIALS, "Overview", True, columns=2),
                *map(_folded, _GROUPS),
            ],
            "compareRunCharts": list(charts),
            "isAccordionReordered": True,
            "runsPinned": [],
            "runsHidden": [],
        }
    )


def _folded(group: str) -> dict[str, object]:
    return _section(f"l2p-{group}", group, False)


def _section(uuid: str, name: str, open_: bool, columns: int = 3) -> dict[str, object]:
    return {
        "uuid": uuid,
        "name": name,
        "display": open_,
        "isReordered": True,
        "columns": columns,
        "cardHeight": 400,
    }


def _chart(uuid: str, kind: str) -> dict[str, object]:
    return {
        "uuid": uuid,
        "type": kind,
        "runsCountToCompare": 20,
        "metricSectionId": _TRIALS,
        "deleted": False,
        "isGenerated": False,
    }


def _image() -> dict[str, object]:
    """The profiles of the shown runs side by side."""
    return {
        **_chart("picture", "IMAGE"),
        "metricSectionId": _PROFILES,
        "imageKeys": [IMAGE],
        "step": 0,
        "showRunParams": False,
    }


def _lines(
    params: Sequence[str], logarithms: Sequence[str], metric: str
) -> list[dict[str, object]]:
    """Trials as lines through their hyperparameters, in charts of few axes each."""
    room = _MOST_AXES - 1
    charts = []
    for first in range(0, len(params), room):
        shown = params[first : first + room]
        logs = [key for key in shown if key in logarithms]
        charts.append(
            {
                **_chart(f"trials-{first}", "PARALLEL"),
                "selectedParams": [key for key in shown if key not in logs],
                "selectedMetrics": [*map(log_metric, logs), metric],
                "showAllRuns": True,
            }
        )
    return charts


def log_metric(key: str) -> str:
    """The metric that holds the logarithm of a hyperparameter.

    MLflow's charts of parallel coordinates have no scale but the linear one, on which learning
    rates of 0.0001 and 0.001 are one dot.

    Example:
        >>> log_metric("lr")
        'log10 lr'
    """
    return f"log10 {key}"


def _scatter(uuid: str, x: str, y: str) -> dict[str, object]:
    return {
        **_chart(uuid, "SCATTER"),
        "runsCountToCompare": 1000,
        "xaxis": {"key": x, "type": "METRIC"},
        "yaxis": {"key": y, "type": "METRIC"},
    }


def _bar(uuid: str, metric: str) -> dict[str, object]:
    return {**_chart(uuid, "BAR"), "metricKey": metric}


def _line(uuid: str, metric: str) -> dict[str, object]:
    return {
        **_chart(uuid, "LINE"),
        "metricKey": metric,
        "selectedMetricKeys": [metric],
        "xAxisKey": "step",
        "lineSmoothness": 0,
        "scaleType": "linear",
    }
