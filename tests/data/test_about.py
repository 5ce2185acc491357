import dataclasses

import pytest

from l2p_search.data.about import About
from l2p_search.data.graph import Graph


def test_it_is_no_part_of_the_digest(small_graph: Graph) -> None:
    told = dataclasses.replace(small_graph, about=About(source="x", changes=("a", "b")))
    assert told.digest == small_graph.digest


def test_it_cannot_be_changed_behind_a_graph() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        About().source = "elsewhere"  # type: ignore[misc]
