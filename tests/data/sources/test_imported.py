from pathlib import Path
from typing import Any

import pytest
import torch
from torch_geometric import datasets
from torch_geometric.data import Data, InMemoryDataset

from l2p_search.data.ingest import ingest
from l2p_search.data.raw_files import cache_folder
from l2p_search.data.sources import imported
from l2p_search.data.sources.imported import call_function, is_function, read_imported
from l2p_search.errors import DataError


def _data() -> Data:
    return Data(
        x=torch.rand(12, 5),
        edge_index=torch.stack([torch.arange(11), torch.arange(1, 12)]),
        y=torch.arange(12) % 3,
    )


class Pretend(InMemoryDataset):  # type: ignore[misc]
    """A dataset in the manner of PyG's.

    Args:
        root (str): Root directory.
        name (str): The name of the dataset (:obj:`"Big"`, :obj:`"Small"`).
        transform (callable, optional): Nothing.
    """

    downloads = 0
    fails: Exception | None = None

    def __init__(self, root: str, name: str, transform: Any = None) -> None:
        self.name = name
        super().__init__(root, transform)
        self.load(self.processed_paths[0])

    @property
    def raw_file_names(self) -> list[str]:
        return ["raw.txt"]

    @property
    def processed_file_names(self) -> str:
        return "data.pt"

    def download(self) -> None:
        Path(self.raw_dir, "raw.txt").write_text("half")
        if Pretend.fails is not None:
            raise Pretend.fails
        Pretend.downloads += 1

    def process(self) -> None:
        self.save([_data()], self.processed_paths[0])


class Several(Pretend):
    __doc__ = Pretend.__doc__

    def process(self) -> None:
        self.save([_data(), _data()], self.processed_paths[0])


class Years(Pretend):
    def __init__(self, root: str, name: str, year: int) -> None:
        raise AssertionError


@pytest.fixture(autouse=True)
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    classes = (Pretend, Several, Years)
    for dataset in classes:
        monkeypatch.setattr(datasets, dataset.__name__, dataset, raising=False)
    names = [dataset.__name__ for dataset in classes]
    monkeypatch.setattr(datasets, "__all__", [*datasets.__all__, *names])
    monkeypatch.setattr(Pretend, "downloads", 0)
    monkeypatch.setattr(Pretend, "fails", None)


def test_a_dataset_is_downloaded_once_into_the_cache_folder() -> None:
    raw = read_imported("pyg:Pretend:small")
    again = read_imported("pyg:Pretend:Small")
    assert raw.num_nodes == again.num_nodes == 12
    assert Pretend.downloads == 1
    assert raw.name == "pretend-small"
    assert raw.source == "pyg:Pretend:small"
    assert [path.name for path in (cache_folder() / "pyg").iterdir()] == ["Pretend-Small"]


def test_a_dataset_without_files_needs_no_folder() -> None:
    raw = read_imported("pyg:KarateClub", with_masks=False)
    assert ingest(raw).num_edges == 78
    assert not cache_folder().exists()


def test_a_download_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pretend, "fails", OSError("Name or service not known"))
    with pytest.raises(DataError) as error:
        read_imported("pyg:Pretend:Big")
    assert str(error.value) == (
        "pyg:Pretend:Big: it cannot be downloaded (Name or service not known); check the network,"
        " or give a file of the graph"
    )
    assert list((cache_folder() / "pyg").iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pyg:Pretend", "Pretend needs a name, for example pyg:Pretend:Big"),
        ("pyg:Pretend:Smal", "Pretend has no Smal; did you mean 'Small'?"),
        ("pyg:KarateClub:Zachary", "KarateClub has no names; give pyg:KarateClub"),
        ("pyg:Amazn:Photo", "torch_geometric.datasets has no Amazn; did you mean 'Amazon'?"),
        ("pyg:Qqqq", "torch_geometric.datasets has no Qqqq; see its documentation"),
        ("pyg:", "torch_geometric.datasets has no class of no name"),
        ("pyg:Years:2000", "Years takes further arguments (year); load it in Python"),
        ("pyg:Several:Big", "2 graphs; give a dataset of one graph"),
    ],
)
def test_a_dataset_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(DataError) as error:
        read_imported(text)
    assert says in str(error.value)
    assert str(error.value).startswith(f"{text}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("class_name", "given", "spelled"),
    [
        ("Amazon", "photo", "Photo"),
        ("Planetoid", "cora", "Cora"),
        ("Coauthor", "cs", "CS"),
        ("WikipediaNetwork", "Squirrel", "squirrel"),
        ("HeterophilousGraphDataset", "roman-empire", "Roman-empire"),
    ],
)
def test_names_are_found_in_the_documentation_of_pyg(
    class_name: str, given: str, spelled: str
) -> None:
    documentation = getattr(datasets, class_name).__doc__
    assert imported._spelled("", class_name, given, documentation) == spelled


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ImportError("No module named 'rdkit'"), "needs another package: No module named 'rdkit'"),
        (ValueError("two\nlines"), "torch_geometric cannot make it (two)"),
        (AssertionError(), "torch_geometric cannot make it (AssertionError)"),
    ],
)
def test_what_pyg_cannot_make_is_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    monkeypatch.setattr(Pretend, "fails", error)
    with pytest.raises(DataError) as raised:
        read_imported("pyg:Pretend:Big")
    assert says in str(raised.value)


def test_the_unfiltered_wikipedia_graphs_carry_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class WikipediaNetwork(Pretend):
        __doc__ = datasets.WikipediaNetwork.__doc__

    monkeypatch.setattr(datasets, "WikipediaNetwork", WikipediaNetwork)
    (note,) = read_imported("pyg:WikipediaNetwork:chameleon").notes
    assert "duplicates" in note
    assert "chameleon-filtered" in note


@pytest.mark.parametrize("text", ["module:function", "a.b.c:make_graph", "_a:_b"])
def test_functions_are_known_by_their_form(text: str) -> None:
    assert is_function(text)


@pytest.mark.parametrize("text", ["pyg:Amazon", "ogb:x", "a:b:c", "texas", "a/b:c", "a:2", ":"])
def test_other_texts_are_no_functions(text: str) -> None:
    assert not is_function(text)


def test_a_function_of_the_working_folder_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_own_module.py").write_text("def make():\n    return 'made'\n")
    monkeypatch.chdir(tmp_path)
    assert call_function("my_own_module:make") == "made"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no_such_module:make", "there is no module no_such_module"),
        ("json.no_such:make", "there is no module json.no_such"),
        ("json:lods", "json has no function lods; did you mean 'loads'?"),
        ("json:__name__", "json has no function __name__"),
    ],
)
def test_a_function_that_is_not_there_is_said(text: str, says: str) -> None:
    with pytest.raises(DataError) as error:
        call_function(text)
    assert says in str(error.value)


def test_an_error_of_the_users_own_code_keeps_its_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_module.py").write_text("import module_that_is_missing\n")
    (tmp_path / "failing_module.py").write_text("def make():\n    return 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModuleNotFoundError):
        call_function("broken_module:make")
    with pytest.raises(ZeroDivisionError):
        call_function("failing_module:make")
