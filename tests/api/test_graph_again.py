from dataclasses import replace

import pytest

from l2p_search.api.graph_again import graph_again
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.errors import DataError, SearchError
from tests.searching.pretend import settings


def test_a_dataset_is_loaded_by_its_name_and_a_graph_in_memory_is_asked_for(
    small_graph: Graph,
) -> None:
    demo = load_graph("demo")
    by_name = settings(dataset="demo", data_digest=demo.digest)
    assert graph_again(by_name, "s", None, None).digest == demo.digest
    in_memory = settings(dataset="small", data_digest=small_graph.digest)
    assert graph_again(in_memory, "s", small_graph, None) is small_graph
    with pytest.raises(SearchError, match="its graph small was made in memory; give it again"):
        graph_again(in_memory, "s", None, None)


def test_other_content_is_refused(small_graph: Graph) -> None:
    began = settings(dataset="small", data_digest="another")
    with pytest.raises(SearchError, match="the data of small has changed since"):
        graph_again(began, "s", small_graph, None)


def test_a_file_that_is_gone_is_named_with_the_search() -> None:
    began = replace(settings(), graph={"source": "gone.npz"})
    with pytest.raises(DataError, match=r"search .s.: its graph cannot be read again: .*gone"):
        graph_again(began, "s", None, None)


def test_a_journal_of_somebody_else_calls_no_function_of_pythons_own() -> None:
    for source in ("os:abort", "os.path:abspath"):
        began = replace(settings(), graph={"source": source})
        with pytest.raises(SearchError, match=f"{source} is a function of Python's own"):
            graph_again(began, "s", None, None)


def test_an_argument_that_no_version_had_is_named() -> None:
    for key in ("exec", "data_dir", "to_predict"):
        began = replace(settings(), graph={"source": "demo", key: "x"})
        with pytest.raises(SearchError, match=f"its graph was read with '{key}', which this"):
            graph_again(began, "s", None, None)
