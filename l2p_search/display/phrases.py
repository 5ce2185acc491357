"""Small phrases that are said in several places."""

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.published import paper_accuracy

if TYPE_CHECKING:
    from l2p_search.config import TrialConfig
    from l2p_search.metrics import Metric


def describe_config(config: "TrialConfig", keys: Iterable[str]) -> str:
    """The named hyperparameters in one line: K=8 hidden=64."""
    values = config.to_mapping()
    return " ".join(f"{key}={plain(values[key])}" for key in keys)


def plain(value: object) -> str:
    """A value as a file would have it, with four digits at most."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def paper_figure(dataset: str, config: "TrialConfig", metric: "Metric" = "accuracy") -> str | None:
    """What the paper reports for the method on that dataset; None where it has nothing.

    All that it reports is accuracy.
    """
    accuracy = paper_accuracy(config.method, dataset) if metric == "accuracy" else None
    return None if accuracy is None else f"{accuracy:.2f} % ({config.method})"


def count(number: int, word: str) -> str:
    """1 trial, 2 trials."""
    return f"{number:,} {word}{'s' * (number != 1)}"


def size_in_words(dimensions: int, size: int | None) -> str:
    """How many configurations a space has, by its dimensions and its size."""
    varied = count(dimensions, "hyperparameter")
    return f"{varied}, " + ("not countable" if size is None else count(size, "configuration"))


def elsewhere(directory: Path, default_folder: Path) -> str:
    """The flag that a search outside the default folder needs; nothing for one within."""
    inside = directory.parent.absolute() == default_folder.absolute()
    return "" if inside else f" --dir {shlex.quote(str(directory.parent))}"
