"""The paper's tables and figures by command, at their smallest."""

import dataclasses
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from l2p_search.config import DEFAULTS
from l2p_search.data.graph import Graph, undirected
from l2p_search.paper import studies
from l2p_search.paper.budgets import BUDGETS, method_study, narrowed
from l2p_search.paper.figures import same_class_shares
from l2p_search.published import TABLE_1, TABLE_1_SPREAD, TABLE_2, TABLE_3, TABLE_4
from l2p_search.searching.space.search_space import Choices
from l2p_search.searching.space.shipped import load_space, space_of_model
from tests.cli.running import Cli

_PAPER = Path(__file__).resolve().parents[3] / "shared" / "paper" / "l2p.tex"
_NAMES = {"jknet(drop)": "jknet-drop", "incep(drop)": "incepgcn-drop", "gcn(drop)": "gcn-drop"}
_NAMES |= {"incep": "incepgcn", "gcnii*": "gcnii"}
_NAMES |= {f"geom-gcn-{letter}": f"geomgcn-{letter}" for letter in "ips"}


def test_the_papers_numbers_are_those_of_its_text() -> None:
    if not _PAPER.exists():
        pytest.skip("the paper's source is not beside the project")
    text = _PAPER.read_text(encoding="utf-8")
    assert _rows(_table(text, "table:homo")) == {
        method: [
            number for dataset in row for number in (row[dataset], TABLE_1_SPREAD[method][dataset])
        ]
        for method, row in TABLE_1.items()
    }
    assert _rows(_table(text, "table:full-heter")) == {
        method: list(row.values()) for method, row in TABLE_2.items()
    }
    assert _rows(_table(text, "semilayer")) == {
        method: list(row.values()) for method, row in TABLE_4.items()
    }
    by_dataset = _rows(_table(text, "semi-connect"))
    for place, row in enumerate(TABLE_3.values()):
        of_datasets = {dataset.removesuffix("-legacy"): value for dataset, value in row.items()}
        assert of_datasets == {name: values[place] for name, values in by_dataset.items()}


def _table(text: str, label: str) -> str:
    end = text.index(f"\\label{{{label}}}")
    return text[text.rindex("\\begin{tabular}", 0, end) : end]


def _rows(table: str) -> dict[str, list[float]]:
    rows = {}
    for line in table.replace("\\hline", "").split("\\\\"):
        name, *cells = line.split("&")
        name = name.strip().splitlines()[-1].strip().lower() if name.strip() else ""
        numbers = [float(found) for cell in cells for found in re.findall(r"\d+\.?\d*", cell)]
        if numbers and name and "textbf" not in name:
            rows[_NAMES.get(name, name)] = numbers
    return rows


@pytest.mark.parametrize("method", sorted({*TABLE_1, *TABLE_2, *TABLE_3, *TABLE_4}))
def test_a_narrow_search_is_a_part_of_the_models_space(method: str) -> None:
    space = load_space(space_of_model(method))
    part = narrowed(space, 8)
    for key, dimension in part.dimensions.items():
        assert set(dimension.enumerated() or ()) <= set(space.dimensions[key].enumerated() or ())
    for key in set(space.dimensions) - set(part.dimensions):
        assert part.fixed[key] in (space.dimensions[key].enumerated() or ())
    assert part.fixed["lr"] == 0.01
    steps = part.dimensions.get("K", Choices(()))
    assert all(value <= 8 for value in steps.enumerated() or ())
    for point in part.start:
        config = part.config({**part.middle(), **point}, DEFAULTS["heterophily"])
        assert config.method == method


def test_a_study_is_named_by_its_budget_dataset_and_method() -> None:
    study = method_study("gat", "texas", "quick")
    assert study.name == "paper-quick-texas-gat"
    assert study.goal.trials == BUDGETS["quick"].trials
    assert method_study("gat", "pubmed", "quick").base.epochs == study.base.epochs // 2
    full = method_study("gat", "texas", "full")
    assert full.space == load_space("gat")


