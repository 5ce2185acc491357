"""Collecting what is looked at later: learning curves while training, profiles after it."""

import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.profiles import Curves, Profiles, degree_bucket
from l2p_search.training.objective import Scores

_POINTS = 100


class CurveRecorder:
    """The mean over S seeds of losses and accuracy, at about a hundred epochs."""

    def __init__(self, num_seeds: int, epochs: int) -> None:
        """Nothing seen yet; how dense it is depends on the epochs there may be."""
        self._stride = max(1, epochs // _POINTS)
        self._now = torch.full((3, num_seeds), torch.nan, dtype=torch.float64)
        self._epochs: list[int] = []
        self._means: list[Tensor] = []

    def record(self, epoch: int, places: Tensor, train_loss: Tensor, scores: Scores) -> None:
        """Tell the values of the seeds at `places`; the others keep their last ones."""
        if epoch > 1 and epoch % self._stride:
            return
        self._now[:, places] = torch.stack(
            [train_loss.detach().double(), scores.loss.double(), 100.0 * scores.accuracy.double()]
        )
        finite = self._now[:, self._now.isfinite().all(dim=0)]
        if finite.shape[1]:  # diverged seeds are in no mean
            self._epochs.append(epoch)
            self._means.append(finite.mean(dim=1))

    def curves(self) -> Curves | None:
        """What was recorded; None when no seed had a finite value."""
        if not self._means:
            return None
        series = torch.stack(self._means, dim=1).tolist()
        return Curves(tuple(self._epochs), *map(tuple, series))


class ProfileMean:
    """The mean over seeds of q by degree, by class and by node."""

    def __init__(self, graph: Graph) -> None:
        """Accumulate q of each seed that `add` is given, over the nodes of this graph."""
        degree = torch.bincount(graph.edges[0], minlength=graph.num_nodes)
        distinct, place = degree.unique(return_inverse=True)
        names = [degree_bucket(value) for value in distinct.tolist()]
        self._degrees = list(dict.fromkeys(names))
        bucket = torch.tensor([self._degrees.index(name) for name in names])
        self._groups = {"degree": bucket[place], "class": graph.y}
        self._sums: dict[str, Tensor] = {}
        self._seeds = 0

    def add(self, q: Tensor) -> None:
        """Tell one seed's q: [N, T]."""
        q = q.double()
        steps = torch.arange(q.shape[1], dtype=torch.float64)
        found = {name: _means(q, group) for name, group in self._groups.items()}
        found["node"] = q @ steps
        self._sums = {name: value + self._sums.get(name, 0.0) for name, value in found.items()}
        self._seeds += 1

    def profiles(self) -> Profiles | None:
        """The means; None when no seed was told."""
        if not self._seeds:
            return None
        mean = {name: (value / self._seeds).tolist() for name, value in self._sums.items()}
        return Profiles(
            by_degree={
                name: tuple(q) for name, q in zip(self._degrees, mean["degree"], strict=True)
            },
            by_class={str(label): tuple(q) for label, q in enumerate(mean["class"])},
            node_steps=tuple(mean["node"]),
        )


def _means(q: Tensor, group: Tensor) -> Tensor:
    """The mean of q over the nodes of each group: [G, T]. Nodes of group -1 are in no mean."""
    if int(group.min()) < 0:
        q, group = q[group >= 0], group[group >= 0]
    count = int(group.max()) + 1
    sums = torch.zeros(count, q.shape[1], dtype=q.dtype).index_add_(0, group, q)
    return sums / torch.bincount(group, minlength=count).clamp(min=1).unsqueeze(1)
