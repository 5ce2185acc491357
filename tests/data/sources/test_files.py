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

    def pretended(function: str) -> Any:
        def read(*given: Any, **options: Any) -> RawGraph:
            calls.append((function, *given, options))
            return empty

        return read

    for function in ("read_tables", "read_graph_file", "read_geom_gcn"):
        monkeypatch.setattr(files, function, pretended(function))
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
    ("name", "content", "function"),
    [
        ("nodes.csv", b"id,label\n", "read_tables"),
        ("nodes.tsv", b"id\tlabel\n", "read_tables"),
        ("nodes.csv.gz", b"\x1f\x8b", "read_tables"),
        ("nodes.parquet", b"PAR1", "read_tables"),
        ("nodes", b"PAR1", "read_tables"),
        ("club.graphml", b"<?xml version='1.0'?>", "read_graph_file"),
        ("club", b"<graphml>", "read_graph_file"),
        ("club.gml", b"graph [", "read_graph_file"),
    ],
)
def test_tables_and_markup_go_to_their_readers(
    tmp_path: Path, readers: list[tuple[Any, ...]], name: str, content: bytes, function: str
) -> None:
    (tmp_path / name).write_bytes(content)
    read_path(tmp_path / name, {"label": "kind"})
    assert readers == [(function, tmp_path / name, {"label": "kind", "with_masks": True})]


def test_only_tables_are_told_that_they_need_no_classes(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    (tmp_path / "nodes.csv").write_bytes(b"id,label\n")
    (tmp_path / "club.gml").write_bytes(b"graph [")
    for name in ("nodes.csv", "club.gml"):
        read_path(tmp_path / name, {}, labelled=False)
    assert [given for _, _, given in readers] == [
        {"labelled": False, "with_masks": True},
        {"with_masks": True},
    ]


def test_the_options_of_tables_get_their_readers_names(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    (tmp_path / "nodes.csv").write_text("id,label\n")
    options = {"edges": "edges.csv", "source_column": "u", "target_column": "v", "id": "id"}
    read_path(tmp_path / "nodes.csv", options)
    wanted = {
        "edges": Path("edges.csv"),
        "source": "u",
        "target": "v",
        "id": "id",
        "with_masks": True,
    }
    assert readers[0][-1] == wanted


def test_a_folder_of_tables_goes_to_their_reader(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    read_path(tmp_path, {})
    assert readers == [("read_tables", tmp_path, {"with_masks": True})]


@pytest.mark.parametrize("inside", [".", "raw"])
def test_a_folder_of_geom_gcn_is_known_by_its_files(
    tmp_path: Path, readers: list[tuple[Any, ...]], inside: str
) -> None:
    folder = tmp_path / "texas" / inside
    folder.mkdir(parents=True)
    (folder / "out1_graph_edges.txt").touch()
    assert read_path(tmp_path / "texas", {}).name == "texas"
    assert readers == [("read_geom_gcn", folder, {"with_masks": True})]


def test_a_folder_of_a_pyg_dataset_is_read(tmp_path: Path) -> None:
    (tmp_path / "Mine" / "processed").mkdir(parents=True)
    content = {key: torch.from_numpy(value) for key, value in _arrays().items()}
    processed = tmp_path / "Mine" / "processed"
    torch.save((content, None, dict), processed / "mine_v1.pt")
    torch.save("None", processed / "pre_filter.pt")
    assert read_path(tmp_path / "Mine", {}).name == "Mine"
    torch.save("something else", processed / "split.pt")
    with pytest.raises(DataError, match=r"processed: has mine_v1.pt, split.pt; name the file"):
        read_path(tmp_path / "Mine", {})
    torch.save((content, None, dict), processed / "data.pt")
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
    with pytest.raises(DataError, match=r"no such file or folder; .*check the path"):
        read_path(tmp_path / name, {})


def test_of_a_path_that_is_misspelt_the_nearest_is_named(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").touch()
    with pytest.raises(
        DataError, match=r"nods.csv: no such file or folder; did you mean '.*nodes"
    ):
        read_path(tmp_path / "nods.csv", {})


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


def test_a_table_of_nodes_may_have_any_suffix_beside_its_edges(
    tmp_path: Path, readers: list[tuple[Any, ...]]
) -> None:
    (tmp_path / "nodes.txt").write_bytes(b"id,label\n")
    read_path(tmp_path / "nodes.txt", {"edges": tmp_path / "edges.txt"})
    assert [called[0] for called in readers] == ["read_tables"]
    with pytest.raises(DataError, match=r"nodes.txt: no graph in a known format"):
        read_path(tmp_path / "nodes.txt", {})
