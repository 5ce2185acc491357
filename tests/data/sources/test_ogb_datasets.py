import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search.data.ingest import ingest
from l2p_search.data.sources.ogb_datasets import read_ogb
from l2p_search.errors import DataError


class _Dataset:
    """In the manner of ogb's NodePropPredDataset, which keeps numpy arrays by torch.save."""

    def __init__(self, name: str, root: str) -> None:
        if name == "ogbn-none":
            raise ValueError(f"Invalid dataset name {name}.\nAvailable datasets: ..")
        path = Path(root) / "data.pt"
        if not path.exists():
            path.parent.mkdir(parents=True)
            graph = {
                "edge_index": np.stack([np.arange(29), np.arange(1, 30)]),
                "node_feat": np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32),
                "node_year": np.arange(30)[:, None],
                "num_nodes": 30,
            }
            torch.save({"graph": graph, "labels": np.arange(30)[:, None] % 3}, path)
        self._content = torch.load(path)

    def get_idx_split(self) -> dict[str, np.ndarray]:
        thirds = np.array_split(np.arange(30), 3)
        return dict(zip(("train", "valid", "test"), thirds, strict=True))

    def __getitem__(self, place: int) -> tuple[Any, Any]:
        return self._content["graph"], self._content["labels"]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("ogb.nodeproppred")
    module.NodePropPredDataset = _Dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ogb", types.ModuleType("ogb"))
    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", module)


@pytest.mark.usefixtures("installed")
def test_a_dataset_is_read_with_its_splits_and_years() -> None:
    for _ in range(2):  # made, then loaded from what was kept
        graph = ingest(read_ogb("ogb:ogbn-arxiv"))
        assert (graph.name, graph.num_nodes, graph.num_classes) == ("ogbn-arxiv", 30, 3)
        assert graph.val[0].nonzero().squeeze(1).tolist() == list(range(10, 20))
    raw = read_ogb("ogb:ogbn-arxiv", with_masks=False)
    assert ingest(raw, splits="temporal:node_year").num_splits == 1


@pytest.mark.usefixtures("installed")
def test_a_dataset_that_ogb_does_not_know_is_one_line() -> None:
    with pytest.raises(DataError) as error:
        read_ogb("ogb:ogbn-none")
    assert str(error.value) == (
        "ogb:ogbn-none: ogb cannot load it (Invalid dataset name ogbn-none.)"
    )


@pytest.mark.skipif("ogb" in sys.modules, reason="ogb is installed")
def test_without_ogb_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ogb", None)
    with pytest.raises(DataError, match="ogb:ogbn-arxiv: ogb is not installed; install it by pip"):
        read_ogb("ogb:ogbn-arxiv")
