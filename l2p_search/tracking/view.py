"""The views of MLflow's runs page: trials sorted by accuracy, useful columns, and charts.

By default that page shows neither metrics nor parameters. A view is stored in a tag of the
experiment and opened by a link that names its key. There is one view per search, with its trials
and the hyperparameters that vary in it, and one per dataset, with the trials of all searches.
"""

import json
from collections.abc import Sequence

from l2p_search.metrics import Metric

WHOLE_VIEW = "l2p-search"
"""The key of the view of all trials on a dataset."""
_MOST_COLUMNS = 8
_COLUMNS = ("dropout", "lr", "hidden", "weight_decay", "K")
_GROUPS = ("curve", "profile", "seed", "Model metrics")
"""Sections of charts that MLflow adds by itself, one per prefix of metric names: folded away."""


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


def view_state(
    parent: str | None = None, varied: Sequence[str] = (), metric: Metric = "accuracy"
) -> str:
    """A view in the JSON that MLflow's interface itself writes.

    Args:
        parent: The run of a search, for a view of its trials; None for all trials.
        varied: The hyperparameters to show, of which the first eight become columns; those that
            the paper searches if there are none.
        metric: The trials are sorted by its mean on validation nodes.

    Returns:
        The value of the tag.
    """
    params = varied[:_MOST_COLUMNS] or _COLUMNS
    mean, spread = f"val_{metric}_mean", f"val_{metric}_std"
    columns = [f"metrics.`{name}`" for name in (mean, spread)]
    columns += [f"params.`{name}`" for name in params]
    charts = [
        _parallel("trials", params, mean),
        _bar("best", mean),
        _line("curve", "curve/val_loss"),
        _line("profile", "profile/q"),
    ]
    return json.dumps(
        {
            "searchFilter": "tags.kind = 'trial'"
            if parent is None
            else f"tags.`mlflow.parentRunId` = '{parent}'",
            "orderByKey": f"metrics.`{mean}`",
            "orderByAsc": False,
            "selectedColumns": [*columns, "attributes.`Status`"],
            "compareRunSections": [_section("l2p", "Trials", True), *map(_folded, _GROUPS)],
            "compareRunCharts": charts,
            "isAccordionReordered": True,
            "runsPinned": [],
            "runsHidden": [],
        }
    )


def runs_link(base: str, experiment: str, view: str = WHOLE_VIEW) -> str:
    """The link that opens an experiment's runs page with a view.

    Args:
        base: The address of MLflow's interface, without a slash at the end.
        experiment: The identifier of the experiment.
        view: The key of the view.

    Returns:
        The link, which also switches the interface to model training.

    Example:
        >>> runs_link("http://127.0.0.1:5000", "7").partition("?")[0]
        'http://127.0.0.1:5000/#/experiments/7/runs'
    """
    return (
        f"{base}/#/experiments/{experiment}/runs?workflowType=machine_learning"
        f"&viewStateShareKey={view}"
    )


def _folded(group: str) -> dict[str, object]:
    return _section(f"l2p-{group}", group, False)


def _section(uuid: str, name: str, open_: bool) -> dict[str, object]:
    return {"uuid": uuid, "name": name, "display": open_, "isReordered": True}


def _chart(uuid: str, kind: str) -> dict[str, object]:
    return {
        "uuid": uuid,
        "type": kind,
        "runsCountToCompare": 20,
        "metricSectionId": "l2p",
        "deleted": False,
        "isGenerated": False,
    }


def _parallel(uuid: str, params: Sequence[str], metric: str) -> dict[str, object]:
    return {
        **_chart(uuid, "PARALLEL"),
        "selectedParams": list(params),
        "selectedMetrics": [metric],
        "showAllRuns": True,
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
