"""What is written to MLflow for a trial and for a search, as plain values.

Scores are in percent with two decimals, as MLflow's tables show all digits they are given.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar

import numpy as np

from l2p_search.config import TrialConfig
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.tracking.model_entry import ModelEntry
from l2p_search.tracking.view import IMAGE, log_metric

Logged = tuple[str, float, int]
"""Name, value, step."""

RUN_STATUS = {
    TrialStatus.COMPLETE: "FINISHED",
    TrialStatus.RACED_OUT: "KILLED",
    TrialStatus.FAILED: "FAILED",
}


@dataclass(frozen=True, kw_only=True)
class TrialEntry:
    """One trial, which becomes a child run.

    Args:
        uid: Identifies the trial, so that it is written once.
        number: Of the trial in its search.
        status: How it ended.
        config: What was trained.
        result: What was measured, if anything.
        reason: Why it failed or was raced out.
        ended: When, in seconds since 1970.
        files: File name -> content.
        search: The name of its search.
        logarithms: The hyperparameters that charts show by their logarithm.
        description: Markdown for the run's page.
    """

    uid: str
    number: int
    status: TrialStatus
    config: TrialConfig
    result: TrialResult | None = None
    reason: str | None = None
    ended: float | None = None
    files: dict[str, bytes] = field(default_factory=dict)
    search: str = ""
    logarithms: tuple[str, ...] = ()
    description: str = ""

    @property
    def span(self) -> tuple[int | None, int | None]:
        """When training began and ended, in milliseconds since 1970; None where not known."""
        if self.ended is None:
            return None, None
        seconds = self.result.seconds if self.result is not None else 0.0
        return round(1000 * (self.ended - seconds)), round(1000 * self.ended)

    @property
    def name(self) -> str:
        """The name in the runs table; hyperparameters have columns of their own there."""
        return f"{self.search}/{self.number:03d}" if self.search else f"trial {self.number:03d}"

    def metrics(self) -> list[Logged]:
        """All metrics of the trial, as name, value and step.

        The step is the seed of values per seed, the epoch of learning curves, the propagation
        step t of the profile q(t), and 0 otherwise.
        """
        places = [("trial", float(self.number), 0), *self._logarithms()]
        if self.result is None:
            return places
        return [*places, *_numbers(self.result), *_seeds(self.result), *_curves(self.result)]

    def _logarithms(self) -> list[Logged]:
        values = self.config.to_mapping()
        return [
            (log_metric(key), round(math.log10(values[key]), 3), 0)
            for key in self.logarithms
            if values[key] > 0
        ]

    def params(self) -> dict[str, str]:
        """The configuration under the paper's names."""
        return {key: _plain(value) for key, value in self.config.to_mapping().items()}

    def tags(self) -> dict[str, str]:
        """Tags to filter runs by, and `trial_uid`, by which the run is found again."""
        config = self.config
        tags = {
            "trial_uid": self.uid,
            "trial": str(self.number),
            "search": self.search,
            "status": self.status.value,
            "method": config.method,
            "config_id": config.config_id,
        }
        if config.model == "l2p":
            tags |= {
                "posterior": config.posterior,
                "level": config.level,
                "backbone": config.backbone,
            }
        if any(name.startswith(_IMAGES) for name in self.files):
            tags |= IMAGE_TAG
        if self.reason is not None:
            tags["reason"] = self.reason
        return tags


_IMAGES = "images/"
PICTURE = f"{_IMAGES}{IMAGE}+step+0+timestamp+0+l2p.png"
SMALL_PICTURE = PICTURE.replace(".png", "+compressed.png")
"""The files of a run's profile, under the names that MLflow's charts look for."""
IMAGE_TAG = {"mlflow.loggedImages": "true"}
"""By it MLflow's interface knows that a run has pictures for its charts."""


def image_files(picture: bytes, small: bytes) -> dict[str, bytes]:
    """The files by which a run's profile becomes a picture in MLflow's charts.

    MLflow's own `log_image` writes them under a new name each time; these are written anew.

    Args:
        picture: A PNG, shown when one clicks at it.
        small: A square PNG, which charts show beside those of other runs.

    Returns:
        File name -> content.
    """
    return {PICTURE: picture, SMALL_PICTURE: small}


@dataclass(frozen=True)
class Mark:
    """Where a trial stands in its search, which is known only when the search has ended.

    Args:
        rank: 1 for the best on validation nodes.
        tie: Whether validation cannot tell it from the best; the best itself is one.
        behind: How many points it is behind the best.
    """

    METRICS: ClassVar[tuple[str, ...]] = ("rank", "tie", "behind_best")

    rank: int
    tie: bool
    behind: float

    def tags(self) -> dict[str, str]:
        """To filter runs by."""
        tie = "best" if self.rank == 1 else "yes" if self.tie else "no"
        return {"rank": str(self.rank), "tie": tie}

    def metrics(self) -> list[Logged]:
        """Columns that sort as numbers, and a chart."""
        values = (float(self.rank), float(self.tie), round(self.behind, 2))
        return [(name, value, 0) for name, value in zip(self.METRICS, values, strict=True)]


