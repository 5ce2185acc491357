"""Short phrases that several commands and pages print."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.published import paper_accuracy

if TYPE_CHECKING:
    from l2p_search.config import TrialConfig
    from l2p_search.metrics import Metric


def describe_config(config: "TrialConfig", keys: Iterable[str]) -> str:
    """Some hyperparameters in one line.

    Args:
        config: The configuration.
        keys: The hyperparameters, in the order in which they are printed.

    Returns:
        Text such as "K=8 hidden=64".
    """
    values = config.to_mapping()
    return " ".join(f"{key}={plain(values[key])}" for key in keys)


def plain(value: object) -> str:
    """A value as text; a number with a fraction has four significant digits at most."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def paper_figure(dataset: str, config: "TrialConfig", metric: "Metric" = "accuracy") -> str | None:
    """What the paper reports for a configuration's method on a dataset.

    Args:
        dataset: The dataset's name.
        config: The configuration; only its method is looked at.
        metric: What our number beside it is; the paper reports accuracy only.

    Returns:
        Text such as "85.20 % (l2q)"; None where the paper has no number.
    """
    accuracy = paper_accuracy(config.method, dataset) if metric == "accuracy" else None
    return None if accuracy is None else f"{accuracy:.2f} % ({config.method})"


def sentence(words: str) -> str:
    """Words with a capital first letter and a full stop: "Nearly all nodes stop at once."."""
    return f"{words[:1].upper()}{words[1:]}."


def tied_with(others: int) -> str:
    """How many other trials validation cannot tell from the best: "tied with 2 others"."""
    return f"tied with {count(others, 'other')}" if others else "tied with no other"


def count(number: int, word: str) -> str:
    """A number with its noun: "1 trial", "2 trials", "1,234 trials"."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def two_digits_or_none(value: float | None) -> str:
    """A number with two decimals; a dash for one that is not known, as the spread of one seed."""
    return "-" if value is None else f"{value:.2f}"


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def size_in_words(dimensions: int, size: int | None) -> str:
    """How many configurations a space has.

    Args:
        dimensions: How many hyperparameters vary.
        size: How many configurations there are; None where they cannot be counted.

    Returns:
        Text such as "5 hyperparameters, 432 configurations".
    """
    varied = count(dimensions, "hyperparameter")
    return f"{varied}, " + ("not countable" if size is None else count(size, "configuration"))


def elsewhere(directory: Path, default_folder: Path) -> str:
    """The flag that a command needs in order to find a search.

    Args:
        directory: The search's own folder.
        default_folder: Where commands look without a flag.

    Returns:
        " --dir FOLDER", or nothing for a search in the default folder.
    """
    inside = directory.parent.absolute() == default_folder.absolute()
    return "" if inside else f" --dir {shlex.quote(str(directory.parent))}"
