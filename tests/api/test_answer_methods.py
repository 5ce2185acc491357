"""The methods of an answer: their spaces are valid, and fair to each other."""

import itertools

import pytest

from l2p_search.api.answer_methods import METHODS, answer_space
from l2p_search.config import DEFAULTS


@pytest.mark.parametrize("kind", DEFAULTS)
@pytest.mark.parametrize("method", METHODS)
def test_every_point_of_a_space_is_a_valid_config(method: str, kind: str) -> None:
    space = answer_space(method)
    choices = {key: dimension.values for key, dimension in space.dimensions.items()}  # type: ignore[union-attr]
    for values in itertools.product(*choices.values()):
        config = space.config(dict(zip(choices, values, strict=True)), DEFAULTS[kind])
        assert config.model == {"l2q": "l2p"}.get(method, method)
        assert [key for key in space.to_mapping() if config.why_unread(key) is not None] == []


def test_all_methods_choose_among_the_same_regularisation() -> None:
    spaces = [answer_space(method).to_mapping() for method in METHODS]
    for key in ("dropout", "weight_decay", "lr", "hidden", "epochs", "patience"):
        assert all(space[key] == spaces[0][key] for space in spaces)
    assert spaces[0]["K"] == spaces[1]["K"]  # L2Q looks as far as the best fixed number of steps
