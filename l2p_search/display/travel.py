"""How far nodes look, in words: by shares of nodes, as a mean may be true of no node at all."""

import statistics
from collections.abc import Sequence

from l2p_search.results import TrialResult
from l2p_search.step_shares import shares_in_words

_FAR = (
    (0, "stop at once"),
    (1, "look one step far"),
    (3, "look two to three steps far"),
    (7, "look four to seven steps far"),
    (float("inf"), "look eight steps far or more"),
)
"""Up to which step a node does what."""
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven")
_FEW = 0.01
"""The share of nodes below which a step is none of those that a group looks far."""
_MIX = "mix several steps"
_LEAST = 0.05
_NEARLY_ALL = 1.0 - _LEAST
_MOST_GROUPS = 3
_SURE = 0.9
"""A step that has less of q than this is not told of without its share."""
_TREND = 0.25
"""Steps by which low and high degrees must differ for it to be said."""


def travel_in_words(result: TrialResult) -> str:
    """How far nodes look: which share of them settles where, and on whom that depends.

    A node settles at the step that has more than half of its q; the others mix several steps. What
    is said of nodes is a mean over seeds, so it is also said where these disagree.

    Args:
        result: Of a trial of L2P; journals of earlier versions have means only.

    Returns:
        Words such as "nearly all nodes stop at once, with 73 % of q there".
    """
    if result.profiles is None or result.expected_step is None:
        return "nothing was learned of how far nodes look"
    profile = result.profile or ()
    if not result.profiles.settled:
        text = f"over all nodes q(t) is {shares_in_words(profile)}"
    else:
        text = _shares(result.profiles.settled, profile)
    return f"{text}{_trend(result)}{_disagreement(result)}"


def _shares(settled: Sequence[float], profile: Sequence[float]) -> str:
    shares: dict[str, float] = {_MIX: 1.0 - sum(settled)}
    held = {_MIX: 1.0}
    before = -1
    for last, words in _FAR:
        group = {step: share for step, share in enumerate(settled) if before < step <= last}
        before = int(min(last, len(settled)))
        steps = [step for step, share in group.items() if share >= _FEW]
        does = words if len(steps) != 1 or steps[0] < 2 else f"look {_number(steps[0])} steps far"
        shares[does] = sum(group.values())
        held[does] = sum(profile[step] for step in group if step < len(profile))
    largest = sorted(shares.items(), key=lambda pair: -pair[1])[:_MOST_GROUPS]
    told = [(does, share) for does, share in largest if share >= _LEAST]
    does, share = told[0]
    only_mix = does == _MIX and share >= _NEARLY_ALL and profile
    how_far = f": {shares_in_words(profile)}" if only_mix else ""
    if profile and share >= _NEARLY_ALL and held[does] < _SURE:  # settled by more than half
        how_far = f", with {_percent(held[does])} of q there"
    first = "nearly all nodes" if share >= _NEARLY_ALL else f"{_percent(share)} of the nodes"
    parts = [f"{first} {does}{how_far}", *(f"{_percent(part)} {word}" for word, part in told[1:])]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _trend(result: TrialResult) -> str:
    """Whether nodes of few or of many neighbours look further."""
    if result.profiles is None or len(result.profiles.by_degree) < 3:
        return ""
    means = [
        sum(step * share for step, share in enumerate(q))
        for bucket, q in result.profiles.by_degree.items()
        if bucket != "0"
    ]
    third = max(1, len(means) // 3)
    low, high = sum(means[:third]) / third, sum(means[-third:]) / third
    if abs(low - high) < _TREND:
        return ""
    return f"; nodes of {'few' if low > high else 'many'} neighbours look further"


def _disagreement(result: TrialResult) -> str:
    """Whether the seeds learned so different things that their mean says little of each."""
    steps = [seed.expected_step for seed in result.finished if seed.expected_step is not None]
    if len(steps) < 2:
        return ""
    spread, mean = statistics.stdev(steps), statistics.fmean(steps)
    if spread <= max(0.5, mean / 4):
        return ""
    return f"; seeds disagree: their mean step goes from {min(steps):.1f} to {max(steps):.1f}"


def node_in_words(q: Sequence[float]) -> str:
    """How far one node looks.

    Args:
        q: Its q(t): [K + 1].

    Returns:
        Words such as "puts nearly all on step 0".

    Example:
        >>> node_in_words([0.5, 0.0, 0.5])
        'puts 50 % on step 0 and 50 % on step 2'
    """
    words = shares_in_words(q)
    return f"is {words}" if words.startswith("spread") else f"puts {words}"


def _number(steps: int) -> str:
    return _NUMBERS[steps] if steps < len(_NUMBERS) else str(steps)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
