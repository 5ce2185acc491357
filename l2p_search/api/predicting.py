"""predict: a saved model on a graph, as a table and as a file of it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.writing import write_file
from l2p_search.caller import left_as_found
from l2p_search.data.graph import Graph
from l2p_search.data.loading import load_graph
from l2p_search.data.scaling import SCALES
from l2p_search.errors import UserError, argument
from l2p_search.saved.trained_model import Model

if TYPE_CHECKING:
    from pandas import DataFrame

ENDINGS = (".csv", ".json", ".parquet")
"""Of the files that predictions are written to."""


@left_as_found()
def predict(
    model: Model,
    graph: Any,
    *,
    seed: int | None = None,
    threads: int = defaults.THREADS,
    **reading: Any,
) -> "DataFrame":
    """Predict every node of a graph.

    Args:
        model: The model.
        graph: What `load_graph` takes.
        seed: One of the model's seeds alone; by default all of them together.
        threads: Threads that torch computes with.
        **reading: Arguments of `load_graph`; `scale` is that of the model where it is not given.

    Returns:
        A row per node: see `Model.predictions`.

    Raises:
        UserError: The graph cannot be read, or the model refuses it.
    """
    check(threads=threads)
    if not isinstance(graph, Graph):
        scale = model.expected.scaling
        usual = {"scale": scale} if scale in SCALES else {}
        graph = load_graph(graph, **{**usual, **reading}, to_predict=True)
    torch.set_num_threads(threads)
    return model.predictions(graph, seed=seed)


def check_ending(path: Path) -> None:
    """Refuse a file whose ending names no form that predictions have.

    Raises:
        UserError: It names the endings.
    """
    if path.suffix.lower() not in ENDINGS:
        raise UserError(
            f"{argument('out', path)}: end the name with {', '.join(ENDINGS[:-1])} or"
            f" {ENDINGS[-1]}, which says how predictions are written"
        )


def write_predictions(path: Path, table: "DataFrame") -> Path:
    """Write predictions as a whole file, in the form that its ending names.

    Args:
        path: The file.
        table: What `predict` gave.

    Returns:
        The file.

    Raises:
        UserError: The ending names no form, or the file cannot be written.
    """
    check_ending(path)
    return write_file(path, _FORMS[path.suffix.lower()](table))


def as_csv(table: "DataFrame") -> bytes:
    """A line of names, then a line per node."""
    text: str = table.to_csv(index=False)
    return text.encode()


def _as_json(table: "DataFrame") -> bytes:
    rows = table.to_dict(orient="records")
    return (json.dumps(rows, indent=1, allow_nan=False) + "\n").encode()


def _as_parquet(table: "DataFrame") -> bytes:
    if len({type(node) for node in table["node"]}) > 1:
        table = table.assign(node=table["node"].map(str))  # a column has one type there
    content: bytes = table.to_parquet(index=False)
    return content


_FORMS = {".csv": as_csv, ".json": _as_json, ".parquet": _as_parquet}
