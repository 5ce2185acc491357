from pathlib import Path

import pytest
from matplotlib.image import imread

from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from l2p_search.tracking.store import find_store
from tests.searching.pretend import searched


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


def _search(name: str, graph: Graph, **changes: object) -> None:
    goal = Goal(trials=2, confirm=0)
    searched(Path("searches") / name, graph, goal, **changes).close()  # type: ignore[arg-type]


def _files_of_run(name: str) -> list[str]:
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=find_store(None).uri)
    experiments = [each.experiment_id for each in client.search_experiments()]
    (run,) = client.search_runs(experiments, f"attributes.run_name = '{name}'")
    return [file.path for file in client.list_artifacts(run.info.run_id)]


def test_both_posteriors_are_drawn_and_each_run_gets_a_copy(
    tmp_path: Path, small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    _search("quit", small_graph)
    _search("select", small_graph, base=TrialConfig(posterior="select"))
    assert main(["profiles", "--out", "drawn"]) == 0
    names = {path.name for path in (tmp_path / "drawn").iterdir()}
    assert names == {"profiles.png", "profiles.svg", "correlation.png", "correlation.svg"}
    assert imread(tmp_path / "drawn" / "profiles.png").std() > 0.05
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "wrote drawn/profiles.png"
    assert len(said) == 4
    for name in ("quit", "select"):
        assert names <= set(_files_of_run(name))


def test_a_dataset_that_was_not_searched_is_named(
    small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    _search("s", small_graph)
    assert main(["profiles", "--datasets", "small", "cora", "--no-tracking"]) == 2
    said = capsys.readouterr().err
    assert "--datasets cora: no search of it in searches (there are: small)" in said
    assert not Path("figures").exists()


def test_figures_go_to_the_default_folder(small_graph: Graph) -> None:
    _search("s", small_graph)
    assert main(["profiles", "--datasets", "small", "--no-tracking"]) == 0
    assert Path("figures/correlation.svg").exists()
    assert not Path("mlflow").exists()


def test_without_a_search_there_is_nothing_to_draw(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "--no-tracking"]) == 2
    assert "no search has a complete trial yet; wait for one" in capsys.readouterr().err
