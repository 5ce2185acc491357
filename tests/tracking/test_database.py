import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from l2p_search.tracking.database import is_half_made, make_whole, sqlite_file, sqlite_uri


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database as MLflow makes it."""
    path = tmp_path_factory.mktemp("made") / "mlflow.db"
    make_whole(path)
    assert [each.name for each in path.parent.iterdir()] == ["mlflow.db"]
    return path


@pytest.fixture
def quick(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making a database is copying one."""

    class Client:
        def __init__(self, tracking_uri: str) -> None:
            shutil.copy(whole, tracking_uri.removeprefix("sqlite:///"))

        def search_experiments(self, max_results: int) -> None:
            """Nothing."""

    monkeypatch.setattr("mlflow.MlflowClient", Client)


def _change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


_RUN = "INSERT INTO runs (run_uuid, experiment_id) VALUES ('kept', 0)"
_LEFT_BY_A_CRASH = {
    "before its first table": lambda path: path.write_bytes(b""),
    "before its first migration": lambda path: _change(path, "DROP TABLE alembic_version"),
    "before a migration was noted": lambda path: _change(path, "DELETE FROM alembic_version"),
    "within a migration": lambda path: _change(
        path, "CREATE TABLE _alembic_tmp_metrics (key VARCHAR)"
    ),
    "between two migrations": lambda path: _change(
        path, "UPDATE alembic_version SET version_num = '451aebb31d03'", "DROP TABLE workspaces"
    ),
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("left", _LEFT_BY_A_CRASH.values(), ids=_LEFT_BY_A_CRASH)
def test_a_half_made_database_is_made_anew_and_kept_aside(
    left: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mlflow.db"
    shutil.copy(whole, path)
    left(path)
    before = path.read_bytes()
    (tmp_path / ".mlflow.db.1.tmp").write_text("left by a maker that was killed")
    make_whole(path)
    assert path.read_bytes() == whole.read_bytes()
    assert not is_half_made(path)
    aside = tmp_path / "mlflow.db.half-made-1"
    assert aside.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path, aside]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("left", list(_LEFT_BY_A_CRASH.values())[1:], ids=[*_LEFT_BY_A_CRASH][1:])
def test_a_database_with_a_run_is_never_replaced(
    left: Callable[[Path], None], whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mlflow.db"
    shutil.copy(whole, path)
    _change(path, _RUN)
    left(path)
    before = path.read_bytes()
    make_whole(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_whole_or_no_database_is_left_alone(whole: Path, tmp_path: Path) -> None:
    assert not is_half_made(whole)
    other = tmp_path / "mlflow.db"
    other.write_text("a note that somebody put here")
    make_whole(other)
    assert other.read_text() == "a note that somebody put here"


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(tracking_uri: str) -> None:
        Path(tracking_uri.removeprefix("sqlite:///")).write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mlflow.MlflowClient", full)
    with pytest.raises(OSError, match="No space left"):
        make_whole(tmp_path / "mlflow.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["plain", "what?", "a%20b", "%20?#é", "größe 图"])
def test_the_uri_names_the_file_whatever_characters_its_folder_has(
    name: str, tmp_path: Path
) -> None:
    from sqlalchemy.engine import make_url

    path = tmp_path / name / "mlflow.db"
    url = make_url(sqlite_uri(path))
    assert url.database == str(path)
    assert url.get_backend_name() == "sqlite"
    assert sqlite_file(sqlite_uri(path)) == path


@pytest.mark.parametrize(
    "uri",
    ["http://host:5000", "postgresql://me@host/db", "databricks", "x", "sqlite://", "a:b://"],
)
def test_what_is_no_sqlite_file_has_no_file(uri: str) -> None:
    assert sqlite_file(uri) is None


def test_a_database_is_made_in_its_folder_and_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "%20?#é"
    folder.mkdir()
    make_whole(folder / "mlflow.db")
    assert list(tmp_path.rglob("*")) == [folder, folder / "mlflow.db"]
