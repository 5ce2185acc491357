from dataclasses import fields
from pathlib import Path

import pytest

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.display.key_table import BEGIN, END, key_table, with_table
from l2p_search.errors import UserError

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "hyperparameters.md"


def test_the_page_has_the_table_of_today() -> None:
    text = _PAGE.read_text(encoding="utf-8")
    assert text == with_table(text), (
        "docs/hyperparameters.md has another table of keys than the code; regenerate it with"
        " `python -m l2p_search.display.key_table docs/hyperparameters.md`"
    )
    assert text.count(BEGIN) == text.count(END) == 1


def test_every_key_has_a_row_with_its_defaults() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in key_table().splitlines()]
    assert rows[0] == ["key", "default", "meaning", "read by"]
    assert [row[0] for row in rows[2:]] == [f"`{field.name}`" for field in fields(TrialConfig)]
    for key, default, *_ in rows[2:]:
        found = default.split(" / ")
        wanted = [getattr(config, key.strip("`")) for config in DEFAULTS.values()]
        assert len(found) == len(set(wanted))
        assert [type(value)(text) for value, text in zip(wanted, found, strict=False)] == wanted[
            : len(found)
        ]


@pytest.mark.parametrize(
    ("key", "read_by"),
    [
        ("lr", "all"),
        ("K", "all but mlp, geomgcn-i, geomgcn-p, geomgcn-s, linkx"),
        ("posterior", "L2P"),
        ("heads", "L2P on gat, gat"),
        ("identity", "L2P on gcnii, gcnii"),
        ("teleport", "L2P on appnp and gcnii, appnp, gprgnn, gcnii"),
        ("hidden", "all; not with `encoder: linear`"),
    ],
)
def test_readers_are_named_shortly(key: str, read_by: str) -> None:
    row = next(line for line in key_table().splitlines() if line.startswith(f"| `{key}` |"))
    assert row.endswith(f"| {read_by} |")


def test_a_document_without_a_place_for_the_table_is_refused() -> None:
    with pytest.raises(UserError, match="no place for the table"):
        with_table(f"{END} {BEGIN}")
