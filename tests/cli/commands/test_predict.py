"""`train --save`, then `predict`: the user's own ids and names, in every form of file."""

import csv
import io
import json
from pathlib import Path

import pandas
import pytest

from l2p_search.cli.main import main
from l2p_search.saved.trained_model import load_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of tables, and a model that was trained on it by the command."""
    folder = tmp_path_factory.mktemp("own")
    _tables(folder / "data", 60)
    assert main(["train", *_dataset(folder / "data"), "--seeds", "2", "--set", "K=2", "epochs=8",
                 "hidden=4", "--save", str(folder / "model")]) == 0  # fmt: skip
    return folder


def _tables(folder: Path, nodes: int) -> None:
    folder.mkdir()
    rows = [f"u{place},{20 + place % 30},{place % 7},{'ab'[place % 2]}" for place in range(nodes)]
    (folder / "nodes.csv").write_text("\n".join(["id,age,visits,kind", *rows]) + "\n")
    ring = [f"u{place},u{(place + 1) % nodes}" for place in range(nodes)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *ring]) + "\n")


def _dataset(folder: Path) -> list[str]:
    return ["--dataset", str(folder), "--label", "kind"]


def test_saving_is_told_with_its_megabytes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "kept"
    arguments = ["train", *_dataset(folder / "data"), "--seeds", "1", "--set", "K=1", "epochs=2"]
    assert main([*arguments, "--json", "--save", str(model)]) == 0
    told = capsys.readouterr()
    json.loads(told.out)
    assert f"kept 1 seed in {model} (0.00 MB)" in told.err
    assert load_model(model).config.K == 1


def test_without_out_the_predictions_are_printed_as_csv(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", str(folder / "model"), *_dataset(folder / "data")]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["node"] for row in rows] == [f"u{place}" for place in range(60)]
    assert set(rows[0]) == {"node", "class", "p(a)", "p(b)", "expected_step", *_STEPS}
    for row in rows:
        assert row["class"] == ("a" if float(row["p(a)"]) >= float(row["p(b)"]) else "b")
        assert float(row["p(a)"]) + float(row["p(b)"]) == pytest.approx(1.0)
        assert sum(float(row[step]) for step in _STEPS) == pytest.approx(1.0)


_STEPS = ("q(0)", "q(1)", "q(2)")


def test_every_form_of_file_has_the_same_numbers(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["predict", str(folder / "model"), *_dataset(folder / "data"), "--out"]
    for ending in ("csv", "json", "parquet"):
        assert main([*command, str(tmp_path / f"p.{ending}")]) == 0
        told = capsys.readouterr().out
        assert told == f"60 nodes predicted by 2 seeds: {tmp_path}/p.{ending}\n"
    wanted = pandas.read_parquet(tmp_path / "p.parquet")
    by_json = pandas.DataFrame(json.loads((tmp_path / "p.json").read_text()))
    pandas.testing.assert_frame_equal(by_json, wanted, check_dtype=False)
    by_csv = pandas.read_csv(tmp_path / "p.csv")
    pandas.testing.assert_frame_equal(by_csv, wanted, check_dtype=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv", "p.json", "p.parquet"]


def test_a_grown_table_is_predicted_and_one_seed_alone(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _tables(tmp_path / "grown", 75)
    out = tmp_path / "p.json"
    command = ["predict", str(folder / "model"), *_dataset(tmp_path / "grown"), "--out", str(out)]
    assert main([*command, "--seed", "1"]) == 0
    assert capsys.readouterr().out.startswith("75 nodes predicted by 1 seed: ")
    assert json.loads(out.read_text())[74]["node"] == "u74"


def test_a_table_without_a_single_label_is_predicted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _tables(tmp_path / "new", 75)
    nodes = tmp_path / "new" / "nodes.csv"
    nodes.write_text(nodes.read_text().replace(",a\n", ",\n").replace(",b\n", ",\n"))
    assert main(["predict", str(folder / "model"), *_dataset(tmp_path / "new")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 76
    nodes.write_text(nodes.read_text().replace(",kind", "").replace(",\n", "\n"))
    assert main(["predict", str(folder / "model"), "--dataset", str(tmp_path / "new")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 76


def test_mistakes_are_one_line_and_code_2_and_write_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data = str(folder / "model"), _dataset(folder / "data")
    out = ["--out", str(tmp_path / "p.csv")]
    for arguments, said in (
        ([str(tmp_path / "none"), *data, *out], "none: no such folder; give the folder of"),
        ([str(folder / "data"), *data, *out], "data: is no saved model, as it has no model.json"),
        ([model, "--dataset", "demo", *out], "demo: its features have row sums of 1"),
        ([model, *data, "--features", "age", *out], "data: no feature 'visits', which the model"),
        ([model, *data, "--scale", "none", *out], "trained on 'standard'; load the graph with"
         " --scale standard"),
        ([model, *data, "--seed", "9", *out], "--seed: the model has no seed 9; it has 0, 1"),
        ([model, *data, "--out", str(tmp_path / "p.xls")], "end the name with .csv, .json or"),
        ([model, *data, "--out", str(tmp_path / "no" / "p.csv")], "there is no folder"),
    ):  # fmt: skip
        assert main(["predict", *arguments]) == 2
        told = capsys.readouterr()
        assert said in told.err
        assert told.err.count("\n") == 1
        assert told.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_place_of_something_else_is_refused_before_the_training(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    arguments = ["train", *_dataset(folder / "data"), "--save", str(tmp_path)]
    assert main(arguments) == 2
    assert "holds other files than those of a model ('notes.txt')" in capsys.readouterr().err
    assert (tmp_path / "notes.txt").read_text() == "mine"
