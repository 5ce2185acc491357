"""What memory a search needs, and what is refused for it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from l2p_search.api import needs
from l2p_search.api.needs import (
    check_search_fits,
    check_training_fits,
    largest_config,
    needs_of,
)
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph, undirected
from l2p_search.errors import SearchError, in_shell
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.memory import training_bytes
from tests.searching.pretend import settings

_GB = 2**30


def _graph(nodes: int, edges: int, features: int = 64, classes: int = 10) -> Graph:
    generator = torch.Generator().manual_seed(0)
    part = torch.rand(nodes, generator=generator)
    return Graph(
        name="medium",
        x=torch.rand(nodes, features, generator=generator),
        edges=undirected(torch.randint(0, nodes, (2, edges), generator=generator), nodes),
        y=torch.randint(0, classes, (nodes,), generator=generator),
        train=(part < 0.5)[None],
        val=((part >= 0.5) & (part < 0.7))[None],
        test=(part >= 0.7)[None],
    )


@pytest.fixture(scope="module")
def graph() -> Graph:
    return _graph(4000, 20000)


def _search(**keys: object) -> SearchSettings:
    return settings(space=parse_space("mine", {**keys, "lr": {"choices": [0.01, 0.02]}}), seeds=20)


def _free(monkeypatch: pytest.MonkeyPatch, gigabytes: float) -> None:
    monkeypatch.setattr(needs, "available_bytes", lambda: int(gigabytes * _GB))


def test_the_largest_configuration_has_the_largest_numbers_and_the_hungriest_words(
    graph: Graph,
) -> None:
    space = parse_space(
        "mine",
        {
            "hidden": {"choices": [64, 16]},
            "K": {"low": 2, "high": 9},
            "backbone": {"choices": ["gcn", "gat", "sage"]},
            "norm": {"choices": ["none", "batch"]},
        },
    )
    found = largest_config(graph, space, TrialConfig())
    assert (found.hidden, found.K, found.backbone, found.norm) == (64, 9, "gat", "batch")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"hidden": {"low": 7, "high": 17}, "heads": {"choices": [8]}}, (16, 8)),
        ({"hidden": {"choices": [7, 9]}, "heads": {"choices": [1, 8]}}, (9, 1)),
        ({"hidden": {"low": 7, "high": 300, "log": True}, "heads": 16}, (288, 16)),
    ],
)
@pytest.mark.parametrize("what", [{"model": "gat"}, {"backbone": {"choices": ["appnp", "gat"]}}])
def test_the_largest_numbers_that_exclude_each_other_are_passed_over(
    keys: dict[str, object], expected: tuple[int, int], what: dict[str, object], graph: Graph
) -> None:
    search = _search(**keys, **what, dropout={"low": 0.1, "high": 0.9})
    check_search_fits(graph, search, at_once=2, memory_gb=4.0)
    found = largest_config(graph, search.space, TrialConfig())
    assert (found.hidden, found.heads) == expected


def test_what_fits_is_not_refused_and_what_does_not_is(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = _search(hidden=64, K=8)
    needed = needs_of(graph, search.config({"lr": 0.01}), 20, at_once=2, memory_gb=4.0).more / _GB
    _free(monkeypatch, 1.01 * needed)
    check_search_fits(graph, search, at_once=2, memory_gb=4.0)
    _free(monkeypatch, 0.99 * needed)
    with pytest.raises(SearchError, match="medium: does not fit into memory: a trial of 20 seeds"):
        check_search_fits(graph, search, at_once=2, memory_gb=4.0)


def test_what_surely_fits_is_seen_without_building_a_network(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(needs, "build_network", None)
    _free(monkeypatch, 64)
    check_search_fits(graph, _search(hidden=64, K=8), at_once=2, memory_gb=4.0)


@pytest.mark.parametrize("model", ["l2q", "gcn", "gat", "gcnii", "linkx", "sage", "incepgcn"])
def test_the_quick_bound_is_above_what_a_model_needs(
    graph: Graph, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {"hidden": 64} if model == "l2q" else {"hidden": 64, "model": model}
    search = _search(**keys)
    needed = needs_of(graph, search.config({"lr": 0.01}), 20, at_once=2, memory_gb=4.0).more
    _free(monkeypatch, 0.99 * needed / _GB)
    space, base = search.space, search.base
    assert not needs._surely_fits(graph, space, base, 20, at_once=2, memory_gb=4.0)


@pytest.mark.parametrize(
    ("at_once", "says"),
    [
        (8, "give --concurrency "),
        (2, "give --memory 0."),
        (1, "give --memory 0."),
    ],
)
def test_the_refusal_says_what_would_fit_and_that_does(
    graph: Graph, at_once: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = _search(backbone="gcn", hidden=64, K=8)
    config = search.config({"lr": 0.01})
    one = needs_of(graph, config, 1, at_once=1, memory_gb=4.0)
    free = one.more + (0 if at_once == 1 else one.trial) + 20 * 2**20
    _free(monkeypatch, free / _GB)
    with pytest.raises(SearchError) as error:
        check_search_fits(graph, search, at_once=at_once, memory_gb=4.0)
    said = in_shell(error.value.message)
    assert "\n" not in said
    assert says in said or "--concurrency 1" in said
    words = said.replace(",", " ").split()
    memory = float(words[words.index("--memory") + 1]) if "--memory" in words else 4.0
    fewer = words.index("--concurrency") if "--concurrency" in words else None
    fewer_at_once = at_once if fewer is None else int(words[fewer + 1])
    assert needs_of(graph, config, 20, at_once=fewer_at_once, memory_gb=memory).fits


def test_a_model_too_large_for_one_seed_is_told_which_smaller_one_fits(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = TrialConfig(backbone="gcn", hidden=16, K=16)
    _free(monkeypatch, needs_of(graph, small, 1, at_once=1, memory_gb=0.1).more / _GB + 0.01)
    with pytest.raises(SearchError) as error:
        check_search_fits(graph, _search(backbone="gcn", hidden=256, K=16), at_once=1, memory_gb=4)
    assert "search hidden up to 16 with --concurrency 1" in in_shell(error.value.message)


def test_where_nothing_fits_a_smaller_graph_is_asked_for(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    _free(monkeypatch, 0.2)
    with pytest.raises(SearchError, match="take a smaller graph, or a machine with more memory"):
        check_search_fits(graph, _search(hidden=64, K=8), at_once=2, memory_gb=4.0)


def test_a_training_in_this_process_is_refused_with_what_would_fit(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = TrialConfig(backbone="gcn", hidden=64, K=8)
    network = build_network(Problem(graph), config)
    needed = training_bytes(network, 20, 4.0)
    _free(monkeypatch, needed / _GB + 0.001)
    check_training_fits(graph, config, 20, memory_gb=4.0)
    _free(monkeypatch, training_bytes(network, 3, 4.0) / _GB + 0.001)
    with pytest.raises(SearchError) as error:
        check_training_fits(graph, config, 20, memory_gb=4.0)
    said = in_shell(error.value.message)
    assert "medium: does not fit into memory: training takes" in said
    memory = float(said.partition("--memory ")[2].split()[0])
    assert training_bytes(network, 20, memory) <= training_bytes(network, 3, 4.0)
    _free(monkeypatch, training_bytes(network, 1, 4.0) / _GB - 0.001)
    with pytest.raises(SearchError, match="give hidden=32, or give K=4"):
        check_training_fits(graph, config, 20, memory_gb=4.0)


_CHILD = """
import json, sys, torch
torch.set_num_threads(1)
from l2p_search.config import TrialConfig
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.fit import fit
from l2p_search.training.memory import keep_freed_memory, training_bytes
from tests.api.test_needs import _graph

