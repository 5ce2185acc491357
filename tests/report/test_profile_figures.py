import numpy as np
import pytest

from l2p_search.report.profile_figures import cosine, node_figure


def test_nodes_without_a_label_are_drawn_and_named() -> None:
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    figure = node_figure(edges, np.array([0, -1, 1]), 1, [0.25, 0.75])
    (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend() is not None]
    assert [text.get_text() for text in legend.get_texts()] == ["no label", "class 0", "class 1"]


def test_the_cosine_of_profiles_counts_missing_steps_as_zero() -> None:
    assert cosine([[1.0], [1.0, 0.0], [0.0, 1.0]]).tolist() == [
        pytest.approx([1.0, 1.0, 0.0]),
        pytest.approx([1.0, 1.0, 0.0]),
        pytest.approx([0.0, 0.0, 1.0]),
    ]
