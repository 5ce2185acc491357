import argparse
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from l2p_search import defaults
from l2p_search.cli.options import (
    add_copy,
    add_dataset,
    add_figures,
    add_messages,
    add_resources,
    at_least_zero,
    command_line,
    duration,
    natural,
    positive,
    positive_float,
    reading,
)
from l2p_search.data.loading import load_graph


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (positive, "1", 1),
        (positive, "200", 200),
        (natural, "0", 0),
        (natural, "17", 17),
        (positive_float, "0.5", 0.5),
        (positive_float, "1e-3", 0.001),
        (at_least_zero, "0", 0.0),
        (at_least_zero, "0.00", 0.0),
        (at_least_zero, "0.25", 0.25),
        (duration, "90", 90.0),
        (duration, "1h30m", 5400.0),
    ],
)
def test_a_value_is_read(read: Callable[[str], Any], text: str, value: Any) -> None:
    assert read(text) == value
    assert type(read(text)) is type(value)


@pytest.mark.parametrize(
    ("read", "texts", "says"),
    [
        (positive, ("0", "-1", "1.5", "many", "", "1e3"), "a whole number of at least 1"),
        (natural, ("-1", "1.5", "x", "", "²"), "a whole number of at least 0"),
        (positive_float, ("0", "-1", "inf", "nan", "x", ""), "a number above 0"),
        (at_least_zero, ("-1", "-0.5", "inf", "nan", "x", ""), "a number of at least 0"),
        (duration, ("soon", "0", "-1h", ""), "such as 30m, 8h or 1d12h"),
    ],
)
def test_what_is_none_is_refused_with_what_it_may_be(
    read: Callable[[str], Any], texts: tuple[str, ...], says: str
) -> None:
    for text in texts:
        with pytest.raises(argparse.ArgumentTypeError) as error:
            read(text)
        assert f"'{text}' is " in str(error.value)
        assert says in str(error.value)


def _parsed(add: Callable[[argparse.ArgumentParser], None], *given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add(parser)
    return parser.parse_args(given)


def test_how_a_graph_is_read_is_handed_on_as_load_graph_takes_it() -> None:
    given = {
        **{"--edges": "e.csv", "--label": "class", "--id": "key", "--source": "from"},
        **{"--target": "to", "--features": "a,b", "--split": "part", "--weight": "w"},
        **{"--splits": "5x50/25/25", "--scale": "row"},
    }
    args = _parsed(add_dataset, "--dataset", "n.csv", *(part for p in given.items() for part in p))
    read = reading(vars(args))
    assert set(read) <= set(inspect.signature(load_graph).parameters)
    assert sorted(map(str, read.values())) == sorted(given.values())
    assert (read["source_column"], read["target_column"]) == ("from", "to")
    assert reading(vars(_parsed(add_dataset, "--dataset", "cora"))) == {}


def test_resources_default_to_one_cpu_any_device_and_a_cluster_of_ones_own() -> None:
    args = _parsed(add_resources)
    assert (args.concurrency, args.address, args.device) == (None, None, defaults.DEVICE)
    assert (args.cpus_per_trial, args.gpus_per_trial, args.memory) == (
        defaults.CPUS_PER_TRIAL,
        defaults.GPUS_PER_TRIAL,
        defaults.MEMORY_GB,
    )
    given = ("--concurrency", "3", "--cpus-per-trial", "2", "--gpus-per-trial", "0.5")
    given = (*given, "--address", "auto", "--memory", "1.5", "--device", "cuda")
    args = _parsed(add_resources, *given)
    assert (args.concurrency, args.cpus_per_trial, args.gpus_per_trial) == (3, 2, 0.5)
    assert (args.address, args.memory, args.device) == ("auto", 1.5, "cuda")


def test_figures_and_copies_have_their_flags() -> None:
    assert _parsed(add_figures).out == Path(defaults.FIGURES)
    args = _parsed(add_copy, "--no-tracking", "--tracking-uri", "http://x")
    assert (args.no_tracking, args.tracking_uri) == (True, "http://x")
    args = _parsed(add_messages, "-v", "--log-file", "x.log")
    assert (args.verbose, args.quiet, args.log_file) == (True, False, Path("x.log"))


def test_a_command_is_recorded_so_that_it_can_be_typed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["/usr/bin/l2p-search", "--name", "two words", "--trials", "3"]
    )
    assert command_line() == "l2p-search --name 'two words' --trials 3"
