"""ModelKeeper: the winner's confirmed seeds, kept as a model in the search's folder."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.results import TrialResult
from l2p_search.saved.folder import identity_of
from l2p_search.saved.storing import weights_of_bytes
from l2p_search.saved.trained_model import Model

FOLDER = "model"
"""Where a search keeps its model, in its own folder."""


class ModelKeeper:
    """Writes the model of a search's winner, once its fresh seeds are trained.

    Weights come from the worker as bytes, whatever machine it runs on, and are written by the
    driver: whole, in the place of the model of an earlier winner.
    """

    def __init__(
        self, directory: Path, graph: Graph, told: Callable[[str], None] = lambda text: None
    ) -> None:
        """Keep models of a search.

        Args:
            directory: The search's folder.
            graph: What it trains on.
            told: Takes a line on what was kept, or why nothing was.
        """
        self._directory, self._graph, self._told = directory, graph, told

    def has(self, config: TrialConfig, seeds: tuple[int, ...]) -> bool:
        """Whether the kept model is that of these seeds of the configuration."""
        return identity_of(self._directory / FOLDER) == (config.config_id, seeds)

    def with_weights(self, result: TrialResult, weights: bytes | None) -> TrialResult:
        """A result with what its seeds have learned.

        Args:
            result: Of some of the winner's fresh seeds.
            weights: What the worker sent with it; None when it has none to send.

        Returns:
            The same result; without weights where there are none, or none that can be read.
        """
        if weights is None:
            return result
        seeds = tuple(seed.seed for seed in result.finished)
        try:
            return replace(result, weights=weights_of_bytes(seeds, weights))
        except ValueError as error:
            self._told(f"what a worker sent {error}")
            return result

    def keep(self, result: TrialResult, trials: int) -> None:
        """Write the model; where that fails, say so: the search itself is not harmed.

        Args:
            result: The winner on its fresh seeds, with their weights.
            trials: How many trials the search has.
        """
        folder = self._directory / FOLDER
        if result.weights is None:
            self._told("no model is kept: the training gave no weights")
            return
        try:
            seeds = tuple(seed.seed for seed in result.finished)
            model = Model.of(
                self._graph, result, confirmed=True, search=self._directory.name, trials=trials
            )
            model.save(folder)
        except (ModelError, ValueError) as error:
            self._told(f"no model is kept: {error}")
            return
        self._told(
            f"kept the winner's {len(seeds)} fresh seed{'s' * (len(seeds) != 1)} in {folder}"
            f" ({model.weights.megabytes:.2f} MB)"
        )
