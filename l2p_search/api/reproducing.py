"""reproduce: train a recorded trial again, and say whether its numbers came back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.graph_again import graph_again
from l2p_search.api.opening import open_search
from l2p_search.caller import left_as_found
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError, argument
from l2p_search.results import SeedResult, TrialResult, TrialStatus
from l2p_search.searching.records.looks import note_look
from l2p_search.searching.records.versions import versions
from l2p_search.searching.running.racing import groups
from l2p_search.training.fit import fit as train
from l2p_search.training.machine import machine

_COMPARED = ("best_epoch", "epochs", "val_loss", "val", "test", "expected_step")
"""What is compared of a seed: everything that a journal keeps with all its digits."""


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """A trial that was trained again.

    Attributes:
        search: The search's name.
        number: Of the trial.
        recorded: What the journal has.
        again: What came out now.
        differing: Seed -> key -> its recorded value and the one that came out now, where the two
            are not equal to the last bit.
        elsewhere: What is not as it was when the trial was trained: a package or the machine ->
            what it was, and what it is. Empty when nothing is known to differ.
    """

    search: str
    number: int
    recorded: TrialResult
    again: TrialResult
    differing: Mapping[int, Mapping[str, tuple[Any, Any]]]
    elsewhere: Mapping[str, tuple[str, str]]

    @property
    def equal(self) -> bool:
        """Whether every number of every seed is equal to the last bit."""
        return not self.differing

    @property
    def largest(self) -> dict[str, float]:
        """Key -> the largest difference over the seeds, of those that differ."""
        found: dict[str, float] = {}
        for values in self.differing.values():
            for key, (before, now) in values.items():
                if before is not None and now is not None:
                    found[key] = max(found.get(key, 0.0), abs(now - before))
        return found

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "search": self.search,
            "trial": self.number,
            "equal": self.equal,
            "seeds": len(self.recorded.seeds),
            "differing_seeds": sorted(self.differing),
            "largest_difference": self.largest,
            "elsewhere": {key: list(both) for key, both in self.elsewhere.items()},
        }


@left_as_found()
def reproduce(
    name: str | None = None,
    trial: int | None = None,
    *,
    folder: str | Path | None = None,
    graph: Graph | str | None = None,
    data_dir: str | Path | None = None,
    threads: int | None = None,
    memory_gb: float = defaults.MEMORY_GB,
) -> Reproduced:
    """Train a recorded trial again on the same graph and seeds, and compare.

    Args:
        name: The search's name; None for the one that runs now, else the latest.
        trial: The number of the trial; None for the best one.
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.
        graph: The graph, where it cannot be loaded as the search has noted it.
        data_dir: A folder with raw files of named datasets.
        threads: Threads that torch computes with; by default as many as the trial had.
        memory_gb: Train as many seeds at once as fit into this.

    Returns:
        The recorded result, the new one, where they differ and what else is not as it was.

    Raises:
        SearchError: There is no such search or trial, or the trial has no result.
    """
    check(name=name, memory_gb=memory_gb)
    if threads is not None:
        check(threads=threads)
    found = open_search(name, folder)
    records = {record.number: record for record in found.outcome.records}
    number = trial if trial is not None else (found.best.number if found.best else None)
    if number is None:
        raise SearchError(f"search '{found.name}' has no complete trial yet; wait for one")
    if number not in records:
        raise SearchError(
            f"search '{found.name}' has no trial {number}; it has {len(records)}, counted from 0"
        )
    record, settings = records[number], found.settings
    if record.result is None or record.status is TrialStatus.RUNNING:
        raise SearchError(
            f"trial {number} of search '{found.name}' has no result to compare with"
            f" ({record.reason or record.status.value}); name another {argument('trial')}"
        )
    noted = _machine_of(found.journal.invocations)
    loaded = graph_again(settings, found.name, graph, None if data_dir is None else Path(data_dir))
    had = noted.get("threads") or ""
    torch.set_num_threads(
        threads or (int(had) if had.isdecimal() and len(had) < 5 else defaults.CPUS_PER_TRIAL)
    )
    trained = [seed.seed for seed in record.result.seeds]
    again: TrialResult | None = None
    # A race trains its seeds in groups, whose sums are in another order than those of one batch.
    for group in groups(range(settings.seeds), settings.race):
        wanted = [seed for seed in group if seed in trained]
        if wanted:
            part = train(
                loaded,
                record.config,
                wanted,
                metric=settings.metric,
                memory_gb=memory_gb,
                device=noted.get("device") or "cpu",
                sealed=settings.sealed,
            )
            again = part if again is None else again.joined(part)
    assert again is not None
    if not settings.sealed:
        note_look(found.directory, "reproduce", len(again.finished))
    return Reproduced(
        search=found.name,
        number=number,
        recorded=record.result,
        again=again,
        differing=_differing(record.result.seeds, again.seeds),
        elsewhere=_elsewhere(noted),
    )


def _machine_of(invocations: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Versions and machine of the newest invocation that noted them."""
    newest = invocations[-1] if invocations else {}
    device = {"device": str(newest["device"])} if newest.get("device") else {}
    return {**newest.get("versions", {}), **newest.get("machine", {}), **device}


def _elsewhere(noted: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    now = {**versions(), **machine()}
    return {key: (was, now[key]) for key, was in noted.items() if key in now and now[key] != was}


def _differing(
    before: Sequence[SeedResult], now: Sequence[SeedResult]
) -> dict[int, dict[str, tuple[Any, Any]]]:
    found: dict[int, dict[str, tuple[Any, Any]]] = {}
    for old, new in zip(before, now, strict=True):
        values = {
            key: (getattr(old, key), getattr(new, key))
            for key in _COMPARED
            if getattr(old, key) != getattr(new, key)
        }
        if values:
            found[old.seed] = values
    return found
