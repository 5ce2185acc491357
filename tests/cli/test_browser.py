"""What a user sees, in a real browser: MLflow's pages and the report."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from l2p_search.config import DEFAULTS
from l2p_search.data.demo import demo_graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit
from tests.cli.browsing import browser_page, interface, needs_chromium
from tests.searching.pretend import drive, settings

pytestmark = needs_chromium
_SPACE = parse_space(
    "browser",
    {
        "dropout": {"choices": [0.2, 0.5]},
        "lr": {"choices": [0.01, 0.05]},
        "hidden": {"choices": [8, 16]},
        "weight_decay": {"choices": [1e-4, 1e-3]},
        "K": {"choices": [2, 4]},
        "epochs": 20,
    },
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small search on demo, really trained, and written to MLflow."""
    folder = tmp_path_factory.mktemp("browser")
    graph, goal = demo_graph(), Goal(trials=10, confirm=2)
    journal = Journal.create(
        folder / "searches" / "demo-browser",
        settings(
            _SPACE,
            dataset="demo",
            data_digest=graph.digest,
            base=DEFAULTS["heterophily"],
            seeds=3,
        ),
    )
    journal.begin(goal, {"command": "l2p-search", "versions": {}})
    drive(Coordinator(journal, goal), graph, fit)
    journal.close()
    for command in (["sync"], ["report"]):
        subprocess.run([sys.executable, "-m", "l2p_search", *command], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """`l2p-search ui`; the value is the link that it prints."""
    with interface(folder) as link:
        yield link


@pytest.fixture
def page() -> Iterator[Any]:
    with browser_page() as page:
        yield page


def _runs(server: str) -> list[dict[str, Any]]:
    base, experiment = server.split("/#")[0], server.split("/experiments/")[1].split("/")[0]
    request = urllib.request.Request(
        f"{base}/api/2.0/mlflow/runs/search",
        data=json.dumps({"experiment_ids": [experiment]}).encode(),
        headers={"Content-Type": "application/json"},
    )
    runs: list[dict[str, Any]] = json.loads(urllib.request.urlopen(request).read())["runs"]
    return runs


def _tag(run: dict[str, Any], key: str) -> str | None:
    return next((tag["value"] for tag in run["data"]["tags"] if tag["key"] == key), None)


def test_the_first_screen_lists_trials_with_the_columns_that_matter(
    server: str, page: Any, tmp_path: Path
) -> None:
    page.goto(server)
    page.get_by_text("val_accuracy_mean").first.wait_for(timeout=60_000)
    page.get_by_text("demo-browser/0").first.wait_for(timeout=60_000)
    page.screenshot(path=tmp_path / "runs.png")
    text = page.inner_text("body")
    for column in (
        "rank",
        "tie",
        "val_accuracy_mean",
        "dropout",
        "lr",
        "hidden",
        "weight_decay",
        "K",
    ):
        assert column in text
    assert text.count("demo-browser/0") >= 8


def test_three_clicks_from_the_home_page_lead_to_configuration_interval_and_profile(
    server: str, page: Any, tmp_path: Path
) -> None:
    page.goto(server)  # a link with the workflow is what `ui` opens; the browser is not new then
    page.goto(f"{server.split('/#')[0]}/#/?workflowType=machine_learning")
    page.get_by_role("link", name="l2p-search/demo").first.click()  # 1
    page.get_by_role("grid").get_by_role("link", name="demo-browser").first.click()  # 2
    page.get_by_text("Confirmed test accuracy").first.wait_for(timeout=60_000)
    text = page.inner_text("body")
    assert re.search(r"Confirmed test accuracy: \d+\.\d\d ± \d+\.\d\d %", text)
    assert "hidden=" in text
    page.get_by_text("Show more", exact=True).first.click()  # 3
    page.locator("img[src*='profile-nodes.svg']").first.wait_for(timeout=60_000)
    page.screenshot(path=tmp_path / "search.png")


def test_comparing_trials_draws_parallel_coordinates(
    server: str, page: Any, tmp_path: Path
) -> None:
    base, experiment = server.split("/#")[0], server.split("/experiments/")[1].split("/")[0]
    ids = [run["info"]["run_id"] for run in _runs(server) if _tag(run, "kind") == "trial"][:5]
    page.goto(
        f"{base}/#/compare-runs?runs={json.dumps(ids)}&experiments={json.dumps([experiment])}"
    )
    page.locator(".js-plotly-plot").first.wait_for(timeout=60_000)
    page.wait_for_timeout(2000)
    page.screenshot(path=tmp_path / "compare.png")
    assert page.locator(".parcoords").count() >= 1


def test_the_page_of_a_trial_shows_its_profile(server: str, page: Any, tmp_path: Path) -> None:
    base, experiment = server.split("/#")[0], server.split("/experiments/")[1].split("/")[0]
    run = next(run for run in _runs(server) if _tag(run, "kind") == "trial")
    run_id = run["info"]["run_id"]
    page.goto(
        f"{base}/#/experiments/{experiment}/runs/{run_id}/artifacts/profile.svg"
        "?workflowType=machine_learning"
    )
    page.locator("img[src^='blob:'], canvas, .js-plotly-plot").first.wait_for(timeout=60_000)
    page.wait_for_timeout(2000)
    page.screenshot(path=tmp_path / "profile.png")
    assert "profile.svg" in page.inner_text("body")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_report_renders_without_an_error_or_a_request_and_fits_the_screen(
    folder: Path, tmp_path: Path, width: int
) -> None:
    problems: list[str] = []
    requests: list[str] = []
    with browser_page(width, 900) as page:
        page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((folder / "searches" / "demo-browser" / "report.html").as_uri())
        page.locator("svg").first.wait_for(timeout=30_000)
        page.screenshot(path=tmp_path / "report.png", full_page=True)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        hidden = "[...document.querySelectorAll('.wide')].map(e => e.scrollWidth - e.clientWidth)"
        assert max(page.evaluate(hidden)) <= 0  # no table is scrolled to be read
        unnamed = "document.querySelectorAll('svg:not([aria-label]), svg[aria-label=\"\"]').length"
        assert page.evaluate(unnamed) == 0
        first = page.locator("table.sorts th button").first
        first.click()
        first.click()
        rows = page.locator("table.sorts tbody tr td:first-child").all_inner_texts()
        assert list(map(int, rows)) == sorted(map(int, rows))
        page.locator("table.sorts button.copy").first.click()
        page.get_by_text("copied").first.wait_for(timeout=5_000)
    assert problems == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_on_a_telephone_what_a_search_found_is_read_without_scrolling_sideways(
    server: str,
) -> None:
    (parent,) = [run for run in _runs(server) if _tag(run, "kind") == "search"]
    base, experiment = server.split("/#")[0], parent["info"]["experiment_id"]
    link = f"{base}/#/experiments/{experiment}/runs/{parent['info']['run_id']}"
    with browser_page(390, 844) as page:
        page.goto(f"{link}?workflowType=machine_learning")
        page.get_by_text("Confirmed test accuracy").wait_for()
        page.wait_for_function(
            "[...document.images].filter(i => i.src.includes('get-artifact')).length > 3"
            " && [...document.images].every(i => i.complete)"
        )
        widths = page.evaluate(
            "[...document.querySelectorAll('.note-view-outer-container *')]"
            ".map(each => each.getBoundingClientRect().right)"
        )
    assert len(widths) > 20
    assert max(widths) <= 390


def test_on_a_telephone_the_left_bar_is_folded_and_the_way_in_is_the_same(server: str) -> None:
    with browser_page(390, 844) as page:
        page.goto(f"{server.split('/#')[0]}/#/?workflowType=machine_learning")
        page.get_by_role("link", name="l2p-search/demo").first.wait_for(timeout=60_000)
        page.get_by_text("Model training").first.wait_for(state="hidden", timeout=60_000)
        name = page.get_by_role("link", name="l2p-search/demo").first
        assert name.evaluate(
            "each => each.parentElement.scrollWidth <= each.parentElement.clientWidth"
        )
        page.get_by_role("link", name="l2p-search/demo").first.click()
        page.get_by_role("grid").get_by_role("link", name="demo-browser").first.click()
        page.get_by_text("Confirmed test accuracy").first.wait_for(timeout=60_000)
        assert page.get_by_text("Model training").count() == 0
