"""The columns of the table of a graph, as a served model takes it, and an example of one."""

from typing import Any

from l2p_search.saved.expected import Expected

NODE, NEIGHBOURS, WEIGHTS, FEATURES = "node", "neighbours", "weights", "features"
_MOST_COLUMNS = 100
"""More features than this, or features without names, stand in one column as lists."""


def feature_columns(expected: Expected) -> tuple[str, ...]:
    """The columns that hold the features of a model's graphs.

    Args:
        expected: What the model knows of its graph.

    Returns:
        A column per feature where they have names and are few; one column `features` of lists
        otherwise; none for a model whose features were made from the graph.
    """
    names = expected.feature_names
    if expected.scaling == "made":
        return ()
    if names is None or len(names) > _MOST_COLUMNS or {NODE, NEIGHBOURS, WEIGHTS} & {*names}:
        return (FEATURES,)
    return names


def example_table(expected: Expected) -> dict[str, list[Any]] | None:
    """A table of three made-up nodes that a model predicts, to show the form.

    Args:
        expected: What the model knows of its graph.

    Returns:
        Columns by name; None for a model that predicts its own graph alone.
    """
    if expected.same_nodes is not None or expected.same_edges is not None:
        return None
    columns = feature_columns(expected)
    if not columns:
        return None
    usual = expected.standard.center if expected.standard is not None else None
    values = [
        list(usual) if usual is not None else [float(at == row) for at in range(expected.features)]
        for row in range(3)
    ]
    given: dict[str, list[Any]] = {FEATURES: values}
    if columns != (FEATURES,):
        given = {name: [row[at] for row in values] for at, name in enumerate(columns)}
    return {NODE: ["a", "b", "c"], **given, NEIGHBOURS: [["b"], ["a", "c"], ["b"]]}
