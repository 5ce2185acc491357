from dataclasses import replace

import numpy as np

from l2p_search.data.demo import demo_graph
from l2p_search.data.describing import described
from l2p_search.data.graph import Graph


def test_the_paragraph_says_all_that_was_understood() -> None:
    graph = Graph.build(
        name="ring",
        edges=np.stack([np.arange(40), (np.arange(40) + 1) % 40]),
        y=["red"] * 20 + ["blue"] * 18 + [None] * 2,
        weights=np.full(40, 2.0),
    )
    assert described(graph) == (
        "ring: 40 nodes, 40 edges, weighted. Every edge was listed in one direction and is taken"
        " in both; 2 nodes have no label. No features: each of the 40 nodes got a column of its"
        " own (one-hot). 2 classes: red (20), blue (18). Homophily by training labels 0.95 (0.89"
        " beyond chance, 9 edges per split). 10 splits made by 10x48/32/20: 19/12/7"
        " training/validation/test nodes in the first."
    )


def test_of_many_classes_the_largest_are_listed() -> None:
    y = np.arange(200) % 19
    graph = Graph.build(edges=np.stack([np.arange(199), np.arange(1, 200)]), y=y)
    assert "19 classes: 0 (11), 1 (11)" in described(graph)
    assert "and 11 smaller ones." in described(graph)


def test_without_edges_between_training_nodes_homophily_is_unknown() -> None:
    graph = Graph.build(
        edges=[[0, 1, 2], [3, 4, 5]], y=[0, 1, 0, 1, 0, 1], train=[0, 1], val=[2, 3], test=[4, 5]
    )
    assert "No edge joins two training nodes, so homophily is unknown." in described(graph)
    assert "1 split as given: 2/2/2 training/validation/test nodes." in described(graph)


def test_the_paragraph_has_no_line_break() -> None:
    assert "\n" not in described(demo_graph())


def test_the_names_of_classes_stay_in_their_line() -> None:
    y = ["two\nlines", "\x1b[31mred"] * 20
    graph = Graph.build(edges=np.stack([np.arange(39), np.arange(1, 40)]), y=y)
    assert r"2 classes: \x1b[31mred (20), two\nlines (20)." in described(graph)


def test_a_name_of_a_file_neither_ends_the_line_nor_commands_a_terminal() -> None:
    graph = demo_graph()
    change = "nodes from no\x1b[31m\nde\u2028s.csv"
    said = described(replace(graph, about=replace(graph.about, changes=(change,))))
    assert said.isprintable()
    assert "Nodes from no\\x1b[31m\\nde\\u2028s.csv." in said
