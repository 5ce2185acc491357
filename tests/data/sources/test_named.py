import io
import shutil
import stat
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import torch

from l2p_search.data import parsing
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.raw_files import DATA_VARIABLE, cache_folder
from l2p_search.data.sources.named import load_named
from l2p_search.errors import DataError, in_shell

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
    graph = load_named(name, real_data)
    nodes, edges, features, classes, splits, sizes = _EXPECTED[name]
    assert (graph.num_nodes, graph.num_features, graph.num_classes) == (nodes, features, classes)
    assert graph.num_edges == edges
    assert graph.num_splits == splits
    found = tuple(int(masks[0].sum()) for masks in (graph.train, graph.val, graph.test))
    assert found == sizes
    sums = graph.x.abs().sum(dim=1)
    assert torch.all((sums - 1).abs().lt(1e-4) | sums.eq(0))


def test_the_two_cornells_are_two_datasets(real_data: Path) -> None:
    corrected, legacy = load_named("cornell", real_data), load_named("cornell-legacy", real_data)
    assert corrected.y.bincount().tolist() == [38, 16, 30, 82, 17]
    assert legacy.y.bincount().tolist() == [33, 1, 18, 101, 30]


def test_homophily_tells_the_two_kinds_apart(real_data: Path) -> None:
    for name in _EXPECTED:
        homophilous = load_named(name, real_data).edge_homophily > 0.5
        assert homophilous == (DATASETS[name].kind == "homophily")


def test_the_cache_gives_the_same_graph_and_needs_no_raw_files(copied: Path) -> None:
    first = load_named("texas", copied)
    shutil.rmtree(copied / "WebKB")
    again = load_named("texas", copied)
    assert again.digest == first.digest


def test_a_damaged_cache_is_made_anew(copied: Path) -> None:
    first = load_named("texas", copied)
    (path,) = cache_folder().glob("texas-*.npz")
    path.write_bytes(path.read_bytes()[:1000])
    assert load_named("texas", copied).digest == first.digest
    assert path.stat().st_size > 1000


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_named("texas", copied).num_nodes == 183


def test_the_cache_holds_nothing_but_whole_graphs(copied: Path) -> None:
    load_named("texas", copied)
    assert [path.name for path in cache_folder().iterdir()] == ["texas-1.npz"]


def test_the_source_folder_is_never_written_to(copied: Path) -> None:
    before = sorted(copied.rglob("*"))
    load_named("texas", copied)
    assert sorted(copied.rglob("*")) == before


def test_the_environment_names_the_folder_too(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(copied))
    assert load_named("TEXAS").num_nodes == 183


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
        load_named(name, copied)
    assert says in in_shell(error.value.message)
    assert str(copied / file) in in_shell(error.value.message)
    assert "\n" not in in_shell(error.value.message)


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
            load_named("cora")
    assert not trap.exists()


