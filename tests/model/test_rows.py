import torch
from torch import Generator, Tensor

from l2p_search.model.rows import Tap, rows_at

_NODES = torch.tensor([[5, 0, 5], [1, 2, 3]])


def _normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=Generator().manual_seed(0))


def test_rows_are_those_of_each_seeds_own_nodes() -> None:
    h = _normal(2, 6, 4)
    found = rows_at(h, _NODES)
    for seed in range(2):
        assert torch.equal(found[seed], h[seed, _NODES[seed]])


def test_the_gradient_of_a_row_that_is_read_twice_is_counted_twice() -> None:
    h = _normal(2, 6, 4).requires_grad_()
    (grad,) = torch.autograd.grad(rows_at(h, _NODES).sum(), h)
    assert grad[0, :, 0].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 2.0]


def test_a_tap_adds_the_gradient_of_its_rows_to_that_of_what_passes() -> None:
    h, weight = _normal(2, 6, 4).requires_grad_(), _normal(2, 4, 3)

    def loss(rows: Tensor, passed: Tensor) -> Tensor:
        return rows.square().sum() + torch.bmm(passed, weight).square().sum()

    tap = Tap(_NODES)
    passed = tap.passed(2.0 * h)
    (found,) = torch.autograd.grad(loss(tap.rows[0], passed), h)
    at = _NODES.unsqueeze(-1).expand(-1, -1, 4)
    (wanted,) = torch.autograd.grad(loss((2.0 * h).gather(1, at), 2.0 * h), h)
    torch.testing.assert_close(found, wanted)


def test_the_gradient_of_rectified_rows_is_handed_back_masked() -> None:
    h, weight = _normal(2, 6, 4), _normal(2, 3, 4)
    found, wanted = h.clone().relu_().requires_grad_(), h.requires_grad_()
    (grad,) = torch.autograd.grad((rows_at(found, _NODES, rectified=True) * weight).sum(), found)
    (other,) = torch.autograd.grad((rows_at(wanted.relu(), _NODES) * weight).sum(), wanted)
    assert torch.equal(grad, other)
