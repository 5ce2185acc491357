import time
from pathlib import Path

import pytest

from l2p_search.errors import UserError, in_shell
from l2p_search.tracking.quiet import explained
from l2p_search.tracking.store import URI_VARIABLE, Store, find_store


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(URI_VARIABLE, raising=False)


def test_a_store_is_the_given_one_else_the_environments_else_a_database_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = find_store(None)
    assert here.uri == f"sqlite:///{tmp_path}/mlflow/mlflow.db"
    assert here.artifacts == tmp_path / "mlflow" / "artifacts"
    assert here.embedded
    monkeypatch.setenv(URI_VARIABLE, "http://team:5000")
    assert find_store(None) == Store("http://team:5000")
    assert find_store("http://mine:5000") == Store("http://mine:5000")
    assert not find_store(None).embedded
    monkeypatch.setenv(URI_VARIABLE, "")
    assert find_store(None) == here


def test_a_database_here_is_that_of_the_folder_at_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = find_store(None)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert find_store(None).uri != before.uri
    assert before.uri == f"sqlite:///{tmp_path}/mlflow/mlflow.db"  # absolute: it stays itself


@pytest.mark.parametrize("name", ["what?", "a%20b", "50%?", "größe 图", "a#b@c:d"])
def test_a_database_is_in_its_folder_whatever_characters_that_has(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlalchemy.engine import make_url

    (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / name)
    store = find_store(None)
    wanted = str(tmp_path / name / "mlflow" / "mlflow.db")
    assert make_url(store.uri).database == wanted


@pytest.mark.parametrize("where", ["sqlite:///folder", None])
def test_a_folder_in_the_place_of_a_database_is_refused_at_once(
    where: str | None, tmp_path: Path
) -> None:
    for folder in ("folder", "mlflow/mlflow.db"):
        (tmp_path / folder).mkdir(parents=True)
    store, began = find_store(where), time.monotonic()
    with pytest.raises(UserError, match="unable to open database file"), explained(store):
        store.prepare()
    assert time.monotonic() - began < 20  # MLflow itself tries for 100 s


def test_folders_are_made_for_a_database_and_for_no_server(tmp_path: Path) -> None:
    Store("http://team:5000").prepare()
    assert list(tmp_path.iterdir()) == []
    store = find_store(None)
    store.prepare()
    store.prepare()  # once more is no error
    assert (tmp_path / "mlflow" / "artifacts").is_dir()


def test_a_folder_that_cannot_be_made_is_one_line_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "mlflow").write_text("in the way")
    with pytest.raises(UserError) as raised:
        find_store(None).prepare()
    assert in_shell(raised.value.message) == (
        f"{tmp_path}/mlflow/artifacts: cannot be made (Not a directory); search from another"
        " folder, or name a server with --tracking-uri"
    )


@pytest.mark.parametrize(
    "uri",
    [
        *("http://[::1", "http://", "http://host:port", "HTTP://h:99999", "http:host", "https"),
        *("localhost:5000", "127.0.0.1:5000", "runs.db", "./mlruns", "file:///x", "://", " "),
    ],
)
def test_an_address_that_cannot_be_one_is_one_line(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    says = "is no address; write it such as http://127.0.0.1:5000 or sqlite:///runs.db"
    with pytest.raises(UserError) as raised:
        find_store(uri)
    assert in_shell(raised.value.message) == f"--tracking-uri: {uri} {says}"
    monkeypatch.setenv(URI_VARIABLE, uri)
    with pytest.raises(UserError) as raised:
        find_store(None)
    assert str(raised.value) == f"$MLFLOW_TRACKING_URI: {uri} {says}"


@pytest.mark.parametrize(
    ("uri", "near"),
    [
        ("htp://host:5000", "http"),
        ("httpss://host", "https"),
        ("postgres://host/runs", "postgresql"),
        ("sqllite:///runs.db", "sqlite"),
    ],
)
def test_a_misspelt_kind_of_store_is_refused_before_anything_is_trained(
    uri: str, near: str
) -> None:
    with pytest.raises(UserError, match=f"{uri} begins with no kind of .* mean {near}://"):
        find_store(uri)


@pytest.mark.parametrize(
    "uri",
    [
        *("http://me:ab hunter2@host", "http://me:ab'hunter2@host", 'pg://me:"hunter2@host/db'),
        *("http://host/?token=ab hunter2", "http://me:ab\nhunter2@host", "me:hunter2@host"),
        *("http:me:hunter2@host", "http:///me:hunter2@host", "postgres://me:hunter2@host/db"),
    ],
)
def test_a_password_is_not_shown_of_an_address_that_is_refused(uri: str) -> None:
    with pytest.raises(UserError) as raised:
        find_store(uri)
    assert "hunter2" not in str(raised.value)


def test_a_database_in_a_folder_whose_name_has_spaces_and_quotes_is_one() -> None:
    uri = "sqlite:////home/my 'own' runs/mlflow.db"
    assert find_store(uri) == Store(uri)


@pytest.mark.parametrize(
    "uri", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite+pysqlite://?cache=shared"]
)
def test_a_database_that_would_end_with_the_command_is_refused(uri: str) -> None:
    with pytest.raises(UserError, match=r"is a database in memory.*; write a file, such as"):
        find_store(uri)


@pytest.mark.parametrize(
    "uri", ["postgresql://u:a/b@[h/db", "databricks", "sqlite:///x.db", "plugin-of-theirs://x"]
)
def test_what_is_no_servers_address_is_left_to_mlflow(uri: str) -> None:
    assert find_store(uri) == Store(uri)


@pytest.mark.parametrize("uri", ["./mlruns", "file:///x"])
def test_a_folder_of_files_is_left_to_mlflow_where_that_allows_it(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    assert find_store(uri) == Store(uri)


def test_a_sqlite_file_that_is_named_is_made_whole_like_our_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    opened: list[str] = []
    monkeypatch.setattr("l2p_search.tracking.store.make_whole", made.append)
    monkeypatch.setattr("l2p_search.tracking.store.check_opens", opened.append)
    find_store("sqlite:///runs.db").prepare()
    find_store(f"sqlite:///{tmp_path}/deep/runs.db").prepare()
    assert made == [Path("runs.db"), tmp_path / "deep" / "runs.db"]
    assert (tmp_path / "deep").is_dir()
    for uri in ("http://team:5000", "postgresql://me:x@host/db"):
        find_store(uri).prepare()
    assert len(made) == 2
    assert opened[0] == "sqlite:///runs.db"
    assert opened[-1] == "postgresql://me:x@host/db"


def test_a_database_is_begun_when_it_was_made_and_a_server_always_is(tmp_path: Path) -> None:
    here = find_store(None)
    assert not here.begun
    (tmp_path / "mlflow").mkdir()
    assert not here.begun
    (tmp_path / "mlflow" / "mlflow.db").touch()
    assert here.begun
    assert Store("http://team:5000").begun
    named = Store(f"sqlite:///{tmp_path}/runs.db")
    assert not named.begun
    (tmp_path / "runs.db").touch()
    assert named.begun
