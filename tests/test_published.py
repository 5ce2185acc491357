import re
from pathlib import Path

import pytest

from l2p_search.data.catalogue import DATASETS
from l2p_search.published import (
    STEPS,
    TABLE_1,
    TABLE_1_SPREAD,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    paper_accuracy,
)

_PAPER = Path(__file__).resolve().parents[2] / "shared" / "paper" / "l2p.tex"
_NAMES = {"jknet(drop)": "jknet-drop", "incep(drop)": "incepgcn-drop", "gcn(drop)": "gcn-drop"}
_NAMES |= {"incep": "incepgcn", "gcnii*": "gcnii"}
_NAMES |= {f"geom-gcn-{letter}": f"geomgcn-{letter}" for letter in "ips"}


def test_the_papers_numbers_are_those_of_its_text() -> None:
    if not _PAPER.exists():
        pytest.skip("the paper's source is not beside the project")
    text = _PAPER.read_text(encoding="utf-8")
    assert _rows(_table(text, "table:homo")) == {
        method: [
            number for dataset in row for number in (row[dataset], TABLE_1_SPREAD[method][dataset])
        ]
        for method, row in TABLE_1.items()
    }
    assert _rows(_table(text, "table:full-heter")) == {
        method: list(row.values()) for method, row in TABLE_2.items()
    }
    assert _rows(_table(text, "semilayer")) == {
        method: list(row.values()) for method, row in TABLE_4.items()
    }
    by_dataset = _rows(_table(text, "semi-connect"))
    for place, row in enumerate(TABLE_3.values()):
        of_datasets = {dataset.removesuffix("-legacy"): value for dataset, value in row.items()}
        assert of_datasets == {name: values[place] for name, values in by_dataset.items()}


def _table(text: str, label: str) -> str:
    end = text.index(f"\\label{{{label}}}")
    return text[text.rindex("\\begin{tabular}", 0, end) : end]


def _rows(table: str) -> dict[str, list[float]]:
    rows = {}
    for line in table.replace("\\hline", "").split("\\\\"):
        name, *cells = line.split("&")
        name = name.strip().splitlines()[-1].strip().lower() if name.strip() else ""
        numbers = [float(found) for cell in cells for found in re.findall(r"\d+\.?\d*", cell)]
        if numbers and name and "textbf" not in name:
            rows[_NAMES.get(name, name)] = numbers
    return rows


def test_a_number_is_that_of_the_first_table_that_has_it() -> None:
    assert paper_accuracy("l2q", "cora") == 85.2
    assert paper_accuracy("l2q", "wisconsin") == 84.70
    assert paper_accuracy("resgcn", "texas") == 65.7
    assert TABLE_2["gcn"]["texas"] != TABLE_3["gcn"]["texas"]
    assert paper_accuracy("gcn", "texas") == TABLE_2["gcn"]["texas"]


def test_where_the_paper_has_no_number_there_is_none() -> None:
    assert paper_accuracy("l2q", "demo") is None
    assert paper_accuracy("mlp", "cora") is None
    assert paper_accuracy("l2q", "cornell") is None  # the paper's is the legacy one
    assert paper_accuracy("l2q", "cornell-legacy") == 81.08


def test_the_tables_are_of_the_papers_seven_graphs() -> None:
    of_the_paper = {name for name, dataset in DATASETS.items() if dataset.paper is not None}
    rows = [*TABLE_1.values(), *TABLE_2.values()]
    assert {dataset for row in rows for dataset in row} == of_the_paper
    assert all(set(row) == of_the_paper for row in TABLE_3.values())
    kinds = {name: dataset.kind for name, dataset in DATASETS.items()}
    for row in TABLE_1.values():
        assert {kinds[dataset] for dataset in row} == {"homophily"}
    for row in TABLE_2.values():
        assert {kinds[dataset] for dataset in row} == {"heterophily"}


def test_spreads_are_of_the_same_methods_and_small() -> None:
    assert list(TABLE_1_SPREAD) == list(TABLE_1)
    for method, row in TABLE_1_SPREAD.items():
        assert list(row) == list(TABLE_1[method])
        assert all(0.0 < spread < 1.0 for spread in row.values())


def test_depths_double_and_methods_that_need_four_steps_begin_there() -> None:
    assert STEPS == (2, 4, 8, 16, 32, 64)
    begins = {method: min(row) for method, row in TABLE_4.items()}
    assert {method for method, first in begins.items() if first == 4} == {
        "jknet",
        "jknet-drop",
        "incepgcn",
        "incepgcn-drop",
    }
    assert all(max(row) == 64 for row in TABLE_4.values())
