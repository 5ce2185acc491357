import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from l2p_search.searching.records.journal_file import quiet_optuna
from l2p_search.searching.space.axes import Axes, natural_distribution
from l2p_search.searching.space.search_space import Choices, Dimension, Range, SearchSpace

_SPACE = SearchSpace(
    "mine",
    {
        "K": Choices((16, 2, 64, 4)),
        "dropout": Choices((0.6, 0.2)),
        "posterior": Choices(("quit", "select")),
        "lr": Range(1e-3, 0.1, log=True),
        "hidden": Range(8, 64, step=8, whole=True),
    },
    {"weight_decay": 5e-4},
)


def test_numeric_choices_are_ranks_in_ascending_order_and_names_have_none() -> None:
    distributions = Axes(_SPACE).distributions
    assert distributions["K"] == IntDistribution(0, 3)
    assert distributions["dropout"] == IntDistribution(0, 1)
    assert distributions["posterior"] == CategoricalDistribution(("quit", "select"))
    assert list(distributions) == list(_SPACE.dimensions)  # what is fixed has no axis


def test_a_rank_is_the_place_among_the_values_in_ascending_order() -> None:
    axes = Axes(_SPACE)
    assert [axes.point({"K": rank})["K"] for rank in range(4)] == [2, 4, 16, 64]
    assert [axes.params({"K": steps})["K"] for steps in (2, 4, 16, 64)] == [0, 1, 2, 3]
    assert axes.point({"lr": 0.02, "posterior": "select"}) == {"lr": 0.02, "posterior": "select"}


def test_every_point_comes_back_from_its_parameters() -> None:
    axes = Axes(_SPACE)
    with quiet_optuna():
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    for _ in range(50):
        asked = study.ask(axes.distributions).params
        point = axes.point(asked)
        assert axes.params(point) == asked
        assert point["K"] in (2, 4, 16, 64)
        assert point["hidden"] in range(8, 65, 8)
    some = {"K": 16, "lr": 0.05}
    assert axes.point(axes.params(some)) == some


def test_a_step_is_reached_exactly_however_its_multiples_are_rounded() -> None:
    steps = Range(0.0, 0.8, step=0.2)
    axes = Axes(SearchSpace("steps", {"dropout": steps}, {}))
    assert 3 * 0.2 == 0.6000000000000001
    assert axes.point({"dropout": 3 * 0.2}) == {"dropout": 0.6}
    assert axes.params({"dropout": 0.6}) == {"dropout": 0.6}
    above = Axes(SearchSpace("steps", {"dropout": Range(0.3, 0.9, step=0.2)}, {}))
    assert above.point({"dropout": 0.3 + 2 * 0.2}) == {"dropout": 0.7}
    for value in steps.enumerated() or ():
        for nearby in (value, value + 1e-12, value - 1e-12):
            assert axes.point({"dropout": nearby}) == {"dropout": value}


@pytest.mark.parametrize(
    ("dimension", "wanted"),
    [
        (Choices((16, 2)), CategoricalDistribution((16, 2))),
        (Range(2, 9, whole=True, step=1), IntDistribution(2, 9)),
        (Range(2, 8, whole=True, step=3), IntDistribution(2, 8, step=3)),
        (Range(2, 64, whole=True, log=True), IntDistribution(2, 64, log=True)),
        (Range(0.0, 0.8), FloatDistribution(0.0, 0.8)),
        (Range(0.0, 0.8, step=0.2), FloatDistribution(0.0, 0.8, step=0.2)),
        (Range(1e-3, 0.1, log=True), FloatDistribution(1e-3, 0.1, log=True)),
    ],
)
def test_a_reader_of_a_study_sees_the_values_themselves(
    dimension: Dimension, wanted: optuna.distributions.BaseDistribution
) -> None:
    assert natural_distribution(dimension) == wanted
