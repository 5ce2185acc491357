import logging
import os
import threading
from collections.abc import Iterator

import pytest

from l2p_search.errors import UserError, in_shell
from l2p_search.tracking import quiet
from l2p_search.tracking.quiet import ENVIRONMENT, explained, quiet_mlflow
from l2p_search.tracking.store import Store, find_store


@pytest.fixture(autouse=True)
def as_found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process in which the user has set nothing, and that a test must leave as it was."""
    for key in (*ENVIRONMENT, "MLFLOW_RUN_ID"):
        monkeypatch.delenv(key, raising=False)
    loggers = [logging.getLogger(name) for name in ("mlflow", "alembic")]
    levels = [logger.level for logger in loggers]
    yield
    assert quiet._SHARED._open == 0
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def _level() -> int:
    return logging.getLogger("mlflow").level


def test_within_the_block_it_is_quiet_and_afterwards_as_it_was() -> None:
    with quiet_mlflow():
        pass  # MLflow sets its loggers up when it is imported first
    logging.getLogger("mlflow").setLevel(logging.DEBUG)
    before = dict(os.environ)
    with quiet_mlflow():
        assert {key: os.environ[key] for key in ENVIRONMENT} == ENVIRONMENT
        assert _level() == logging.CRITICAL
    assert dict(os.environ) == before
    assert _level() == logging.DEBUG


def test_what_the_user_has_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "99")
    with quiet_mlflow():
        assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "99"
    assert os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] == "99"


def test_what_the_user_sets_meanwhile_is_kept() -> None:
    with quiet_mlflow():
        os.environ["MLFLOW_HTTP_REQUEST_TIMEOUT"] = "99"
    assert os.environ.pop("MLFLOW_HTTP_REQUEST_TIMEOUT") == "99"


def test_an_active_run_of_the_environment_is_no_parent_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MLFLOW_RUN_ID", "theirs")
    with quiet_mlflow():
        assert "MLFLOW_RUN_ID" not in os.environ
    assert os.environ["MLFLOW_RUN_ID"] == "theirs"


def test_threads_that_overlap_are_quiet_to_the_last_and_leave_all_as_it_was() -> None:
    with quiet_mlflow():
        pass
    logging.getLogger("mlflow").setLevel(logging.INFO)
    entered, go_on = threading.Event(), threading.Event()
    seen: list[tuple[int, bool]] = []

    def second() -> None:
        with quiet_mlflow():
            entered.set()
            go_on.wait()  # the first one has ended
            seen.append((_level(), "MLFLOW_DISABLE_TELEMETRY" in os.environ))

    thread = threading.Thread(target=second)
    with quiet_mlflow():
        thread.start()
        entered.wait()
    go_on.set()
    thread.join()
    assert seen == [(logging.CRITICAL, True)]
    assert _level() == logging.INFO
    assert not ENVIRONMENT.keys() & os.environ.keys()


def test_without_mlflow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise quiet.PackageNotFoundError(package)

    monkeypatch.setattr(quiet, "version", version)
    with pytest.raises(UserError, match="mlflow is not installed; pip install mlflow"):
        quiet_mlflow().__enter__()


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError("the disk is full.\nand so on"), "the disk is full"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_error_of_a_store_is_one_line_with_a_way_out(error: OSError, says: str) -> None:
    with pytest.raises(UserError) as raised, explained(Store("http://team:5000")):
        raise error
    assert in_shell(raised.value.message) == (
        f"http://team:5000: MLflow cannot use it ({says}); check the address, or leave"
        " --tracking-uri out for a database in ./mlflow"
    )
    with pytest.raises(UserError, match="run it from another folder"), explained(find_store(None)):
        raise error


def test_a_server_that_asks_for_a_password_is_answered_by_two_variables() -> None:
    from mlflow.exceptions import MlflowException

    def asked() -> None:
        with explained(Store("http://team:5000")):
            raise MlflowException("API request to endpoint /x failed with error code 401 != 200.")

    with pytest.raises(UserError) as raised:
        asked()
    assert str(raised.value) == (
        "http://team:5000: it asks for a password; set MLFLOW_TRACKING_USERNAME and"
        " MLFLOW_TRACKING_PASSWORD"
    )


def test_an_error_of_our_own_is_not_taken_for_one_of_the_store() -> None:
    with pytest.raises(KeyError), explained(Store("http://team:5000")):
        raise KeyError("a bug")


def test_a_database_whose_driver_is_missing_names_the_package_and_no_password() -> None:
    def used() -> None:
        with explained(Store("mysql://me:hunter2@host/db")):
            raise ModuleNotFoundError("No module named 'MySQLdb'", name="MySQLdb")

    with pytest.raises(UserError) as raised:
        used()
    assert str(raised.value) == (
        "mysql://me:***@host/db: MLflow needs the package MySQLdb for it; pip install it"
    )


def test_the_address_of_a_server_is_not_printed() -> None:
    from mlflow.environment_variables import MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT as SILENT

    assert not SILENT.get()
    with quiet_mlflow():
        assert SILENT.get()
