"""What training gives: a record for each seed and for the trial, and their JSON form.

Scores are in percent. A seed that failed has none, and never enters a mean. In JSON the name of a
score has the metric in it: `val` of a seed is `val_accuracy` there.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from l2p_search.config import TrialConfig
from l2p_search.learned import Curves, Profiles, shortened
from l2p_search.metrics import Metric

if TYPE_CHECKING:  # records are read without torch
    from l2p_search.weights import Weights


class TrialStatus(StrEnum):
    """How a trial stands."""

    COMPLETE = "complete"
    RACED_OUT = "raced_out"
    FAILED = "failed"
    RUNNING = "running"


_ROUNDED = 1e-6
"""By how much rounding may take a score beyond 0 and 100."""


@dataclass(frozen=True, kw_only=True)
class SeedResult:
    """One replica of a trial, at its best epoch by validation; or why it failed.

    Attributes:
        seed: Which replica.
        split: The split of the graph that it learned on.
        epochs: How many it trained.
        reason: Why it failed; None when it did not, and then what follows is there.
        best_epoch: The epoch that it is judged at.
        val_loss: Cross-entropy of the validation nodes.
        val: How well the validation nodes are predicted, in percent.
        test: The same of the test nodes.
        expected_step: The mean number of steps over the nodes; None for a baseline.
        profile: q(t) averaged over the nodes, [T]; None for a baseline.
        phi_val: With `phi_share` below 1, the score of the validation nodes that phi has learned
            from; `val` is that of the others then.
        hits: What each test node contributes to `test`, as `NodeHits`; kept of confirmations
            alone, and None without.
    """

    seed: int
    split: int
    epochs: int
    reason: str | None = None
    best_epoch: int | None = None
    val_loss: float | None = None
    val: float | None = None
    test: float | None = None
    expected_step: float | None = None
    profile: tuple[float, ...] | None = None
    phi_val: float | None = None
    hits: Any = field(default=None, compare=False, repr=False)  # its class needs numpy

    @property
    def failed(self) -> bool:
        """Whether there is a reason instead of a result."""
        return self.reason is not None

    def to_mapping(self, metric: Metric = "accuracy") -> dict[str, Any]:
        """The result as plain JSON values, its scores named after the metric; without nodes."""
        named, values = _names(metric), asdict(replace(self, hits=None))
        del values["hits"]
        if self.phi_val is None:  # as for nearly all
            del values["phi_val"]
        return {named.get(key, key): value for key, value in values.items()}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], metric: Metric = "accuracy") -> "SeedResult":
        """The inverse of `to_mapping`.

        Raises:
            ValueError: A score is no percentage, as damage may leave it.
        """
        fields = {name: key for key, name in _names(metric).items()}
        values = {fields.get(name, name): value for name, value in mapping.items()}
        found = cls(**{**values, "profile": _as_tuple(values["profile"])})
        for score in (found.val, found.test, found.phi_val):
            if score is not None and not -_ROUNDED <= score <= 100.0 + _ROUNDED:
                raise ValueError(f"a score of {score} is no percentage")
        return found


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """One configuration over all its seeds: what `fit` returns and a trial of a search has.

    Attributes:
        config: The configuration.
        dataset: The graph's name.
        data_digest: The graph's content hash.
        seeds: A `SeedResult` per seed, each at its best epoch by validation; or why it failed.
        seconds: How long training took.
        cpu_seconds: The CPU time of the process meanwhile, of all its threads; None where it was
            not recorded, as in journals of earlier versions.
        metric: What the scores of the seeds are.
        curves: Losses and validation metric over the epochs, as means over the seeds.
        profiles: q(t) by degree and by class, and each node's expected step; None for baselines.
        weights: What the seeds learned, where the result comes right from the training. They are
            in no JSON form: a result that was read from a record has none.

    Example:
        >>> result = l2p.fit("demo", K=2, epochs=10, seeds=2)
        >>> len(result.seeds), round(sum(result.profile), 6)
        (2, 1.0)
    """

    config: TrialConfig
    dataset: str
    data_digest: str
    seeds: tuple[SeedResult, ...]
    seconds: float
    metric: Metric = "accuracy"
    curves: Curves | None = None
    profiles: Profiles | None = None
    weights: "Weights | None" = field(default=None, compare=False, repr=False)
    cpu_seconds: float | None = None

    def joined(self, other: "TrialResult") -> "TrialResult":
        """This result and that of further seeds of the same trial, as one."""
        weight = len(other.finished) / max(1, len(self.finished) + len(other.finished))
        return replace(
            self,
            seeds=self.seeds + other.seeds,
            seconds=self.seconds + other.seconds,
            cpu_seconds=_sum(self.cpu_seconds, other.cpu_seconds),
            curves=_joined(self.curves, other.curves, weight),
            profiles=_joined(self.profiles, other.profiles, weight),
            weights=_together(self.weights, other.weights),
        )

    def in_short(self) -> "TrialResult":
        """The scores alone, without curves, profiles and nodes."""
        seeds = tuple(replace(seed, profile=None, hits=None) for seed in self.seeds)
        return replace(self, seeds=seeds, curves=None, profiles=None)

    @property
    def finished(self) -> tuple[SeedResult, ...]:
        """The seeds that have a result."""
        return tuple(seed for seed in self.seeds if not seed.failed)

    @property
    def reason(self) -> str | None:
        """Why training failed, by its first failed seed; None when every seed has a result.

        One failed seed is enough: a mean over survivors would flatter a config.
        """
        failed = [seed for seed in self.seeds if seed.failed]
        if not failed:
            return None
        return (
            f"{len(failed)} of {len(self.seeds)} seeds failed;"
            f" seed {failed[0].seed}: {failed[0].reason}"
        )

    @property
    def val_mean(self) -> float | None:
        """Mean validation score, every split counted once: the objective of a search."""
        return _mean(self.finished, lambda seed: seed.val)

    @property
    def val_std(self) -> float | None:
        """Over the seeds, with the sample's n - 1; None for one seed, which tells no spread."""
        return _over(self.finished, _std, lambda seed: seed.val)

    @property
    def test_mean(self) -> float | None:
        """Mean test score, every split counted once; nothing is ever chosen by it."""
        return _mean(self.finished, lambda seed: seed.test)

    @property
    def test_std(self) -> float | None:
        """The same of the test scores."""
        return _over(self.finished, _std, lambda seed: seed.test)

    @property
    def expected_step(self) -> float | None:
        """The mean number of steps, over nodes and seeds."""
        return _over(self.finished, statistics.fmean, lambda seed: seed.expected_step)

    @property
    def profile(self) -> tuple[float, ...] | None:
        """q(t) averaged over nodes and seeds: [T]."""
        profiles = [seed.profile for seed in self.finished if seed.profile is not None]
        if not profiles:
            return None
        return tuple(statistics.fmean(step) for step in zip(*profiles, strict=True))

    def to_mapping(self) -> dict[str, Any]:
        """The result as plain JSON values; nothing in it is NaN."""
        return {
            "dataset": self.dataset,
            "data_digest": self.data_digest,
            "status": (TrialStatus.FAILED if self.reason else TrialStatus.COMPLETE).value,
            "reason": self.reason,
            "metric": self.metric,
            f"val_{self.metric}_mean": self.val_mean,
            f"val_{self.metric}_std": self.val_std,
            f"test_{self.metric}_mean": self.test_mean,
            f"test_{self.metric}_std": self.test_std,
            "expected_step": self.expected_step,
            "profile": self.profile,
            "config_id": self.config.config_id,
            "config": self.config.to_mapping(),
            **_shortened(self._measured()),
        }

    def to_record(self, *, hits: bool = False) -> dict[str, Any]:
        """What a journal keeps: what was measured, and nothing that it says elsewhere.

        Scores have all their digits. Values of the seeds are in lists by key, as a key is longer
        than a value.

        Args:
            hits: Whether what each test node contributes is kept, as it is of confirmations.
        """
        seeds = [seed.to_mapping(self.metric) for seed in self.seeds]
        keys = dict.fromkeys(key for seed in seeds for key in seed)
        columns = {key: [seed.get(key) for seed in seeds] for key in keys}
        if "profile" in columns:
            columns["profile"] = shortened([_as_list(each) for each in columns["profile"]])
        record = _shortened(self._measured()) | {"seeds": columns}
        return record | (self._packed_hits() if hits else {})

    def measured(self) -> dict[str, Any]:
        """What was measured, with all digits: seeds, seconds, curves, profiles and nodes."""
        return self._measured() | self._packed_hits()

    def _packed_hits(self) -> dict[str, Any]:
        from l2p_search.node_hits import packed_hits  # a model is loaded without numpy

        splits = {seed.seed: seed.split for seed in self.seeds}
        packed = packed_hits({seed.seed: seed.hits for seed in self.finished}, splits)
        return {} if packed is None else {"hits": packed}

    def _measured(self) -> dict[str, Any]:
        return {
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "seeds": [seed.to_mapping(self.metric) for seed in self.seeds],
            "curves": None if self.curves is None else self.curves.to_mapping(self.metric),
            "profiles": None if self.profiles is None else self.profiles.to_mapping(),
        }

    @classmethod
    def from_mapping(cls, mapping: dict[str, Any]) -> "TrialResult":
        """The inverse of `to_mapping`."""
        config = TrialConfig.recorded(mapping["config"])
        metric = mapping.get("metric", "accuracy")  # the only one there was
        return cls.from_record(mapping, config, mapping["dataset"], mapping["data_digest"], metric)

    @classmethod
    def from_record(
        cls,
        mapping: dict[str, Any],
        config: TrialConfig,
        dataset: str,
        data_digest: str,
        metric: Metric = "accuracy",
    ) -> "TrialResult":
        """The inverse of `to_record` and `measured`, for a known config, graph and metric.

        Early journals have neither curves nor profiles nor nodes; some say the config once more.
        They have a list of seeds, where later ones have a list per key.
        """
        seeds = mapping["seeds"]
        if isinstance(seeds, Mapping):
            seeds = [
                dict(zip(seeds, row, strict=True)) for row in zip(*seeds.values(), strict=True)
            ]
        curves, profiles = mapping.get("curves"), mapping.get("profiles")
        return cls(
            config=config,
            dataset=dataset,
            data_digest=data_digest,
            seconds=mapping["seconds"],
            cpu_seconds=mapping.get("cpu_seconds"),  # the first journals have none
            metric=metric,
            seeds=_with_hits(
                tuple(SeedResult.from_mapping(seed, metric) for seed in seeds), mapping.get("hits")
            ),
            curves=Curves.from_mapping(curves, metric) if curves else None,
            profiles=Profiles.from_mapping(profiles) if profiles else None,
        )


