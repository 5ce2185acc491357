from pathlib import Path

import pandas as pd
import pytest

from tests.data.sources.small_tables import NODES, Case, refused, refused_nodes

_BAD: dict[str, Case] = {
    "no label": (
        NODES,
        "nodes.csv: which column is the class? Name it with --label: 'id', 'age'",
        {"label": ""},
    ),
    "two labels": (
        "id,y,class\na,1,2\n",
        "nodes.csv: 'y', 'class' may all be the class",
        {"label": ""},
    ),
    "a label that is not there": (
        NODES,
        "nodes.csv: has no column 'clubs' (--label); did you mean 'club'?",
        {"label": "clubs"},
    ),
    "a label that is not near": (
        NODES,
        "nodes.csv: has no column 'zzz' (--label); choose one of age, club, id",
        {"label": "zzz"},
    ),
    "no class at all": (
        "id,age,club\nann,1,\nbob,2,\n",
        "nodes.csv, column 'club': is empty in every row",
        {"edges": "source,target\nann,bob\n"},
    ),
    "one class": (
        NODES.replace("chess", "go"),
        "nodes.csv, column 'club': every node is of the class 'go'; two classes are needed",
        {},
    ),
    "a class per node": (
        "id,club\n" + "".join(f"{i},{i / 7}\n" for i in range(50)),
        "nodes.csv, line 2, column 'club': has 50 different values (here '0.0') in 50 nodes",
        {"edges": "source,target\n1,2\n"},
    ),
    "an infinite class": (
        NODES.replace("chess", "1").replace("go", "inf"),
        "nodes.csv, line 3, column 'club': inf is no class",
        {},
    ),
}


@pytest.mark.parametrize("kind", _BAD)
def test_what_is_no_class_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    refused_nodes(tmp_path, _BAD[kind])


def test_lists_as_classes_arerefused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"club": [["a"], ["a", "b"], ["b"]]})
    frame.to_parquet(tmp_path / "nodes.parquet")
    pd.DataFrame({"u": [0], "v": [1]}).to_parquet(tmp_path / "edges.parquet")
    refused(tmp_path, "nodes.parquet, column 'club': holds lists", nodes=tmp_path)
