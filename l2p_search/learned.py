"""What a trial shows besides its scores: how it learned, and how far which nodes look.

All of it is a mean over seeds, and parts of a trial that were trained one after another can be
joined, each with the weight of its seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from l2p_search.metrics import Metric

Series = tuple[float, ...]


@dataclass(frozen=True)
class Curves:
    """The course of training at some epochs; a seed that stopped keeps its last values.

    Attributes:
        epochs: Counted from 1.
        train_loss: The loss of theta on the training nodes.
        val_loss: Cross-entropy of the validation nodes.
        val: How well the validation nodes are predicted, in percent.
    """

    epochs: tuple[int, ...]
    train_loss: Series
    val_loss: Series
    val: Series

    def joined(self, other: "Curves", weight: float) -> "Curves":
        """The mean of both, `weight` being the other's share; the shorter one stands still."""
        epochs = max(self.epochs, other.epochs, key=len)
        series = (
            _mix(_held(mine, len(epochs)), _held(theirs, len(epochs)), weight)
            for mine, theirs in zip(self._series, other._series, strict=True)
        )
        return Curves(epochs, *series)

    @property
    def _series(self) -> tuple[Series, Series, Series]:
        return self.train_loss, self.val_loss, self.val

    def to_mapping(self, metric: Metric = "accuracy") -> dict[str, Any]:
        """Plain JSON values; the name of `val` has the metric in it."""
        series = {key: list(value) for key, value in asdict(self).items()}
        series[f"val_{metric}"] = series.pop("val")
        return series

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], metric: Metric = "accuracy") -> "Curves":
        """The inverse of `to_mapping`."""
        series = {key: tuple(value) for key, value in mapping.items()}
        return cls(val=series.pop(f"val_{metric}"), **series)


@dataclass(frozen=True)
class Profiles:
    """How far which nodes look.

    Attributes:
        by_degree: q(t) over the nodes of a degree.
        by_class: q(t) over the nodes of a class.
        node_steps: Each node's expected step.
        settled: Per step, the share of the nodes more than half of whose q is there; the other
            nodes mix several steps. Empty in journals of earlier versions.
    """

    by_degree: dict[str, Series]
    by_class: dict[str, Series]
    node_steps: Series
    settled: Series = ()

    def joined(self, other: "Profiles", weight: float) -> "Profiles":
        """The mean of both, `weight` being the other's share."""
        return Profiles(
            _mix_all(self.by_degree, other.by_degree, weight),
            _mix_all(self.by_class, other.by_class, weight),
            _mix(self.node_steps, other.node_steps, weight),
            _mix(self.settled, other.settled, weight) if self.settled and other.settled else (),
        )

    def with_class_names(self, names: Sequence[str]) -> "Profiles":
        """The same with classes by name instead of number; unchanged where a name is missing.

        Args:
            names: Of the classes, in the order of their numbers.
        """
        if not set(self.by_class) <= {str(number) for number in range(len(names))}:
            return self
        return replace(self, by_class={names[int(key)]: q for key, q in self.by_class.items()})

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "by_degree": {label: list(q) for label, q in self.by_degree.items()},
            "by_class": {label: list(q) for label, q in self.by_class.items()},
            "node_steps": list(self.node_steps),
            "settled": list(self.settled),
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Profiles":
        """The inverse of `to_mapping`."""
        return cls(
            {label: tuple(q) for label, q in mapping["by_degree"].items()},
            {label: tuple(q) for label, q in mapping["by_class"].items()},
            tuple(mapping["node_steps"]),
            tuple(mapping.get("settled", ())),
        )


def degree_bucket(degree: int) -> str:
    """0, 1, 2, 3-4, 5-8, and on in powers of two."""
    if degree <= 2:
        return str(degree)
    high = 1 << (degree - 1).bit_length()
    return f"{high // 2 + 1}-{high}"


def _mix(mine: Series, theirs: Series, weight: float) -> Series:
    return tuple((1.0 - weight) * a + weight * b for a, b in zip(mine, theirs, strict=True))


def _mix_all(
    mine: dict[str, Series], theirs: dict[str, Series], weight: float
) -> dict[str, Series]:
    return {label: _mix(q, theirs[label], weight) for label, q in mine.items()}


def _held(series: Series, length: int) -> Series:
    return series + series[-1:] * (length - len(series))


def shortened(value: Any) -> Any:
    """The same mapping or list with every number at five digits; whole numbers stay."""
    if isinstance(value, Mapping):
        return {key: shortened(part) for key, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
