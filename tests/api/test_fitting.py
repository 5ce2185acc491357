import doctest
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from l2p_search import defaults
from l2p_search.api import fitting
from l2p_search.api.fitting import Fitted, config_of, exported_seeds, fit
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.errors import ConfigError, ModelError, UserError, in_shell
from l2p_search.results import TrialResult
from l2p_search.searching.running import parts
from l2p_search.training.fit import Progress
from l2p_search.training.fit import fit as train
from l2p_search.training.parted import fit_parts

_QUICK: dict[str, Any] = {"K": 2, "epochs": 5, "hidden": 4}


def test_a_configuration_is_the_defaults_then_the_config_then_the_keys(
    small_graph: Graph, tmp_path: Path
) -> None:
    base = default_config(small_graph)
    assert config_of(small_graph) == base
    assert config_of(small_graph, {"K": 3}) == replace(base, K=3)
    assert config_of(small_graph, {"K": 3, "lr": 0.1}, {"K": 4}) == replace(base, K=4, lr=0.1)
    file = tmp_path / "mine.yaml"
    file.write_text("K: 5\nlr: 5e-3\n")
    expected = replace(base, K=5, lr=0.005)
    assert config_of(small_graph, file) == config_of(small_graph, str(file)) == expected
    whole = TrialConfig(K=7)  # a complete one: the graph's defaults are not asked
    assert config_of(small_graph, whole, {"hidden": 8}) == TrialConfig(K=7, hidden=8)


@pytest.mark.parametrize(
    ("config", "keys", "says"),
    [
        (None, {"droput": 0.5}, "unknown key 'droput'; did you mean 'dropout'?"),
        (None, {"K": 0}, "K=0 is out of range"),
        ({"K": "many"}, {}, "K='many' must be a whole number"),
        ("none.yaml", {}, "none.yaml: no such file"),
        (3, {}, "config: 3 must be a TrialConfig, a mapping of hyperparameters, or the path"),
        (["K"], {}, "config: ['K'] must be a TrialConfig"),
    ],
)
def test_what_is_no_configuration_is_refused_in_one_line(
    config: Any, keys: dict[str, Any], says: str, small_graph: Graph
) -> None:
    with pytest.raises(ConfigError) as error:
        fit(small_graph, config, **keys)
    assert str(error.value).startswith(says)
    assert "--" not in str(error.value)


def test_a_key_by_hand_is_named_as_the_command_line_has_it(small_graph: Graph) -> None:
    with pytest.raises(ConfigError) as error:
        config_of(small_graph, None, {"K": 0})
    assert in_shell(error.value.message).startswith("--set: K=0 is out of range")


@pytest.mark.parametrize(
    ("given", "seeds"),
    [(2, [0, 1]), ([3, 1], [3, 1]), (range(2, 4), [2, 3]), (np.arange(2), [0, 1])],
)
def test_seeds_are_a_number_or_the_seeds_themselves(
    given: Any, seeds: list[int], small_graph: Graph
) -> None:
    result = fit(small_graph, seeds=given, **_QUICK)
    assert [seed.seed for seed in result.seeds] == seeds
    assert all(type(seed.seed) is int for seed in result.seeds)  # they go to JSON


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (0, "seeds=0: must be a whole number of at least 1"),
        (True, "seeds=True: must be a whole number"),
        (2.5, "seeds=2.5: must be a whole number"),
        ([], "seeds: there are none; give at least one"),
        ([-1], "seeds: -1 is no seed; give whole numbers from 0"),
        ([0.5], "seeds: 0.5 is no seed"),
        ("12", "seeds: '1' is no seed"),
        ([1, 1], "seeds: one is given twice"),
    ],
)
def test_what_are_no_seeds_is_refused(given: Any, says: str, small_graph: Graph) -> None:
    with pytest.raises(UserError) as error:
        fit(small_graph, seeds=given, **_QUICK)
    assert str(error.value).startswith(says)


def test_an_exported_file_brings_its_number_of_seeds(tmp_path: Path, small_graph: Graph) -> None:
    file = tmp_path / "best.yaml"
    file.write_text("K: 2\nepochs: 5\nhidden: 4\nprovenance: {seeds: 3}\n")
    assert exported_seeds(file) == exported_seeds(str(file)) == 3
    assert len(fit(small_graph, file).seeds) == 3
    assert len(fit(small_graph, file, seeds=1).seeds) == 1


