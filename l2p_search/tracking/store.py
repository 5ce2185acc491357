"""Where MLflow keeps things: a database in the working directory, or a server."""

import os
from dataclasses import dataclass
from pathlib import Path

from l2p_search.errors import UserError, argument

URI_VARIABLE = "MLFLOW_TRACKING_URI"
_HOME = Path("mlflow")


@dataclass(frozen=True)
class Store:
    """A tracking URI; for the embedded store also the folder of its artifacts."""

    uri: str
    artifacts: Path | None = None

    @property
    def embedded(self) -> bool:
        """Whether it is a database of our own, not a server."""
        return self.artifacts is not None

    def prepare(self) -> None:
        """Make the embedded store's folders."""
        if self.artifacts is None:
            return
        try:
            self.artifacts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"{self.artifacts}: cannot be made ({error.strerror}); search from another folder,"
                f" or name a server with {argument('tracking_uri')}"
            ) from None


def find_store(given: str | None) -> Store:
    """The store that was asked for, or that the environment names, or ./mlflow."""
    uri = given or os.environ.get(URI_VARIABLE)
    if uri:
        return Store(uri)
    home = _HOME.absolute()
    return Store(f"sqlite:///{home / 'mlflow.db'}", home / "artifacts")
