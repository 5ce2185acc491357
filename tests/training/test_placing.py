"""Everything that is learned is on the problem's device, though there is only a CPU here.

Two audits stand for a GPU. Over whole trainings on the CPU, no tensor may be made without a
device: it would be made on the CPU whatever the device is. And an epoch is computed on torch's
device `meta`, which knows shapes and no numbers: no operation may meet tensors of two devices.

`meta` cannot do what depends on numbers. All of that is outside of an epoch, and done on the CPU
on every device: building the matrices of a graph, deciding who stops, judging.
"""

from collections.abc import Callable, Sequence
from typing import Any

import networkx
import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from l2p_search.data.graph import Graph
from l2p_search.metrics import METRICS, Metric
from l2p_search.model.building import build_network
from l2p_search.model.problem import Problem
from l2p_search.training.bilevel import BiLevel
from l2p_search.training.fit import fit
from tests.training.every_option import EVERY_OPTION

_META = torch.device("meta")
_FACTORIES = frozenset(_device_constructors())
_MOVES = (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)


class NoTensorWithoutDevice(TorchFunctionMode):
    """Refuses every call that makes a tensor on whatever device is the default."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        if func in _FACTORIES:
            assert kwargs.get("device") is not None, f"{func.__name__} without a device"
        return func(*args, **kwargs)


class OneDevice(TorchDispatchMode):
    """Refuses every operation on tensors of two devices, unless it moves one to the other.

    A tensor without axes counts as a number, as for torch itself.
    """

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        given = tree_leaves((args, kwargs or {}))
        devices = {str(each.device) for each in given if isinstance(each, Tensor) and each.dim()}
        assert func in _MOVES or len(devices) <= 1, f"{func} on {sorted(devices)}"
        return func(*args, **(kwargs or {}))


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Bags of words on a small world, with weights of edges; its geometry is in no cache."""
    shape = networkx.connected_watts_strogatz_graph(24, 4, 0.3, seed=1)
    generator = torch.Generator().manual_seed(0)
    x = (torch.rand(24, 30, generator=generator) < 0.15).float()
    part = torch.arange(24) % 4
    return Graph.build(
        name="small world",
        edges=torch.tensor(list(shape.edges)).t(),
        y=torch.arange(24) % 3,
        x=x,
        weights=1.0 + torch.rand(shape.number_of_edges(), generator=generator),
        train=torch.stack([part < 2, part == 0]),
        val=torch.stack([part == 2, part == 1]),
        test=torch.stack([part == 3, part > 1]),
    )


@pytest.mark.parametrize("name", EVERY_OPTION)
def test_no_training_makes_a_tensor_without_saying_where(graph: Graph, name: str) -> None:
    with NoTensorWithoutDevice():
        result = fit(graph, EVERY_OPTION[name], range(3))
    assert len(result.seeds) == 3


@pytest.mark.parametrize("metric", METRICS)
def test_no_metric_makes_a_tensor_without_saying_where(graph: Graph, metric: Metric) -> None:
    with NoTensorWithoutDevice():
        fit(graph, EVERY_OPTION["quit"], range(2), metric=metric)


def test_the_audit_sees_a_tensor_that_says_not_where() -> None:
    with NoTensorWithoutDevice():
        torch.zeros(2, device="cpu")
        with pytest.raises(AssertionError, match="zeros without a device"):
            torch.zeros(2)


@pytest.mark.parametrize("name", EVERY_OPTION)
def test_an_epoch_stays_on_the_device(graph: Graph, name: str) -> None:
    problem, config = Problem(graph, _META), EVERY_OPTION[name]
    learner = BiLevel(problem, build_network(problem, config), config, range(4))
    with OneDevice():
        for places in (None, torch.tensor([0, 2])):
            if places is not None:
                learner.keep(places)
            assert learner.lower_step().device == _META
            read, scores = learner.evaluate()
            learner.upper_step(read)
            made = [part for part in (*read, *scores) if part is not None]
            assert {part.device for part in made} == {_META}
    levels = learner.levels
    assert {value.device for value in (levels.theta | levels.phi).values()} == {_META}
    assert {len(value) for value in levels.theta.values()} == {2}


def test_the_audit_sees_an_operation_on_two_devices() -> None:
    with OneDevice(), pytest.raises(AssertionError, match="cpu', 'meta"):
        torch.ones(2, device=_META).index_select(0, torch.zeros(1, dtype=torch.int64))
