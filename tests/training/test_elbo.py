from typing import Any

import pytest
import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.splits import Rows
from l2p_search.model.network import Readout
from l2p_search.model.posterior import kl_divergence, log_prior, relaxed_sample
from l2p_search.training.elbo import NegativeElbo, negative_elbo

_SEEDS, _ROWS, _STEPS, _CLASSES = 2, 3, 4, 5
_VARIANTS: list[dict[str, Any]] = [
    {},
    {"kl_weight": 0.0},
    {"kl_weight": 0.7, "temperature": 0.4},
    {"temperature": 1.5},
    {"temperature": 2.0},
    {"kl_weight": 1.0, "prior": "geometric", "prior_ratio": 0.3},
]


def _inputs() -> tuple[Readout, Rows, Tensor]:
    generator = torch.Generator().manual_seed(0)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    log_q = torch.log_softmax(draw(_SEEDS, _ROWS, _STEPS), dim=-1).requires_grad_()
    logits = draw(_SEEDS, _ROWS, _STEPS, _CLASSES).requires_grad_()
    labels = torch.tensor([[0, 1, 4], [2, 2, 3]])
    weights = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]], dtype=torch.float64)
    rows = Rows(torch.zeros_like(labels), labels, weights)
    bias = draw(_SEEDS, _CLASSES).requires_grad_()
    return Readout(log_q, logits, bias), rows, draw(_SEEDS, _ROWS, _STEPS)


def _by_definition(config: TrialConfig, read: Readout, rows: Rows, gumbel: Tensor) -> Tensor:
    sample = relaxed_sample(read.log_q, gumbel, config.temperature)
    mixed = torch.einsum("slt,sltc->slc", sample, read.logits + read.bias[:, None, None])
    log_p = torch.log_softmax(mixed, dim=-1).gather(-1, rows.labels.unsqueeze(-1)).squeeze(-1)
    kl = kl_divergence(read.log_q, log_prior(config, torch.float64))
    return ((config.kl_weight * kl - log_p) * rows.weights).sum(dim=-1)


@pytest.mark.parametrize("variant", _VARIANTS, ids=str)
def test_the_loss_and_its_gradients_agree_with_the_definition(variant: dict[str, Any]) -> None:
    config = TrialConfig(K=_STEPS - 1, **variant)
    read, rows, gumbel = _inputs()
    found = negative_elbo(config, read, rows, gumbel)
    expected = _by_definition(config, read, rows, gumbel)
    torch.testing.assert_close(found, expected)
    cotangent = torch.tensor([1.0, -2.0], dtype=torch.float64)
    torch.testing.assert_close(
        torch.autograd.grad(found, tuple(read[:3]), cotangent),
        torch.autograd.grad(expected, tuple(read[:3]), cotangent),
    )


@pytest.mark.parametrize("variant", _VARIANTS, ids=str)
def test_class_scores_that_are_mixed_as_they_are_read_give_the_same(
    variant: dict[str, Any],
) -> None:
    config = TrialConfig(K=_STEPS - 1, **variant)
    read, rows, gumbel = _inputs()
    mixing = read._replace(
        logits=torch.zeros_like(read.logits),  # is not what is learned by
        mix=lambda weights: torch.einsum("slt,sltc->slc", weights, read.logits),
    )
    found = negative_elbo(config, mixing, rows, gumbel)
    expected = _by_definition(config, read, rows, gumbel)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        torch.autograd.grad(found.sum(), tuple(read[:3])),
        torch.autograd.grad(expected.sum(), tuple(read[:3])),
    )


@pytest.mark.parametrize("alone", [0, 1, 2])
def test_the_gradient_of_one_input_does_not_depend_on_who_else_asks(alone: int) -> None:
    config = TrialConfig(K=_STEPS - 1, kl_weight=0.3)
    cotangent = torch.tensor([1.0, -2.0], dtype=torch.float64)
    read, rows, gumbel = _inputs()
    wanted = torch.autograd.grad(
        negative_elbo(config, read, rows, gumbel), tuple(read[:3]), cotangent
    )
    inputs = [each.detach().requires_grad_(place == alone) for place, each in enumerate(read[:3])]
    loss = negative_elbo(config, Readout(*inputs), rows, gumbel)
    (found,) = torch.autograd.grad(loss, inputs[alone], cotangent)
    torch.testing.assert_close(found, wanted[alone])


@pytest.mark.parametrize("variant", _VARIANTS, ids=str)
def test_passes_gradcheck(variant: dict[str, Any]) -> None:
    config = TrialConfig(K=_STEPS - 1, **variant)
    read, rows, gumbel = _inputs()
    assert torch.autograd.gradcheck(
        lambda *inputs: NegativeElbo.apply(*inputs, gumbel, rows.labels, rows.weights, config),
        tuple(read[:3]),
    )
