import shutil
import stat
from pathlib import Path

import pytest
import torch

from l2p_search.data import parsing
from l2p_search.data.catalogue import DATASETS, find_dataset
from l2p_search.data.loading import load_graph
from l2p_search.data.raw_files import DATA_VARIABLE, cache_folder
from l2p_search.errors import DataError

# nodes, undirected edges, features, classes, splits, train/val/test of the first split
_EXPECTED = {
    "cora": (2708, 5278, 1433, 7, 1, (140, 500, 1000)),
    "citeseer": (3327, 4552, 3703, 6, 1, (120, 500, 1000)),
    "pubmed": (19717, 44324, 500, 3, 1, (60, 500, 1000)),
    "actor": (7600, 26659, 932, 5, 10, (3648, 2432, 1520)),
    "texas": (183, 279, 1703, 5, 10, (87, 59, 37)),
    "wisconsin": (251, 450, 1703, 5, 10, (120, 80, 51)),
    "cornell": (183, 277, 1703, 5, 10, (87, 59, 37)),
    "cornell-legacy": (183, 277, 1703, 5, 10, (87, 59, 37)),
}


@pytest.fixture
def copied(raw_data: Path, tmp_path: Path) -> Path:
    """A data folder of our own with Texas and Cora in it, to be damaged."""
    for folder in ("WebKB/texas", "Cora"):
        shutil.copytree(raw_data / folder, tmp_path / "copied" / folder)
    for path in (tmp_path / "copied").rglob("*"):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    return tmp_path / "copied"


@pytest.mark.parametrize("name", _EXPECTED)
def test_a_dataset_has_the_statistics_and_splits_of_the_benchmark(
    name: str, real_data: Path
) -> None:
    graph = load_graph(name, real_data)
    nodes, edges, features, classes, splits, sizes = _EXPECTED[name]
    assert (graph.num_nodes, graph.num_features, graph.num_classes) == (nodes, features, classes)
    assert graph.num_edges == edges
    assert graph.num_splits == splits
    found = tuple(int(masks[0].sum()) for masks in (graph.train, graph.val, graph.test))
    assert found == sizes
    sums = graph.x.abs().sum(dim=1)
    assert torch.all((sums - 1).abs().lt(1e-4) | sums.eq(0))


def test_the_two_cornells_are_two_datasets(real_data: Path) -> None:
    corrected, legacy = load_graph("cornell", real_data), load_graph("cornell-legacy", real_data)
    assert corrected.y.bincount().tolist() == [38, 16, 30, 82, 17]
    assert legacy.y.bincount().tolist() == [33, 1, 18, 101, 30]


def test_homophily_tells_the_two_kinds_apart(real_data: Path) -> None:
    for name in _EXPECTED:
        homophilous = load_graph(name, real_data).edge_homophily > 0.5
        assert homophilous == (DATASETS[name].kind == "homophily")


def test_the_cache_gives_the_same_graph_and_needs_no_raw_files(copied: Path) -> None:
    first = load_graph("texas", copied)
    shutil.rmtree(copied / "WebKB")
    again = load_graph("texas", copied)
    assert again.digest == first.digest


def test_a_damaged_cache_is_made_anew(copied: Path) -> None:
    first = load_graph("texas", copied)
    (path,) = cache_folder().glob("texas-*.npz")
    path.write_bytes(path.read_bytes()[:1000])
    assert load_graph("texas", copied).digest == first.digest
    assert path.stat().st_size > 1000


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_graph("texas", copied).num_nodes == 183


def test_the_cache_holds_nothing_but_whole_graphs(copied: Path) -> None:
    load_graph("texas", copied)
    assert [path.name for path in cache_folder().iterdir()] == ["texas-1.npz"]


def test_the_source_folder_is_never_written_to(copied: Path) -> None:
    before = sorted(copied.rglob("*"))
    load_graph("texas", copied)
    assert sorted(copied.rglob("*")) == before


def test_the_environment_names_the_folder_too(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(copied))
    assert load_graph("TEXAS").num_nodes == 183


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-10]), "is not the published file"),
        (lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]), "is not the published file"),
        (lambda path: path.unlink(), "is missing"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be read"),
    ],
    ids=["truncated", "changed", "missing", "unreadable"],
)
@pytest.mark.parametrize(
    ("name", "file"),
    [("texas", "WebKB/texas/raw/out1_graph_edges.txt"), ("cora", "Cora/raw/ind.cora.allx")],
)
def test_a_damaged_raw_file_is_named(
    copied: Path, name: str, file: str, damage: object, says: str
) -> None:
    damage(copied / file)  # type: ignore[operator]
    with pytest.raises(DataError) as error:
        load_graph(name, copied)
    assert says in str(error.value)
    assert str(copied / file) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_pickle_is_not_opened_before_its_checksum_is_known(copied: Path, tmp_path: Path) -> None:
    """A poisoned pickle that a downloader might bring must not run."""
    from torch_geometric.datasets import Planetoid

    trap = tmp_path / "trap"
    pickle = f"cos\nsystem\n(S'touch {trap}'\ntR.".encode()
    (copied / "Cora" / "raw" / "ind.cora.allx").write_bytes(pickle)

    def copy(self: Planetoid) -> None:
        shutil.copytree(copied / "Cora" / "raw", self.raw_dir, dirs_exist_ok=True)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Planetoid, "download", copy)
        with pytest.raises(DataError, match="is not the published file"):
            load_graph("cora")
    assert not trap.exists()


def test_without_files_and_network_the_error_says_what_to_put_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unreachable(*args: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(parsing, "_pyg_dataset", unreachable)
    with pytest.raises(DataError) as error:
        load_graph("cora", tmp_path)
    message = str(error.value)
    for part in ("cora", "8 files", "ind.cora.allx", str(tmp_path / "Cora" / "raw"), "demo"):
        assert part in message
    assert "\n" not in message


def test_legacy_cornell_is_never_downloaded(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no longer published"):
        load_graph("cornell-legacy", tmp_path)


def test_names_are_known_in_any_case_and_misspelt_ones_get_the_nearest() -> None:
    assert find_dataset("Cora").name == "cora"
    with pytest.raises(DataError, match="unknown dataset 'wisconson'; did you mean 'wisconsin'"):
        find_dataset("wisconson")


def test_a_missing_data_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_graph("cora", tmp_path / "none")
