import json
from pathlib import Path

import pytest

from l2p_search.cli.commands import datasets
from l2p_search.cli.main import main


def test_prints_our_figures_with_the_papers_beside_them(
    real_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["datasets", "--data-dir", str(real_data)]) == 0
    out = capsys.readouterr().out
    assert "5,278 (5,429)" in out
    assert "0.810" in out
    assert "cornell-legacy" in out


def test_json_is_a_list_of_objects(real_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "--data-dir", str(real_data), "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["cora"]["paper"]["edges"] == 5429
    assert rows["demo"]["paper"] is None
    assert rows["actor"]["train_val_test"] == [3648, 2432, 1520]


def test_a_dataset_that_is_not_to_be_had_is_listed_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from l2p_search.data import parsing

    def unreachable(*args: object) -> None:
        raise OSError("offline")

    monkeypatch.setattr(parsing, "_pyg_dataset", unreachable)
    assert main(["datasets", "--data-dir", str(tmp_path), "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert "offline" in rows["cora"]["error"]
    assert rows["demo"]["nodes"] == 320


def test_a_narrow_terminal_gets_every_number_in_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = {
        **{"name": "demo", "kind": "heterophily", "nodes": 320, "edges": 975, "features": 160},
        **{"classes": 4, "edge_homophily": 0.462, "splits": 10, "paper": None},
        "train_val_test": [154, 103, 63],
    }
    cora = {"name": "cora", "kind": "homophily", "error": "cora: no raw files"}
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes this for a terminal
    monkeypatch.setenv("COLUMNS", "60")
    datasets._print_table([demo, cora])
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(
        "demo, heterophily: 320 nodes, 975 edges, 160 features, 4 classes, homophily 0.462, 10"
        " splits of 154/103/63 cora, homophily: not here"
    )
    assert "…" not in said
