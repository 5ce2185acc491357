"""The view that MLflow's runs page opens with: trials sorted, the columns that matter, charts.

MLflow's own first screen shows no metric and no parameter. A view is kept as an experiment's tag
and opened by a link that names its key: one for each search, with its trials and hyperparameters,
and one for all trials of a dataset.
"""

import json
from collections.abc import Sequence

from l2p_search.metrics import Metric

WHOLE_VIEW = "l2p-search"
"""The key of the view on all trials of a dataset."""
_MOST_COLUMNS = 8
_COLUMNS = ("dropout", "lr", "hidden", "weight_decay", "K")
_GROUPS = ("curve", "profile", "seed", "Model metrics")
"""Of metrics, by the name before the slash; MLflow draws each, and so they are folded away."""


def search_view(search_uid: str) -> str:
    """The key of the view on a search's trials."""
    return f"{WHOLE_VIEW}-{search_uid[:12]}"


def view_tag(key: str) -> str:
    """The experiment's tag that holds a view."""
    return f"mlflow.sharedViewState.{key}"


def view_state(
    parent: str | None = None, varied: Sequence[str] = (), metric: Metric = "accuracy"
) -> str:
    """The view as MLflow's interface writes it.

    Args:
        parent: The run whose trials are shown; those of all searches without one.
        varied: The hyperparameters that get a column.
        metric: What the trials are sorted by: its mean over validation nodes.
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
    """The page of an experiment's trials, opened with a view."""
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
