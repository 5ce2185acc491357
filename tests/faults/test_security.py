"""What must never happen: a pickle that runs, a name that leaves its folder or becomes HTML."""

import ast
import io
import os
import pickle
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import l2p_search
from l2p_search.api.inspecting import inspect
from l2p_search.api.mlflow_entries import search_entry
from l2p_search.api.reporting import report_page
from l2p_search.api.writing import write_files
from l2p_search.config import TrialConfig
from l2p_search.data.about import About
from l2p_search.data.cache import read_cached
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import UserError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.space.space_file import read_space
from l2p_search.whole_file import as_file_name
from tests.faults.conftest import Tried
from tests.searching.pretend import searched

_ROOT = Path(l2p_search.__file__).parent
_MODULES = sorted(_ROOT.rglob("*.py"))
_NEVER = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}
_NEVER_FROM = ("pickle.", "cloudpickle.", "dill.", "joblib.", "marshal.", "shelve.")
_ONLY_WITH = {
    "np.load": ("allow_pickle", False),
    "numpy.load": ("allow_pickle", False),
    "torch.load": ("weights_only", True),
}
_TO_ITSELF = {"first_worker.py": ("pickle.dumps", "pickle.loads")}
"""What a process says to one that it has started itself, over pipes that nobody else has."""
_EVIL = "<img src=x onerror=alert(1)>"


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_ROOT)))
def test_no_module_opens_a_pickle_or_runs_a_text(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        given = {word.arg: ast.unparse(word.value) for word in node.keywords}
        assert name not in _NEVER, f"{name} in line {node.lineno}"
        if name in _TO_ITSELF.get(path.name, ()):
            continue
        assert not name.startswith(_NEVER_FROM), f"{name} in line {node.lineno}"
        assert given.get("shell") != "True", f"a shell in line {node.lineno}"
        if name in _ONLY_WITH:
            word, value = _ONLY_WITH[name]
            assert given.get(word) == str(value), f"{name} without {word}={value}"
        if name == "yaml.load":
            raise AssertionError("files are read by a loader of our own")


class _Trap:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._path),)


def _zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("archive/data.pkl", content)
        archive.writestr("archive/version", "3")
    return packed.getvalue()


def _npz(trap: object) -> bytes:
    packed = io.BytesIO()
    names = ("x", "edge_index", "y", "features", "edges", "labels", "node_features", "adj_data")
    np.savez(packed, **{name: np.array([trap], dtype=object) for name in names})
    return packed.getvalue()


def _torch(trap: object) -> bytes:
    packed = io.BytesIO()
    torch.save({"x": trap}, packed)
    return packed.getvalue()


_ENDINGS = (
    *(".pt", ".pth", ".npz", ".npy", ".pkl", ".pickle", ".csv", ".tsv", ".txt", ".parquet"),
    *(".graphml", ".gml", ".mtx", ".json", ".zip", ".gz", ""),
)


def test_no_loader_runs_what_a_pickle_says(tmp_path: Path, tried: Tried) -> None:
    trap = tmp_path / "ran"
    bait = _Trap(trap)
    contents = [*(pickle.dumps(bait, protocol) for protocol in range(6)), _npz(bait), _torch(bait)]
    contents.append(_zipped(pickle.dumps(bait)))
    tried("security", "malicious pickles for every loader", times=len(_ENDINGS) * len(contents))
    pickle.loads(pickle.dumps(bait))  # noqa: S301 - the bait must be one
    assert trap.exists()
    trap.rmdir()
    for ending in _ENDINGS:
        for content in contents:
            path = tmp_path / f"graph{ending}"
            path.write_bytes(content)
            with pytest.raises(UserError):
                load_graph(str(path))
            with pytest.raises(UserError):
                read_space(path)
            with pytest.raises(UserError):
                TrialConfig.from_file(path)
            assert read_cached("graph", path, About()) is None
            assert not trap.exists(), f"{ending} was opened"
    folder = tmp_path / "searches" / "s"
    folder.mkdir(parents=True)
    for content in contents:
        (folder / "journal.log").write_bytes(content)
        with pytest.raises(UserError):
            Journal.read(folder)
        assert not trap.exists()


@pytest.fixture
def evil(small_graph: Graph) -> Graph:
    return replace(small_graph, name=f"../../{_EVIL}")


def test_names_stay_in_their_folder(evil: Graph, tmp_path: Path, tried: Tried) -> None:
    names = ["../x", "/etc/x", "..", ".", "", "a/../../b", "\\x", "a\0b", f"../../{_EVIL}"]
    tried("security", "names that would leave their folder", times=len(names))
    folder = tmp_path / "deep" / "deeper"
    for name in names:
        assert (folder / as_file_name(name)).resolve().parent == folder.resolve()
    written = write_files(folder, inspect(evil).files())
    assert written
    assert {path.resolve().parent for path in written} == {folder.resolve()}


def test_names_become_no_html(evil: Graph, tmp_path: Path, tried: Tried) -> None:
    tried("security", "names that would become HTML", times=2)
    settings = {"dataset": evil.name, "data_digest": evil.digest}
    journal = searched(tmp_path / _EVIL.replace("/", ""), evil, Goal(trials=4), **settings)
    outcome = read_outcome(journal)
    page = report_page(journal, outcome, None)
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    description = search_entry(journal, outcome).description
    assert "<img src=x" not in re.sub("`[^`]*`", "", description)  # what is code stays text
