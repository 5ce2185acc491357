"""A store of MLflow and a kept model, which the tests of this folder share."""

from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.saved.trained_model import Model
from l2p_search.tracking.store import Store
from l2p_search.training.fit import fit


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory, small_graph: Graph) -> tuple[Path, Model]:
    """A model of two seeds, and its folder."""
    config = TrialConfig(K=3, hidden=4, epochs=3)
    model = Model.of(small_graph, fit(small_graph, config, [1, 4]), confirmed=True)
    return model.save(tmp_path_factory.mktemp("search") / "model"), model


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One database for all: making one takes seconds. Each test has names of its own in it."""
    folder = tmp_path_factory.mktemp("mlflow")
    return Store(f"sqlite:///{folder / 'mlflow.db'}", folder / "artifacts")
