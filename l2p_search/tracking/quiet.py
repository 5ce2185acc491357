"""Using MLflow quietly: our environment, no messages, and errors of a store in one line.

Environment variables and the levels of loggers belong to the whole process, and searches that run
at once each have a thread that writes to MLflow. The first thread changes them, the last one
restores them.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import PackageNotFoundError, version

from l2p_search.errors import UserError, argument, first_line
from l2p_search.masking import masked
from l2p_search.tracking.store import Store

# No telemetry and no bars; and a server that is down or slow must not hold a search up for long.
ENVIRONMENT = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "10",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    # stdout is for data, and the address of a server may hold a password
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}
"""Set while MLflow is used, except for variables that the user has set."""
_RUN = "MLFLOW_RUN_ID"


@contextmanager
def quiet_mlflow() -> Iterator[None]:
    """Use MLflow with our environment variables and without its messages.

    Both are restored when the last of the blocks that are open at once has ended.

    Raises:
        UserError: MLflow is not installed. Importing it from a checkout would find the folder
            mlflow/ instead.
    """
    try:
        version("mlflow")
    except PackageNotFoundError:
        raise UserError("mlflow is not installed; pip install mlflow") from None
    _SHARED.enter()
    try:
        yield
    finally:
        _SHARED.leave()


@contextmanager
def explained(store: Store) -> Iterator[None]:
    """Use a store within the block; its errors become a `UserError` of one line."""
    with quiet_mlflow(), _in_one_line(store):
        yield


@contextmanager
def _in_one_line(store: Store) -> Iterator[None]:
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except ModuleNotFoundError as error:
        raise UserError(
            f"{store.uri}: MLflow needs the package {error.name} for it; pip install it"
        ) from None
    except (MlflowException, SQLAlchemyError, OSError) as error:
        first = masked(first_line(error), of=store.uri).rstrip(".")
        if "error code 401" in first:
            raise UserError(
                f"{store.uri}: it asks for a password; set MLFLOW_TRACKING_USERNAME and"
                " MLFLOW_TRACKING_PASSWORD"
            ) from error
        way_out = (
            f"run it from another folder, or name a server with {argument('tracking_uri')}"
            if store.embedded
            else f"check the address, or leave {argument('tracking_uri')} out for a database in"
            " ./mlflow"
        )
        raise UserError(f"{store.uri}: MLflow cannot use it ({first}); {way_out}") from error


class _Shared:
    """Counts the open blocks of all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._restore = ExitStack()

    def enter(self) -> None:
        with self._lock:
            if self._open == 0:
                self._change()
            self._open += 1

    def leave(self) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0:
                self._restore.close()

    def _change(self) -> None:
        for key in ENVIRONMENT.keys() - os.environ.keys():
            os.environ[key] = ENVIRONMENT[key]
            self._restore.callback(_unset, key)
        # A run that the environment names as active would become the parent of ours.
        if (active := os.environ.pop(_RUN, None)) is not None:
            self._restore.callback(os.environ.setdefault, _RUN, active)
        import mlflow  # noqa: F401 - sets its loggers up, which are then told to be quiet

        for name in ("mlflow", "alembic"):
            logger = logging.getLogger(name)
            self._restore.callback(logger.setLevel, logger.level)
            # Its errors come with tracebacks; what they mean is said in one line, by `explained`.
            logger.setLevel(logging.CRITICAL)


def _unset(key: str) -> None:
    """Remove a variable that we have set, unless somebody has given it another value since."""
    if os.environ.get(key) == ENVIRONMENT[key]:
        del os.environ[key]


_SHARED = _Shared()
