"""A distribution over steps in words: where its weight is, as a mean may be true of no node."""

from collections.abc import Sequence

_MOST = 3
"""Steps that are named one by one."""
_LEAST = 0.05
_ENOUGH = 0.7
"""The weight that the named steps must hold together; otherwise a range of steps is named."""
_MAJORITY = 0.5
"""The weight from which a step is named even where the rest is spread."""
_NEARLY_ALL = 0.95


def shares_in_words(profile: Sequence[float]) -> str:
    """The steps that hold most of a distribution, with their shares.

    Args:
        profile: q(t) of a node, or averaged over nodes: [K + 1].

    Returns:
        Words such as "50 % on step 0 and 48 % on step 2", or "spread over steps 0 to 8" where no
        few steps hold most of it.

    Example:
        >>> shares_in_words([0.5, 0.02, 0.48])
        '50 % on step 0 and 48 % on step 2'
        >>> shares_in_words([0.97, 0.03])
        'nearly all on step 0'
        >>> shares_in_words([0.1] * 10)
        'spread over steps 0 to 9'
        >>> shares_in_words([0.6] + [0.04] * 10)
        '60 % on step 0, the rest spread over steps 1 to 10'
    """
    largest = sorted(range(len(profile)), key=lambda step: (-profile[step], step))[:_MOST]
    named = [step for step in largest if profile[step] >= _LEAST]
    if not named or sum(profile[step] for step in named) < _ENOUGH:
        top = largest[0]
        if profile[top] < _MAJORITY:
            return _spread(profile)
        rest = [0.0 if step == top else share for step, share in enumerate(profile)]
        return f"{100 * profile[top]:.0f} % on step {top}, the rest {_spread(rest)}"
    if profile[named[0]] >= _NEARLY_ALL:
        return f"nearly all on step {named[0]}"
    parts = [f"{100 * profile[step]:.0f} % on step {step}" for step in sorted(named)]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _spread(profile: Sequence[float]) -> str:
    """The shortest range of steps that holds nearly all."""
    total = sum(profile)
    for width in range(1, len(profile) + 1):
        for first in range(len(profile) - width + 1):
            if sum(profile[first : first + width]) >= _NEARLY_ALL * total:
                return f"spread over steps {first} to {first + width - 1}"
    return f"spread over steps 0 to {len(profile) - 1}"
