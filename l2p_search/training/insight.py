"""Learning curves, collected while the seeds train, and profiles, collected afterwards."""

import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.learned import Curves, Profiles, degree_bucket
from l2p_search.model.problem import HOST
from l2p_search.training.objective import Scores

_POINTS = 100
"""About how many epochs a curve has."""


class CurveRecorder:
    """Collects the mean over S seeds of losses and metric, at about a hundred epochs.

    Example:
        >>> recorder = CurveRecorder(num_seeds=2, epochs=1)
        >>> scores = Scores(torch.tensor([1.0, 3.0]), torch.tensor([25.0, 75.0]))
        >>> recorder.record(1, torch.tensor([0, 1]), torch.tensor([2.0, 4.0]), scores)
        >>> recorder.curves()
        Curves(epochs=(1,), train_loss=(3.0,), val_loss=(2.0,), val=(50.0,))
    """

    def __init__(self, num_seeds: int, epochs: int) -> None:
        """Choose which epochs to record from how many there may be.

        Args:
            num_seeds: S.
            epochs: The most there can be; of more than 100, every n-th is recorded.
        """
        self._stride = max(1, epochs // _POINTS)
        self._now = torch.full((3, num_seeds), torch.nan, dtype=torch.float64, device=HOST)
        self._epochs: list[int] = []
        self._means: list[Tensor] = []

    def record(self, epoch: int, places: Tensor, train_loss: Tensor, scores: Scores) -> None:
        """Take the values of one epoch; seeds that have ended keep their last ones.

        Args:
            epoch: Counted from 1.
            places: Which of the S seeds are still training, [P].
            train_loss: Theirs, [P].
            scores: Their validation loss and metric, [P] each.
        """
        if epoch > 1 and epoch % self._stride:
            return
        self._now[:, places] = torch.stack(
            [train_loss.detach().double(), scores.loss.double(), scores.metric.double()]
        )
        finite = self._now[:, self._now.isfinite().all(dim=0)]
        if finite.shape[1]:  # diverged seeds are in no mean
            self._epochs.append(epoch)
            self._means.append(finite.mean(dim=1))

    def curves(self) -> Curves | None:
        """The means at the recorded epochs; None when no seed ever had finite values."""
        if not self._means:
            return None
        series = torch.stack(self._means, dim=1).tolist()
        return Curves(tuple(self._epochs), *map(tuple, series))


class ProfileMean:
    """Collects the mean over seeds of q(t | node), by degree, by class and by node."""

    def __init__(self, graph: Graph, *, sealed: bool = False) -> None:
        """Sort the nodes of a graph into buckets of similar degree, and into classes.

        Args:
            graph: The graph.
            sealed: Whether classes are left out: they would tell of the labels of test nodes.
        """
        degree = torch.bincount(graph.edges[0], minlength=graph.num_nodes)
        distinct, place = degree.unique(return_inverse=True)
        names = [degree_bucket(value) for value in distinct.tolist()]
        self._degrees = list(dict.fromkeys(names))
        places = [self._degrees.index(name) for name in names]
        bucket = torch.tensor(places, device=place.device)
        self._groups = {"degree": bucket[place]} | ({} if sealed else {"class": graph.y})
        self._sums: dict[str, Tensor] = {}
        self._seeds = 0

    def add(self, q: Tensor) -> None:
        """Take the posterior q [N, T] of one trained seed."""
        q = q.double()
        steps = torch.arange(q.shape[1], dtype=torch.float64, device=q.device)
        found = {name: _means(q, group) for name, group in self._groups.items()}
        found["node"] = q @ steps
        found["settled"] = (q > 0.5).double().mean(dim=0)
        self._sums = {name: value + self._sums.get(name, 0.0) for name, value in found.items()}
        self._seeds += 1

    def profiles(self) -> Profiles | None:
        """The means over the seeds that were added; None when there were none."""
        if not self._seeds:
            return None
        mean = {name: (value / self._seeds).tolist() for name, value in self._sums.items()}
        return Profiles(
            by_degree={
                name: tuple(q) for name, q in zip(self._degrees, mean["degree"], strict=True)
            },
            by_class={str(label): tuple(q) for label, q in enumerate(mean.get("class", ()))},
            node_steps=tuple(mean["node"]),
            settled=tuple(mean["settled"]),
        )


def _means(q: Tensor, group: Tensor) -> Tensor:
    """The mean of q over the nodes of each group: [G, T]. Nodes of group -1 are in no mean."""
    if int(group.min()) < 0:
        q, group = q[group >= 0], group[group >= 0]
    count = int(group.max()) + 1
    sums = q.new_zeros(count, q.shape[1]).index_add_(0, group, q)
    return sums / torch.bincount(group).clamp(min=1).unsqueeze(1)
