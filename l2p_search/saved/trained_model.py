"""Model: the ensemble of trained seeds, which predicts graphs and is kept as a folder."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError, argument
from l2p_search.model.building import build_network
from l2p_search.model.network import Levels
from l2p_search.model.problem import Problem
from l2p_search.results import TrialResult
from l2p_search.saved.downloaded import model_within
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.expected import Expected
from l2p_search.saved.storing import read_model, write_model
from l2p_search.saved.weight_checks import check_fit
from l2p_search.training.judging import predict
from l2p_search.weights import Weights

if TYPE_CHECKING:
    from pandas import DataFrame


class Prediction(NamedTuple):
    """What a model says of a graph's nodes: p(class) [N, C], and q(t) [N, T] unless a baseline."""

    p: Tensor
    q: Tensor | None


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A trained configuration: the mean probability over its seeds, or one seed on request.

    `l2p.fit(..).model` and `l2p.open_search(..).model` have one, `l2p.load_model` reads one. It
    serves L2P and every baseline. A graph that has grown is predicted: its nodes and edges may
    differ from those of the training, its features, their order and scaling, and the classes may
    not.

    Attributes:
        config: How it was trained.
        weights: Theta and phi of every seed.
        expected: What it knows of the graph that it was trained on.
        evidence: How good its seeds are, and how that is known.

    Example:
        >>> model = l2p.fit("demo", K=2, epochs=10, seeds=2).model
        >>> model
        Model('l2q', trained on 'demo', classes=4, seeds=2)
        >>> model.predict_proba("demo").shape
        torch.Size([320, 4])
        >>> _ = model.save("kept")
        >>> torch.equal(l2p.load_model("kept").predict("demo"), model.predict("demo"))
        True
    """

    config: TrialConfig
    weights: Weights
    expected: Expected
    evidence: Evidence

    @classmethod
    def of(
        cls,
        graph: Graph,
        result: TrialResult,
        *,
        confirmed: bool = False,
        search: str | None = None,
        trials: int | None = None,
    ) -> "Model":
        """The model of a training.

        Args:
            graph: What was trained on.
            result: What `fit` gave, with its weights.
            confirmed: Whether its seeds are fresh ones, which chose nothing.
            search: The search that chose the configuration.
            trials: How many trials that search had.

        Returns:
            The model of the seeds that finished.

        Raises:
            ModelError: No seed finished, or the result comes without weights.
        """
        if result.weights is None:
            why = result.reason or "no weights were kept"
            raise ModelError(f"{result.dataset}: there is no model: {why}")
        evidence = Evidence.of(result, confirmed=confirmed, search=search, trials=trials)
        expected = Expected.of(graph, result.config)
        return cls(result.config, result.weights, expected, evidence)

    def __repr__(self) -> str:
        return (
            f"Model({self.config.method!r}, trained on {self.expected.dataset!r},"
            f" classes={len(self.classes)}, seeds={len(self.seeds)})"
        )

    @property
    def seeds(self) -> tuple[int, ...]:
        """The numbers of its seeds."""
        return self.weights.seeds

    @property
    def classes(self) -> tuple[str, ...]:
        """What the classes are called, in the order of the probabilities."""
        return self.expected.classes

    def predict(self, graph: Any, *, seed: int | None = None) -> Tensor:
        """The most probable class of every node.

        Args:
            graph: A `Graph`, or what `load_graph` takes: a file, a dataset's name, a PyG `Data`.
            seed: One of `seeds` alone; by default all of them together.

        Returns:
            Places in `classes`, [N], int64.

        Raises:
            DataError: The graph has other features, another scaling, or unknown classes.
            ModelError: There is no such seed.
        """
        return self.read(graph, seed=seed).p.argmax(dim=1)

    def predict_proba(self, graph: Any, *, seed: int | None = None) -> Tensor:
        """The probability of every class for every node.

        Args:
            graph: As for `predict`.
            seed: As for `predict`.

        Returns:
            The mean over the seeds, [N, C], float64; a column for each of `classes`.

        Raises:
            DataError: As for `predict`.
            ModelError: As for `predict`.
        """
        return self.read(graph, seed=seed).p

    def propagation(self, graph: Any, *, seed: int | None = None) -> Tensor:
        """How far every node looks: q(t) over the steps 0 .. K.

        Args:
            graph: As for `predict`.
            seed: As for `predict`.

        Returns:
            The mean over the seeds, [N, K + 1], float64.

        Raises:
            DataError: As for `predict`.
            ModelError: As for `predict`; or the model is a baseline, which learns no steps.
        """
        q = self.read(graph, seed=seed).q
        if q is None:
            raise ModelError(
                f"{self.config.method} learns no propagation steps: only L2P has a q(t)"
            )
        return q

    def read(self, graph: Any, *, seed: int | None = None) -> Prediction:
        """Both of `predict_proba` and `propagation`, from one pass over the graph.

        Args:
            graph: As for `predict`.
            seed: As for `predict`.

        Returns:
            Probabilities of the classes and of the steps; the latter are None for a baseline.

        Raises:
            DataError: As for `predict`.
            ModelError: As for `predict`.
        """
        places = self._places(seed)
        seen = self.expected.seen(self.graph(graph))
        problem = Problem(seen, dtype=self.weights.dtype)
        network = build_network(problem, self.config)
        try:
            check_fit(network, self.weights)
        except ValueError as error:
            raise ModelError(f"the weights of the model: {error}; train anew") from None
        levels = Levels(self.weights.theta, self.weights.phi)
        read = [
            # One seed at a time, as each was judged when it was trained: equal to the last bit.
            predict(problem, network, self.config, levels.of_seeds(torch.tensor([place])))
            for place in places
        ]
        steps = [one.q for one in read if one.q is not None]
        return Prediction(_mean(one.log_p.exp() for one in read), _mean(steps) if steps else None)

    def graph(self, given: Any) -> Graph:
        """A graph to predict, its files read with the model's own scaling.

        Args:
            given: A `Graph`, which is taken as it is, or what `load_graph` takes.

        Returns:
            The graph.

        Raises:
            DataError: It cannot be read.
        """
        if isinstance(given, Graph):
            return given
        from l2p_search.data.loading import load_graph  # reads files, with many libraries
        from l2p_search.data.scaling import SCALES

        scale = self.expected.scaling
        usual = scale if scale in SCALES else "auto"
        return load_graph(given, scale=usual, to_predict=True)

    def predictions(self, graph: Any, *, seed: int | None = None) -> "DataFrame":
        """The predictions as a table, with the nodes' own ids and the classes' names.

        Args:
            graph: As for `predict`.
            seed: As for `predict`.

        Returns:
            A row per node: `node`, `class`, a column `p(NAME)` per class; unless a baseline also
            `expected_step` and `q(0)` .. `q(K)`.

        Raises:
            DataError: As for `predict`.
            ModelError: As for `predict`.
        """
        import pandas

        from l2p_search.saved.predictions import columns_of

        loaded = self.graph(graph)
        return pandas.DataFrame(columns_of(loaded, self.classes, *self.read(loaded, seed=seed)))

    def save(self, folder: str | Path) -> Path:
        """Keep the model as a folder of plain files, whole or not at all.

        Args:
            folder: Where to. An earlier model there is replaced; anything else is not.

        Returns:
            The folder. It can be moved, and loads with torch and safetensors alone.

        Raises:
            ModelError: There is something else at that place, or it cannot be written.
        """
        return write_model(Path(folder), self.config, self.weights, self.expected, self.evidence)

    def _places(self, seed: int | None) -> list[int]:
        if seed is None:
            return list(range(len(self.seeds)))
        if seed not in self.seeds:
            known = ", ".join(map(str, self.seeds))
            raise ModelError(f"{argument('seed')}: the model has no seed {seed}; it has {known}")
        return [self.seeds.index(seed)]


def load_model(folder: str | Path) -> Model:
    """Open a model that was saved, with torch and safetensors alone.

    Args:
        folder: What `Model.save`, `l2p-search train --save` or a search made, here or elsewhere;
            or what `mlflow.artifacts.download_artifacts` brought of one.

    Returns:
        The model, which predicts as on the day it was saved: on the same machine to the last bit.

    Raises:
        ModelError: One line that names the file and says what is wrong with it: no model, cut
            short, changed by hand, of a newer format.

    Example:
        >>> _ = l2p.fit("demo", K=2, epochs=10, seeds=2).model.save("kept")
        >>> l2p.load_model("kept").classes
        ('0', '1', '2', '3')
    """
    return Model(*read_model(model_within(Path(folder))))


def _mean(parts: Iterable[Tensor]) -> Tensor:
    """The mean of equal shapes, in float64."""
    return torch.stack([part.double() for part in parts]).mean(dim=0)
