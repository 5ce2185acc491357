"""Controls: what the winner of a search is held against, and what is trained to confirm it.

A confirmed number alone does not say what earned it. Beside the winner the same fresh seeds train
the configuration that nobody searched for (the default), and for L2P what is left of the winner
without edges (MLP) and without learned steps (its backbone alone), at the winner's own settings.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from l2p_search.config import TrialConfig
from l2p_search.errors import ConfigError
from l2p_search.held import Role
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.trial_record import TrialRecord

NAMES = {"mlp": "MLP", "gcn": "GCN", "gat": "GAT", "appnp": "APPNP", "gcnii": "GCNII"} | {
    "sage": "GraphSAGE"
}
"""Model -> its name for people."""
_SHARE = 0.5
"""The share of the validation nodes that phi learns from, to measure what it owes to them."""


@dataclass(frozen=True)
class Piece:
    """One configuration that the confirmation trains on fresh seeds.

    Attributes:
        role: What it is for.
        config: What is trained.
        seeds: The fresh seeds.
        splits: The rule of fresh splits; None for the splits of the graph.
    """

    role: Role
    config: TrialConfig
    seeds: tuple[int, ...]
    splits: str | None = None

    @property
    def key(self) -> tuple[str, tuple[int, ...], str | None]:
        """By what the journal finds its result."""
        return self.config.config_id, self.seeds, self.splits

    @property
    def name(self) -> str:
        """What it is called, for people."""
        if self.role == "default":
            return "the default configuration"
        if self.role == "shared_out":
            return f"the winner with phi_share {self.config.phi_share:g}"
        if self.role == "same_labels":
            return f"{NAMES.get(self.config.model, self.config.model)} on the same labels"
        if self.role == "fresh_splits":
            return "the winner on fresh splits"
        return NAMES.get(self.config.model, self.config.model)


def pieces_of(
    settings: SearchSettings, goal: Goal, confirmed: Sequence[TrialRecord]
) -> list[Piece]:
    """Everything that the confirmation of a search trains, the most important first.

    Args:
        settings: Of the search.
        goal: How many fresh seeds there are, and what is trained on them.
        confirmed: The winner, and the ties that are confirmed beside it.

    Returns:
        The pieces; the same training is among them once for each of its roles.
    """
    seeds = fresh_seeds(settings, goal.confirm)
    if not seeds or not confirmed:
        return []
    winner = confirmed[0].config
    pieces = [Piece("winner", winner, seeds)]
    pieces += [Piece("tie", record.config, seeds) for record in confirmed[1:]]
    if goal.fresh_splits is not None:
        pieces.append(Piece("fresh_splits", winner, seeds, goal.fresh_splits))
    if goal.controls:
        roles = {"default": default_of(settings), **controls_of(winner, settings.base)}
        pieces += [
            Piece(role, config, seeds)  # type: ignore[arg-type]
            for role, config in roles.items()
            if config is not None
        ]
        pieces += [
            Piece(role, config, seeds)  # type: ignore[arg-type]
            for role, config in sharing_labels(winner, settings.base).items()
        ]
    return pieces


def expected_pieces(settings: SearchSettings, goal: Goal, *, at_most: bool = False) -> int:
    """How many configurations the confirmation will train on fresh seeds, before it is known.

    Args:
        settings: Of the search.
        goal: What is confirmed.
        at_most: Whether all ties that may be confirmed are counted. How many there will be is
            not known; halfway between none and all, by ratio, is counted otherwise.

    Returns:
        The number; 0 where nothing is confirmed.
    """
    if not goal.confirm:
        return 0
    ties = min(goal.ties, settings.at_most(goal.trials) - 1)
    confirmed = 1 + ties if at_most else round(math.sqrt(1 + ties))
    return confirmed + len(beside(settings, goal))


def beside(settings: SearchSettings, goal: Goal) -> list[str]:
    """What is trained beside the winner and its ties, for people; before the winner is known."""
    named = []
    if goal.confirm and goal.fresh_splits is not None:
        named.append(f"the winner on {goal.fresh_splits.partition('x')[0]} fresh splits")
    if goal.confirm and goal.controls:
        named.append("the default configuration")
        fixed = {**settings.base.to_mapping(), **settings.space.fixed}
        if fixed["model"] == "l2p":
            varies = "backbone" in settings.space.dimensions
            alone = "its backbone" if varies else NAMES[str(fixed["backbone"])]
            named += ["MLP", f"{alone} at the winner's settings"]
            if fixed["level"] != "joint":
                share = fixed["phi_share"] if fixed["phi_share"] < 1.0 else _SHARE
                named += [f"the winner with phi_share {share:g}", f"{alone} on the same labels"]
    return named


def fresh_seeds(settings: SearchSettings, count: int) -> tuple[int, ...]:
    """Seeds that no trial of the search was judged by: those that follow the search's own.

    Args:
        settings: Of the search.
        count: How many.

    Returns:
        The seeds; empty for a count of 0.
    """
    return tuple(range(settings.seeds, settings.seeds + count))


def default_of(settings: SearchSettings) -> TrialConfig | None:
    """What the search would have trained if nothing had been searched.

    Args:
        settings: Of the search.

    Returns:
        The default configuration of the kind of graph, with what the space fixes. None where
        these exclude each other.
    """
    try:
        return TrialConfig.recorded({**settings.base.to_mapping(), **settings.space.fixed})
    except ConfigError:
        return None


def controls_of(winner: TrialConfig, base: TrialConfig) -> dict[str, TrialConfig]:
    """What L2P is held against: no edges at all, and the backbone without learned steps.

    Args:
        winner: A configuration; only L2P has controls.
        base: Where keys that a control does not read come from, which changes nothing of it.

    Returns:
        Role -> configuration with every setting of the winner that the control has, too.

    Example:
        >>> found = controls_of(TrialConfig(K=4, dropout=0.3), TrialConfig())
        >>> {role: (each.model, each.dropout) for role, each in found.items()}
        {'mlp': ('mlp', 0.3), 'backbone': ('appnp', 0.3)}
    """
    if winner.model != "l2p":
        return {}
    return {
        role: _at_settings_of(winner, model, base)
        for role, model in (("mlp", "mlp"), ("backbone", winner.backbone))
    }


def sharing_labels(winner: TrialConfig, base: TrialConfig) -> dict[str, TrialConfig]:
    """What tells how much L2P owes to learning from validation labels.

    Args:
        winner: A configuration; that of a baseline learns from none, nor does joint learning.
        base: As of `controls_of`.

    Returns:
        Role -> configuration: the winner with phi on half of the validation nodes (or on the
        share that it has), and its backbone, which trains on those very nodes, too.
    """
    if winner.model != "l2p" or winner.why_unread("phi_share") is not None:
        return {}
    share = winner.phi_share if winner.phi_share < 1.0 else _SHARE
    alone = _at_settings_of(winner, winner.backbone, base)
    return {
        "shared_out": _with(winner, "phi_share", share),
        "same_labels": _with(alone, "extra_labels", share),
    }


def _with(config: TrialConfig, key: str, value: float) -> TrialConfig:
    """The same configuration with another value of one key."""
    return TrialConfig.recorded({**config.to_mapping(), key: value})


def _at_settings_of(winner: TrialConfig, model: str, base: TrialConfig) -> TrialConfig:
    own = winner.to_mapping() | {"model": model, "encoder": "mlp"}
    alone = TrialConfig.recorded(own | {"classifier": "shared"})
    read = {key: value for key, value in own.items() if alone.why_unread(key) is None}
    return TrialConfig.recorded({**base.to_mapping(), **read})