def test_without_files_and_network_the_error_says_what_to_put_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unreachable(*args: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(parsing, "_pyg_dataset", unreachable)
    with pytest.raises(DataError) as error:
        load_named("cora", tmp_path)
    message = in_shell(error.value.message)
    for part in ("cora", "8 files", "ind.cora.allx", str(tmp_path / "Cora" / "raw"), "demo"):
        assert part in message
    assert "\n" not in message


def test_legacy_cornell_is_never_downloaded(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no longer published"):
        load_named("cornell-legacy", tmp_path)


def test_a_missing_data_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_named("cora", tmp_path / "none")


@pytest.fixture
def own_copy(own_data: Path, tmp_path: Path) -> Path:
    """A data folder with chameleon-filtered's file in it, to be damaged."""
    (tmp_path / "files").mkdir()
    for name in ("chameleon_filtered.npz", "minesweeper.npz"):
        shutil.copyfile(own_data / name, tmp_path / "files" / name)
    return tmp_path / "files"


@pytest.mark.parametrize("folder", [".", "own"])
def test_a_later_benchmark_is_found_by_its_name(own_copy: Path, folder: str) -> None:
    if folder == "own":
        own_copy = own_copy.rename(own_copy.parent / "own").parent
    graph = load_named("Chameleon-Filtered", own_copy)
    assert (graph.name, graph.num_nodes, graph.num_edges) == ("chameleon-filtered", 890, 8854)
    assert graph.about.changes == ("every edge was listed in one direction and is taken in both",)


def test_a_benchmark_can_be_split_and_scaled_otherwise(own_copy: Path) -> None:
    graph = load_named("minesweeper", own_copy, splits="2x60/20/20", scale="standard")
    assert graph.num_splits == 2
    assert graph.about.scaling == "standard"


def test_a_changed_file_of_a_benchmark_is_refused(own_copy: Path) -> None:
    path = own_copy / "minesweeper.npz"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DataError) as error:
        load_named("minesweeper", own_copy)
    assert f"minesweeper: {path} is not the published file" in in_shell(error.value.message)


def test_a_file_without_a_known_checksum_is_read_with_a_note(own_copy: Path) -> None:
    (own_copy / "chameleon_filtered.npz").rename(own_copy / "squirrel_filtered.npz")
    graph = load_named("squirrel-filtered", own_copy)
    assert "no checksum of the published one is known" in graph.about.changes[0]


class _Answer(io.BytesIO):
    """What a server sends."""


def test_a_benchmark_is_downloaded_once_and_checked(
    own_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def send(url: str, timeout: float) -> _Answer:
        asked.append(url)
        return _Answer((own_data / "minesweeper.npz").read_bytes())

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(urllib.request, "urlopen", send)
    assert load_named("minesweeper").num_nodes == load_named("minesweeper").num_nodes == 10_000
    assert len(asked) == 1
    assert asked[0].endswith("/data/minesweeper.npz")
    assert [path.name for path in cache_folder().iterdir()] == ["minesweeper.npz"]
    with pytest.raises(DataError, match="is not the published file"):
        load_named("tolokers")
    assert [path.name for path in cache_folder().iterdir()] == ["minesweeper.npz"]


def test_without_a_network_the_error_says_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(url: str, timeout: float) -> None:
        raise urllib.error.URLError("Name or service not known")

    monkeypatch.setattr(urllib.request, "urlopen", unreachable)
    with pytest.raises(DataError) as error:
        load_named("questions", tmp_path)
    assert "questions: no questions.npz, and the download failed: Name or service" in str(
        error.value
    )
    assert str(tmp_path) in in_shell(error.value.message)
    assert not cache_folder().exists()


def test_a_missing_data_folder_is_an_error_for_benchmarks_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        load_named("tolokers", tmp_path / "none")


def test_published_splits_can_be_replaced_by_a_rule(real_data: Path) -> None:
    graph = load_named("texas", real_data, splits="3x60/20/20")
    assert graph.num_splits == 3
    assert graph.about.split_rule == "3x60/20/20"


def test_the_scaling_of_the_papers_graphs_is_fixed() -> None:
    assert load_named("demo", scale="row").digest == load_named("demo").digest
    with pytest.raises(DataError, match="demo: its features have row sums of 1"):
        load_named("demo", scale="standard")


# What journals and RESULTS.md hold.
_DIGESTS = {
    "cora": "f36365da67dcd2ed",
    "citeseer": "b342adacbf2e46fe",
    "pubmed": "a37d3677d7a9a61e",
    "actor": "4259c2480ee8a733",
    "texas": "6baaa9ecd653e0dd",
    "wisconsin": "e8f384f6f5017481",
    "cornell": "dc25e445b76f3f61",
    "cornell-legacy": "85bf4560bf02aa71",
    "demo": "cff07ecbba0bf01b",
}


@pytest.mark.parametrize("name", _DIGESTS)
def test_digests_are_those_of_earlier_versions(name: str, real_data: Path) -> None:
    assert load_named(name, real_data).digest == _DIGESTS[name]
