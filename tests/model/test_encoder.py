from dataclasses import replace

import pytest
import torch
from torch import Tensor

from l2p_search.data.graph import Graph
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.encoder import (
    EncodeAndProject,
    EncoderNoise,
    encode_and_project,
    encoder_bytes,
)
from l2p_search.model.features import DenseFeatures, Features, SparseFeatures

_X = torch.tensor(
    [[0.0, 0.5, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], dtype=torch.float64
)
_KINDS = {
    "sparse": lambda: SparseFeatures(_X, block=1),
    "sparse in blocks": lambda: SparseFeatures(_X, block=2),
    "dense": lambda: DenseFeatures(_X),
}


def _parameters(seeds: int = 3, hidden: int = 5) -> tuple[Tensor, ...]:
    """W_1, b_1, two scorers and three classes."""
    generator = torch.Generator().manual_seed(0)
    shapes = ((4, hidden), (hidden,), (hidden, 2), (hidden, 3))
    return tuple(
        torch.randn(seeds, *shape, dtype=torch.float64, generator=generator, requires_grad=True)
        for shape in shapes
    )


def _noise(features: Features, seeds: int = 3, hidden: int = 5, rate: float = 0.5) -> EncoderNoise:
    generator = torch.Generator().manual_seed(1)

    def draw(*shape: int) -> Tensor:
        return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)

    return EncoderNoise(draw(seeds, features.noise_size), draw(seeds, 3, hidden), rate)


def _hidden(weight: Tensor, bias: Tensor, noise: EncoderNoise | None, dense: bool) -> Tensor:
    """dropout(relu(dropout(X) W + b)), a seed at a time."""
    if noise is None:
        return torch.relu(_X @ weight + bias[:, None])
    scale, results = keep_scale(noise.rate), []
    for seed in range(weight.shape[0]):
        kept = torch.ones_like(_X)
        if dense:
            kept = drop(kept, noise.features[seed].view(_X.shape), noise.rate)
        else:
            values = torch.ones(int((_X != 0).sum()), dtype=torch.float64)
            kept[_X != 0] = drop(values, noise.features[seed], noise.rate)
        active = torch.relu((_X * kept * scale) @ weight[seed] + bias[seed])
        mask = drop(torch.ones_like(active), noise.hidden[seed], noise.rate)
        results.append(active * mask * scale)
    return torch.stack(results)


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("rate", [0.0, 0.25, 0.5, 0.8])
def test_agrees_with_the_definition(kind: str, rate: float) -> None:
    features = _KINDS[kind]()
    noise = _noise(features, rate=rate) if rate else None
    weight, bias, scorer, classifier = parameters = _parameters()
    hidden = _hidden(weight, bias, noise, dense=kind == "dense")
    expected = (hidden @ scorer, hidden @ classifier)
    found = encode_and_project(features, *parameters, noise)
    torch.testing.assert_close(found, expected)
    cotangents = [torch.randn_like(columns) for columns in expected]
    torch.testing.assert_close(
        torch.autograd.grad(found, parameters, cotangents),
        torch.autograd.grad(expected, parameters, cotangents),
    )


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("dropout", [False, True])
def test_passes_gradcheck(kind: str, dropout: bool) -> None:
    features = _KINDS[kind]()
    noise = _noise(features) if dropout else None
    assert torch.autograd.gradcheck(
        lambda *parameters: EncodeAndProject.apply(*parameters, features, noise, None),
        _parameters(),
    )


def test_the_scorer_alone_gets_the_same_gradient() -> None:
    features = _KINDS["sparse"]()
    weight, bias, scorer, classifier = _parameters()
    together, _ = encode_and_project(features, weight, bias, scorer, classifier, None)
    alone, class_columns = encode_and_project(
        features, weight.detach(), bias.detach(), scorer, classifier.detach(), None
    )
    assert not class_columns.requires_grad
    cotangent = torch.randn_like(alone)
    torch.testing.assert_close(
        torch.autograd.grad(alone, scorer, cotangent),
        torch.autograd.grad(together, scorer, cotangent),
    )


@pytest.mark.parametrize("alone", [0, 3], ids=["W_1", "W_2"])
def test_a_gradient_does_not_depend_on_what_else_learns(alone: int) -> None:
    features = _KINDS["sparse"]()
    parameters = _parameters()
    columns = encode_and_project(features, *parameters, None)
    cotangents = [torch.randn_like(each) for each in columns]
    wanted = torch.autograd.grad(columns, parameters[alone], cotangents)
    fixed = [each.detach().requires_grad_(at == alone) for at, each in enumerate(parameters)]
    found = encode_and_project(features, *fixed, None)
    asked = [(own, by) for own, by in zip(found, cotangents, strict=True) if own.requires_grad]
    torch.testing.assert_close(
        torch.autograd.grad([own for own, _ in asked], fixed[alone], [by for _, by in asked]),
        wanted,
    )


@pytest.mark.parametrize("kind", _KINDS)
def test_a_sink_gets_the_gradient_that_autograd_would(kind: str) -> None:
    features = _KINDS[kind]()
    noise = _noise(features)
    parameters = _parameters()
    found = {"W_1": torch.zeros_like(parameters[0])}

    def sink(name: str, gradient: Tensor, seeds: slice) -> None:
        found[name][seeds] = gradient

    plain = encode_and_project(features, *parameters, noise)
    streamed = encode_and_project(features, *parameters, noise, sink)
    cotangents = [torch.randn_like(columns) for columns in plain]
    expected = torch.autograd.grad(plain, parameters, cotangents)
    rest = torch.autograd.grad(streamed, parameters[1:], cotangents)
    torch.testing.assert_close((*found.values(), *rest), expected)


@pytest.mark.parametrize("nonzeros", [7, None])
def test_the_memory_is_that_of_parameters_hidden_units_and_dropped_features(
    nonzeros: int | None, small_graph: Graph
) -> None:
    """Six tensors as large as W_1, three of hidden units; of dense features no more than all."""
    x = torch.ones_like(small_graph.x)
    values = x.numel()
    if nonzeros is not None:
        x.view(-1)[nonzeros:] = 0.0
        values = 3 * nonzeros
    assert values < x.numel() or nonzeros is None
    words = 6 * x.shape[1] * 5 + 3 * x.shape[0] * 5 + values
    assert encoder_bytes(replace(small_graph, x=x), 5) == 4 * words