def _with_hits(
    seeds: tuple[SeedResult, ...], packed: Mapping[str, Any] | None
) -> tuple[SeedResult, ...]:
    if packed is None:
        return seeds
    from l2p_search.node_hits import unpacked_hits

    scores = {seed.seed: seed.test for seed in seeds if seed.test is not None}
    hits = unpacked_hits(packed, scores)
    return tuple(replace(seed, hits=hits.get(seed.seed)) for seed in seeds)


def _shortened(measured: dict[str, Any]) -> dict[str, Any]:
    """Curves and profiles with five digits: they are drawn, and would be most of a journal."""
    return measured | {key: shortened(measured[key]) for key in ("curves", "profiles")}


_Part = TypeVar("_Part", Curves, Profiles)


def _joined(mine: _Part | None, theirs: _Part | None, weight: float) -> _Part | None:
    """The part that is there, where a group of seeds has none because all of them failed."""
    if mine is None or theirs is None:
        return mine or theirs
    return mine.joined(theirs, weight)


def _together(mine: "Weights | None", theirs: "Weights | None") -> "Weights | None":
    """The weights of both; those that are there, where all seeds of the other failed."""
    if mine is None or theirs is None:
        return mine or theirs
    return mine.joined(theirs)


def _names(metric: Metric) -> dict[str, str]:
    """Field -> key in JSON, where the two differ."""
    return {"val": f"val_{metric}", "test": f"test_{metric}", "phi_val": f"phi_val_{metric}"}


