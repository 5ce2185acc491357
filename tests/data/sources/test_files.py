import types
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources import files
from l2p_search.data.sources.files import is_like_a_path, read_path
from l2p_search.errors import DataError


def _arrays() -> dict[str, np.ndarray]:
    return {"x": np.eye(3), "edge_index": np.array([[0, 1], [1, 2]]), "y": np.array([0, 1, 0])}


@pytest.fixture
def readers(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What other readers are called with, instead of calling them."""
    calls: list[tuple[Any, ...]] = []
    empty = RawGraph(name="", source="", num_nodes=0, edges=np.zeros((2, 0)), labels=None)

    def lazy(module: str, function: str) -> Any:
        def read(*given: Any, **options: Any) -> RawGraph:
            calls.append((module, function, *given, options))
            return empty

        return read

    monkeypatch.setattr(files, "lazy_reader", lazy)
    return calls


@pytest.mark.parametrize("name", ["mine.npz", "mine.pt", "mine"])
def test_an_npz_file_is_known_by_what_it_holds(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "a.npz", **_arrays())
    path = (tmp_path / "a.npz").rename(tmp_path / name)
    assert read_path(path, {}).num_nodes == 3


@pytest.mark.parametrize("name", ["mine.pt", "mine.npz", "mine"])
def test_a_file_of_torch_is_known_by_what_it_holds(tmp_path: Path, name: str) -> None:
    torch.save({key: torch.from_numpy(value) for key, value in _arrays().items()}, tmp_path / name)
    assert read_path(tmp_path / name, {}).num_nodes == 3


@pytest.mark.parametrize(
    ("name", "content", "module"),
    [
        ("nodes.csv", b"id,label\n", "tables"),
        ("nodes.tsv", b"id\tlabel\n", "tables"),
        ("nodes.csv.gz", b"\x1f\x8b", "tables"),
        ("nodes.parquet", b"PAR1", "tables"),
        ("nodes", b"PAR1", "tables"),
        ("club.graphml", b"<?xml version='1.0'?>", "networkx_graphs"),
        ("club", b"<graphml>", "networkx_graphs"),
        ("club.gml", b"graph [", "networkx_graphs"),
    ],
)
def test_tables_and_markup_go_to_their_readers(
    tmp_path: Path, readers: list[tuple[Any, ...]], name: str, content: bytes, module: str
) -> None:
    (tmp_path / name).write_bytes(content)
    read_path(tmp_path / name, {"label": "kind"})
    function = "read_tables" if module == "tables" else "read_graph_file"
    assert readers == [(module, function, tmp_path / name, {"label": "kind"})]


def test_the_options_of_tables_get_their_readers_names(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    (tmp_path / "nodes.csv").write_text("id,label\n")
    options = {"edges": "edges.csv", "source_column": "u", "target_column": "v", "id": "id"}
    read_path(tmp_path / "nodes.csv", options)
    wanted = {"edges": Path("edges.csv"), "source": "u", "target": "v", "id": "id"}
    assert readers[0][-1] == wanted


def test_a_folder_of_tables_goes_to_their_reader(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    read_path(tmp_path, {})
    assert readers == [("tables", "read_tables", tmp_path, {})]


@pytest.mark.parametrize("inside", [".", "raw"])
def test_a_folder_of_geom_gcn_is_known_by_its_files(
    tmp_path: Path, readers: list[tuple[Any, ...]], inside: str
) -> None:
    folder = tmp_path / "texas" / inside
    folder.mkdir(parents=True)
    (folder / "out1_graph_edges.txt").touch()
    assert read_path(tmp_path / "texas", {}).name == "texas"
    assert readers == [("geom_gcn", "read_geom_gcn", folder, {})]


def test_a_folder_of_a_pyg_dataset_is_read(tmp_path: Path) -> None:
    (tmp_path / "Mine" / "processed").mkdir(parents=True)
    content = {key: torch.from_numpy(value) for key, value in _arrays().items()}
    torch.save((content, None, dict), tmp_path / "Mine" / "processed" / "data.pt")
    assert read_path(tmp_path / "Mine", {}).name == "Mine"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("graph.txt", b"0 1\n1 2\n", "no graph in a known format; give .pt, .npz, .csv"),
        ("graph.csv", b"", "the file is empty"),
        ("graph.pkl", b"\x80\x04", "a pickle is not opened, as that runs what it says"),
        ("graph.npz", b"nothing of the sort", "not a readable archive"),
        ("graph.pt", b"nothing of the sort", "not a file of torch.save"),
        ("photo.png", b"\x89PNG\r\n", "no graph in a known format"),
    ],
)
def test_what_no_reader_knows_is_refused(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as error:
        read_path(tmp_path / name, {})
    assert says in str(error.value)
    assert str(error.value).startswith(str(tmp_path / name))


def test_an_archive_of_anything_else_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(DataError, match=r"a.zip: no graph in a known format"):
        read_path(tmp_path / "a.zip", {})


@pytest.mark.parametrize("name", ["none.csv", "no/such/folder", "x" * 5000, "zero\0byte.pt"])
def test_a_path_that_leads_nowhere_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="no such file or folder; check the path"):
        read_path(tmp_path / name, {})


@pytest.mark.parametrize("file", ["mine.npz", "mine.pt"])
def test_an_option_that_means_nothing_is_refused(tmp_path: Path, file: str) -> None:
    if file == "mine.npz":
        np.savez(tmp_path / file, **_arrays())
    else:
        torch.save({key: torch.from_numpy(v) for key, v in _arrays().items()}, tmp_path / file)
    with pytest.raises(DataError, match="'id' means nothing for such a graph; it takes label, fe"):
        read_path(tmp_path / file, {"id": "node"})


@pytest.mark.parametrize("text", ["a.csv", "./a", "~/a", "folder/a", "a.GRAPHML", "a.npz"])
def test_texts_that_look_like_paths(text: str) -> None:
    assert is_like_a_path(text)


@pytest.mark.parametrize("text", ["wisconsin", "", "pyg:Amazon:Photo", "my-graph"])
def test_texts_that_do_not(text: str) -> None:
    assert not is_like_a_path(text)


def test_a_file_without_a_suffix_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").touch()
    assert is_like_a_path("mine")


def test_readers_are_imported_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.SimpleNamespace(read=lambda: "read")
    monkeypatch.setattr(files.importlib, "import_module", lambda name: module)
    assert files.lazy_reader("any", "read")() == "read"
