"""What a user can cause, each error in one line with its remedy.

Everything that derives from `UserError` is shown as one line and ends the command with exit
code 2. Anything else is a bug and keeps its traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(Exception):
    """A mistake in the input: the message names the input, what is wrong and what to do."""


class ConfigError(UserError):
    """A configuration that cannot be trained."""


class DataError(UserError):
    """A graph, or one of its files, that cannot be used."""


class SearchError(UserError):
    """A search that cannot be started, continued or found."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The nearest known name as a remedy, or all of them when none is near."""
    names = sorted(known)
    lowered = {candidate.lower(): candidate for candidate in names}
    near = get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{lowered[near[0]]}'?"
    return f"choose one of {', '.join(names)}"
