from collections.abc import Callable

import pytest
import torch
from torch import Generator, Tensor

from l2p_search.model import dense
from l2p_search.model.dense import (
    fast_width,
    flat_product,
    narrow_product,
    product,
    product_plus,
    side_by_side,
    sum_over_nodes,
    sums_over_nodes,
    times,
)


def _normal(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, dtype=dtype, generator=Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize("outputs", [3, 20])
def test_the_gradients_are_those_of_a_matrix_product(outputs: int) -> None:
    h, weight = _normal(2, 5, 4).requires_grad_(), _normal(2, 4, outputs).requires_grad_()
    torch.testing.assert_close(times(h, weight), torch.bmm(h, weight))
    assert torch.autograd.gradcheck(times, (h, weight))


@pytest.mark.parametrize("shape", [(4000, 64, 64), (4000, 128, 16), (3000, 30, 48)])
def test_onednns_product_is_the_usual_one(shape: tuple[int, int, int]) -> None:
    nodes, inputs, outputs = shape
    h, weight = _normal(2, nodes, inputs), _normal(2, inputs, outputs)
    wanted = torch.bmm(h, weight)
    h, weight = h.float(), weight.float()
    out = torch.empty(2, nodes, outputs)
    assert product(h, weight, out=out) is out
    torch.testing.assert_close(out.double(), wanted, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(flat_product(h[1:], weight[1:]), out[1], rtol=0, atol=0)
    back = product(out, weight.transpose(1, 2))
    torch.testing.assert_close(
        back.double(),
        torch.bmm(out.double(), weight.double().transpose(1, 2)),
        rtol=1e-4,
        atol=1e-3,
    )
    of_weight = sum_over_nodes(h, out)
    wanted = torch.bmm(h.double().transpose(1, 2), out.double())
    torch.testing.assert_close(of_weight.double(), wanted, rtol=1e-4, atol=0.05)


@pytest.mark.parametrize("width", [3, 8, 17])
def test_columns_of_zeros_change_no_number(width: int) -> None:
    h, weight = _normal(2, 4000, 64).float(), _normal(2, 64, width).float()
    wide = torch.nn.functional.pad(weight, (0, -width % 16))
    wanted = product(h, wide)[:, :, :width]
    assert torch.equal(product(h, fast_width(weight, 4000))[:, :, :width], wanted)
    assert torch.equal(flat_product(h, weight).view_as(wanted), wanted)
    assert fast_width(weight, 10).shape[2] == wide.shape[2]


def test_without_onednn_the_products_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    h, weight = (value.float() for value in (_normal(2, 3000, 64), _normal(2, 64, 64)))
    fast = product(h, weight)
    monkeypatch.setattr(dense, "_AVAILABLE", False)
    torch.testing.assert_close(fast, product(h, weight), rtol=1e-5, atol=1e-5)


def test_a_narrow_product_is_a_product() -> None:
    left, right = _normal(2, 6, 50), _normal(2, 50, 3)
    torch.testing.assert_close(narrow_product(left, right), torch.bmm(left, right))


@pytest.mark.parametrize("dims", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_parts_of_one_tensor_are_put_side_by_side_without_a_copy(dims: tuple[int, ...]) -> None:
    whole = _normal(4, 5, 6).permute(dims)
    left, right = whole.tensor_split([2], dim=2)
    found = side_by_side(left, right)
    assert torch.equal(found, whole)
    assert found.data_ptr() == whole.data_ptr()


@pytest.mark.parametrize(
    "parts",
    [
        lambda whole: (whole[:, :, 3:], whole[:, :, :3]),  # in the other order
        lambda whole: (whole[:, :, :2], whole[:, :, 3:]),  # with a gap
        lambda whole: (whole[:, :, :2].clone(), whole[:, :, 2:]),  # of two tensors
        lambda whole: (whole[:, :, :2], whole.clone()[:, :, 2:]),
        lambda whole: (whole[:, ::2, :2], whole[:, :3, 2:]),  # of other rows
    ],
)
def test_other_tensors_are_copied_side_by_side(
    parts: Callable[[Tensor], tuple[Tensor, Tensor]],
) -> None:
    left, right = parts(_normal(4, 5, 6))
    assert torch.equal(side_by_side(left, right), torch.cat([left, right], dim=2))


@pytest.mark.parametrize("inputs", [4, 20])
def test_a_product_is_added_in_the_memory_of_what_it_is_added_to(inputs: int) -> None:
    h, weight, other = _normal(2, 6, inputs), _normal(2, inputs, 20), _normal(2, 6, 20)
    wanted = torch.bmm(h, weight) + other
    found = product_plus(h, weight, other)
    torch.testing.assert_close(found, wanted)
    assert found is other


def test_a_product_of_one_seed_and_a_sum_are_one_call_with_the_same_numbers() -> None:
    h, weight, other = (
        value.float() for value in (_normal(1, 4000, 64), _normal(1, 64, 64), _normal(1, 4000, 64))
    )
    wanted = product(h, weight) + other
    assert torch.equal(product_plus(h, weight, other), wanted)


@pytest.mark.parametrize("nodes", [6, 4000])
@pytest.mark.parametrize("columns", [3, 64])
def test_sums_over_nodes_with_one_matrix_are_those_with_each_other(
    nodes: int, columns: int
) -> None:
    common, *others = _normal(2, nodes, columns), _normal(2, nodes, 64), _normal(2, nodes, 5)
    for found, other in zip(sums_over_nodes(common, *others), others, strict=True):
        torch.testing.assert_close(found, torch.bmm(common.transpose(1, 2), other))
    given = [one.float() for one in (common, *others)]
    for found, other in zip(sums_over_nodes(*given), others, strict=True):
        wanted = torch.bmm(common.transpose(1, 2), other)
        torch.testing.assert_close(found.double(), wanted, rtol=1e-4, atol=0.01)