@pytest.mark.parametrize("origin", ["", "provenance: 3\n", "provenance: {seeds: many}\n"])
def test_a_file_that_says_nothing_of_seeds_gets_the_default(
    origin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_graph: Graph
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"K: 2\n{origin}")
    assert exported_seeds(file) is exported_seeds(None) is exported_seeds({"K": 2}) is None
    asked: list[list[int]] = []

    def note(graph: Graph, config: TrialConfig, seeds: list[int], **further: Any) -> TrialResult:
        asked.append(seeds)
        return train(graph, replace(config, epochs=1), seeds[:1])

    monkeypatch.setattr(fitting, "train", note)
    fit(small_graph, {"K": 2})
    assert asked == [list(range(defaults.SEEDS))]


def test_a_function_is_called_after_every_epoch(small_graph: Graph) -> None:
    seen: list[Progress] = []
    fit(small_graph, seeds=2, display=seen.append, **_QUICK)
    assert [progress.epoch for progress in seen] == [1, 2, 3, 4, 5]
    assert seen[-1].epochs == 5


@pytest.mark.parametrize(
    "bad", [{"threads": 0}, {"memory_gb": 0}, {"memory_gb": "4"}, {"display": "loud"}]
)
def test_other_bad_arguments_are_refused_by_name(bad: dict[str, Any], small_graph: Graph) -> None:
    with pytest.raises(UserError) as error:
        fit(small_graph, seeds=1, **bad, **_QUICK)
    assert str(error.value).startswith(next(iter(bad)))
    assert "--" not in str(error.value)


def test_torch_computes_with_one_thread_and_has_the_callers_again_after_it(
    small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []

    def count(*asked: Any, **further: Any) -> TrialResult:
        counted.append(torch.get_num_threads())
        return train(*asked, **further)

    monkeypatch.setattr(fitting, "train", count)
    torch.set_num_threads(2)
    fit(small_graph, threads=2, seeds=1, **_QUICK)
    assert counted == [1]
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


def _bits(result: Fitted) -> tuple[Any, ...]:
    """All that training gave but its time."""
    weights = result.model.weights
    levels = (weights.theta, weights.phi)
    learned = [value.numpy().tobytes() for level in levels for value in level.values()]
    return result.seeds, result.curves, result.profiles, weights.seeds, learned


@pytest.mark.parametrize("keys", [{}, {"model": "gat", "heads": 2}])
def test_any_number_of_threads_gives_the_same_bits(
    keys: dict[str, Any], small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_ENOUGH_BYTES", 1)
    monkeypatch.setattr(parts, "_ENOUGH_SEEDS", 2)
    at_once: list[int] = []
    monkeypatch.setattr(
        fitting,
        "fit_parts",
        lambda *given, **options: at_once.append(given[3]) or fit_parts(*given, **options),
    )
    found = [
        _bits(fit(small_graph, seeds=5, threads=threads, K=2, hidden=6, epochs=9, **keys))
        for threads in (1, 2, 5)
    ]
    assert found[0] == found[1] == found[2]
    assert at_once == [1, 2, 5]


@pytest.mark.parametrize("threads", [1, 3])
def test_where_there_is_one_part_threads_change_nothing(threads: int, small_graph: Graph) -> None:
    assert _bits(fit(small_graph, seeds=4, threads=threads, **_QUICK)) == _bits(
        fit(small_graph, seeds=4, **_QUICK)
    )


def test_its_example_runs() -> None:
    assert doctest.testmod(fitting).failed == 0


def test_the_result_has_a_model_and_stays_what_it_was(small_graph: Graph) -> None:
    result = fit(small_graph, seeds=[2, 5], **_QUICK)
    assert isinstance(result, TrialResult)
    assert result.model.seeds == (2, 5)
    assert result.model.expected.digest == small_graph.digest
    plain = train(small_graph, result.config, [2, 5]).to_mapping()
    clocks = {"seconds": 0.0, "cpu_seconds": 0.0}
    assert {**result.to_mapping(), **clocks} == {**plain, **clocks}


def test_a_recorded_result_has_no_model(small_graph: Graph) -> None:
    result = fit(small_graph, seeds=1, **_QUICK)
    recorded = type(result).from_mapping(result.to_mapping())
    with pytest.raises(ModelError, match="small: a result that was recorded has no weights"):
        _ = recorded.model
