import doctest
from typing import Any, get_type_hints

import pytest

from l2p_search.config import TrialConfig
from l2p_search.nn import choices
from l2p_search.nn.choices import Choices

_SIZES = {"in_channels": 7, "hidden_channels": 6, "out_channels": 3}


def test_every_option_of_l2p_in_a_configuration_is_one_of_the_model_or_of_its_learning() -> None:
    config = TrialConfig()
    of_l2p = {key for key in config.to_mapping() if _is_of_l2p(key)} - {"model", "hidden"}
    learned_by = {
        "lr", "upper_lr", "weight_decay", "decay_on", "step_decay", "level", "consistency",
        "sharpening", "class_weight", "phi_share", "epochs", "patience", "stop_on",
    }  # fmt: skip
    of_model = set(Choices.__dataclass_fields__) - {*_SIZES, "normalize"}
    assert of_l2p == of_model | learned_by
    assert not of_model & learned_by


def _is_of_l2p(key: str) -> bool:
    return any(
        TrialConfig.recorded(
            {"backbone": backbone, "prior": "geometric", "consistency": 1.0}
        ).why_unread(key)
        is None
        for backbone in ("appnp", "gcn", "sage", "gat", "gcnii")
    )


def test_names_are_those_of_a_configuration() -> None:
    mine, theirs = get_type_hints(Choices), get_type_hints(TrialConfig)
    for name in set(mine) & set(theirs):
        wanted, had = mine[name], theirs[name]
        assert set(getattr(wanted, "__args__", (wanted,))) == set(getattr(had, "__args__", (had,)))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"backbone": "gnc"}, "backbone='gnc' must be one of appnp, gcn, sage, gat, gcnii"),
        ({"K": 0}, "K=0 must be a whole number of at least 1"),
        ({"in_channels": 2.5}, "in_channels=2.5 must be a whole number"),
        ({"dropout": 1.0}, r"dropout=1.0 must be a rate from 0 to below 1"),
        ({"node_dropout": -0.1}, "node_dropout=-0.1 must be a rate"),
        ({"backbone": "gat", "heads": 4}, "hidden_channels=6 must be a multiple of heads=4"),
    ],
)
def test_what_cannot_be_is_refused_by_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Choices(**{**_SIZES, **given})


def test_its_example_runs() -> None:
    assert doctest.testmod(choices, optionflags=doctest.IGNORE_EXCEPTION_DETAIL).failed == 0
