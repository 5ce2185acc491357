import pytest
import torch

from l2p_search.model.network import Parameters
from l2p_search.training.optimizer import Adam


def _parameters() -> Parameters:
    generator = torch.Generator().manual_seed(0)
    return {
        name: torch.randn(3, *shape, dtype=torch.float64, generator=generator)
        for name, shape in (("W", (4, 5)), ("b", (5,)))
    }


@pytest.mark.parametrize("scale", [1.0, 1e-8])
def test_agrees_with_torchs_own_adam(scale: float) -> None:
    """Also where gradients are as small as its epsilon."""
    ours, theirs = _parameters(), _parameters()
    adam = Adam(ours, lr=0.1, decay={"W": 0.3})
    reference = torch.optim.Adam(
        [
            {"params": [theirs["W"]], "weight_decay": 0.3},
            {"params": [theirs["b"]], "weight_decay": 0.0},
        ],
        lr=0.1,
    )
    for _ in range(5):
        gradients = {name: scale * torch.randn_like(value) for name, value in ours.items()}
        adam.step(gradients)
        for name, value in theirs.items():
            value.grad = gradients[name]
        reference.step()
    for name, value in ours.items():
        torch.testing.assert_close(value, theirs[name])


def test_a_step_does_not_depend_on_the_dtype_that_torch_makes_tensors_of() -> None:
    ours, others = _parameters(), _parameters()
    gradients = {name: torch.ones_like(value) for name, value in ours.items()}
    Adam(ours, 0.1, {}).step(gradients)
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        adam = Adam(others, 0.1, {})
        adam.step(gradients)
    finally:
        torch.set_default_dtype(usual)
    assert adam._step.dtype == torch.float32  # as the fused kernel wants it
    assert torch.equal(ours["W"], others["W"])


def test_takes_gradients_that_lie_otherwise_in_memory() -> None:
    plain, transposed = _parameters(), _parameters()
    gradient = torch.randn(3, 5, 4, dtype=torch.float64).transpose(1, 2)
    bias = torch.zeros(3, 5, dtype=torch.float64)
    Adam(plain, 0.1, {}).step({"W": gradient.contiguous(), "b": bias})
    Adam(transposed, 0.1, {}).step({"W": gradient, "b": bias})
    assert torch.equal(plain["W"], transposed["W"])


def test_seeds_that_stay_keep_their_moments() -> None:
    whole, reduced = _parameters(), _parameters()
    all_seeds = Adam(whole, 0.1, dict.fromkeys(whole, 0.1))
    some = Adam(reduced, 0.1, dict.fromkeys(reduced, 0.1))
    kept = torch.tensor([0, 2])
    for step in range(4):
        gradients = {name: torch.randn_like(value) for name, value in whole.items()}
        if step == 2:
            reduced = {name: value[kept] for name, value in reduced.items()}
            some.keep(kept, reduced)
        all_seeds.step(gradients)
        some.step(
            {name: value[kept] for name, value in gradients.items()} if step >= 2 else gradients
        )
    for name, value in reduced.items():
        torch.testing.assert_close(value, whole[name][kept])


@pytest.mark.parametrize(("decay", "scale"), [(0.0, 1.0), (0.3, 1.0), (0.0, 1e-8)])
def test_the_response_is_the_derivative_of_the_step_by_its_gradient(
    decay: float, scale: float
) -> None:
    """By central differences of the whole step, after a few others; and blockwise alike.

    Also of gradients that are as small as Adam's epsilon.
    """
    parameters, generator = _parameters(), torch.Generator().manual_seed(1)
    adam = Adam(parameters, 0.1, {"W": decay}, remember=True)
    for _ in range(4):
        adam.step({name: scale * _like(value, generator) for name, value in parameters.items()})
    gradients = {name: scale * _like(value, generator) for name, value in parameters.items()}
    ends = []
    for shift in (-1e-6 * scale, 1e-6 * scale, 0.0):
        moved = {name: value.clone() for name, value in parameters.items()}
        twin = Adam(moved, 0.1, {"W": decay}, remember=True)
        for state in ("_mean", "_square"):
            copied = {name: value.clone() for name, value in getattr(adam, state).items()}
            setattr(twin, state, copied)
        twin._step, twin._count = adam._step.clone(), adam._count
        twin.begin()
        for name, gradient in gradients.items():
            for block in (slice(0, 2), slice(2, 3)):
                twin.update(name, gradient[block] + shift, block)
        ends.append(moved)
    for name, found in twin.response().items():
        torch.testing.assert_close(
            found, (ends[0][name] - ends[1][name]) / (2e-6 * scale), rtol=1e-5, atol=1e-9 / scale
        )


def test_what_never_had_a_gradient_does_not_respond() -> None:
    parameters = {"W": torch.ones(1, 2)}
    adam = Adam(parameters, 0.1, {}, remember=True)
    for _ in range(2):
        adam.step({"W": torch.tensor([[0.0, 2.0]])})
    still, moving = adam.response()["W"][0].tolist()
    assert still == 0.0
    assert moving > 0.0


def test_a_response_needs_gradients_that_were_remembered() -> None:
    with pytest.raises(ValueError, match="not remembered"):
        Adam(_parameters(), 0.1, {}).response()


def _like(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(value.shape, dtype=value.dtype, generator=generator)
