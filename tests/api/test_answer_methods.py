"""The methods of an answer: their spaces are valid, and fair to each other."""

import itertools

import pytest

from l2p_search.api.answer_methods import (
    BACKBONES,
    answer_space,
    costliest_first,
    long_name,
    methods,
    search_word,
    short_name,
    simplest_first,
)
from l2p_search.config import DEFAULTS
from l2p_search.errors import UserError

_ALL = [(method, backbone) for backbone in BACKBONES for method in methods(backbone)]


@pytest.mark.parametrize("kind", DEFAULTS)
@pytest.mark.parametrize(("method", "backbone"), _ALL)
def test_every_point_of_a_space_is_a_valid_config_of_its_method(
    method: str, backbone: str, kind: str
) -> None:
    space = answer_space(method, backbone)
    choices = {key: dimension.values for key, dimension in space.dimensions.items()}  # type: ignore[union-attr]
    keys = [*space.dimensions, *space.fixed]
    for values in itertools.product(*choices.values()):
        config = space.config(dict(zip(choices, values, strict=True)), DEFAULTS[kind])
        assert config.method == search_word(method, backbone)
        assert [key for key in keys if config.why_unread(key) is not None] == []


@pytest.mark.parametrize("backbone", ["gcn-tuned", "sage-tuned"])
def test_tuned_backbones_and_l2q_on_them_start_from_the_same_points(backbone: str) -> None:
    l2q, alone = (answer_space(method, backbone).start for method in ("l2q", backbone))
    assert l2q == alone
    assert len(l2q) == 2


@pytest.mark.parametrize("backbone", BACKBONES)
def test_all_methods_choose_among_the_same_regularisation(backbone: str) -> None:
    spaces = {method: answer_space(method, backbone).to_mapping() for method in methods(backbone)}
    for key in ("dropout", "weight_decay", "lr", "hidden", "epochs", "patience"):
        assert all(space[key] == spaces["l2q"][key] for space in spaces.values())


@pytest.mark.parametrize("backbone", BACKBONES)
def test_l2q_has_the_dimensions_of_its_backbone_alone(backbone: str) -> None:
    l2q, alone = (answer_space(method, backbone).dimensions for method in ("l2q", backbone))
    assert {key: l2q[key] for key in l2q if key in alone} == l2q
    assert set(alone) - set(l2q) <= {"teleport"}


@pytest.mark.parametrize("backbone", BACKBONES)
def test_the_same_methods_are_ordered_by_simplicity(backbone: str) -> None:
    assert sorted(simplest_first(backbone)) == sorted(methods(backbone))
    assert simplest_first(backbone)[0] == "mlp"
    assert simplest_first(backbone)[-1] == methods(backbone)[0] == "l2q"


@pytest.mark.parametrize("backbone", BACKBONES)
def test_the_same_methods_are_searched_with_those_whose_steps_have_weights_first(
    backbone: str,
) -> None:
    order = costliest_first(backbone)
    assert sorted(order) == sorted(methods(backbone))
    assert order[-1] == "mlp"
    assert order[0] == ("gcn" if backbone == "appnp" else "l2q")


def test_names_say_what_l2q_is_put_on_where_it_is_not_appnp() -> None:
    assert long_name("l2q", "appnp") == "L2Q, each node its own number of steps"
    assert long_name("appnp", "appnp") == "APPNP, one number of steps for all"
    assert long_name("gcn", "appnp") == "GCN"
    assert long_name("mlp", "gcn-tuned") == "MLP, no step at all"
    assert short_name("l2q", "sage-tuned") == "L2Q on tuned GraphSAGE"
    for backbone in BACKBONES:
        names = [long_name(method, backbone) for method in methods(backbone)]
        assert len(set(names)) == len(names)


def test_searches_of_different_methods_have_different_names() -> None:
    spaces = {search_word(*pair): answer_space(*pair).to_mapping() for pair in _ALL}
    for pair in _ALL:
        assert spaces[search_word(*pair)] == answer_space(*pair).to_mapping()


@pytest.mark.parametrize("bad", ["gcn-tunned", "mlp", "", 3, None])
def test_an_unknown_backbone_is_refused_in_one_line(bad: str) -> None:
    with pytest.raises(UserError) as error:
        methods(bad)
    assert str(error.value).startswith("backbone")
    assert "is no backbone of an answer" in str(error.value)
    assert "\n" not in str(error.value)
