"""Several models searched with one command."""

import json
from pathlib import Path

import pytest
from l2p_search.cli.commands.models import print_comparison

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from tests.cli.running import Cli
from tests.searching.pretend import searched


def test_each_is_compared_with_the_first_on_the_same_seeds(
    tmp_path: Path, small_graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, base in (("a", TrialConfig()), ("b", TrialConfig(model="mlp"))):
        searched(tmp_path / name, small_graph, Goal(trials=3, confirm=4), base=base).close()
    print_comparison([tmp_path / "a", tmp_path / "b"], as_json=False)
    said = capsys.readouterr().out.splitlines()
    assert said[1].endswith("test accuracy on 4 fresh seeds, which chose nothing")
    assert said[3].split()[0] == "l2q"
    assert said[4].split()[0] == "mlp"
    assert said[4].endswith(("a tie", "better", "worse"))
    print_comparison([tmp_path / "a", tmp_path / "b"], as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [row["method"] for row in found["comparisons"]] == ["l2q", "mlp"]
    assert found["comparisons"][0]["difference"]["mean"] == 0.0


@pytest.mark.slow
def test_models_are_searched_with_the_same_budget(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    budget = ("--trials", "2", "--seeds", "2", "--confirm", "2", "--sampler", "random")
    found = cli.run("--dataset", "demo", "--models", "appnp,mlp", *budget, "--quiet")
    assert found.returncode == 0, found.stderr
    assert "demo: test accuracy on 2 fresh seeds" in found.stdout
    for name, model in (("demo-appnp", "appnp"), ("demo-mlp", "mlp")):
        trials = cli.trials(name)
        assert len(trials) == 2
        assert {trial["config"]["model"] for trial in trials} == {model}
    report = cli.run("report", "--search", "demo-mlp")  # there is no profile to draw
    assert report.returncode == 0, report.stderr
    assert cli.run("export", "--search", "demo-mlp", "--format", "script").returncode == 2
