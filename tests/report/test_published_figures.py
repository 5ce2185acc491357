import pytest

from l2p_search.report.drawing import rendered
from l2p_search.report.published_figures import (
    BudgetPanel,
    BudgetPoint,
    as_pdf,
    budget_figure,
    ranks_figure,
)
from tests.report.test_markup import NASTY


def _points(start: float, test: float | None = 70.0) -> list[BudgetPoint]:
    return [BudgetPoint(n, start + n, start, start + 2 * n, test) for n in (1, 2, 4)]


def _texts(figure: object) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]  # type: ignore[attr-defined]


def test_ranks_name_every_method_and_the_critical_difference() -> None:
    average = {"L2Q": 1.25, "MLP": 2.0, "APPNP": 2.75}
    figure = ranks_figure(average, [["L2Q", "MLP"]], 1.17, 8)
    said = " ".join(_texts(figure))
    for name, rank in average.items():
        assert f"{name}  {rank:.2f}" in said or f"{rank:.2f}  {name}" in said
    assert "critical difference 1.17 (8 graphs" in said
    (bar,) = [line for line in figure.axes[0].lines if line.get_linewidth() > 3]
    low, high = bar.get_xdata()
    assert low < 1.25 < 2.0 < high < 2.75


@pytest.mark.parametrize("count", [2, 3, 9, 20])
def test_ranks_are_drawn_for_any_number_of_methods(count: int) -> None:
    average = {f"m{i}": 1.0 + i for i in range(count)}
    assert rendered(ranks_figure(average, [], 99.0, 2), "png")


def test_budgets_have_validation_above_test_for_every_graph() -> None:
    panels = [
        BudgetPanel(
            title=f"graph {i}", score="accuracy", curves={"a": _points(80), "b": _points(7)}
        )
        for i in range(6)
    ]
    figure = budget_figure(panels)
    seen = [axes for axes in figure.axes if axes.get_visible()]
    assert len(seen) == 12
    assert all(len(axes.lines) == 2 for axes in seen)
    (legend,) = figure.legends
    assert [text.get_text().strip() for text in legend.get_texts()] == ["a", "b"]


def test_one_trial_and_sealed_test_scores_are_drawn() -> None:
    one = [BudgetPoint(1, 80.0, 80.0, 80.0, None)]
    assert rendered(
        budget_figure([BudgetPanel(title="g", score="ROC AUC", curves={"a": one})]), "png"
    )


def test_no_name_is_a_formula_or_a_warning() -> None:
    panels = [
        BudgetPanel(title=name, score="x", curves={name: _points(80), "other": _points(7)})
        for name in NASTY[:8]
    ]
    assert as_pdf(budget_figure(panels))
    average = {name: 1.0 + rank for rank, name in enumerate(NASTY)}
    assert as_pdf(ranks_figure(average, [NASTY[:2]], 2.0, 3))


def test_a_pdf_is_the_same_when_it_is_made_again() -> None:
    def figure() -> bytes:
        return as_pdf(ranks_figure({"a": 1.0, "b": 2.0}, [], 2.0, 3))

    assert figure() == figure()
    assert figure()[:5] == b"%PDF-"
