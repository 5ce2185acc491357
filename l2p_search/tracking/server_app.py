"""MLflow's server with a browser that starts where our searches are.

MLflow's interface keeps its choices in the browser. A browser that is new to it starts in the view
for language models, with an assistant over a third of the page and a banner about telemetry that
is not even sent. This app, which MLflow finds under the name `l2p-search` (its plugins' group
`mlflow.app`), gives such a browser other choices to start from; those that somebody made stay.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

APP, APP_WITH_PASSWORDS = "l2p-search", "l2p-search-auth"
"""The names that `mlflow server --app-name` takes."""
START, START_VARIABLE = "/start", "L2P_SEARCH_START"
"""An address short enough to print, and the variable that says where it leads."""

FIRST_CHOICES: dict[str, object] = {
    "mlflow.workflowType_v1": "machine_learning",
    "mlflow.settings.telemetry.enabled_v1": False,
    "mlflow.telemetry.info.alert.dismissed_v1": True,
    "mlflow.assistant.panelOpen_v1": False,
    "mlflow.assistant.fab.autoOpenedOnFirstLoad_v1": True,
    "mlflow.detectIssues.guidanceShown_v1": True,
    "mlflow.flagForReview.guidanceShown_v1": True,
    "mlflow.home.getting-started.collapsed_v1": True,
}
"""Keys of the browser's storage, as MLflow 3.17 writes them; it ignores those it does not know."""
SIDEBAR = "mlflow_header.toggle_sidebar_button"
"""What MLflow calls the button that folds its left bar: it keeps that nowhere."""
_NARROW = 700
"""Pixels of a screen on which the bar is folded."""
_LISTED = "[role=table]:has([data-testid=experiment-list-item]) [role=row]"
_STYLE = (
    f"@media(max-width:{_NARROW - 1}px){{"
    f"{_LISTED}>:is(:nth-child(3),:nth-child(4),:nth-child(6)){{display:none}}"
    f"{_LISTED}>:nth-child(2){{flex-grow:2}}"
    "button[data-assistant-ui]{display:none}}"
)
"""On such a screen the list of experiments keeps names and descriptions: with its times and tags
too, each column would show three letters. The assistant's button would lie upon what is read."""


def create_app() -> Any:
    """MLflow's server, as `mlflow server` runs it without a name.

    Returns:
        The application.
    """
    from mlflow.server import app
    from mlflow.server.fastapi_app import create_fastapi_app

    return create_fastapi_app(_prepared(app))


def create_app_with_passwords() -> Any:
    """The same with MLflow's password authentication, for a team's server.

    Returns:
        The application; it reads MLFLOW_AUTH_CONFIG_PATH.
    """
    from mlflow.server import app
    from mlflow.server.auth import create_app as create_auth_app

    return create_auth_app(_prepared(app))


def with_first_choices(index: str) -> str:
    """MLflow's page with a few lines before its program, which fill the browser's storage.

    On a telephone they also fold its left bar, which would take half of the screen, and leave
    times and tags out of the list of experiments, and the assistant's button off the page.

    Args:
        index: The HTML of MLflow's page.

    Returns:
        The same page; what the browser has stored already is left as it is.
    """
    choices = json.dumps({key: json.dumps(value) for key, value in FIRST_CHOICES.items()})
    script = (
        f"<script>try{{const first={choices};for(const key in first)"
        "if(localStorage.getItem(key)===null)localStorage.setItem(key,first[key])}"
        "catch(_){}"
        f"if(innerWidth<{_NARROW}){{const wait=setInterval(()=>{{"
        f"const bar=document.querySelector('[data-component-id=\"{SIDEBAR}\"]');"
        "if(bar){clearInterval(wait);bar.click()}},100);setTimeout(()=>clearInterval(wait),20000)}"
        "</script>"
    )
    return index.replace("<head>", f"<head><style>{_STYLE}</style>{script}", 1)


def _prepared(app: Any) -> Any:
    from flask import Response, redirect

    index = _index(str(app.static_folder))
    if index is not None:
        app.view_functions["serve"] = lambda: Response(index, mimetype="text/html")

    def start() -> Any:
        return redirect(os.environ.get(START_VARIABLE, "/"))

    app.add_url_rule(START, "l2p_search_start", start)
    return app


@cache
def _index(folder: str) -> str | None:
    """MLflow's page; None where MLflow is installed without its interface."""
    path = Path(folder, "index.html")
    return with_first_choices(path.read_text("utf-8")) if path.is_file() else None
