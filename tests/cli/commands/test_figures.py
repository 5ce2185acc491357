"""The commands that draw: report, profiles, node."""

import re
from pathlib import Path

import pytest
from matplotlib.image import imread

from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from l2p_search.tracking.store import find_store
from tests.searching.pretend import searched


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def _search(tmp_path: Path, graph: Graph, name: str = "s", **changes: object) -> None:
    folder = tmp_path / "searches" / name
    searched(folder, graph, Goal(trials=10, confirm=3), **changes).close()  # type: ignore[arg-type]


def _files_of_run(name: str) -> list[str]:
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=find_store(None).uri)
    experiments = [each.experiment_id for each in client.search_experiments()]
    (run,) = client.search_runs(experiments, f"attributes.run_name = '{name}'")
    return [file.path for file in client.list_artifacts(run.info.run_id)]


def test_a_report_is_one_page_that_needs_no_network(tmp_path: Path, small_graph: Graph) -> None:
    _search(tmp_path, small_graph)
    assert main(["report", "--no-tracking"]) == 0
    text = (tmp_path / "searches" / "s" / "report.html").read_text()
    body = text[text.index("<body>") :]
    for part in (
        "Search s",
        "test accuracy on fresh seeds that chose nothing",
        "Best trials",
        "How far nodes look",
        "Importance of hyperparameters",
        "l2p-search export --search s --out best.yaml",
        "data:image/svg+xml;base64,",
    ):
        assert part in body
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', body)


def test_profiles_are_drawn_for_both_posteriors(
    tmp_path: Path, small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    from l2p_search.config import TrialConfig

    _search(tmp_path, small_graph, "quit")
    _search(tmp_path, small_graph, "select", base=TrialConfig(posterior="select"))
    assert main(["profiles", "--out", "drawn"]) == 0
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert names == {"profiles.png", "profiles.svg", "correlation.png", "correlation.svg"}
    assert imread(tmp_path / "drawn" / "profiles.png").std() > 0.05
    for name in ("quit", "select"):  # each search's run has a copy
        assert names <= set(_files_of_run(name))
    assert main(["profiles", "--datasets", "cora"]) == 2
    assert "--datasets cora: no search of it" in capsys.readouterr().err


def test_a_node_is_drawn_with_its_surroundings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["node", "--dataset", "demo", "--node", "5", "--seeds", "1"]) == 0
    said = capsys.readouterr().out
    assert "default configuration: node 5 takes" in said
    assert imread(tmp_path / "figures" / "demo-node-5.png").std() > 0.05
    assert main(["node", "--dataset", "demo", "--node", "999999"]) == 2
    assert "demo has 320 nodes; give one of 0 to 319" in capsys.readouterr().err
