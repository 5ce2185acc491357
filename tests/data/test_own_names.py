from pathlib import Path

import pytest

import l2p_search as l2p
from l2p_search.data.own_names import earlier_name, own_name


@pytest.mark.parametrize(
    "file", ["nodes.csv", "Edges.tsv", "graph.pt", "data.npz", "nodes.csv.gz"]
)
def test_a_file_that_says_nothing_is_called_after_its_folder(file: str) -> None:
    assert own_name(Path("/my/town", file)) == "town"


@pytest.mark.parametrize("path", ["/my/town/karate.pt", "/my/town/nodes-2020.csv"])
def test_a_file_that_says_something_keeps_its_name(path: str) -> None:
    assert own_name(Path(path)) == Path(path).stem


@pytest.mark.parametrize("folder", ["data", "Graph", ".hidden", "x" * 61, "a\tb"])
def test_a_folder_that_no_search_could_be_called_after_is_not_taken(folder: str) -> None:
    assert own_name(Path("/my", folder, "nodes.csv")) == "nodes"
    assert own_name(Path("/nodes.csv")) == "nodes"


def test_the_current_folder_is_a_folder_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "town").mkdir()
    monkeypatch.chdir(tmp_path / "town")
    assert own_name(Path("nodes.csv")) == "town"


def test_the_earlier_name_is_known_where_it_was_another() -> None:
    assert earlier_name({"source": "/my/town/nodes.csv", "label": "club"}) == "nodes"
    assert earlier_name({"source": "/my/town/nodes.csv", "name": "mine"}) is None
    assert earlier_name({"source": "/my/town/karate.pt"}) is None
    assert earlier_name({"source": "/my/graph"}) is None
    assert earlier_name(None) is None


def _tables(folder: Path) -> Path:
    folder.mkdir(parents=True)
    people = [f"{number},{number % 7},{'ab'[number % 2]}" for number in range(40)]
    (folder / "nodes.csv").write_text("\n".join(["id,age,club", *people]))
    known = [f"{number},{(number + 2) % 40}" for number in range(40)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *known]))
    return folder


@pytest.mark.parametrize(("folder", "name"), [("town", "town"), ("cora", "own-cora")])
def test_tables_are_loaded_under_their_folders_name(
    folder: str, name: str, tmp_path: Path
) -> None:
    place = _tables(tmp_path / folder)
    tables = {"edges": place / "edges.csv", "label": "club"}
    assert l2p.load_graph(place / "nodes.csv", **tables).name == name
    assert l2p.load_graph(place, label="club").name == name
    assert l2p.load_graph(place / "nodes.csv", **tables, name="mine").name == "mine"
