from pathlib import Path

import pytest
import torch

from l2p_search.data import parsing
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.parsing import about_published, download, parse
from l2p_search.errors import DataError


def test_raw_files_become_a_graph_and_stay_untouched(raw_data: Path) -> None:
    raw = raw_data / "WebKB" / "texas" / "raw"
    before = sorted(raw.parent.rglob("*"))
    graph = parse(DATASETS["texas"], raw)
    assert (graph.name, graph.num_nodes, graph.num_splits) == ("texas", 183, 10)
    assert graph.about == about_published("texas")
    assert sorted(raw.parent.rglob("*")) == before


def test_one_mask_and_many_have_splits_first() -> None:
    mask = torch.tensor([True, False, True])
    assert parsing._splits_first(mask).tolist() == [[True, False, True]]
    both = torch.stack([mask, ~mask], dim=1)
    assert parsing._splits_first(both).tolist() == [[True, False, True], [False, True, False]]


def test_a_failed_download_names_the_files_and_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*args: object) -> None:
        raise OSError("no route\nto host")

    monkeypatch.setattr(parsing, "_pyg_dataset", unreachable)
    with pytest.raises(DataError) as error:
        download(DATASETS["cora"], tmp_path / "Cora" / "raw")
    assert "the download failed: no route; put its 8 files" in str(error.value)
    assert str(tmp_path / "Cora" / "raw") in str(error.value)
