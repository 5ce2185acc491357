"""Graphs of one's own through every command: what is printed as a next step works when pasted."""

import json
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from l2p_search.api.opening import open_search
from l2p_search.cli.main import main
from l2p_search.cli.next_steps import next_steps
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.training.fit import fit
from l2p_search.yaml_file import read_yaml_mapping
from tests.api.in_process import without_ray
from tests.pages import copied

_NODES = 40
_SPACE = "K: {choices: [1, 2, 3]}\nhidden: 8\nepochs: 4\npatience: 4\n"


def _csv(folder: Path) -> list[str]:
    """Tables with string ids, names that a shell would split, and weights."""
    ids = [f"person {number}" for number in range(_NODES)]
    nodes = pd.DataFrame({"who": ids, "page type": ["a", "b"] * (_NODES // 2)})
    nodes.assign(age=np.arange(_NODES) % 7).to_csv(folder / "my nodes.csv", index=False)
    edges = pd.DataFrame({"one": ids[:-1], "other": ids[1:], "times": range(1, _NODES)})
    edges.to_csv(folder / "my edges.csv", index=False)
    named = ["--dataset", "my nodes.csv", "--edges", "my edges.csv", "--label", "page type"]
    columns = ["--id", "who", "--source", "one", "--target", "other", "--weight", "times"]
    return [*named, *columns, "--splits", "3x50/25/25"]


def _npz(folder: Path) -> list[str]:
    part = np.arange(_NODES) % 4
    np.savez(
        folder / "mine.npz",
        x=np.random.default_rng(0).normal(size=(_NODES, 3)),
        edge_index=np.stack([np.arange(_NODES - 1), np.arange(1, _NODES)]),
        y=np.arange(_NODES) % 2,
        train_mask=part < 2,
        val_mask=part == 2,
        test_mask=part == 3,
    )
    return ["--dataset", "mine.npz", "--scale", "none"]


def _graphml(folder: Path) -> list[str]:
    nx.write_graphml(nx.karate_club_graph(), folder / "karate.graphml")
    return ["--dataset", "karate.graphml", "--label", "club"]


def _few_epochs(
    graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
) -> TrialResult:
    """The real training, but for its length where a model's own space asks for thousands."""
    short = replace(config, epochs=min(4, config.epochs))
    return replace(fit(graph, short, seeds, metric=metric), config=config)


@pytest.fixture(params=[_csv, _npz, _graphml], ids=["csv", "npz", "graphml"])
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    """The options that read a graph, from the folder that it is in."""
    write: Callable[[Path], list[str]] = request.param
    (tmp_path / "space.yaml").write_text(_SPACE)
    return write(tmp_path)


@pytest.fixture(autouse=True)
def trained_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    without_ray(monkeypatch, _few_epochs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("L2P_SEARCH_DIR", str(tmp_path / "kept"))


def _search(graph: list[str], *more: str) -> None:
    few = ["--trials", "2", "--seeds", "2", "--confirm", "2", "--no-tracking", "--name", "own"]
    assert main([*graph, "--space", "space.yaml", *few, *more]) == 0


def _elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")


def test_every_next_step_works_when_it_is_pasted_in_another_folder(
    graph: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _search(graph)
    printed = capsys.readouterr().out.partition("\nnext: ")[2].splitlines()[1:]
    _elsewhere(tmp_path, monkeypatch)
    for line in printed:
        words = shlex.split(line)
        assert words[0] == "l2p-search"
        off = ["--no-tracking"] if words[1] == "--resume" else []
        assert main([*words[1:], *off]) == 0
    commands = [shlex.split(line)[1] for line in printed]
    assert commands == ["status", "report", "predict", "--resume"]
    best = open_search("own").best
    assert best is not None
    assert best.result is not None
    shutil.rmtree(tmp_path / "kept/own/model")
    train = next_steps([open_search("own")], tracked=False)["the best trained again"]
    assert main(["export", "own", "--out", "best.yaml"]) == 0
    capsys.readouterr()
    assert main([*shlex.split(train)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["val_accuracy_mean"] == best.result.val_mean
    exported = Path("best.yaml").read_text()
    line = exported.splitlines()[0].removeprefix("# ").replace("FILE", "best.yaml")
    assert main([*shlex.split(line)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["val_accuracy_mean"] == best.result.val_mean
    assert "source" in read_yaml_mapping(Path("best.yaml"))["provenance"]["graph"]
    report = (tmp_path / "kept/own/report.html").read_text()
    assert "l2p-search train --dataset" in copied(report)


def test_nodes_models_and_comparisons_take_it_too(
    graph: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--trials", "1", "--seeds", "2", "--confirm", "2", "--no-tracking", "--json"]
    assert main([*graph, "--models", "mlp,gcn", *few]) == 0
    names = [each["name"] for each in json.loads(capsys.readouterr().out)["searches"]]
    assert main(["compare", *names]) == 0
    capsys.readouterr()
    _search(graph)
    capsys.readouterr()
    one = ["--node", "3", "--seeds", "1", "--out", str(tmp_path), "--no-tracking"]
    assert main(["node", *graph, *one]) == 0
    assert "best of own: node 3 puts" in capsys.readouterr().out


def test_a_file_that_moved_is_named_anew_and_read_as_before(
    graph: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _search(graph)
    (tmp_path / "moved").mkdir()
    for path in [*tmp_path.glob("*.csv"), *tmp_path.glob("*.npz"), *tmp_path.glob("*.graphml")]:
        path.rename(tmp_path / "moved" / f"{path.name}")
    _elsewhere(tmp_path, monkeypatch)
    resume = ["--resume", "--name", "own", "--no-tracking"]
    assert main(resume) == 2
    said = capsys.readouterr().err
    assert graph[1] in said
    assert "if the file was moved, name it with --dataset" in said
    assert main([*resume, "--dataset", str(tmp_path / "moved" / graph[1])]) == 0


def test_a_file_that_changed_is_refused_and_named(
    graph: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _search(graph)
    capsys.readouterr()
    name = graph[1]
    if name.endswith(".npz"):
        arrays = dict(np.load(name))
        arrays["x"][0, 0] += 1.0
        np.savez(name, **arrays)
    else:
        old, new = ("Officer", "Mr. Hi") if name.endswith("graphml") else (",a,", ",b,")
        path = tmp_path / name
        path.write_text(path.read_text().replace(old, new, 1))
    assert main(["--resume", "--name", "own", "--no-tracking"]) == 2
    said = capsys.readouterr().err
    assert name in said
    assert "has changed since" in said
    assert said.count("\n") == 1
