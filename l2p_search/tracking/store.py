"""Where MLflow keeps runs: a database in the folder ./mlflow, or a server."""

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from l2p_search.errors import UserError, argument
from l2p_search.tracking.database import make_whole, sqlite_uri

URI_VARIABLE = "MLFLOW_TRACKING_URI"
_HOME = Path("mlflow")
_DATABASE = "mlflow.db"


@dataclass(frozen=True)
class Store:
    """A place that MLflow writes to.

    Args:
        uri: MLflow's tracking URI.
        artifacts: The folder for files of runs, if the store is our own database; None for a
            server, which has a place of its own for them.

    Example:
        >>> Store("http://127.0.0.1:5000").embedded
        False
    """

    uri: str
    artifacts: Path | None = None

    @property
    def embedded(self) -> bool:
        """Whether it is our own database, not a server."""
        return self.artifacts is not None

    @property
    def begun(self) -> bool:
        """Whether runs can be there: our own database was made, or it is a server."""
        return self.artifacts is None or (self.artifacts.parent / _DATABASE).exists()

    def prepare(self) -> None:
        """Make our own database and its folders; nothing for a server.

        Raises:
            UserError: The folders cannot be made.
            MlflowException, SQLAlchemyError, OSError: The database cannot be made.
        """
        if self.artifacts is None:
            return
        try:
            self.artifacts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{self.artifacts}: cannot be made ({error.strerror}); search from another folder,"
                f" or name a server with {argument('tracking_uri')}"
            ) from None
        make_whole(self.artifacts.parent / _DATABASE)


def find_store(given: str | None) -> Store:
    """Choose the store.

    Args:
        given: The tracking URI that the caller named, if any.

    Returns:
        The store at that URI, else at the one in the environment variable MLFLOW_TRACKING_URI,
        else our own database in ./mlflow.

    Raises:
        UserError: A server's address that cannot be one.
    """
    uri = given or os.environ.get(URI_VARIABLE)
    if uri:
        _refuse_bad(uri)
        return Store(uri)
    home = _HOME.absolute()
    return Store(sqlite_uri(home / _DATABASE), home / "artifacts")


def _refuse_bad(uri: str) -> None:
    if not uri.lower().startswith("http"):
        return  # a database's address may hold anything that SQLAlchemy reads
    try:
        parts = urlsplit(uri)
        good = bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port, or brackets that do not close
        good = False
    if not good:
        raise UserError(
            f"{argument('tracking_uri')}: {uri} is no address; write it such as"
            " http://127.0.0.1:5000"
        )
