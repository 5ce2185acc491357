"""Pairing the confirmed winner with what was trained beside it."""

from collections.abc import Mapping, Sequence

from l2p_search.held import Against, HeldAgainst, judged_together, label_access, paired
from l2p_search.other_nodes import difference_over_nodes
from l2p_search.results import TrialResult
from l2p_search.searching.records.controls import Piece


def held_against(
    pieces: Sequence[Piece],
    checked: Mapping[tuple[str, tuple[int, ...], str | None], TrialResult],
    trials: Mapping[str, int],
    no_fresh_splits: str | None = None,
) -> HeldAgainst:
    """Pair the winner with what was trained beside it.

    Args:
        pieces: Everything that the confirmation trains, the winner first.
        checked: What of it is trained, by `Piece.key`.
        trials: config_id -> number of the search's trial of that configuration.
        no_fresh_splits: Why there are no fresh splits.

    Returns:
        The comparisons that can be made by now.
    """
    winner = checked.get(pieces[0].key) if pieces else None
    if winner is None:
        return HeldAgainst(no_fresh_splits=no_fresh_splits)
    others = []
    for piece in pieces:
        other = checked.get(piece.key)
        if piece.role not in ("default", "mlp", "backbone") or other is None:
            continue
        difference = paired(other, winner)
        if difference is not None:
            same = piece.config.config_id
            others.append(
                Against(
                    role=piece.role,
                    name=piece.name,
                    result=other,
                    difference=difference,
                    elsewhere=difference_over_nodes(other, winner),
                    trial=trials.get(same),
                    is_winner=same == winner.config.config_id,
                )
            )
    by_role = {piece.role: piece for piece in pieces}
    fresh, shared = by_role.get("fresh_splits"), by_role.get("shared_out")
    labels = None
    if shared is not None and shared.key in checked:
        control = by_role["same_labels"]
        labels = label_access(
            shared.config.phi_share, checked[shared.key], checked.get(control.key), control.name
        )
    return HeldAgainst(
        others=judged_together(others),
        fresh_splits=None if fresh is None else checked.get(fresh.key),
        rule=None if fresh is None else fresh.splits,
        no_fresh_splits=no_fresh_splits,
        labels=labels,
        own_share=None if winner.profile is None else winner.profile[0],
    )
