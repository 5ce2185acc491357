"""The random numbers of a seed: one stream for each purpose, independent of other seeds.

A seed has streams of its own, so it learns the same alone and in a batch. Each purpose
(initialisation, dropout, Gumbel noise of either level) has its own stream, so a configuration that
needs more numbers for one of them (a larger K, say) still gets the same numbers for the others:
two configurations are compared on equal random numbers as far as possible.

Initial weights are drawn on the CPU whatever the device, and so are equal on all devices. Noise is
drawn where it is used: on a CUDA device by generators of that device, one per seed and purpose,
whose numbers are others than the CPU's (and may be others on another model of GPU). Elsewhere it
is drawn on the CPU and moved.
"""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

from l2p_search.model.problem import HOST, Problem

_PURPOSES = ("initial", "dropout", "lower", "upper", "free", "labels")


def generator_of(seed: int, purpose: str, device: torch.device = HOST) -> Generator:
    """The stream of one seed for one purpose.

    Args:
        seed: From 0.
        purpose: initial, dropout, lower, upper, free or labels.
        device: Where its numbers are drawn.

    Returns:
        A generator at the start of the stream.

    Example:
        >>> first, again = (generator_of(3, "dropout") for _ in range(2))
        >>> torch.equal(torch.rand(4, generator=first), torch.rand(4, generator=again))
        True
    """
    import numpy as np  # trained weights are read without it

    entropy = np.random.SeedSequence([seed, _PURPOSES.index(purpose)])
    return Generator(device).manual_seed(int(entropy.generate_state(1, np.uint64)[0] >> 1))


class Streams:
    """The random streams of a batch of seeds for one purpose; what they draw is on the device."""

    def __init__(self, problem: Problem, seeds: Sequence[int], purpose: str) -> None:
        """Start every seed's stream at its beginning."""
        self._problem = problem
        self._drawn_on = problem.device if problem.device.type == "cuda" else HOST
        self.generators = [generator_of(seed, purpose, self._drawn_on) for seed in seeds]

    def keep(self, places: Tensor) -> None:
        """Continue with the seeds at `places` (on the CPU) only."""
        self.generators = [self.generators[place] for place in places.tolist()]

    def bytes(self, count: int) -> Tensor:
        """Uniform random bytes [S, count], drawn eight at a time."""
        words = self._empty(-(-count // 8), dtype=torch.int64)
        for own, generator in zip(words, self.generators, strict=True):
            own.random_(-(2**63), None, generator=generator)
        return self._problem.placed(words.view(torch.uint8)[:, :count])

    def places(self, count: int, below: int) -> Tensor:
        """Uniform whole numbers from 0 to `below` - 1: [S, count]."""
        drawn = self._empty(count, dtype=torch.int64)
        for own, generator in zip(drawn, self.generators, strict=True):
            own.random_(0, below, generator=generator)
        return self._problem.placed(drawn)

    def gumbel(self, rows: int, steps: int) -> Tensor:
        """Standard Gumbel noise [S, rows, steps], rows innermost in memory.

        -log(-log u) with u kept off 0 and 1; torch's own exponential draws take six times as long.
        """
        dtype = self._problem.dtype
        uniform = self._empty(steps, rows, dtype=dtype)
        for own, generator in zip(uniform, self.generators, strict=True):
            own.uniform_(generator=generator)
        limits = torch.finfo(dtype)
        uniform = self._problem.placed(uniform).clamp_(limits.tiny, 1.0 - limits.eps)
        return uniform.log_().neg_().log_().neg_().transpose(1, 2)

    def _empty(self, *shape: int, dtype: torch.dtype) -> Tensor:
        """Room for what all seeds draw, [S, *shape]."""
        shape = (len(self.generators), *shape)
        return torch.empty(shape, dtype=dtype, device=self._drawn_on)