def inert(text: str) -> str:
    """A text for MLflow's notes, which are Markdown: it stays text, and becomes no HTML or link.

    Example:
        >>> inert("a < b")
        'a &lt; b'
    """
    return re.sub(r"([\\`*_\[\]])", r"\\\1", escape(text, quote=False))


@dataclass(frozen=True, kw_only=True)
class SearchEntry:
    """One search, which becomes a parent run.

    Args:
        uid: Identifies the search, so that it is written once.
        name: Of the search.
        dataset: The name of the graph.
        data_digest: The content hash of the graph.
        params: The settings of the search.
        varied: The hyperparameters that vary in it.
        tags: Further tags.
        metrics: What the search found.
        description: Markdown for the run's page.
        files: File name -> content.
        model: The model that the search has kept; None for none.
        kind: The tag that tells searches from trials.
        logarithms: The hyperparameters that charts show by their logarithm.
        profile: q(t) of its best trial.
        marks: Uid of a trial -> where it stands.
        answer: What it found in one line, for the dataset's page; text, not Markdown.
        began: When, in seconds since 1970; None for now.
        ended: When its last trial ended; None for now.
        series: Metrics over something else than time, as name, value and step.
    """

    uid: str
    name: str
    dataset: str
    data_digest: str
    params: dict[str, str]
    metric: Metric = "accuracy"
    varied: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    description: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    model: ModelEntry | None = None
    kind: str = "search"
    logarithms: tuple[str, ...] = ()
    profile: tuple[float, ...] = ()
    marks: dict[str, Mark] = field(default_factory=dict)
    answer: str = ""
    began: float | None = None
    ended: float | None = None
    series: tuple[Logged, ...] = ()

    @property
    def experiment(self) -> str:
        """The name of the experiment: one per dataset."""
        return f"l2p-search/{self.dataset}"


def profile_entropy(profile: Sequence[float]) -> float:
    """The entropy of a profile, in nats.

    Args:
        profile: q(t), averaged over nodes and seeds: [T].

    Returns:
        0 when all nodes take the same step, log T when all steps are equally likely.

    Example:
        >>> profile_entropy((1.0, 0.0)), round(profile_entropy((0.5, 0.5)), 4)
        (0.0, 0.6931)
    """
    return sum(-share * math.log(share) for share in profile if share > 0.0)


def profile_stability(result: TrialResult) -> float | None:
    """How much the seeds of a trial agree on the profile.

    Args:
        result: A trial.

    Returns:
        The mean correlation between the profiles of every two seeds: 1 when all seeds learn the
        same profile. None with fewer than two profiles, or when one of them is flat.
    """
    profiles = [seed.profile for seed in result.finished if seed.profile is not None]
    if len(profiles) < 2 or any(max(p) == min(p) for p in profiles):
        return None
    pairs = np.triu_indices(len(profiles), k=1)
    return float(np.asarray(np.corrcoef(profiles))[pairs].mean())


def _numbers(result: TrialResult) -> list[Logged]:
    found: dict[str, float | None] = {
        f"val_{result.metric}_mean": _two(result.val_mean),
        f"val_{result.metric}_std": _two(result.val_std),
        f"test_{result.metric}_mean": _two(result.test_mean),
        f"test_{result.metric}_std": _two(result.test_std),
        "expected_step": _two(result.expected_step),
        "profile_entropy": _two(profile_entropy(result.profile) if result.profile else None),
        "profile_stability": _two(profile_stability(result)),
        "seconds": _two(result.seconds),
        "seeds": float(len(result.finished)),
    }
    return [(name, value, 0) for name, value in found.items() if value is not None]


def _seeds(result: TrialResult) -> list[Logged]:
    rows: list[Logged] = []
    for seed in result.finished:
        values = {
            f"val_{result.metric}": seed.val,
            f"test_{result.metric}": seed.test,
            "expected_step": seed.expected_step,
        }
        for name, value in values.items():
            if value is not None:
                rows.append((f"seed/{name}", round(value, 2), seed.seed))
    return rows


def _curves(result: TrialResult) -> list[Logged]:
    rows: list[Logged] = [
        ("profile/q", round(share, 5), step) for step, share in enumerate(result.profile or ())
    ]
    if result.curves is None:
        return rows
    curves = result.curves.to_mapping(result.metric)
    epochs = curves.pop("epochs")
    for name, series in curves.items():
        rows += [
            (f"curve/{name}", float(f"{value:.5g}"), epoch)
            for epoch, value in zip(epochs, series, strict=True)
        ]
    return rows


def _two(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