def peak():  # unlike getrusage, without the peak of the process that started this one
    lines = open("/proc/self/status").read().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

keep_freed_memory()
graph = _graph(16000, 100000)
config = TrialConfig(hidden=64, epochs=1, dropout=0.5, **json.loads(sys.argv[1]))
small = _graph(50, 100)
fit(small, config, [0])  # what the first training of a process loads
before = peak()
fit(graph, config, range(3), memory_gb=64.0)
said = training_bytes(build_network(Problem(graph), config), 3, 64.0)
print(json.dumps({"said": said, "measured": peak() - before}))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak")
@pytest.mark.parametrize(
    "keys",
    [
        {"K": 8},
        {"K": 4, "backbone": "gcn", "norm": "batch", "residual": "linear"},
        {"K": 2, "backbone": "gat"},
        {"K": 3, "model": "sage"},
        {"K": 8, "model": "gcnii"},
        {"model": "linkx"},
    ],
    ids=lambda keys: "-".join(map(str, keys.values())),
)
def test_the_estimate_is_within_a_factor_of_two_of_the_peak(keys: dict[str, object]) -> None:
    """In a process of its own, by its peak of resident memory."""
    command = [sys.executable, "-c", _CHILD, json.dumps(keys)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert 0.5 < found["said"] / found["measured"] < 2.0, found


def test_the_network_of_a_refused_search_is_not_kept(graph: Graph) -> None:
    """What is asked twice is the same: nothing grows with the asking."""
    config = TrialConfig(hidden=64, K=8)
    first, second = (needs_of(graph, config, 20, at_once=2, memory_gb=4.0) for _ in range(2))
    assert first.more == second.more
    assert first.together == min(
        20, int(4.0 * _GB // build_network(Problem(graph), config).bytes_per_seed)
    )
