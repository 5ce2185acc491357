"""A winner beside what was trained on the same fresh seeds, as far as that is there."""

from dataclasses import replace

import numpy as np
import pytest

from l2p_search.node_hits import NodeHits
from l2p_search.other_nodes import difference_over_nodes
from l2p_search.searching.records.controls import pieces_of
from l2p_search.searching.records.held_against import held_against
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import settings
from tests.searching.records.made import record, result

_GOAL = Goal(trials=8, confirm=3, controls=True, fresh_splits="3x48/32/20")
_PIECES = pieces_of(settings(), _GOAL, [record(5, (80.0,), K=4)])


def _checked(**accuracies: tuple[float, ...]):  # type: ignore[no-untyped-def]
    return {
        piece.key: result(accuracies[piece.role], piece.config, first_seed=20, splits=10)
        for piece in _PIECES
        if piece.role in accuracies
    }


def test_differences_are_the_winner_minus_the_other_paired_by_seed() -> None:
    checked = _checked(
        winner=(80.0, 82.0, 84.0), mlp=(79.0, 80.0, 81.0), default=(80.0, 82.0, 84.0)
    )
    held = held_against(_PIECES, checked, {})
    mlp = held.of("mlp")
    assert mlp is not None
    assert mlp.difference.mean == pytest.approx(2.0)
    assert mlp.difference.half_width == pytest.approx(4.302653 * 1.0 / 3**0.5)
    assert held.of("backbone") is None
    assert held.fresh_splits is None


def test_with_its_test_nodes_a_difference_is_told_for_other_nodes_too() -> None:
    checked = _checked(winner=(80.0, 82.0, 84.0), mlp=(79.0, 80.0, 81.0))
    for at, (key, found) in enumerate(checked.items()):
        seeds = tuple(
            replace(seed, hits=NodeHits(np.arange(4), np.array([100.0, 50.0, 60.0 + at, own])))
            for own, seed in enumerate(found.seeds)
        )
        checked[key] = replace(found, seeds=seeds)
    mlp = held_against(_PIECES, checked, {}).of("mlp")
    assert mlp is not None
    assert mlp.elsewhere is not None
    assert mlp.elsewhere == difference_over_nodes(mlp.result, checked[_PIECES[0].key])


def test_everything_that_was_trained_beside_the_winner_is_held_against_it() -> None:
    roles = ("winner", "mlp", "backbone", "fresh_splits", "shared_out", "same_labels")
    checked = _checked(**{role: (80.0, 82.0, 84.0 + at) for at, role in enumerate(roles)})
    for piece in _PIECES:
        if piece.role in ("winner", "shared_out"):
            found = checked[piece.key].seeds
            seeds = tuple(replace(seed, profile=(0.25, 0.75), phi_val=90.0) for seed in found)
            checked[piece.key] = replace(checked[piece.key], seeds=seeds)
    held = held_against(_PIECES, checked, {}, "told")
    assert [each.role for each in held.others] == ["mlp", "backbone"]
    assert held.fresh_splits is not None
    assert held.fresh_splits.seeds[2].val == 87.0
    assert (held.rule, held.no_fresh_splits, held.own_share) == ("3x48/32/20", "told", 0.25)
    assert held.labels is not None
    assert (held.labels.share, held.labels.control) == (0.5, "APPNP on the same labels")


def test_a_default_that_was_a_trial_is_known_by_its_number() -> None:
    checked = _checked(winner=(80.0, 82.0), default=(70.0, 71.0))
    default = next(piece for piece in _PIECES if piece.role == "default")
    held = held_against(_PIECES, checked, {default.config.config_id: 3})
    found = held.of("default")
    assert found is not None
    assert (found.trial, found.is_winner) == (3, False)
    assert found.verdict == "better"


def test_a_winner_that_is_the_default_is_said_to_be_it() -> None:
    pieces = pieces_of(settings(), _GOAL, [record(0, (80.0,))])
    winner = result((80.0, 81.0), pieces[0].config, first_seed=20)
    held = held_against(pieces, {pieces[0].key: winner}, {pieces[0].config.config_id: 0})
    found = held.of("default")
    assert found is not None
    assert found.is_winner
    assert found.difference.mean == 0.0


def test_nothing_is_said_before_the_winner_is_confirmed() -> None:
    held = held_against(_PIECES, _checked(mlp=(80.0, 81.0)), {}, "no")
    assert held.others == ()
    assert held.no_fresh_splits == "no"
