import torch
from torch import Tensor

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.model.dropout import drop, keep_scale
from l2p_search.model.linear_encoder import LinearEncoder
from l2p_search.model.network import Pass
from tests.model.agreement import x_of
from tests.problems import precise


def _encoder(graph: Graph, dropout: float) -> LinearEncoder:
    config = TrialConfig.recorded({"encoder": "linear", "hidden": 99, "dropout": dropout})
    return LinearEncoder(precise(graph), config)


def _pass(encoder: LinearEncoder, noise: Tensor | None = None) -> Pass:
    generators = [torch.Generator().manual_seed(seed) for seed in (0, 1)]
    theta = encoder.initial(generators)
    scorer = torch.randn(2, encoder.width, 4, dtype=torch.float64, generator=generators[0])
    return Pass(theta, {"w": scorer}, torch.zeros(2, 1, dtype=torch.int64), noise)


def test_h_0_is_x_times_w_and_its_own_class_scores(small_graph: Graph) -> None:
    encoder = _encoder(small_graph, dropout=0.0)
    given = _pass(encoder)
    h0 = x_of(small_graph) @ given.theta["W_1"]
    scores, classes = encoder.read(given)
    torch.testing.assert_close(classes, h0)
    torch.testing.assert_close(scores, h0 @ given.phi["w"])


def test_it_has_one_column_per_class_whatever_the_hidden_units(small_graph: Graph) -> None:
    encoder = _encoder(small_graph, dropout=0.0)
    shapes = {name: tuple(value.shape) for name, value in _pass(encoder).theta.items()}
    assert encoder.width == small_graph.num_classes
    assert shapes == {"W_1": (2, 7, 3), "b_2": (2, 3)}


def test_dropout_is_of_the_features(small_graph: Graph) -> None:
    encoder = _encoder(small_graph, dropout=0.4)
    shape = (2, encoder.noise_size)
    noise = torch.randint(
        0, 256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
    )
    given = _pass(encoder, noise)
    x = x_of(small_graph)
    kept = drop(x.expand(2, -1, -1), noise.view(2, *x.shape), 0.4) * keep_scale(0.4)
    torch.testing.assert_close(encoder.read(given)[1], kept @ given.theta["W_1"])
