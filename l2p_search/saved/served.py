"""Served: a saved model as MLflow serves it, a table of nodes in and a table of predictions out.

MLflow finds this module by its name (`LOADER`) and calls `_load_pyfunc`. It imports nothing of
MLflow, and opens no pickle: what it loads is the folder of plain files.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search.errors import DataError
from l2p_search.saved.node_table import graph_of_table
from l2p_search.saved.trained_model import Model, load_model

if TYPE_CHECKING:
    from pandas import DataFrame

LOADER = __name__


class Served:
    """What `mlflow.pyfunc.load_model` puts behind its own `predict`.

    Attributes:
        model: The model itself, with everything that it can do beside predicting tables.
    """

    def __init__(self, model: Model) -> None:
        """Serve a model."""
        self.model = model

    def predict(
        self, model_input: "DataFrame | Mapping[str, Any]", params: dict[str, Any] | None = None
    ) -> "DataFrame":
        """Predict every node of a graph.

        Args:
            model_input: A row per node, as `graph_of_table` reads it.
            params: MLflow's parameters of an inference; the model has none.

        Returns:
            A row per node, as of `Model.predictions`: `node`, `class`, a probability per class,
            and unless a baseline the expected step and q.

        Raises:
            DataError: The table is none of a graph, or its graph is none for this model.
        """
        if not hasattr(model_input, "keys"):
            raise DataError(
                "the table: give a row per node with named columns, as in the model's example of"
                " an input"
            )
        # Lists, as a DataFrame may count its rows otherwise than from 0.
        columns = {str(name): list(model_input[name]) for name in model_input.keys()}  # noqa: SIM118
        return self.model.predictions(graph_of_table(columns, self.model.expected))


def _load_pyfunc(data_path: str) -> Served:
    """What MLflow calls with the folder of the model."""
    return Served(load_model(Path(data_path)))
