import json
import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from l2p_search.tracking import server_app
from l2p_search.tracking.server_app import (
    FIRST_CHOICES,
    SIDEBAR,
    START_VARIABLE,
    with_first_choices,
)

_PAGE = '<!doctype html><html><head><title>MLflow</title><script src="main.js"></script></head>'


def test_a_new_browser_starts_in_model_training_without_telemetry_or_assistant() -> None:
    assert FIRST_CHOICES["mlflow.workflowType_v1"] == "machine_learning"
    assert FIRST_CHOICES["mlflow.settings.telemetry.enabled_v1"] is False
    assert FIRST_CHOICES["mlflow.telemetry.info.alert.dismissed_v1"] is True
    assert FIRST_CHOICES["mlflow.assistant.panelOpen_v1"] is False


def test_the_choices_are_there_before_mlflows_program_and_only_where_none_was_made() -> None:
    page = with_first_choices(_PAGE)
    assert page.index("<script>") < page.index("main.js")
    written = re.search(r"const first=(\{.*?\});for", page)
    assert written is not None
    assert {k: json.loads(v) for k, v in json.loads(written[1]).items()} == FIRST_CHOICES
    assert "getItem(key)===null" in page
    assert "[data-testid=experiment-list-item]" in page.partition("</style>")[0]


def test_mlflow_still_knows_these_keys() -> None:
    mlflow = pytest.importorskip("mlflow")
    folder = Path(mlflow.__file__).parent / "server" / "js" / "build" / "static" / "js"
    programs = [path.read_text("utf-8", "replace") for path in folder.glob("*.js")]
    if not programs:
        pytest.skip("MLflow is installed without its interface")
    for key in FIRST_CHOICES:
        name = re.sub(r"_v\d+$", "", key)
        assert any(f'"{name}"' in text for text in programs), name
    assert any(f'"{SIDEBAR}"' in text for text in programs)
    for mark in ("experiment-list-item", "data-assistant-ui"):
        assert any(f'"{mark}"' in text for text in programs), mark


def test_its_first_page_has_the_choices_and_start_leads_to_the_view(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    flask = pytest.importorskip("flask")
    (tmp_path / "index.html").write_text(_PAGE)
    app: Any = flask.Flask("mlflow", static_folder=str(tmp_path))
    app.add_url_rule("/", "serve", lambda: "MLflow's own")
    monkeypatch.setenv(START_VARIABLE, "/#/experiments/7/runs")
    client = server_app._prepared(app).test_client()
    assert client.get("/").text == with_first_choices(_PAGE)
    assert client.get("/start").headers["Location"] == "/#/experiments/7/runs"


def test_mlflow_finds_the_apps_under_the_names_that_are_used() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    named = project["project"]["entry-points"]["mlflow.app"]
    assert list(named) == [server_app.APP, server_app.APP_WITH_PASSWORDS]
    for name, value in named.items():
        assert callable(EntryPoint(name, value, "mlflow.app").load())
