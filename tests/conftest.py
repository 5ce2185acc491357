"""Shared fixtures: small graphs, isolated user folders, and the real data if there."""

import os
import signal
from pathlib import Path

import pytest
import torch
from hypothesis import settings

from l2p_search.data.graph import Graph, undirected
from l2p_search.data.raw_files import DATA_VARIABLE
from l2p_search.tracking.store import URI_VARIABLE

# A slow machine is no failure of a law.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the session: each real graph is parsed once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Another number of threads sums in another order; fixtures of a module must agree too."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def hearing_signals() -> None:
    """`nohup` has SIGHUP ignored and `&` SIGINT, here and in every command that a test starts."""
    for number, usual in (
        (signal.SIGHUP, signal.SIG_DFL),
        (signal.SIGINT, signal.default_int_handler),
    ):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads or writes the user's own folders, or keeps another number of threads."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.setenv(URI_VARIABLE, "")  # what MLflow sets it to in a test is gone after it
    monkeypatch.delenv(URI_VARIABLE)
    monkeypatch.setenv("RAY_worker_niceness", "0")  # tests that run beside these are as urgent
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def raw_data() -> Path:
    """The folder with the seven graphs' raw files; without it, a test of real data skips."""
    folder = Path(os.environ.get(DATA_VARIABLE, _BESIDE))
    if not (folder / "Cora" / "raw").is_dir():
        pytest.skip(f"no raw files: {DATA_VARIABLE} names no folder that has them")
    return folder


@pytest.fixture(scope="session")
def own_data() -> Path:
    """The folder with real graphs in the formats of users; without it, their tests skip."""
    folder = Path(os.environ.get(DATA_VARIABLE, _BESIDE)) / "own"
    if not (folder / "minesweeper.npz").is_file():
        pytest.skip(f"no graphs of users: {DATA_VARIABLE} names no folder that has own/")
    return folder


@pytest.fixture
def real_data(raw_data: Path, session_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The raw files, with a cache that the session's tests share."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(session_cache))
    return raw_data


@pytest.fixture(scope="session")
def small_graph() -> Graph:
    """Twelve nodes, three classes, two splits; a path with chords and an isolated node."""
    generator = torch.Generator().manual_seed(0)
    nodes, features = 12, 7
    path = torch.stack([torch.arange(10), torch.arange(1, 11)])
    chords = torch.tensor([[0, 2, 3], [5, 7, 9]])
    y = torch.arange(nodes) % 3
    x = torch.rand(nodes, features, generator=generator)
    x = x * (torch.rand(nodes, features, generator=generator) < 0.6)
    masks = torch.zeros(3, 2, nodes, dtype=torch.bool)
    masks[0, 0, :5] = masks[1, 0, 5:9] = masks[2, 0, 9:] = True
    masks[0, 1, 6:] = masks[1, 1, 3:6] = masks[2, 1, :3] = True
    return Graph(
        "small", x, undirected(torch.cat([path, chords], dim=1), nodes), y, *masks.unbind()
    )
