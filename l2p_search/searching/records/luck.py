"""The luck of the search: how far the confirmed number would move with another draw of trials.

The headline's interval holds the winner fixed: it tells of other seeds and splits. Another search
of the same size would have met other configurations, and chosen another winner. Here as many
trials are drawn anew from those of the search, with replacement; the best of them by validation
is chosen, and its test score is set against that of the winner. For trials in the order of their
validation scores it is known how often each would be chosen, so nothing is simulated:

    P(trial of rank r is the best of n draws from n) = (r / n)^n - ((r - 1) / n)^n

The root mean square of these differences is the luck; it is added to the error of the headline as
independent errors add. It reaches to both sides: a bootstrap of a best value never finds a better
one than was found, but this search may have been unlucky as well as lucky.

In simulations (`test_luck`) the interval covers what searches of that size find on average in 90
to 98 % of searches where scores have a ceiling, as on most graphs, and in 81 to 95 % where they
have none and the rare best configuration decides; that of the headline alone in 12 to 94 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from l2p_search.intervals import Interval, quantile
from l2p_search.other_nodes import Estimate
from l2p_search.results import TrialResult
from l2p_search.searching.records.expected_best import ranked_trials
from l2p_search.trial_record import TrialRecord

_LEAST = 5
"""With fewer trials, drawing them anew tells next to nothing of a search."""
_Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Luck:
    """The headline with the luck of the search.

    Attributes:
        estimate: The confirmed test score in percent with its 95 % intervals for other trials,
            seeds and splits, and for other trials and other nodes of this kind.
        points: The root mean square of what another winner would have had more or less.
        trials: How many trials were drawn anew.
        winners: How many of them would be chosen in at least one search of a hundred.
    """

    estimate: Estimate
    points: float
    trials: int
    winners: int

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            **self.estimate.to_mapping(),
            "luck": self.points,
            "trials": self.trials,
            "likely_winners": self.winners,
        }


def luck_of(records: Sequence[TrialRecord], confirmed: Estimate | None) -> Luck | None:
    """The confirmed number with intervals that include the luck of the search.

    Args:
        records: The trials. One that was raced out is drawn, and chosen by no search.
        confirmed: The headline.

    Returns:
        The number; None with fewer than 5 trials, without a headline or its error, and for a
        sealed search, whose trials have no test score.
    """
    ranked = ranked_trials(records)
    complete = [each.result for each in ranked if each.objective is not None and each.result]
    if confirmed is None or len(ranked) < _LEAST or not complete:
        return None
    above = _above_winner(complete)
    if above is None or confirmed.this_graph.low is None:
        return None
    chances = chances_of_ranks(len(ranked))[-len(complete) :]
    chances /= chances.sum()  # of searches that have a winner at all
    luck = float(chances @ above**2) ** 0.5
    here = _with_luck(confirmed.this_graph, luck)
    there = confirmed.other_nodes and _with_luck(confirmed.other_nodes, luck, here.half_width)
    return Luck(
        estimate=Estimate(here, there),
        points=luck,
        trials=len(ranked),
        winners=int((chances >= 0.01).sum()),
    )


def chances_of_ranks(count: int) -> _Values:
    """How often the trial of each rank is the best of `count` draws, the worst trial first.

    Example:
        >>> chances_of_ranks(2).tolist()
        [0.25, 0.75]
    """
    ends = (np.arange(count + 1) / count) ** count
    return np.asarray(np.diff(ends))


def _with_luck(headline: Interval, luck: float, least: float | None = None) -> Interval:
    """The headline with the luck added to its error; no narrower than the least half width.

    The error for other nodes has more degrees of freedom, and so a smaller t: what holds for
    other nodes, too, is never told as known better than what holds for these.
    """
    mean, error, freedom = headline.mean, headline.error, headline.freedom
    if error is None or freedom is None:
        return headline
    width = max(quantile(freedom) * float(np.hypot(error, luck)), least or 0.0)
    return Interval(mean, mean - width, mean + width, headline.units, freedom)


def _above_winner(complete: Sequence[TrialResult]) -> _Values | None:
    """Test score of each trial minus that of the last one, paired by seed, every split once."""
    tables = [{seed.seed: seed for seed in result.finished} for result in complete]
    seeds = sorted(set.intersection(*map(set, tables)))
    scores = [[table[seed].test for seed in seeds] for table in tables]
    if not seeds or any(score is None for row in scores for score in row):
        return None
    values = np.array(scores, dtype=float)
    splits = np.array([tables[-1][seed].split for seed in seeds])
    by_split = [values[:, splits == split].mean(axis=1) for split in sorted(set(splits.tolist()))]
    means = np.mean(by_split, axis=0)
    return np.asarray(means - means[-1])
