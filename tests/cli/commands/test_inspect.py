import json
from pathlib import Path

import pytest

from l2p_search.cli.main import main


def test_a_table_is_told_of_drawn_and_given_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"n{i},{i % 7},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "nodes.csv").write_text("\n".join(["node_id,size,kind", *rows]))
    edges = [f"n{i},n{(i * 3 + 1) % 40}" for i in range(40)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    asked = ["inspect", str(tmp_path / "nodes.csv"), "--edges", str(tmp_path / "edges.csv")]
    assert main([*asked, "--label", "kind", "--out", str(tmp_path / "drawn")]) == 0
    said = capsys.readouterr().out
    assert f"{tmp_path.name}: 40 nodes" in said
    assert "2 classes: a (20), b (20)" in said
    assert {path.suffix for path in (tmp_path / "drawn").iterdir()} == {".png", ".svg"}
    assert main([*asked, "--label", "kind", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == {"a": 20, "b": 20}


def test_what_cannot_be_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "nosuch.npz"]) == 2
    assert capsys.readouterr().err == (
        "l2p-search: error: nosuch.npz: no such file or folder; check the path\n"
    )
