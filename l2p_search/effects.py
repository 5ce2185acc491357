"""Effects: how much of the differences among a search's trials each hyperparameter explains."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LEAST_R2, _SCATTER = 0.1, 1.5


@dataclass(frozen=True)
class Effect:
    """The share of one hyperparameter in the variance over the space, on its own.

    Attributes:
        share: From 0 to 1.
        low: The lower end of its 95 % interval, by refitting to resampled trials.
        high: The upper end.
    """

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        """For people: 0.68 (0.55 to 0.81)."""
        return f"{self.share:.2f} ({self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True)
class Effects:
    """What mattered in a search, by a forest that was fitted to its trials.

    Attributes:
        shares: Hyperparameter -> its effect on its own, the largest first. With `interactions`
            they sum to one: they are shares of the variance of the forest's prediction over the
            whole space, not of each other.
        interactions: What is left: combinations of hyperparameters, and the forest's own noise.
        r2: How much of the variance among trials the forest predicts for trials that it was not
            fitted to (out of bag); negative where guessing the mean would have been better.
        trials: How many trials it was fitted to.
        partial: How many of them were raced out, and count by the seeds that they have.

    Example:
        >>> found = Effects({"K": Effect(0.8, 0.6, 0.9)}, interactions=0.2, r2=0.7, trials=50,
        ...                 partial=0)
        >>> found.told, str(found.shares["K"])
        (True, '0.80 (0.60 to 0.90)')
    """

    shares: Mapping[str, Effect]
    interactions: float
    r2: float
    trials: int
    partial: int

    @property
    def told(self) -> bool:
        """Whether anything is to be told: shares of what a forest made up of noise are not.

        Trials without any effect have an R² below zero, and with few of them one that scatters:
        above this bound it is in fewer than one search in twenty.
        """
        return self.r2 >= max(_LEAST_R2, _SCATTER / math.sqrt(self.trials))

    @property
    def basis(self) -> str:
        """What the shares rest on, in a few words."""
        raced = f", {self.partial} of them raced out" if self.partial else ""
        return f"R² {self.r2:.2f} out of bag, {self.trials} trials{raced}"

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "told": self.told,
            "r2_out_of_bag": self.r2,
            "trials": self.trials,
            "raced_out": self.partial,
            "interactions": self.interactions,
            "shares": {
                key: {"share": each.share, "low": each.low, "high": each.high}
                for key, each in self.shares.items()
            },
        }

    def __str__(self) -> str:
        """For people, in one line."""
        if not self.told:
            return f"nothing to be told ({self.basis})"
        each = ", ".join(f"{key} {effect}" for key, effect in self.shares.items())
        return f"{each}, interactions {self.interactions:.2f} ({self.basis})"
