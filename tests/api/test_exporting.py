import doctest
import json
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.api import exporting
from l2p_search.api.exporting import (
    SUFFIXES,
    exported,
    exported_files,
    form_of,
    provenance_of,
    write_best,
)
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.plain_graphs import as_arrays, load_arrays
from l2p_search.errors import DataError, SearchError, UserError, in_shell
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


def test_a_program_loads_what_torch_geometric_has_by_its_name(
    tmp_path: Path, small_graph: Graph
) -> None:
    """A search of today says how its graph was read; one of an earlier version does not."""
    for number, request in enumerate((None, {"source": "cora"}, {"source": "Cora"})):
        journal = searched(
            tmp_path / f"s{number}",
            small_graph,
            Goal(trials=2, confirm=0),
            dataset="cora",
            graph=request,
        )
        outcome = read_outcome(journal)
        program = exported(journal, outcome, "script")
        compile(program, "best.py", "exec")
        assert 'load_published(folder, "Planetoid", "", "Cora")' in program
        path = tmp_path / "best.py"
        assert exported_files(journal, outcome, "script", path) == {path: program}


@pytest.mark.parametrize(
    "request_",
    [{"source": "cora", "splits": "5x50/25/25"}, {"source": "own.npz", "name": "cora"}],
)
def test_a_graph_that_only_shares_its_name_is_not_torch_geometrics(
    request_: dict[str, str], tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=2, confirm=0)
    journal = searched(tmp_path / "s", small_graph, goal, dataset="cora", graph=request_)
    with pytest.raises(UserError, match="the graph cora goes into a file beside the program"):
        exported(journal, read_outcome(journal), "script")


def test_a_graph_of_ones_own_is_written_beside_the_program(
    tmp_path: Path, small_graph: Graph
) -> None:
    file = tmp_path / "own.npz"
    file.write_bytes(as_arrays(small_graph))
    graph = load_graph(file, name="mine")
    settings = {"dataset": "mine", "data_digest": graph.digest, "graph": graph.about.request}
    journal = searched(tmp_path / "s", graph, Goal(trials=2, confirm=0), **settings)
    outcome = read_outcome(journal)
    path = tmp_path / "best.py"
    files = exported_files(journal, outcome, "script", path)
    assert list(files) == [tmp_path / "best.graph.npz", path]
    for name, content in files.items():
        name.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert load_arrays(tmp_path / "best.graph.npz").digest() == graph.digest
    assert "load_arrays(Path(__file__)" in path.read_text()

    file.unlink()
    with pytest.raises(DataError, match=r"search 's': its graph cannot be read again: "):
        exported_files(journal, outcome, "script", path)
    with pytest.raises(SearchError, match=r"the data of mine has changed since \(digest"):
        exported_files(
            journal,
            outcome,
            "script",
            path,
            replace(small_graph, y=1 - small_graph.y.clamp(max=1)),
        )
    assert exported_files(journal, outcome, "script", path, graph) == files
    assert list(exported_files(journal, outcome, "yaml", path)) == [path]


def test_a_graph_that_was_made_in_memory_is_asked_for(
    recorded: Journal, outcome: Outcome, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as error:
        exported(recorded, outcome, "script")
    assert str(error.value) == (
        "format='script': the graph small goes into a file beside the program; name the program's"
        " file with out"
    )
    assert in_shell(error.value.message).startswith("--format script: the graph small goes into")
    with pytest.raises(SearchError) as asked:
        exported_files(recorded, outcome, "script", tmp_path / "best.py")
    assert str(asked.value).endswith(
        "its graph small was made in memory; give it again with graph"
    )
    assert in_shell(asked.value.message).endswith("the argument graph of Search.export in Python")


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
