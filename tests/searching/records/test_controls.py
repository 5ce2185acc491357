"""What a winner is held against: its own settings without edges, without learned steps."""

from dataclasses import fields

import pytest

from l2p_search.config import TrialConfig
from l2p_search.searching.records.controls import (
    Piece,
    beside,
    controls_of,
    default_of,
    expected_pieces,
    fresh_seeds,
    pieces_of,
    sharing_labels,
)
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.space.shipped import load_space
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import settings
from tests.searching.records.made import record

_GOAL = Goal(trials=8, confirm=3, ties=2, controls=True, fresh_splits="3x48/32/20")


@pytest.mark.parametrize("backbone", ["appnp", "gcn", "sage", "gat", "gcnii"])
def test_l2p_is_held_against_an_mlp_and_its_own_backbone_with_every_setting_they_have(
    backbone: str,
) -> None:
    given = {"backbone": backbone, "K": 4, "dropout": 0.3, "hidden": 32, "consistency": 0.5}
    winner, base = TrialConfig.from_mapping(given), TrialConfig()
    found = controls_of(winner, base)
    assert {role: each.model for role, each in found.items()} == {
        "mlp": "mlp",
        "backbone": backbone,
    }
    for control in found.values():
        for field in fields(winner):
            if field.name != "model" and control.why_unread(field.name) is None:
                assert getattr(control, field.name) == getattr(winner, field.name)
        TrialConfig(**control.to_mapping())  # nothing in it that has no effect


@pytest.mark.parametrize(
    "odd", [{"classifier": "per_step"}, {"encoder": "linear"}, {"skip": 0.5}, {"self_loop": 0.0}]
)
def test_settings_that_only_l2p_has_do_not_keep_a_control_from_being_trained(
    odd: dict[str, object],
) -> None:
    found = controls_of(TrialConfig.from_mapping({"K": 3, **odd}), TrialConfig())
    assert [each.K for each in found.values()] == [TrialConfig().K, 3]


def test_a_baseline_has_no_controls_but_a_default() -> None:
    space = parse_space("one", {"model": "gcn", "K": {"choices": [1, 2]}})
    found = pieces_of(settings(space), _GOAL, [record(0, (80.0,), model="gcn", K=2)])
    assert [piece.role for piece in found] == ["winner", "fresh_splits", "default"]
    assert found[-1].config.model == "gcn"
    assert found[-1].config.K == TrialConfig().K
    assert len(beside(settings(space), _GOAL)) == 2


def test_the_default_is_what_the_search_would_have_trained_without_searching() -> None:
    base = TrialConfig(K=8)
    assert default_of(settings(load_space("paper"), base=base)) == base
    found = default_of(settings(load_space("smoke"), base=base))
    assert found is not None
    assert (found.epochs, found.patience, found.K) == (40, 20, 8)


def test_every_piece_has_the_same_fresh_seeds_and_the_winner_comes_first() -> None:
    ties = [record(4, (80.0,), K=4), record(1, (79.0,), K=2)]
    found = pieces_of(settings(), _GOAL, ties)
    assert [piece.role for piece in found] == [
        "winner",
        "tie",
        "fresh_splits",
        "default",
        "mlp",
        "backbone",
        "shared_out",
        "same_labels",
    ]
    assert {piece.seeds for piece in found} == {fresh_seeds(settings(), 3)}
    assert [piece.splits is None for piece in found].count(False) == 1
    assert [piece.name for piece in found[2:]] == [
        "the winner on fresh splits",
        "the default configuration",
        "MLP",
        "APPNP",
        "the winner with phi_share 0.5",
        "APPNP on the same labels",
    ]


def test_what_is_trained_beside_is_named_before_the_winner_is_known() -> None:
    fixed = beside(settings(), _GOAL)
    assert fixed == [
        "the winner on 3 fresh splits",
        "the default configuration",
        "MLP",
        "APPNP at the winner's settings",
        "the winner with phi_share 0.5",
        "APPNP on the same labels",
    ]
    space = parse_space("two", {"backbone": {"choices": ["appnp", "gcn"]}, "phi_share": 0.25})
    assert beside(settings(space), _GOAL)[3:] == [
        "its backbone at the winner's settings",
        "the winner with phi_share 0.25",
        "its backbone on the same labels",
    ]


def test_joint_learning_shares_no_validation_labels_out() -> None:
    space = parse_space("joint", {"level": "joint", "K": {"choices": [2, 4]}})
    assert beside(settings(space), _GOAL)[1:] == [
        "the default configuration",
        "MLP",
        "APPNP at the winner's settings",
    ]


def test_a_default_whose_values_exclude_each_other_is_not_trained() -> None:
    space = parse_space("gat", {"model": "gat", "hidden": {"choices": [8, 16]}, "heads": 8})
    searched = settings(space, base=TrialConfig(hidden=12))
    assert default_of(searched) is None
    found = pieces_of(searched, _GOAL, [record(0, (80.0,), model="gat", hidden=8, heads=8)])
    assert [piece.role for piece in found] == ["winner", "fresh_splits"]


def test_models_are_called_as_their_papers_call_them() -> None:
    models = {"mlp": "MLP", "gcn": "GCN", "gat": "GAT", "appnp": "APPNP", "gcnii": "GCNII"}
    for model, name in {**models, "sage": "GraphSAGE", "resgcn": "resgcn"}.items():
        assert Piece("backbone", TrialConfig.recorded({"model": model}), (0,)).name == name


def test_nothing_is_trained_beside_a_search_without_fresh_seeds() -> None:
    none = Goal(trials=8, confirm=0, controls=True, fresh_splits="3x48/32/20")
    assert pieces_of(settings(), none, [record(0, (80.0,))]) == []
    assert (expected_pieces(settings(), none), beside(settings(), none)) == (0, [])


def test_what_will_be_trained_is_counted_before_it_is_known() -> None:
    most = expected_pieces(settings(), _GOAL, at_most=True)
    ties = [record(number, (80.0,), K=2 + number) for number in range(3)]
    assert most == len(pieces_of(settings(), _GOAL, ties)) == 9
    assert expected_pieces(settings(), _GOAL) == 8
    for ties, confirmed in ((0, 1), (1, 1), (4, 2), (8, 3)):  # the root of winner and ties
        goal = Goal(trials=20, confirm=3, ties=ties)
        assert expected_pieces(settings(), goal) == confirmed
    alone = Goal(trials=1, confirm=3, ties=4)
    assert expected_pieces(settings(), alone, at_most=True) == 1


def test_phi_and_a_baseline_get_the_same_share_of_the_validation_labels() -> None:
    for given, share in ((1.0, 0.5), (0.3, 0.3)):
        winner = TrialConfig(K=4, phi_share=given)
        found = sharing_labels(winner, TrialConfig())
        assert found["shared_out"].phi_share == share
        assert found["same_labels"].extra_labels == share
        assert found["same_labels"].model == "appnp"
    assert sharing_labels(winner, TrialConfig())["shared_out"] == winner
    assert sharing_labels(TrialConfig(level="joint"), TrialConfig()) == {}
    assert sharing_labels(TrialConfig(model="gcn"), TrialConfig()) == {}
