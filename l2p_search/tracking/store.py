"""Where MLflow keeps runs: a database in the folder ./mlflow, or a server."""

import os
import re
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from urllib.parse import urlsplit

from l2p_search.errors import UserError, argument
from l2p_search.tracking.database import check_opens, make_whole, sqlite_file, sqlite_uri

URI_VARIABLE = "MLFLOW_TRACKING_URI"
_HOME = Path("mlflow")
_DATABASE = "mlflow.db"
_WORDS = ("databricks", "databricks-uc", "uc")
"""Addresses that are one word."""
_SCHEMES = ("file", "http", "https", "mssql", "mysql", "postgresql", "sqlite", *_WORDS)
"""How addresses begin that MLflow itself writes to."""
_PLUGINS = "mlflow.tracking_store"
"""Under which name packages bring MLflow further kinds of stores."""
_FILES_ALLOWED = "MLFLOW_ALLOW_FILE_STORE"
"""MLflow refuses a folder of files as a store unless this variable says so."""


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
        """Whether runs can be there: the SQLite file was made, or it is a server."""
        path = sqlite_file(self.uri)
        return path is None or path.exists()

    def prepare(self) -> None:
        """Make the database where it is a SQLite file, and our own folders; nothing for a server.

        Raises:
            UserError: The folders cannot be made.
            MlflowException, SQLAlchemyError, OSError: The database cannot be made or opened.
        """
        if self.artifacts is None:
            path = sqlite_file(self.uri)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                make_whole(path)
            check_opens(self.uri)
            return
        try:
            self.artifacts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{self.artifacts}: cannot be made ({error.strerror}); search from another folder,"
                f" or name a server with {argument('tracking_uri')}"
            ) from None
        make_whole(self.artifacts.parent / _DATABASE)
        check_opens(self.uri)


def find_store(given: str | None) -> Store:
    """Choose the store.

    Args:
        given: The tracking URI that the caller named, if any.

    Returns:
        The store at that URI, else at the one in the environment variable MLFLOW_TRACKING_URI,
        else our own database in ./mlflow.

    Raises:
        UserError: An address that cannot be one, or of a store that keeps nothing.
    """
    if given:
        return _checked(given, argument("tracking_uri"))
    if uri := os.environ.get(URI_VARIABLE):
        return _checked(uri, f"${URI_VARIABLE}")
    home = _HOME.absolute()
    return Store(sqlite_uri(home / _DATABASE), home / "artifacts")


def _checked(uri: str, source: str) -> Store:
    """The store at an address; `source` is who named it, for a message."""
    if _is_in_memory(uri):
        raise UserError(
            f"{source}: {uri} is a database in memory, which ends with this command; write a file,"
            " such as sqlite:///runs.db"
        )
    if not _names_a_file(uri) and re.search(r"""[\s'"]""", uri):
        # Not shown: where its password ends cannot be told.
        raise UserError(
            f"{source}: an address has no spaces and no quotes; write them as %20, %27 and %22"
        )
    if not _can_be_one(uri):
        _, login, place = uri.rpartition("@")
        shown = f"***@{place}" if login else uri
        raise UserError(
            f"{source}: {shown} is no address; write it such as http://127.0.0.1:5000 or"
            " sqlite:///runs.db"
        )
    scheme, found, _ = uri.partition("://")
    kind = scheme.partition("+")[0].lower()
    near = get_close_matches(kind, _SCHEMES, n=1)  # what is like none is left to MLflow
    if found and near and kind not in (*_SCHEMES, *entry_points(group=_PLUGINS).names):
        raise UserError(
            f"{source}: {uri} begins with no kind of store; did you mean {near[0]}://?"
        )
    return Store(uri)


def _is_in_memory(uri: str) -> bool:
    scheme, _, rest = uri.partition("://")
    place = rest.partition("?")[0]
    return scheme.partition("+")[0] == "sqlite" and place in ("", "/", "/:memory:")


def _names_a_file(uri: str) -> bool:
    """Whether it is the address of a SQLite database, or a path: names of files have spaces."""
    scheme, found, _ = uri.partition("://")
    return not found or scheme.lower().partition("+")[0] in ("sqlite", "file")


def _can_be_one(uri: str) -> bool:
    """Whether it is a server's address, a database's, or one of the words that MLflow knows."""
    if not uri.lower().startswith("http"):
        if os.environ.get(_FILES_ALLOWED, "").lower() in ("true", "1"):
            return True
        # A database's address may hold anything that SQLAlchemy reads.
        scheme, found, _ = uri.partition("://")
        return bool(found and scheme and scheme != "file") or uri in _WORDS
    try:
        parts = urlsplit(uri)
        return "://" in uri and bool(parts.hostname) and parts.port != 0
    except ValueError:  # no port, or brackets that do not close
        return False
