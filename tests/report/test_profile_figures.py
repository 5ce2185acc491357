import numpy as np
import pytest

from l2p_search.report.drawing import rendered
from l2p_search.report.profile_figures import (
    correlation_figure,
    cosine,
    datasets_figure,
    node_figure,
)

_PROFILES = {"cora": (0.1, 0.2, 0.3, 0.4), "texas": (0.9, 0.08, 0.02)}


def _star(leaves: int) -> "np.ndarray":
    """Node 0 in the middle of so many others: [2, E], both directions."""
    out = np.stack([np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)])
    return np.concatenate([out, out[::-1]], axis=1)


def test_profiles_have_a_panel_per_posterior_and_a_row_per_dataset() -> None:
    figure = datasets_figure({"quit": _PROFILES, "select": {"cora": _PROFILES["cora"]}})
    quit_, select = figure.axes[:2]
    assert (quit_.get_title(), select.get_title()) == ("quit", "select")
    assert [label.get_text() for label in quit_.get_yticklabels()] == ["cora", "texas"]
    values = np.ma.filled(quit_.images[0].get_array(), np.nan)
    assert values[0] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert values[1, :3] == pytest.approx([0.9, 0.08, 0.02])
    assert np.isnan(values[1, 3])  # it has no such step: neither zero nor a colour
    assert rendered(figure, "png").startswith(b"\x89PNG")


def test_a_posterior_without_profiles_has_no_panel() -> None:
    figure = datasets_figure({"quit": _PROFILES, "select": {}})
    assert [axes.get_title() for axes in figure.axes if axes.get_title()] == ["quit"]


def test_the_cosine_of_profiles_counts_missing_steps_as_zero() -> None:
    assert cosine([[1.0], [1.0, 0.0], [0.0, 1.0]]).tolist() == [
        pytest.approx([1.0, 1.0, 0.0]),
        pytest.approx([1.0, 1.0, 0.0]),
        pytest.approx([0.0, 0.0, 1.0]),
    ]


def test_the_cosine_is_that_of_the_angle_and_the_same_both_ways() -> None:
    found = cosine([(0.5, 0.5), (1.0, 0.0), (0.2, 0.8)])
    assert found[0, 1] == pytest.approx(np.sqrt(0.5))
    assert found == pytest.approx(found.T)
    assert np.diag(found) == pytest.approx(1.0)
    assert found.max() <= 1.0


def test_every_cosine_is_written_into_its_cell() -> None:
    figure = correlation_figure(_PROFILES)
    axes = figure.axes[0]
    between = cosine(list(_PROFILES.values()))[0, 1]
    written = [text.get_text() for text in axes.texts]
    assert written == ["1.00", f"{between:.2f}", f"{between:.2f}", "1.00"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["cora", "texas"]


def test_nodes_without_a_label_are_drawn_and_named() -> None:
    edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    figure = node_figure(edges, np.array([0, -1, 1]), 1, [0.25, 0.75])
    (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend() is not None]
    assert [text.get_text() for text in legend.get_texts()] == ["no label", "class 0", "class 1"]


def test_a_node_is_drawn_with_what_lies_within_its_hops_and_with_its_q() -> None:
    path = np.array([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])  # 0 - 1 - 2 - 3 - 4 - 5
    edges = np.concatenate([path, path[::-1]], axis=1)
    figure = node_figure(edges, np.array([0, 1, 0, 1, 0, 1]), 0, [0.7, 0.2, 0.1], hops=2)
    around, steps = figure.axes
    assert around.get_title().startswith("node 0 and 2 nodes within 2 hops\n")
    drawn = [each for each in around.collections if len(each.get_offsets()) == 3]
    sizes = sorted(drawn[0].get_sizes())
    assert sizes[0] < sizes[1] < sizes[2]  # nearer nodes are larger
    assert [bar.get_height() for bar in steps.patches] == [0.7, 0.2, 0.1]
    assert steps.get_ylabel() == "q(t) of node 0"


def test_of_a_large_neighbourhood_the_nearest_are_drawn_and_that_is_said() -> None:
    figure = node_figure(_star(400), np.zeros(401, dtype=int), 0, [1.0, 0.0])
    title = figure.axes[0].get_title()
    assert title.startswith("node 0 and 400 nodes within 3 hops, the nearest 150\n")


def test_a_node_without_neighbours_is_drawn_alone() -> None:
    figure = node_figure(_star(2), np.zeros(5, dtype=int), 4, [1.0])
    assert figure.axes[0].get_title().startswith("node 4 and 0 nodes within 3 hops\n")
    assert rendered(figure, "png").startswith(b"\x89PNG")
