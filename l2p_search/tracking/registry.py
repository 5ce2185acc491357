"""Models in MLflow: logged once to the run of their search, and a version each in the registry.

Everything goes through a client of the store that is meant. `mlflow.pyfunc.log_model` does the
same calls, but with the tracking URI of the whole process, which belongs to the caller.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.errors import UserError, argument
from l2p_search.tracking.model_entry import ModelEntry
from l2p_search.tracking.pyfunc_folder import write_pyfunc

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import LoggedModel
    from mlflow.entities.model_registry import ModelVersion

_UID, _ALIASES = "model_uid", "aliases_given"
_ABOUT = (
    "Node classifiers of l2p-search, a version for every search that has registered its best one."
    " `candidate` is the newest of them, `champion` the one that was chosen for use."
)
_EXISTS = ("RESOURCE_ALREADY_EXISTS", "ALREADY_EXISTS")
_WITHOUT = {
    "ENDPOINT_NOT_FOUND": "it does not know the request",
    "NOT_IMPLEMENTED": "it does not know the request",
    "FEATURE_DISABLED": "it has no registry",
}
"""What a store answers that is too old for models, or was set up without them."""


def keep_model(client: "MlflowClient", run_id: str, entry: ModelEntry) -> str | None:
    """Log a model to the run of its search, and register it where that is asked for.

    A model that the store has is not written again, and an alias that was given once is not
    given again: what a person moves by hand stays where it is.

    Args:
        client: Of the store.
        run_id: The run of the search.
        entry: The model.

    Returns:
        The version in the registry; None where nothing is registered.

    Raises:
        UserError: The store keeps no models.
    """
    with _explained():
        logged = _logged(client, run_id, entry)
        if entry.registered is None:
            return None
        return _version(client, logged, entry, entry.registered)


def _logged(client: "MlflowClient", run_id: str, entry: ModelEntry) -> "LoggedModel":
    """The logged model, which is written unless it is there."""
    run = client.get_run(run_id)
    found: LoggedModel | None = None
    for each in client.search_logged_models(
        [run.info.experiment_id], f"tags.{_UID} = '{entry.uid}'"
    ):
        if each.status == "READY" and each.source_run_id == run_id:
            found = each
        else:
            client.delete_logged_model(each.model_id)  # it was cut off by a crash
    if found is None:
        found = _log(client, run.info.experiment_id, run_id, entry)
    outputs = run.outputs.model_outputs if run.outputs is not None else []
    if found.model_id not in [output.model_id for output in outputs]:
        from mlflow.entities import LoggedModelOutput

        client.log_outputs(run_id, [LoggedModelOutput(found.model_id, step=0)])
    return found


def _log(client: "MlflowClient", experiment: str, run_id: str, entry: ModelEntry) -> "LoggedModel":
    from mlflow.entities import Metric

    logged = client.create_logged_model(
        experiment,
        name=entry.logged_name,
        source_run_id=run_id,
        tags={**entry.tags, _UID: entry.uid},
        params={key: str(value) for key, value in entry.model.config.to_mapping().items()},
        model_type=entry.model.config.method,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        write_pyfunc(
            path,
            entry.folder,
            entry.model,
            model_id=logged.model_id,
            run_id=run_id,
            location=logged.artifact_location,
        )
        client.log_model_artifacts(logged.model_id, str(path))
    expected, now = entry.model.expected, int(1000 * time.time())
    client.log_batch(
        run_id,
        metrics=[
            Metric(
                name,
                value,
                _when(client, run_id, name, value) or now,
                0,
                model_id=logged.model_id,
                dataset_name=expected.dataset,
                dataset_digest=expected.digest,
                run_id=run_id,
            )
            for name, value in entry.metrics.items()
        ],
    )
    return client.finalize_logged_model(logged.model_id, "READY")


def _when(client: "MlflowClient", run_id: str, name: str, value: float) -> int | None:
    """When the run got that value of its own; None where it has none.

    A model's metrics are its run's too: at another time the run would have the point twice.
    """
    points = client.get_metric_history(run_id, name)
    return next((p.timestamp for p in points if p.value == value and p.step == 0), None)


def _version(client: "MlflowClient", logged: "LoggedModel", entry: ModelEntry, name: str) -> str:
    """The version of the model under that name, which is made unless it is there."""
    from mlflow.exceptions import MlflowException

    try:
        client.create_registered_model(name, description=_ABOUT)
    except MlflowException as error:
        if error.error_code not in _EXISTS:
            raise
    there = client.search_model_versions(f"name = '{name}' and tags.{_UID} = '{entry.uid}'")
    if there:
        made = min(there, key=lambda each: int(each.version))
    else:
        made = client.create_model_version(
            name,
            # Not models:/ID, which the store would look up in the process's own tracking store.
            logged.artifact_location,
            logged.source_run_id,
            tags={**entry.tags, _UID: entry.uid},
            model_id=logged.model_id,
        )
    given = [alias for alias in made.tags.get(_ALIASES, "").split(", ") if alias]
    if not given:  # it is new, or was cut off by a crash
        _describe(client, logged, made, entry.description)
    for alias in entry.aliases:
        if alias not in given:
            client.set_registered_model_alias(name, alias, made.version)
            given.append(alias)
            client.set_model_version_tag(name, made.version, _ALIASES, ", ".join(given))
    return str(made.version)


def _describe(
    client: "MlflowClient", logged: "LoggedModel", made: "ModelVersion", description: str
) -> None:
    """Tell of the version on its page, and have the logged model's page link to it."""
    from mlflow.utils.mlflow_tags import MLFLOW_MODEL_VERSIONS

    lines = f"{description}\n\n{loading_lines(made.name, str(made.version))}"
    client.update_model_version(made.name, made.version, lines)
    link = {"name": made.name, "version": made.version}
    links = json.loads(logged.tags.get(MLFLOW_MODEL_VERSIONS, "[]"))
    if link not in links:
        tag = {MLFLOW_MODEL_VERSIONS: json.dumps([*links, link])}
        client.set_logged_model_tags(logged.model_id, tag)


def loading_lines(name: str, version: str) -> str:
    """How a version is loaded, in Markdown.

    Args:
        name: In the registry.
        version: Of the model.

    Returns:
        A block of code.
    """
    uri = f"models:/{name}/{version}"
    return (
        "```python\n"
        "import mlflow, l2p_search as l2p\n\n"
        f'served = mlflow.pyfunc.load_model("{uri}")\n'
        "served.predict(table)  # a row per node; the input example shows the columns\n"
        f'model = l2p.load_model(mlflow.artifacts.download_artifacts("{uri}"))\n'
        "model.predictions(graph)\n"
        "```"
    )


@contextmanager
def _explained() -> Iterator[None]:
    """Say of a store without models that it has none."""
    from mlflow.exceptions import MlflowException

    try:
        yield
    except MlflowException as error:
        if error.error_code not in _WITHOUT:
            raise
        raise UserError(
            f"this store of MLflow keeps no models ({_WITHOUT[error.error_code]}); update its"
            f" server to MLflow 3, or name another with {argument('tracking_uri')}"
        ) from error
