"""A saved model as a folder of MLflow's kind python_function, without a pickle in it.

`mlflow.pytorch` would trace or pickle a network, and cannot trace these. Here MLflow gets the
model's own folder, the name of the module that loads it, and what its tables look like.
"""

import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search import __version__
from l2p_search.saved.served import LOADER
from l2p_search.saved.served_columns import (
    NEIGHBOURS,
    NODE,
    WEIGHTS,
    example_table,
    feature_columns,
)
from l2p_search.saved.trained_model import Model

if TYPE_CHECKING:
    from mlflow.models import ModelSignature

_NEEDED = ("torch", "safetensors", "pandas", "numpy", "scipy")
"""Packages that a served model needs beside l2p-search."""


def write_pyfunc(
    path: Path, folder: Path, model: Model, *, model_id: str, run_id: str, location: str
) -> None:
    """Write the folder that MLflow loads and serves.

    Args:
        path: Where to; it must not exist.
        folder: The folder of the saved model, which is copied into it.
        model: What is in it.
        model_id: MLflow's identifier of the logged model.
        run_id: The run that it belongs to.
        location: Where MLflow will keep it.
    """
    import pandas

    table = example_table(model.expected)
    with warnings.catch_warnings(action="ignore"):  # MLflow's own, of its type hints
        import mlflow.pyfunc

        mlflow.pyfunc.save_model(
            path,
            loader_module=LOADER,
            data_path=str(folder),
            signature=signature_of(model),
            input_example=None if table is None else pandas.DataFrame(table),
            pip_requirements=_requirements(),
            mlflow_model=mlflow.models.Model(
                artifact_path=location, run_id=run_id, model_id=model_id, model_uuid=model_id
            ),
        )


def signature_of(model: Model) -> "ModelSignature":
    """Which columns go in, and which come out.

    Args:
        model: The model that is served.

    Returns:
        The signature. What goes in may be of any type there, and is checked by `graph_of_table`:
        MLflow would refuse whole numbers among features, and lists that are text in a CSV file.
    """
    from mlflow.models import ModelSignature
    from mlflow.types.schema import AnyType, ColSpec, DataType, Schema

    config, anything = model.config, AnyType()
    given = [
        ColSpec(anything, NODE, required=False),
        *(ColSpec(anything, name) for name in feature_columns(model.expected)),
        ColSpec(anything, NEIGHBOURS),
        ColSpec(anything, WEIGHTS, required=False),
    ]
    numbers = [f"p({name})" for name in model.classes]
    if config.model == "l2p":
        numbers += ["expected_step", *(f"q({step})" for step in range(config.K + 1))]
    found = [
        ColSpec(anything, "node"),
        ColSpec(DataType.string, "class"),
        *(ColSpec(DataType.double, name) for name in numbers),
    ]
    return ModelSignature(inputs=Schema(given), outputs=Schema(found))


def _requirements() -> list[str]:
    """What to install to serve it: the versions that are here."""
    found = [f"l2p-search=={__version__}", f"mlflow=={version('mlflow')}"]
    for package in _NEEDED:
        try:
            # Without the local part, as in 2.13.0+cpu: no index has that of every machine.
            found.append(f"{package}=={version(package).partition('+')[0]}")
        except PackageNotFoundError:
            found.append(package)
    return found
