import doctest
import pickle
from pathlib import Path

import pytest

from l2p_search import errors
from l2p_search.errors import (
    ConfigError,
    DataError,
    SearchError,
    TrainingBugError,
    UserError,
    argument,
    did_you_mean,
    either,
    first_line,
    in_python,
    in_shell,
    shown,
)


def test_a_near_name_is_suggested() -> None:
    assert did_you_mean("Wisconson", ["wisconsin", "texas"]) == "did you mean 'wisconsin'?"


def test_without_a_near_name_all_are_listed() -> None:
    assert did_you_mean("x", ["texas", "cora"]) == "choose one of cora, texas"


@pytest.mark.parametrize(
    ("made", "python", "shell"),
    [
        (argument("trials"), "trials", "--trials"),
        (argument("trials", 0), "trials=0", "--trials 0"),
        (argument("time_budget"), "time_budget", "--time-budget"),
        (argument("resume", True), "resume=True", "--resume"),
        (argument("sampler", "tpe"), "sampler='tpe'", "--sampler tpe"),
        (argument("out", Path("a/b")), "out='a/b'", "--out a/b"),
        (argument("folder"), "folder", "--dir"),
        (argument("memory_gb", 0), "memory_gb=0", "--memory 0"),
        (argument("graph", "cora"), "graph='cora'", "--dataset cora"),
        (either("fit()", "l2p-search train"), "fit()", "l2p-search train"),
    ],
)
def test_an_argument_is_spelled_as_the_caller_spells_it(
    made: str, python: str, shell: str
) -> None:
    error = UserError(f"a {made} and {made}!")
    assert str(error) == in_python(error.message) == f"a {python} and {python}!"
    assert in_shell(error.message) == f"a {shell} and {shell}!"


def test_a_message_that_was_caught_and_raised_anew_still_has_both_languages() -> None:
    inner = ConfigError(f"{argument('trials', 0)}: too few")
    outer = UserError(f"file: {inner.message}")
    assert (str(outer), in_shell(outer.message)) == (
        "file: trials=0: too few",
        "file: --trials 0: too few",
    )


def test_a_value_is_shown_in_one_short_line() -> None:
    assert shown("a\nb") == r"'a\nb'"
    assert "\n" not in shown(["x"] * 100)
    assert len(shown(["x"] * 100)) == 60
    assert doctest.testmod(errors).failed == 0


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError("\n  the disk is full\nand so on"), "the disk is full"),
        (OSError(28, "No space left"), "[Errno 28] No space left"),
        (TimeoutError(), "TimeoutError"),
        (ValueError(" \n"), "ValueError"),
    ],
)
def test_another_librarys_error_becomes_one_line_that_is_never_empty(
    error: Exception, line: str
) -> None:
    assert first_line(error) == line


def test_what_a_user_can_cause_is_a_user_error_and_a_bug_is_none() -> None:
    for kind in (ConfigError, DataError, SearchError):
        assert issubclass(kind, UserError)
    assert not issubclass(TrainingBugError, UserError)


def test_an_error_comes_out_of_a_worker_whole() -> None:
    error = pickle.loads(pickle.dumps(DataError(argument("graph"))))  # noqa: S301 - our own
    assert type(error) is DataError
    assert in_shell(error.message) == "--dataset"


def test_a_long_word_is_cut_before_the_two_forms_of_a_message_are_told_apart() -> None:
    error = UserError(f"{argument('node', 'x' * 2000)}: there is no such node; give another")
    assert str(error) == f"node='{'x' * 54}..{'x' * 19}': there is no such node; give another"
    shell = in_shell(error.message)
    assert shell.startswith(f"--node {'x' * 60}..x")
    assert shell.endswith("x: there is no such node; give another")
    assert len(shell) < 150
    path = f"/{'y' * 250}"
    assert str(UserError(f"{path}: cannot be read")) == f"{path}: cannot be read"
