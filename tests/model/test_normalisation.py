from typing import Literal

import pytest
import torch
from torch import Tensor

from l2p_search.model.normalisation import normalised

kinds = pytest.mark.parametrize("kind", ["layer", "batch"])
Kind = Literal["layer", "batch"]


def _given(seeds: int = 3) -> tuple[Tensor, Tensor, Tensor]:
    """Hidden representations, scale and shift."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()

    return draw(seeds, 9, 5), draw(seeds, 5), draw(seeds, 5)


@kinds
def test_every_seed_agrees_with_torch(kind: Kind) -> None:
    h, scale, shift = _given()
    found = normalised(kind, h, scale, shift)
    for seed in range(len(h)):
        module = torch.nn.LayerNorm(5) if kind == "layer" else torch.nn.BatchNorm1d(5)
        with torch.no_grad():
            module.double().weight.copy_(scale[seed])
            module.bias.copy_(shift[seed])
        torch.testing.assert_close(found[seed], module(h[seed]))


@kinds
def test_gradients_are_those_of_finite_differences(kind: Kind) -> None:
    given = _given(2)
    assert torch.autograd.gradcheck(lambda *each: normalised(kind, *each), given)


@kinds
def test_what_needs_no_gradient_gets_none(kind: Kind) -> None:
    h, scale, shift = _given()
    found = normalised(kind, h.detach(), scale, shift.detach())
    (gradient,) = torch.autograd.grad(found.square().sum(), [scale])
    assert gradient.shape == scale.shape
    assert not normalised(kind, h.detach(), scale.detach(), shift.detach()).requires_grad


def test_layer_is_over_the_units_of_a_node_and_batch_over_the_nodes() -> None:
    h, scale, shift = _given()
    ones, zeros = torch.ones_like(scale), torch.zeros_like(shift)
    by_node, by_unit = normalised("layer", h, ones, zeros), normalised("batch", h, ones, zeros)
    torch.testing.assert_close(by_node.mean(dim=2), torch.zeros(3, 9).double())
    torch.testing.assert_close(by_unit.mean(dim=1), torch.zeros(3, 5).double())
    about_one = {"atol": 1e-3, "rtol": 0.0}
    torch.testing.assert_close(by_unit.var(dim=1, correction=0), ones, **about_one)


@kinds
def test_a_unit_that_never_varies_becomes_the_shift(kind: Kind) -> None:
    """Its variance is zero: nothing is divided by it."""
    _, scale, shift = _given()
    found = normalised(kind, torch.full((3, 9, 5), 2.0).double(), scale, shift)
    torch.testing.assert_close(found, shift[:, None].expand_as(found))


@kinds
def test_with_relu_it_is_followed_by_relu_and_so_are_its_gradients(kind: Kind) -> None:
    """The gradient of the squares is zero where relu is, as every reader's is."""
    given = _given(2)
    found, wanted = normalised(kind, *given, relu=True), normalised(kind, *given).relu()
    assert torch.equal(found, wanted)
    pairs = (torch.autograd.grad(each.square().sum(), given) for each in (found, wanted))
    for one, other in zip(*pairs, strict=True):
        torch.testing.assert_close(one, other)
