"""Which columns the table of a graph has, and an example that every such model predicts."""

from dataclasses import replace

from l2p_search.data.standardising import Standard
from l2p_search.saved.node_table import graph_of_table
from l2p_search.saved.served_columns import example_table, feature_columns
from l2p_search.saved.trained_model import Model
from tests.saved.tables import PEOPLE


def test_features_have_columns_of_their_own_where_they_have_names_and_are_few() -> None:
    many = tuple(f"word {at}" for at in range(101))
    assert feature_columns(PEOPLE) == ("age", "income")
    assert feature_columns(replace(PEOPLE, feature_names=None)) == ("features",)
    assert feature_columns(replace(PEOPLE, features=101, feature_names=many)) == ("features",)
    assert feature_columns(replace(PEOPLE, feature_names=("age", "node"))) == ("features",)
    assert feature_columns(replace(PEOPLE, scaling="made")) == ()


def test_the_example_is_a_table_that_can_be_read(model: Model) -> None:
    standard = Standard((30.0, 2000.0), (10.0, 500.0))
    for expected in (
        PEOPLE,
        replace(PEOPLE, scaling="standard", standard=standard),
        model.expected,
    ):
        table = example_table(expected)
        assert table is not None
        assert graph_of_table(table, expected).num_nodes == 3
    assert table is not None
    assert model.predict(graph_of_table(table, model.expected)).shape == (3,)


def test_a_model_of_one_graph_alone_has_no_example() -> None:
    assert example_table(replace(PEOPLE, same_nodes="")) is None
    assert example_table(replace(PEOPLE, same_edges="0")) is None