def _as_list(profile: Sequence[float] | None) -> list[float] | None:
    return None if profile is None else list(profile)


def _as_tuple(profile: Sequence[float] | None) -> tuple[float, ...] | None:
    return None if profile is None else tuple(profile)


def _sum(mine: float | None, theirs: float | None) -> float | None:
    """Of two measurements; None where one of them was not made."""
    return None if mine is None or theirs is None else mine + theirs


def _std(values: Sequence[float]) -> float | None:
    return statistics.stdev(values) if len(values) > 1 else None


def mean_over_splits(values: Sequence[tuple[int, float]]) -> float:
    """The mean over splits of the means over their seeds.

    Args:
        values: (split, value) of each seed; at least one.

    Returns:
        The mean in which every split counts once, however many of the seeds are on it.

    Example:
        >>> mean_over_splits([(0, 80.0), (1, 70.0), (0, 90.0)])  # splits 0 and 1: 85 and 70
        77.5
    """
    by_split: dict[int, list[float]] = {}
    for split, value in values:
        by_split.setdefault(split, []).append(value)
    if len({len(group) for group in by_split.values()}) == 1:
        return statistics.fmean(value for _, value in values)  # the same, rounded once
    return statistics.fmean(statistics.fmean(group) for group in by_split.values())


def _mean(
    seeds: Sequence[SeedResult], value: Callable[[SeedResult], float | None]
) -> float | None:
    splits = [seed.split for seed in seeds if value(seed) is not None]

    def over_splits(values: Sequence[float]) -> float:
        return mean_over_splits(list(zip(splits, values, strict=True)))

    return _over(seeds, over_splits, value)


def _over(
    seeds: Sequence[SeedResult],
    summary: Callable[[Sequence[float]], float | None],
    value: Callable[[SeedResult], float | None],
) -> float | None:
    values = [found for seed in seeds if (found := value(seed)) is not None]
    if any(not math.isfinite(found) for found in values):
        raise ValueError("a finished seed carries a value that is not finite")
    return summary(values) if values else None
