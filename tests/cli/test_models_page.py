"""MLflow's Models page in a real browser: which model is in use, how good, from which search."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from l2p_search.data.demo import demo_graph
from tests.api.kept import search_with_model
from tests.cli.browsing import browser_page, interface, needs_chromium

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Two searches that register their models under one name; the value is MLflow's address."""
    folder = tmp_path_factory.mktemp("models")
    for name in ("first", "second"):
        search_with_model(folder / "searches" / name, demo_graph(), register="demo")
        subprocess.run(
            [sys.executable, "-m", "l2p_search", "sync", name],
            cwd=folder,
            check=True,
            env={key: value for key, value in os.environ.items() if not key.startswith("MLFLOW_")},
        )
    with interface(folder) as link:
        yield link.split("/#")[0]


@pytest.fixture
def page() -> Iterator[Any]:
    with browser_page(1400, 800) as page:
        yield page


def test_the_model_has_two_versions_and_the_newer_one_is_the_candidate(
    server: str, page: Any, tmp_path: Path
) -> None:
    page.goto(f"{server}/#/models/demo?workflowType=machine_learning")
    page.get_by_text("Version 2").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    page.screenshot(path=tmp_path / "models.png")
    rows = [row.inner_text() for row in page.get_by_role("row").all()]
    (first,) = [row for row in rows if "Version 1" in row]
    (second,) = [row for row in rows if "Version 2" in row]
    assert "candidate" in second
    assert "candidate" not in first


def test_a_version_shows_its_numbers_and_leads_to_the_run_of_its_search(
    server: str, page: Any, tmp_path: Path
) -> None:
    page.goto(f"{server}/#/models/demo/versions/2?workflowType=machine_learning")
    page.get_by_text("confirmed_test_accuracy").first.wait_for(timeout=60_000)
    page.screenshot(path=tmp_path / "version.png", full_page=True)
    text = page.inner_text("body")
    for shown in ("candidate", "config_id", "data_digest", "Confirmed test accuracy", "models:/"):
        assert shown in text
    page.get_by_role("link", name=re.compile("^second$")).first.click()
    page.wait_for_url(re.compile(r"/experiments/\d+/runs/"), timeout=60_000)
    page.get_by_text("4 trials of space").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1000)
    page.screenshot(path=tmp_path / "run.png")
    assert "second" in page.inner_text("body")
