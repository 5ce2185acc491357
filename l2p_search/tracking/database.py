"""A SQLite database of MLflow: made whole or not at all, and anew where a crash left half of one.

MLflow makes a new SQLite file by running all its migrations in it. That is not atomic: a process
that is killed meanwhile, or a full disk, leaves a file that no later process can use.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

_DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
"""The kinds of databases that MLflow writes to."""
_SEEDED = {"experiments": 1, "workspaces": 1}
"""Tables -> how many rows MLflow itself puts into them when it makes a database."""
_TMP = "_alembic_tmp_"
"""Prefix of the tables that a migration has open."""


def sqlite_uri(path: Path) -> str:
    """The URI of a SQLite file, whatever characters its folders have.

    Example:
        >>> sqlite_uri(Path("/a b/runs.db")), sqlite_uri(Path("/50%?/runs.db"))
        ('sqlite:////a b/runs.db', 'sqlite+pysqlite:////50%25%3F/runs.db')
    """
    # In a URI a question mark would end the path, and %20 would be a space.
    quoted = str(path).replace("%", "%25").replace("?", "%3F")
    # MLflow makes the folders of what begins with sqlite:///, and takes their quoted names.
    return f"sqlite:///{quoted}" if quoted == str(path) else f"sqlite+pysqlite:///{quoted}"


def sqlite_file(uri: str) -> Path | None:
    """The file that the URI of a SQLite database names; None for any other URI.

    Example:
        >>> sqlite_file("sqlite:////data/runs.db"), sqlite_file("postgresql://host/db")
        (PosixPath('/data/runs.db'), None)
    """
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        found = make_url(uri)
    except (ArgumentError, ValueError):  # a server's, or one that MLflow will refuse
        return None
    if found.get_backend_name() != "sqlite" or not found.database or "uri" in found.query:
        return None
    return Path(found.database)


def check_opens(uri: str) -> None:
    """Connect to a database once; nothing for what is none.

    MLflow would try ten times, waiting longer each time: 100 s without a word where a file
    cannot be opened, or a database does not answer.

    Args:
        uri: A tracking URI.

    Raises:
        SQLAlchemyError, ModuleNotFoundError: It cannot be opened, or its driver is missing.
    """
    if uri.partition(":")[0].partition("+")[0] not in _DATABASES:
        return
    from mlflow.store.db.utils import create_sqlalchemy_engine  # knows the options for TLS

    engine = create_sqlalchemy_engine(uri)
    try:
        engine.connect().close()
    finally:
        engine.dispose()


def make_whole(path: Path) -> None:
    """Make the database of MLflow unless it is there.

    It is made beside its place and moved there. A file that was left half-made and holds no run
    is renamed to NAME.half-made-N; nothing is deleted.

    Args:
        path: The file; its folder exists.

    Raises:
        OSError: The folder cannot be written.
        MlflowException, SQLAlchemyError: The database cannot be made, as on a full disk.
    """
    if path.exists() and not is_half_made(path):
        return
    with _alone_in(path.parent):
        for left in path.parent.glob(f".{path.name}.*.tmp*"):  # by makers that were killed
            left.unlink(missing_ok=True)
        if path.exists():
            if not is_half_made(path):
                return  # somebody else has made it meanwhile
            os.rename(path, _free_name(path))
        beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            from mlflow import MlflowClient

            MlflowClient(tracking_uri=sqlite_uri(beside)).search_experiments(max_results=1)
            os.replace(beside, path)
        finally:
            for left in path.parent.glob(f"{beside.name}*"):
                left.unlink(missing_ok=True)


def is_half_made(path: Path) -> bool:
    """Whether a database was never finished: MLflow cannot use it, and it holds no run.

    Args:
        path: A SQLite file. What is no database at all is not judged: False.
    """
    try:
        # Not read-only: a change that a crash cut off is rolled back by whoever opens next.
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)) as database:
            rows = {
                name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
                for (name,) in database.execute(
                    "SELECT name FROM sqlite_master WHERE type='table'"
                )
            }
            if any(_of_worth(name, count) for name, count in rows.items()):
                return False
            versions = (
                database.execute("SELECT version_num FROM alembic_version").fetchall()
                if "alembic_version" in rows
                else []
            )
    except sqlite3.Error:
        return False
    return any(name.startswith(_TMP) for name in rows) or versions != [(_newest(),)]


def _of_worth(table: str, rows: int) -> bool:
    return table != "alembic_version" and rows > _SEEDED.get(table, 0)


def _newest() -> str | None:
    """The revision of a database that the installed MLflow makes."""
    import mlflow
    from alembic.script import ScriptDirectory

    migrations = Path(mlflow.__file__).parent / "store" / "db_migrations"
    return ScriptDirectory(str(migrations)).get_current_head()


def _free_name(path: Path) -> Path:
    number = 1
    while (name := path.with_name(f"{path.name}.half-made-{number}")).exists():
        number += 1
    return name


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other process makes a database in the folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every network file system locks folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
