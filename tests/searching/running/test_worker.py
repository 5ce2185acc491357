import json
import logging
from collections.abc import Sequence
from dataclasses import replace

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError, argument
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.searching.running.tasks import Task
from l2p_search.searching.running.telling import EpochTeller
from l2p_search.searching.running.worker import run_task
from tests.searching.pretend import pretend_training

_CONFIG = TrialConfig(K=4, dropout=0.2)
_TASK = Task("trial", 3, _CONFIG, ((0, 1, 2), (3, 4), (5,)))


def _reported(graph: Graph, error: Exception) -> list[dict[str, str]]:
    """What a training that raises has its worker report."""

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        raise error

    messages: list[dict[str, str]] = []
    run_task(_TASK.to_mapping(), graph, train, messages.append)
    return messages


def test_every_group_is_trained_in_turn_and_reported_by_itself(small_graph: Graph) -> None:
    asked: list[tuple[TrialConfig, list[int]]] = []

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        assert graph is small_graph
        assert len(messages) == len(asked)  # the group before was reported
        asked.append((config, list(seeds)))
        return pretend_training(graph, config, seeds)

    messages: list[dict[str, str]] = []
    run_task(_TASK.to_mapping(), small_graph, train, messages.append)
    assert asked == [(_CONFIG, [0, 1, 2]), (_CONFIG, [3, 4]), (_CONFIG, [5])]
    for message, (_, seeds) in zip(messages, asked, strict=True):
        assert set(message) == {"measured"}
        wanted = pretend_training(small_graph, _CONFIG, seeds)
        found = TrialResult.from_record(json.loads(message["measured"]), _CONFIG, "small", "0")
        assert found == wanted


def test_a_driver_that_wants_no_further_group_ends_the_task(small_graph: Graph) -> None:
    class Stopped(BaseException):
        pass

    trained: list[Sequence[int]] = []

    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        trained.append(seeds)
        return pretend_training(graph, config, seeds)

    def report(message: dict[str, str]) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        run_task(_TASK.to_mapping(), small_graph, train, report)
    assert trained == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RuntimeError("shapes differ\nframe 0\nframe 1"), "RuntimeError: shapes differ"),
        (ValueError(), "ValueError"),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
        (MemoryError("whatever it says"), "out of memory"),
        (OSError(28, "No space left on device"), "OSError: [Errno 28] No space left on device"),
        (ConfigError(f"{argument('config')}: no"), "ConfigError: config: no"),
    ],
)
def test_what_a_configuration_can_cause_is_an_error_with_one_line(
    error: Exception, says: str, small_graph: Graph
) -> None:
    (message,) = _reported(small_graph, error)  # and no further group is tried
    assert message["error"] == says
    assert message["traceback"].startswith("Traceback (most recent call last)")


_BUGS = (TypeError, KeyError, AttributeError, AssertionError, IndexError)
_BUGS += (NotImplementedError, RecursionError)  # though they are RuntimeErrors


@pytest.mark.parametrize("error", _BUGS)
def test_what_only_the_code_can_cause_is_a_bug(error: type[Exception], small_graph: Graph) -> None:
    (message,) = _reported(small_graph, error("ours"))
    assert "error" not in message
    assert message["bug"].startswith(f"{error.__name__}: ")
    assert "in train" in message["traceback"]


def test_an_interruption_is_neither(small_graph: Graph) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        raise KeyboardInterrupt

    messages: list[dict[str, str]] = []
    with pytest.raises(KeyboardInterrupt):
        run_task(_TASK.to_mapping(), small_graph, train, messages.append)
    assert messages == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_not_finite_is_an_error_that_says_so(
    value: float, small_graph: Graph
) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        result = pretend_training(graph, config, seeds)
        return replace(result, seeds=(replace(result.seeds[0], val=value), *result.seeds[1:]))

    messages: list[dict[str, str]] = []
    run_task(_TASK.to_mapping(), small_graph, train, messages.append)
    (message,) = messages
    assert message["error"] == "ValueError: training gave a number that is not finite"


@pytest.mark.parametrize("fails", [False, True])
def test_what_training_warns_of_is_reported_with_its_group(
    small_graph: Graph, fails: bool
) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        logging.getLogger("l2p_search.training.fit").warning("fewer seeds from %d on", seeds[0])
        logging.getLogger("elsewhere").warning("not ours")
        if fails:
            raise MemoryError
        return pretend_training(graph, config, seeds)

    messages: list[dict[str, str]] = []
    run_task(_TASK.to_mapping(), small_graph, train, messages.append)
    told = [json.loads(message["notes"]) for message in messages]
    groups = _TASK.groups[:1] if fails else _TASK.groups
    assert told == [[f"fewer seeds from {group[0]} on"] for group in groups]


def test_epochs_are_told_with_the_seeds_of_the_groups_before(small_graph: Graph) -> None:
    def train(
        graph: Graph,
        config: TrialConfig,
        seeds: Sequence[int],
        *,
        metric: Metric,
        on_epoch: EpochTeller,
    ) -> TrialResult:
        before.append(on_epoch._before)
        return pretend_training(graph, config, seeds)

    before: list[int] = []
    run_task(_TASK.to_mapping(), small_graph, train, lambda message: None, tells_epochs=True)  # type: ignore[arg-type]
    assert before == [0, 3, 5]


def test_nothing_listens_to_the_log_of_training_once_a_task_has_ended(small_graph: Graph) -> None:
    logger = logging.getLogger("l2p_search.training")
    listening = list(logger.handlers)
    run_task(_TASK.to_mapping(), small_graph, pretend_training, lambda message: None)
    assert logger.handlers == listening


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 9 bytes"),
        MemoryError(),
    ],
)
def test_memory_that_ran_out_is_told_in_three_words(error: Exception, small_graph: Graph) -> None:
    (message,) = _reported(small_graph, error)
    assert message["error"] == "out of memory"


def test_a_task_on_fresh_splits_trains_on_them_and_a_sealed_one_is_sealed(
    small_graph: Graph,
) -> None:
    trained: list[tuple[int, bool]] = []

    def train(
        graph: Graph,
        config: TrialConfig,
        seeds: Sequence[int],
        *,
        metric: Metric,
        sealed: bool = False,
    ) -> TrialResult:
        trained.append((len(graph.train), sealed))
        return pretend_training(graph, config, seeds)

    assert len(small_graph.train) != 4
    for task in (
        Task("trial", 0, _CONFIG, ((0, 1),), sealed=True),
        Task("confirmation", 0, _CONFIG, ((20, 21),), splits="4x6/3/3-nodes"),
    ):
        run_task(task.to_mapping(), small_graph, train, lambda message: None)
    assert trained == [(len(small_graph.train), True), (4, False)]
