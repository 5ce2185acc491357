from collections.abc import Sequence

import pytest
import torch

from l2p_search.training import batches
from l2p_search.training.batches import in_batches


class _Machine:
    """Trains as many seeds at once as fit, and raises otherwise."""

    def __init__(self, fitting: int, error: BaseException) -> None:
        self.fitting, self.error, self.tried = fitting, error, list[int]()

    def __call__(self, batch: Sequence[int]) -> list[int]:
        self.tried.append(len(batch))
        if len(batch) > self.fitting:
            raise self.error
        return list(batch)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
        MemoryError(),
    ],
    ids=["cuda", "linux", "windows", "python"],
)
def test_a_batch_that_does_not_fit_is_halved_and_no_seed_is_lost(error: BaseException) -> None:
    machine, told = _Machine(3, error), list[str]()
    trained = list(in_batches(range(20), 20, machine, told.append))
    assert [seed for batch in trained for seed in batch] == list(range(20))
    assert machine.tried[:3] == [20, 10, 5]
    assert max(machine.tried[3:]) <= 2
    assert told == [
        f"out of memory with {n} seeds at once; trying again with {n // 2} at once"
        for n in (20, 10, 5)
    ]


def test_what_the_device_keeps_is_given_back_before_a_batch_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = _Machine(3, MemoryError())
    given_back: list[int] = []
    monkeypatch.setattr(batches, "release_cached", lambda: given_back.append(len(machine.tried)))
    list(in_batches(range(8), 8, machine))
    assert machine.tried[:2] == [8, 4]
    assert given_back == [1, 2]


def test_what_has_been_trained_is_not_trained_again() -> None:
    fits = iter([True, False, *[True] * 20])

    def train(batch: Sequence[int]) -> list[int]:
        if not next(fits):
            raise MemoryError
        return list(batch)

    assert list(in_batches(range(8), 4, train)) == [[0, 1, 2, 3], [4, 5], [6, 7]]


def test_a_single_seed_that_does_not_fit_is_an_error() -> None:
    machine = _Machine(0, torch.OutOfMemoryError("CUDA out of memory."))
    with pytest.raises(torch.OutOfMemoryError):
        list(in_batches(range(4), 4, machine))
    assert machine.tried == [4, 2, 1]


def test_another_error_is_not_tried_again() -> None:
    machine = _Machine(0, RuntimeError("shapes differ"))
    with pytest.raises(RuntimeError, match="shapes differ"):
        list(in_batches(range(4), 4, machine))
    assert machine.tried == [4]


def test_batches_are_of_about_equal_size() -> None:
    assert [len(batch) for batch in in_batches(range(20), 8, list)] == [6, 7, 7]
    assert list(in_batches([], 8, list)) == []
