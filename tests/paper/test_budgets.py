import pytest

from l2p_search.config import DEFAULTS
from l2p_search.errors import ConfigError, DataError
from l2p_search.paper.budgets import BUDGETS, base_of, grid_study, method_study, narrowed
from l2p_search.published import TABLE_1, TABLE_2, TABLE_3, TABLE_4
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from l2p_search.searching.space.shipped import load_space, space_of_model

_METHODS = sorted({*TABLE_1, *TABLE_2, *TABLE_3, *TABLE_4})


@pytest.mark.parametrize("method", _METHODS)
def test_a_narrow_search_is_a_part_of_the_models_space(method: str) -> None:
    space = load_space(space_of_model(method))
    part = narrowed(space, 8)
    for key, dimension in part.dimensions.items():
        assert set(dimension.enumerated() or ()) <= set(space.dimensions[key].enumerated() or ())
    for key in set(space.dimensions) - set(part.dimensions):
        assert part.fixed[key] in (space.dimensions[key].enumerated() or ())
    assert part.fixed["lr"] == 0.01
    steps = part.dimensions.get("K", Choices(()))
    assert all(value <= 8 for value in steps.enumerated() or ())
    for point in part.start:
        config = part.config({**part.middle(), **point}, DEFAULTS["heterophily"])
        assert config.method == method


def test_what_would_have_no_value_left_keeps_all() -> None:
    space = SearchSpace(
        "mine",
        {"lr": Choices((0.1, 0.2)), "hidden": Choices((8, 32)), "K": Choices((32, 64))},
        {},
        start=({"K": 32, "lr": 0.1},),
    )
    assert narrowed(space, 8) == space


def test_a_narrow_space_takes_the_first_width_there_is_and_leaves_ranges_alone() -> None:
    ranged = {"lr": Range(1e-3, 0.1, log=True), "dropout": Choices((0.2, 0.4))}
    wide = SearchSpace("wide", {**ranged, "hidden": Choices((16, 64, 128))}, {"K": 2})
    found = narrowed(wide, 8)
    assert found.fixed == {"K": 2, "hidden": 64}
    assert found.dimensions == ranged
    slim = SearchSpace("slim", {**ranged, "hidden": Choices((8, 16))}, {})
    assert narrowed(slim, 8).fixed == {"hidden": 16}


def test_a_start_loses_the_values_that_are_gone_and_an_empty_one_is_dropped() -> None:
    space = SearchSpace(
        "mine",
        {"K": Choices((2, 4, 64)), "dropout": Choices((0.2, 0.4))},
        {},
        start=({"K": 64, "dropout": 0.4}, {"K": 64}, {"K": 2}),
    )
    assert narrowed(space, 8).start == ({"dropout": 0.4}, {"K": 2})


def test_a_study_is_named_by_its_budget_dataset_and_method() -> None:
    study = method_study("gat", "texas", "quick")
    assert study.name == "paper-quick-texas-gat"
    assert study.goal.trials == BUDGETS["quick"].trials
    assert study.goal.ties == 0
    assert method_study("gat", "texas", "full").space == load_space("gat")


def test_layered_models_have_fewer_steps_and_half_the_epochs_on_a_large_graph() -> None:
    quick = BUDGETS["quick"]
    texas = method_study("gcn", "texas", "quick")
    assert texas.base.epochs == quick.layered_epochs == 200
    assert method_study("gcn", "pubmed", "quick").base.epochs == 100
    assert method_study("l2q", "pubmed", "quick").base.epochs == DEFAULTS["homophily"].epochs
    most = {}
    for method in ("l2q", "gcn", "gat"):
        space = method_study(method, "texas", "quick").space
        steps = space.dimensions.get("K", Choices((space.fixed.get("K"),)))
        most[method] = max(steps.enumerated() or ())
    assert most == {"l2q": quick.most_steps, "gcn": quick.most_layers, "gat": 2}


def test_a_grid_has_every_combination_once_and_confirms_nothing() -> None:
    varied = {"posterior": ["quit", "select"], "algorithm": ["em", "vi"]}
    study = grid_study("algorithms", "texas", "smoke", varied, {"K": 4})
    assert study.name == "paper-smoke-texas-algorithms"
    assert (study.goal.trials, study.goal.confirm) == (4, 0)
    assert study.sampler == "grid"
    configs = [study.space.config(study.space.point(i), study.base) for i in range(4)]
    assert {(c.posterior, c.algorithm) for c in configs} == {
        (posterior, algorithm) for posterior in ("quit", "select") for algorithm in ("em", "vi")
    }
    assert {c.K for c in configs} == {4}


def test_the_base_is_of_the_kind_of_graph_and_its_patience_within_the_epochs() -> None:
    assert base_of("cora", None) == DEFAULTS["homophily"]
    assert base_of("texas", None) == DEFAULTS["heterophily"]
    short = base_of("texas", 5)
    assert (short.epochs, short.patience) == (5, 5)
    assert base_of("texas", 500).patience == DEFAULTS["heterophily"].patience


def test_a_budget_is_described_for_readers_of_its_results() -> None:
    assert BUDGETS["full"].in_words() == "the best on validation of 200 trials of 20 seeds"
    quick = BUDGETS["quick"].in_words()
    for part in ("3 trials of 4 seeds", "K up to 16, or 4", "200 epochs", "100 on graphs"):
        assert part in quick
    assert "1 trial of 2 seeds" in BUDGETS["smoke"].in_words()


def test_an_unknown_method_or_dataset_gets_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="did you mean 'gcn'"):
        method_study("gnc", "texas", "quick")
    with pytest.raises(DataError, match="did you mean 'texas'"):
        method_study("gcn", "texsa", "quick")
