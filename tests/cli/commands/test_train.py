import json
import os
import sys
from pathlib import Path

import pytest

from l2p_search.cli.commands import train
from l2p_search.cli.main import main
from l2p_search.data.demo import demo_graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched

_QUICK = ["train", "--dataset", "demo", "--seeds", "3", "--set", "K=3", "epochs=15", "hidden=8"]


def test_prints_accuracies_and_the_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_QUICK) == 0
    out = capsys.readouterr().out
    assert "validation accuracy" in out
    assert "test accuracy" in out
    assert "3 seeds" in out
    assert all(f"step  {step}" in out for step in range(4))


def test_a_narrow_terminal_gets_the_result_between_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["train", "--dataset", "demo", "--seeds", "2", "--set", "epochs=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert "weight_decay=" in " ".join(lines)


def test_json_is_one_object_with_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    keys = {
        "val_accuracy_mean", "val_accuracy_std", "test_accuracy_mean", "test_accuracy_std",
        "profile", "seeds", "config",
    }  # fmt: skip
    assert keys <= set(found)
    assert 0 <= found["test_accuracy_mean"] <= 100
    assert len(found["profile"]) == 4
    assert [seed["seed"] for seed in found["seeds"]] == [0, 1, 2]
    assert found["config"]["K"] == 3
    mean = sum(seed["test_accuracy"] for seed in found["seeds"]) / 3
    assert found["test_accuracy_mean"] == pytest.approx(mean)


def test_out_writes_what_json_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "result.json"
    assert main([*_QUICK, "--json", "--out", str(path)]) == 0
    assert json.loads(path.read_text()) == json.loads(capsys.readouterr().out)
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_file_and_values_by_hand_are_applied_in_that_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("K: 9\nlr: 5e-3\nepochs: 2\nhidden: 4\n")
    assert main(["train", "--dataset", "demo", "--config", str(path), "--set", "K=2",
                 "--seeds", "1", "--json"]) == 0  # fmt: skip
    config = json.loads(capsys.readouterr().out)["config"]
    assert (config["K"], config["lr"], config["epochs"]) == (2, 0.005, 2)


def test_a_result_that_cannot_be_written_is_not_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert main([*_QUICK, "--out", str(tmp_path / "result.json")]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["config"]["K"] == 3
    assert "No space left" in captured.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--dataset", "wisconson"], "unknown dataset 'wisconson'; did you mean 'wisconsin'?"),
        (["--dataset", "demo", "--set", "K=0"], "K=0 is out of range"),
        (["--dataset", "demo", "--set", "K=-2"], "K=-2 is out of range"),
        (["--dataset", "demo", "--set", "dropout=1"], "dropout=1.0 is out of range"),
        (["--dataset", "demo", "--set", "droput=1"], "did you mean 'dropout'?"),
        (
            ["--dataset", "demo", "--set", "model=appnp", "edge_dropout=0.3"],
            "--set: edge_dropout=0.3 is not read by appnp; leave it out",
        ),
        (["--dataset", "demo", "--set", "K"], "write it as KEY=VALUE"),
        (["--dataset", "demo", "--set", "K=4", "K=8"], "--set K=8: K is set twice; leave one"),
        (["--dataset", "demo", "--set", "K=4", "--set", " K=4"], "--set  K=4: K is set twice"),
        (["--dataset", "demo", "--config", "none.yaml"], "none.yaml: no such file"),
        (["--dataset", "demo", "--out", "no/such/folder/x.json"], "there is no folder"),
        (["--dataset", "demo", "--out", "."], "is a folder"),
        (["--dataset", "cora", "--data-dir", "nowhere"], "nowhere: no such folder"),
        (["--dataset", "demo", "--device", "cuda:77"], "--device cuda:77: torch"),
        (
            ["--dataset", "demo", "--device", "gpu"],
            "--device: 'gpu' is no device; it must be auto, cpu",
        ),
    ],
)
def test_a_mistake_is_one_line_with_its_remedy_and_exit_code_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("l2p-search: error: ")
    assert says in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--seeds", "0"], ["--memory", "-1"], ["--threads", "x"]])
def test_impossible_numbers_are_refused_by_the_parser(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", "--dataset", "demo", *arguments])
    assert ended.value.code == 2
    assert "is not a" in capsys.readouterr().err


def test_ctrl_c_ends_with_130(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "_assignments", interrupt)
    assert main(_QUICK) == 130
    assert capsys.readouterr().err == "l2p-search: interrupted\n"


def test_training_what_a_search_exported_is_counted_as_looks_in_its_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, folder = demo_graph(), tmp_path / "first"
    searched(folder, graph, Goal(trials=2, confirm=0, ties=0)).close()
    file = folder / "best.yaml"
    file.write_text(f"K: 3\nprovenance: {{search: first, data_digest: {graph.digest}}}\n")
    quick = ["train", "--dataset", "demo", "--seeds", "3", "--set", "epochs=5", "hidden=8"]
    assert main([*quick, "--config", str(file)]) == 0
    looks = read_outcome(Journal.read(folder)).looks
    assert looks.elsewhere == {"train": 3}
    assert "step  3" in capsys.readouterr().out
