from pathlib import Path

import pytest

from tests.data.sources.small_tables import NODES, Case, refused_nodes

_BAD: dict[str, Case] = {
    "the class as a feature": (
        NODES,
        "nodes.csv, column 'club': is the class, so it cannot be a feature",
        {"features": "age,club"},
    ),
    "a feature that is not there": (
        NODES,
        "nodes.csv: has no column 'agee' (--features); did you mean 'age'?",
        {"features": "agee"},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_a_feature_that_cannot_be_one_is_named(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])
