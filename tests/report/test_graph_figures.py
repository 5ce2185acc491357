from l2p_search.report.graph_figures import distributions_figure


def test_bars_are_as_high_as_the_counts_and_the_largest_classes_are_drawn() -> None:
    classes = {f"class {n}": n + 1 for n in range(30)}
    figure = distributions_figure({"0": 3, "1": 5, "2": 1}, classes)
    left, right = figure.axes
    assert [patch.get_height() for patch in left.patches] == [3, 5, 1]
    heights = [patch.get_height() for patch in right.patches]
    assert heights == list(range(30, 10, -1))
    assert left.get_xlabel() == "neighbours"
