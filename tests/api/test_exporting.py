import doctest
import json
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api import exporting
from l2p_search.api.exporting import SUFFIXES, exported, form_of, provenance_of, write_best
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, UserError, in_shell
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.yaml_file import read_yaml_mapping
from tests.searching.pretend import searched


@pytest.fixture(scope="module")
def outcome(recorded: Journal) -> Outcome:
    return read_outcome(recorded)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_file_gives_the_configuration_back_with_where_it_came_from(
    form: str, recorded: Journal, outcome: Outcome, tmp_path: Path
) -> None:
    path = tmp_path / f"best.{form}"
    path.write_text(exported(recorded, outcome, form))
    best = outcome.best
    assert best is not None
    assert TrialConfig.from_file(path) == best.config
    told = read_yaml_mapping(path)["provenance"]
    assert (told["search"], told["trial"], told["dataset"]) == ("pretended", best.number, "small")
    assert told["val_accuracy_mean"] == best.objective
    assert (told["trials"], told["seeds"]) == (10, 20)


def test_what_was_confirmed_is_told_with_its_interval(recorded: Journal, outcome: Outcome) -> None:
    told, confirmed = provenance_of(recorded, outcome), outcome.confirmed
    assert told is not None
    assert confirmed is not None
    assert told["confirmed_test_accuracy"] == confirmed.to_mapping()
    bare = provenance_of(recorded, replace(outcome, confirmations={}))
    assert bare is not None
    assert bare["confirmed_test_accuracy"] is None


def test_a_program_is_python_for_datasets_that_torch_geometric_has(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0), dataset="cora")
    program = exported(journal, read_outcome(journal), "script")
    compile(program, "best.py", "exec")
    assert 'Planetoid(root, "Cora")' in program


def test_a_program_for_a_graph_of_ones_own_is_refused(recorded: Journal, outcome: Outcome) -> None:
    with pytest.raises(UserError) as error:
        exported(recorded, outcome, "script")
    assert str(error.value).startswith("format='script': torch-geometric has no dataset small")
    assert in_shell(error.value.message).startswith("--format script: torch-geometric has no")


def test_an_unknown_form_is_refused_with_the_known_ones(
    recorded: Journal, outcome: Outcome
) -> None:
    with pytest.raises(UserError, match=r"^format='toml': must be one of yaml, json, script$"):
        exported(recorded, outcome, "toml")


def test_without_a_complete_trial_there_is_nothing_to_export(begun: Journal) -> None:
    outcome = read_outcome(begun)
    assert provenance_of(begun, outcome) is None
    assert write_best(begun, outcome) is None
    with pytest.raises(SearchError, match="search 'begun' has no complete trial yet; wait"):
        exported(begun, outcome, "yaml")


def test_the_best_is_left_in_the_searchs_own_folder(recorded: Journal, outcome: Outcome) -> None:
    path = write_best(recorded, outcome)
    assert path == recorded.directory / "best.yaml"
    assert outcome.best is not None
    assert path is not None
    assert TrialConfig.from_file(path) == outcome.best.config


def test_a_best_that_cannot_be_written_loses_no_trial(
    recorded: Journal, outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exporting, "write_whole", full)
    with pytest.raises(SearchError, match=r"best\.yaml: cannot be written \(No space left"):
        write_best(recorded, outcome)


def test_the_form_is_that_of_the_files_ending() -> None:
    for form, suffix in SUFFIXES.items():
        assert form_of(Path(f"best.{suffix}")) == form
        assert form_of(Path(f"BEST.{suffix.upper()}")) == form
    assert (
        form_of(Path("best.yml")) == form_of(Path("best.txt")) == form_of(Path("best")) == "yaml"
    )
    assert doctest.testmod(exporting).failed == 0


def test_json_has_no_nan(recorded: Journal, outcome: Outcome) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    json.loads(exported(recorded, outcome, "json"), parse_constant=refuse)
