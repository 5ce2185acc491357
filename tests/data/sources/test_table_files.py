from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l2p_search.data.sources import whole_input
from tests.data.sources.small_tables import Case, refused, refused_nodes

_BAD: dict[str, Case] = {
    "header only": ("id,age,club\n", "nodes.csv: has a header and no rows", {}),
    "one line without an end": ("id,age,club", "nodes.csv: has a header and no rows", {}),
    "a Parquet file cut short": (
        b"PAR1\x15\x04\x15",
        "nodes.csv: is a Parquet file that is cut",
        {},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_table_without_rows_or_end_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_a_small_parquet_file_of_many_rows_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"club": np.zeros(1_000_000)})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    assert (tmp_path / "nodes.parquet").stat().st_size < 50_000
    monkeypatch.setattr(whole_input, "_free_memory", lambda: 1_000_000)
    refused(tmp_path, "nodes.parquet: 0.0 GB or more would take", nodes=tmp_path)