def test_the_share_of_its_own_class_is_counted_within_three_hops(small_graph: Graph) -> None:
    #  0 - 1 - 2 - 3 - 4, classes 0 1 0 1 0; node 4 is four hops from node 0.
    import torch

    edges = undirected(torch.tensor([[0, 1, 2, 3], [1, 2, 3, 4]]), small_graph.num_nodes)
    y = small_graph.y.clone()
    y[:5] = torch.tensor([0, 1, 0, 1, 0])
    shares = same_class_shares(dataclasses.replace(small_graph, edges=edges, y=y))
    assert shares[0] == pytest.approx(1 / 3)
    assert shares[2] == pytest.approx(2 / 4)
    assert np.isnan(shares[5])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paper")


def test_a_table_is_searched_printed_and_then_read(folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    asked = ("paper", "table2", "--budget", "smoke", "--datasets", "texas", "cornell", "wisconsin")
    asked += ("--data-dir", str(real_data), "--methods", "appnp", "l2q")
    first = cli.run(*asked)
    assert first.returncode == 0, first.stderr
    lines = first.stdout.splitlines()
    assert lines[2] == "| | texas | cornell | wisconsin |"
    number = r"[\d.]+ ± [\d.]+"
    assert re.fullmatch(
        rf"\| l2q \| {number} \(84.56\) \| {number} \(-\) \| {number} \(84.7\) \|", lines[5]
    )
    assert "`cornell` is the corrected dataset" in first.stdout
    assert re.search(r"- texas: l2q is (a tie|better|worse) against appnp", first.stdout)
    assert first.stderr.count("paper-smoke-") == 6
    assert first.stderr.startswith("[1/6] paper-smoke-wisconsin")  # the largest graph first
    second = cli.run(*asked)
    assert second.stdout == first.stdout
    assert second.stderr == ""


def test_the_time_left_counts_half_of_what_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texas has ended after 100 s, PubMed runs: without it, days would seem to be left."""
    times = iter([0.0, 100.0])
    monkeypatch.setattr(studies.time, "monotonic", lambda: next(times))
    display = studies._Lines([19_717, 183], quiet=False)
    display.began(19_717)
    display.began(183)
    nothing = SimpleNamespace(best=None, confirmed=None)
    display.ended(method_study("l2q", "texas", "quick"), 183, nothing)  # type: ignore[arg-type]
    assert capsys.readouterr().err == (
        "[1/2] paper-quick-texas-l2q: no trial has all its seeds;"
        " 1 min 40 s, about 1 min 38 s left\n"
    )


def test_a_table_of_unknown_methods_is_refused_in_one_line(folder: Path) -> None:
    found = Cli(folder).run("paper", "table2", "--methods", "gnc")
    assert found.returncode == 2
    assert found.stderr == "l2p-search: error: --methods gnc: is not in it; did you mean 'gcn'?\n"


def test_an_interrupted_table_goes_on_where_it_was(folder: Path, real_data: Path) -> None:
    import signal

    from tests.cli.running import wait_until

    cli = Cli(folder)
    asked = ("paper", "table1", "--budget", "quick", "--datasets", "cora", "--methods", "gcn")
    asked += ("--data-dir", str(real_data), "--no-tracking")
    process = cli.start(*asked)
    wait_until(lambda: cli.ended("paper-quick-cora-gcn") >= 1, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.splitlines()[-1].endswith("the same command goes on where this one was")
    kept = cli.trials("paper-quick-cora-gcn")
    assert sum(trial["status"] == "complete" for trial in kept) >= 1


@pytest.mark.parametrize(
    "figure",
    [
        "figure5",
        "figure6",  # of the same searches
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("figure3", "figure4", "figure7", "figure8")
        ),
    ],
)
def test_a_figure_is_drawn(figure: str, folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    data = ("--data-dir", str(real_data), "--datasets", "texas")
    found = cli.run("paper", figure, "--budget", "smoke", *data, "--out", figure, "--no-tracking")
    assert found.returncode == 0, found.stderr
    written = list((folder / figure).iterdir())
    assert {path.suffix for path in written} == {".png", ".svg"}
    assert all(path.stat().st_size > 5000 for path in written)


@pytest.mark.slow
def test_depths_are_drawn_and_printed(folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    data = ("--data-dir", str(real_data), "--datasets", "texas", "--methods", "gcn", "l2q")
    found = cli.run("paper", "table4", "--budget", "smoke", *data, "--no-tracking")
    assert found.returncode == 0, found.stderr
    assert "| l2q | " in found.stdout
    assert "not run" in found.stdout  # beyond the smoke budget's steps
    assert (folder / "figures" / "table4.png").exists()
