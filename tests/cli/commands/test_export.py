import json
from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit
from l2p_search.yaml_file import read_yaml_mapping
from tests.searching.pretend import drive, settings

_SPACE = parse_space(
    "tiny", {"K": {"choices": [1, 2, 4]}, "epochs": 9, "hidden": 8, "weight_decay": 1e-6}
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small search on demo, really trained."""
    graph = demo_graph()
    journal = Journal.create(
        tmp_path / "tiny",
        settings(
            _SPACE,
            dataset="demo",
            data_digest=graph.digest,
            base=DEFAULTS["heterophily"],
            seeds=3,
        ),
    )
    goal = Goal(trials=3, confirm=3)
    journal.begin(goal, {"versions": {"torch": "x"}})
    drive(Coordinator(journal, goal), graph, fit)
    journal.close()
    return tmp_path


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_an_exported_file_trains_to_the_same_numbers(
    form: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"best.{form}"
    arguments = ["export", "--dataset", "demo", "--format", form, "--out", str(out)]
    assert main([*arguments, "--dir", str(folder)]) == 0
    best = read_outcome(Journal.read(folder / "tiny")).best
    assert best is not None
    assert best.result is not None
    assert TrialConfig.from_file(out) == best.config
    provenance = read_yaml_mapping(out)["provenance"]
    assert provenance["search"] == "tiny"
    assert provenance["trial"] == best.number
    assert provenance["data_digest"] == demo_graph().digest
    assert provenance["val_accuracy_mean"] == best.result.val_mean
    assert provenance["versions"] == {"torch": "x"}
    assert provenance["confirmed_test_accuracy"]["mean"] > 0
    capsys.readouterr()
    assert main(["train", "--dataset", "demo", "--config", str(out), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["val_accuracy_mean"] == best.result.val_mean
    assert again["test_accuracy_mean"] == best.result.test_mean
    assert len(again["seeds"]) == 3


def test_without_a_format_the_files_ending_says_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "best.json"
    assert main(["export", "--search", "tiny", "--out", str(out), "--dir", str(folder)]) == 0
    assert json.loads(out.read_text())["provenance"]["search"] == "tiny"


def test_all_writes_a_file_a_dataset(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "taken"
    assert main(["export", "--all", "--out", str(out), "--dir", str(folder)]) == 0
    assert [path.name for path in out.iterdir()] == ["demo.yaml"]
    assert f"wrote {out / 'demo.yaml'}" in capsys.readouterr().out


def test_without_a_file_it_goes_to_stdout(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "--search", "tiny", "--dir", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("# l2p-search train --dataset demo --config FILE\ndropout: ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--dataset", "cora"), "no search of it in"),
        (("--search", "tniy"), "did you mean 'tiny'?"),
        (("--search", "tiny", "--out", "/dev/null/x"), "cannot be written"),
    ],
)
def test_what_cannot_be_exported_is_said_in_one_line(
    folder: Path, arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *arguments, "--dir", str(folder)]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
