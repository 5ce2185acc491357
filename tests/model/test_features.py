from collections.abc import Callable
from dataclasses import replace

import networkx
import pytest
import torch
from torch import Tensor

from l2p_search.model import features as features_module
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.features import (
    DenseFeatures,
    Draw,
    Features,
    SparseFeatures,
    features_of,
)
from l2p_search.model.layers import Noise, features_times
from l2p_search.model.problem import Problem
from tests.model.shapes import graph_of

_X = torch.tensor(
    [[0.0, 0.5, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], dtype=torch.float64
)
_KINDS: dict[str, Callable[[], Features]] = {
    "sparse": lambda: SparseFeatures(_X, block=1),
    "sparse in blocks": lambda: SparseFeatures(_X, block=2),
    "dense": lambda: DenseFeatures(_X),
}
kinds = pytest.mark.parametrize("kind", _KINDS)


def _normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def _bytes(features: Features, seeds: int) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    shape = (seeds, features.noise_size)
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=generator)


def _dropped(kind: str, noise: Tensor, rate: float) -> Tensor:
    """dropout(X) of one seed by its bytes: one byte per entry, of sparse features per non-zero."""
    kept = torch.ones_like(_X)
    if kind == "dense":
        kept = drop(kept, noise.view(_X.shape), rate)
    else:
        kept[_X != 0] = drop(torch.ones(3, dtype=torch.float64), noise, rate)
    return _X * kept


@kinds
def test_without_a_draw_the_products_are_those_of_x(kind: str) -> None:
    features = _KINDS[kind]()
    weight, grad = _normal(1, 4, 5), _normal(1, 3, 5)
    torch.testing.assert_close(features.times(weight, Draw()), _X @ weight)
    torch.testing.assert_close(features.transposed_times(grad, Draw()), _X.T @ grad)


@kinds
def test_both_products_see_the_same_dropout_of_each_seed(kind: str) -> None:
    features = _KINDS[kind]()
    noise = _bytes(features, 3)
    draw = features.dropped(noise, 0.5, 3.0)
    weight, grad = _normal(3, 4, 5), _normal(3, 3, 5)
    for block in features.blocks(3):
        own = draw.of_seeds(block)
        wanted = 3.0 * torch.stack([_dropped(kind, row, 0.5) for row in noise[block]])
        torch.testing.assert_close(features.times(weight[block], own), wanted @ weight[block])
        torch.testing.assert_close(
            features.transposed_times(grad[block], own), wanted.transpose(1, 2) @ grad[block]
        )


@kinds
def test_two_draws_with_different_rates_do_not_disturb_each_other(kind: str) -> None:
    features = _KINDS[kind]()
    noise, weight = _bytes(features, 1), _normal(1, 4, 5)
    rates = (0.1, 0.9)
    draws = [features.dropped(noise, rate, keep_scale(rate)) for rate in rates]
    for rate, draw in zip(rates, draws, strict=True):
        wanted = keep_scale(rate) * _dropped(kind, noise[0], rate) @ weight
        torch.testing.assert_close(features.times(weight, draw), wanted)


@kinds
def test_a_backward_pass_sees_the_dropout_of_its_own_forward_pass(kind: str) -> None:
    features = _KINDS[kind]()
    noise, weight = _bytes(features, 1), _normal(1, 4, 5).requires_grad_()
    product = features_times(features, weight, Noise(noise), 0.1)
    features_times(features, weight, Noise(noise), 0.9)
    grad = _normal(1, 3, 5)
    (found,) = torch.autograd.grad(product, weight, grad)
    wanted = keep_scale(0.1) * _dropped(kind, noise[0], 0.1).T @ grad
    torch.testing.assert_close(found, wanted)


def _problem(x: Tensor, device: str = "cpu") -> Problem:
    graph = graph_of(networkx.empty_graph(len(x)))
    return Problem(replace(graph, x=x), torch.device(device))


def test_bags_of_words_are_kept_sparse_and_dense_features_dense() -> None:
    sparse = torch.zeros(50, 40)
    sparse[:, 0] = 1.0
    assert isinstance(features_of(_problem(sparse), 8), SparseFeatures)
    assert isinstance(features_of(_problem(torch.ones(50, 40)), 8), DenseFeatures)


def test_blocks_cover_all_seeds_once() -> None:
    features = SparseFeatures(_X, block=3)
    blocks = [list(range(8))[block] for block in features.blocks(8)]
    assert blocks == [[0, 1, 2], [3, 4, 5], [6, 7]]


def test_blocks_are_smaller_for_more_hidden_units() -> None:
    x = torch.zeros(100, 40)
    x[:, 0] = 1.0
    narrow, wide = (features_of(_problem(x), hidden).blocks(1000)[0].stop for hidden in (8, 64))
    assert narrow > wide >= 1


@pytest.mark.parametrize("density", [0.1, 1.0])
def test_another_device_takes_more_seeds_at_once_than_a_core(density: float) -> None:
    x = torch.zeros(100, 40)
    x[:, : int(40 * density)] = 1.0
    core, device = (features_of(_problem(x, of), 64) for of in ("cpu", "meta"))
    assert len(device.blocks(20)) == 1 < len(core.blocks(20))


@pytest.mark.parametrize(
    ("num_features", "words", "hidden", "ahead"),
    [
        (16, 8, 64, True),  # each of W_1's rows is read eight times
        (16, 7, 64, False),  # most of them may never be read
        (16, 8, 2**14, True),  # 1 MiB
        (16, 8, 2**14 + 1, False),  # its first rows would have left the cache again
    ],
)
def test_weights_are_read_ahead_where_a_product_rereads_what_the_cache_holds(
    monkeypatch: pytest.MonkeyPatch, num_features: int, words: int, hidden: int, ahead: bool
) -> None:
    read: list[Tensor] = []
    monkeypatch.setattr(features_module, "read_ahead", read.append)
    x = torch.zeros(num_features, num_features)
    x[:, :words] = 1.0
    weight = torch.ones(1, num_features, hidden)
    SparseFeatures(x, block=1).times(weight, Draw())
    assert [tensor is weight for tensor in read] == [True] * ahead


def test_dropped_values_are_read_ahead_of_their_transposition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[Tensor] = []
    monkeypatch.setattr(features_module, "read_ahead", read.append)
    features = SparseFeatures(_X, block=1)
    draw = Draw(_normal(1, features.noise_size))
    for given in (draw, Draw()):
        features.transposed_times(_normal(1, 3, 2), given)
    assert [tensor is draw.entries for tensor in read] == [True]
