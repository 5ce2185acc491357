import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2p_search.cli.logs import log_to
from l2p_search.errors import UserError


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """The package's logger, put back afterwards."""
    ours = logging.getLogger("l2p_search")
    before = ours.level, ours.propagate, ours.handlers
    yield ours
    for handler in ours.handlers:
        handler.close()
    ours.level, ours.propagate, ours.handlers = before


def test_the_log_goes_to_a_file_with_times_and_nowhere_else(
    tmp_path: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    log_to(tmp_path / "x.log", verbose=False)
    logging.getLogger("l2p_search.searching").info("a message")
    logging.getLogger("ray").warning("of another")
    (line,) = (tmp_path / "x.log").read_text().splitlines()
    assert line.endswith(" INFO a message")
    assert "a message" not in capsys.readouterr().err


def test_a_verbose_log_is_on_stderr_and_a_second_call_doubles_nothing(
    logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    log_to(None, verbose=True)
    log_to(None, verbose=True)
    logger.info("a message")
    assert capsys.readouterr().err == "a message\n"
    log_to(None, verbose=False)
    logger.info("a message")
    assert capsys.readouterr().err == ""


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path, logger: logging.Logger) -> None:
    path = tmp_path / "none" / "x.log"
    with pytest.raises(UserError, match=r"^--log-file .*x\.log: cannot be written \(No such file"):
        log_to(path, verbose=False)


def test_a_log_that_is_a_pipe_is_waited_for_by_nobody(
    tmp_path: Path, logger: logging.Logger
) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(UserError, match=r"^--log-file .*pipe: cannot be written \(No such device"):
        log_to(path, verbose=False)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    log_to(path, verbose=False)
    logger.info("a message")
    assert b"a message" in os.read(reader, 1000)
    os.close(reader)


def test_a_log_on_a_full_disk_ends_with_one_line(
    logger: logging.Logger, capfd: pytest.CaptureFixture[str]
) -> None:
    log_to(Path("/dev/full"), verbose=False)
    for _ in range(3):
        logger.info("a message")
    assert capfd.readouterr().err == (
        "l2p-search: --log-file /dev/full: cannot be written (No space left on device);"
        " going on without\n"
    )
