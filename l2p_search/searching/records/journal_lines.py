"""Which line of a journal says what: so that a published number can be looked up by hand."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.searching.records.journal_file import FILE
from l2p_search.searching.records.recorded_trials import OUTCOME, PROPOSAL

_SETTINGS = "settings"
Confirmed = tuple[str, tuple[int, ...], str | None]
"""By what a journal finds a confirmation, as of `Journal.checked`."""


@dataclass(frozen=True)
class JournalLines:
    """Where the results of one search stand; lines are counted from 1, as editors do.

    Attributes:
        path: The journal.
        sha256: The hash of its whole lines: a journal with another one says more or something
            else.
        settings: The line of the search's settings.
        trials: Trial number -> the line of its result.
        confirmations: (config_id, seeds, rule) -> the line of that configuration's result on
            these fresh seeds; the rule is that of fresh splits, None for the graph's own.
    """

    path: Path
    sha256: str
    settings: int
    trials: Mapping[int, int]
    confirmations: Mapping[Confirmed, int]


def journal_lines(directory: Path) -> JournalLines:
    """Find the lines of a journal that has been read before, and so is known to be whole.

    Args:
        directory: Where the search lives.

    Returns:
        The lines. Of a result that was written twice, the later one, which counts.
    """
    path = directory / FILE
    digest = hashlib.sha256()
    numbers: dict[int, int] = {}
    trials: dict[int, int] = {}
    confirmations: dict[Confirmed, int] = {}
    settings = 0
    for line, raw in _whole_lines(path):
        digest.update(raw)
        entry = json.loads(raw)
        noted = entry.get("user_attr", {})
        if PROPOSAL in noted:
            numbers[entry["trial_id"]] = noted[PROPOSAL]["number"]
        elif OUTCOME in noted:
            trials[numbers[entry["trial_id"]]] = line
        elif _SETTINGS in noted:
            settings = line
        confirmed = (entry.get("user_attrs") or {}).get("result")
        if confirmed is not None:
            config = TrialConfig.recorded(confirmed["config"])
            seeds, rule = _seeds(confirmed["seeds"]), confirmed.get("splits")
            confirmations[config.config_id, seeds, rule] = line
    return JournalLines(path, digest.hexdigest(), settings, trials, confirmations)


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines with their numbers; a last one that is being written, or was cut off, is none."""
    with open(path, "rb") as file:
        for line, raw in enumerate(file, start=1):
            if raw.endswith(b"\n"):
                yield line, raw


def _seeds(recorded: Any) -> tuple[int, ...]:
    """The seeds of a recorded result: a list per key, or in early journals a list of seeds."""
    if isinstance(recorded, Mapping):
        return tuple(recorded["seed"])
    return tuple(seed["seed"] for seed in recorded)
