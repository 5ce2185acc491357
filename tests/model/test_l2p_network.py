from collections.abc import Sequence

import pytest
import torch
from torch import Generator

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.model.l2p_network import L2pNetwork
from l2p_search.model.network import Parameters, Pass, Readout
from tests.problems import precise


class _Scorer(L2pNetwork):
    noise_size = bytes_per_seed = 0

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        return {}

    def forward(self, given: Pass) -> Readout:
        raise NotImplementedError


def _network(**changes: str) -> _Scorer:
    return _Scorer(precise(demo_graph()), TrialConfig(K=3, **changes), 5)  # type: ignore[arg-type]


@pytest.mark.parametrize(("scorer", "columns"), [("shared", 1), ("per_step", 4)])
def test_phi_has_one_scorer_for_all_steps_or_one_per_step(scorer: str, columns: int) -> None:
    network = _network(scorer=scorer)
    phi = network.initial([Generator(), Generator()]).phi
    assert network.steps == 4
    assert {name: tuple(value.shape) for name, value in phi.items()} == {
        "w": (2, 5, columns),
        "b": (2, 4),
    }


def test_without_a_bias_phi_is_the_scorer_alone_and_q_that_of_the_scores() -> None:
    network = _network(scorer="per_step", scorer_bias="none", posterior="select")
    phi = network.initial([Generator(), Generator()]).phi
    assert {name: tuple(value.shape) for name, value in phi.items()} == {"w": (2, 5, 4)}
    scores = torch.tensor([[[0.0, 1.0, 2.0, -1.0]]], dtype=torch.float64)
    torch.testing.assert_close(network.log_q(scores, phi), torch.log_softmax(scores, dim=-1))


@pytest.mark.parametrize(
    ("posterior", "expected"),
    [("select", [0.25, 0.25, 0.25, 0.25]), ("quit", [0.5, 0.25, 0.125, 0.125])],
)
def test_q_starts_at_its_shape_for_equal_scores(posterior: str, expected: list[float]) -> None:
    network = _network(posterior=posterior)
    phi = network.initial([Generator()]).phi
    log_q = network.log_q(torch.zeros(1, 1, 4, dtype=torch.float64), phi)
    assert log_q.exp().flatten().tolist() == pytest.approx(expected)


def test_the_bias_makes_all_nodes_prefer_a_step() -> None:
    """With b_2 = log 7, step 2 of four has seven of ten parts of q, at any equal scores."""
    network = _network(posterior="select")
    bias = torch.zeros(1, 4, dtype=torch.float64)
    bias[0, 2] = torch.tensor(7.0).log()
    scores = torch.tensor([0.0, 3.0], dtype=torch.float64)[None, :, None].expand(1, 2, 4)
    q = network.log_q(scores, {"b": bias}).exp()
    for node in range(2):
        assert q[0, node].tolist() == pytest.approx([0.1, 0.1, 0.7, 0.1])
