from pathlib import Path
from typing import get_args

import pytest

from l2p_search.config import DEFAULTS, Model, TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.published import TABLE_1, TABLE_2, TABLE_3, TABLE_4
from l2p_search.searching.space.search_space import Choices
from l2p_search.searching.space.shipped import (
    find_space_file,
    load_space,
    shipped_spaces,
    space_of_model,
)
from l2p_search.searching.space.space_file import parse_space


def test_the_papers_space_has_432_configurations_that_can_be_trained() -> None:
    space = load_space("paper")
    assert space.size == 3 * 3 * 2 * 4 * 6 == 432
    assert space.dimensions["K"] == Choices((2, 4, 8, 16, 32, 64))
    base = DEFAULTS["heterophily"]
    configs = {space.config(space.point(index), base).config_id for index in range(432)}
    assert len(configs) == 432


def test_select_and_quit_have_the_same_space_in_the_paper() -> None:
    quit_, select = load_space("paper"), load_space("paper-l2s")
    assert quit_.dimensions == select.dimensions
    assert (quit_.fixed["posterior"], select.fixed["posterior"]) == ("quit", "select")


def test_the_literal_space_is_the_papers_with_the_model_as_printed() -> None:
    ours, literal = load_space("paper"), load_space("paper-literal")
    assert literal.dimensions == ours.dimensions
    config = literal.config(literal.middle(), DEFAULTS["heterophily"])
    assert (config.scorer, config.scorer_bias, config.kl_weight) == ("per_step", "none", 1.0)
    assert config.decay_on == "theta"
    assert (config.method, config.algorithm, config.level) == ("l2q", "vi", "first_order")


def test_the_shipped_spaces_can_be_read_and_written() -> None:
    assert {"paper", "paper-l2s", "extended", "smoke", "gcn"} <= set(shipped_spaces())
    for name in shipped_spaces():
        space = load_space(name)
        assert parse_space(name, space.to_mapping()) == space


def test_every_model_has_a_space_that_trains_it() -> None:
    methods = {"l2q", "l2s", *TABLE_1, *TABLE_2, *TABLE_3, *TABLE_4, *get_args(Model)} - {"l2p"}
    tuned = {"gcn-tuned", "sage-tuned", "l2q-gcn-tuned", "l2q-sage-tuned"}
    for method in methods | tuned | {"l2q-gat", "l2s-gcnii", "l2q-sage", "l2s-sage"}:
        space = load_space(space_of_model(method))
        config = space.config(space.middle(), DEFAULTS["heterophily"])
        assert config.method == method
    with pytest.raises(ConfigError, match="unknown model 'gnc'; did you mean 'gcn'"):
        space_of_model("gnc")


@pytest.mark.parametrize("model", sorted({*get_args(Model)} - {"l2p"}))
def test_a_baseline_may_have_what_l2p_may_have_in_its_extended_space(model: str) -> None:
    name = "extended-gcn-alone" if model == "gcn" else f"extended-{model}"
    theirs, l2p = load_space(name), load_space("extended")
    config = theirs.config(theirs.middle(), DEFAULTS["homophily"])
    assert (config.model, theirs.trials, theirs.seeds) == (model, l2p.trials, l2p.seeds)
    shared = {key for key in l2p.dimensions if config.why_unread(key) is None}
    assert {"dropout", "lr", "hidden", "weight_decay", "consistency", "decay_on"} <= shared
    assert shared <= set(theirs.dimensions)
    for key in shared - {"K", "hidden", "teleport", "consistency"}:
        assert theirs.dimensions[key] == l2p.dimensions[key]
    widest = load_space("extended-homophily").dimensions["consistency"]
    assert theirs.dimensions["consistency"] == widest  # none of L2P's goes beyond it


def test_a_users_file_is_found_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("lr: {choices: [5e-4, 1e-3]}\n")
    space = load_space(str(path))
    assert space.name == "mine"
    assert space.dimensions["lr"] == Choices((5e-4, 1e-3))


def test_an_unknown_space_gets_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="did you mean 'paper'"):
        find_space_file("papr")
    with pytest.raises(ConfigError, match=r"nowhere/mine.yaml: no such file"):
        find_space_file("nowhere/mine.yaml")
    for path in ("mine.yaml", "mine.yml", "nowhere/mine"):
        with pytest.raises(ConfigError, match=f"{path}: no such file; check the path"):
            find_space_file(path)


@pytest.mark.parametrize("kind", DEFAULTS)
@pytest.mark.parametrize("name", shipped_spaces())
def test_a_shipped_space_gives_nothing_that_its_model_does_not_read(name: str, kind: str) -> None:
    space, base = load_space(name), DEFAULTS[kind]
    for start in ({}, *space.start):
        point = space.middle() | start
        by_hand = TrialConfig.from_mapping({**space.fixed, **point}, base)
        assert space.config(point, base) == by_hand
        assert TrialConfig(**by_hand.to_mapping()) == by_hand


def _starts(name: str) -> list[dict[str, object]]:
    return [dict(each) for each in load_space(name).start]


@pytest.mark.parametrize("backbone", ["gcn", "gat", "gcnii", "sage"])
@pytest.mark.parametrize("posterior", ["l2q", "l2s"])
def test_l2p_on_another_backbone_starts_as_the_papers_space_with_fewer_steps(
    posterior: str, backbone: str
) -> None:
    paper = _starts("paper")
    assert _starts(f"{posterior}-{backbone}") == [{**each, "K": 4} for each in paper]
    assert _starts("paper-l2s") == paper


@pytest.mark.parametrize("model", ["resgcn", "jknet", "incepgcn"])
def test_what_is_built_on_gcn_starts_with_its_values_and_four_layers(model: str) -> None:
    (gcn,) = _starts("gcn")
    assert _starts(model) == [{key: gcn[key] for key in gcn if key != "hidden"} | {"K": 4}]


@pytest.mark.parametrize("backbone", ["gcn-tuned", "sage-tuned"])
def test_l2q_on_a_tuned_backbone_starts_with_the_backbones_values(backbone: str) -> None:
    alone = _starts(backbone)
    assert _starts(f"l2q-{backbone}") == [{**each, "head_layers": 1} for each in alone]


@pytest.mark.parametrize("name", ["mlp", "paper-literal"])
def test_the_sampler_alone_begins_a_space_without_a_start(name: str) -> None:
    assert _starts(name) == []
