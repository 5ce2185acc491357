import json

import numpy as np
import pytest

from l2p_search.node_hits import NodeHits, packed_hits, unpacked_hits


def _hits(values: "np.typing.NDArray[np.float64]", first: int = 0) -> NodeHits:
    return NodeHits(np.arange(first, first + 3 * len(values), 3), values)


def _scores(hits: dict[int, NodeHits]) -> dict[int, float]:
    return {seed: float(each.values.mean()) for seed, each in hits.items()}


def test_right_and_wrong_nodes_come_back_bit_by_bit() -> None:
    generator = np.random.default_rng(0)
    splits = {0: 0, 1: 1, 2: 0, 5: 1}
    hits = {s: _hits(100.0 * (generator.random(37) < 0.8), splits[s]) for s in splits}
    packed = json.loads(json.dumps(packed_hits(hits, splits)))
    found = unpacked_hits(packed, _scores(hits))
    for seed, each in hits.items():
        assert np.array_equal(found[seed].nodes, each.nodes)
        assert np.allclose(found[seed].values, each.values)


@pytest.mark.parametrize("value", [0.0, 100.0])
def test_seeds_with_all_nodes_alike_come_back(value: float) -> None:
    hits = {0: _hits(np.full(9, value))}
    packed = packed_hits(hits, {0: 0})
    assert packed is not None
    assert unpacked_hits(packed, {0: value})[0].values.tolist() == [value] * 9


def test_other_contributions_keep_their_mean_and_their_spread() -> None:
    """A rare class weighs much: its nodes must not fall into one level."""
    generator = np.random.default_rng(1)
    hits = {}
    for seed in range(5):
        values = generator.normal(80, 5, 3000)
        values[:60] += generator.normal(0, 1500, 60)
        hits[seed] = NodeHits(np.arange(3000), values)
    packed = packed_hits(hits, dict.fromkeys(range(5), 0))
    assert packed is not None
    found = unpacked_hits(packed, _scores(hits))
    for seed, each in hits.items():
        assert found[seed].values.mean() == pytest.approx(each.values.mean())
        assert found[seed].values.std() == pytest.approx(each.values.std(), rel=0.01)
        assert found[seed].values[60:].std() == pytest.approx(each.values[60:].std(), rel=0.05)


def test_a_thousand_nodes_and_twenty_seeds_take_no_more_than_their_bits() -> None:
    generator = np.random.default_rng(2)
    hard = generator.normal(1.5, 2.0, 1000)
    hits = {
        seed: NodeHits(np.arange(1708, 2708), 100.0 * (generator.normal(0, 1, 1000) < hard))
        for seed in range(20)
    }
    text = json.dumps(packed_hits(hits, dict.fromkeys(range(20), 0)))
    assert len(text) < 20 * 1000 / 8 * 4 / 3 + 300  # base64 of the bits, and the keys


def test_nothing_is_packed_of_seeds_without_nodes() -> None:
    assert packed_hits({0: None, 1: None}, {0: 0, 1: 0}) is None
    packed = packed_hits({0: None, 1: _hits(np.array([0.0, 100.0]))}, {0: 0, 1: 0})
    assert packed is not None
    assert set(unpacked_hits(packed, {1: 50.0})) == {1}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nodes", "eJwD"),
        ("nodes", "no base64!"),
        ("values", "eJxjYAAAAAIAAQ=="),
        ("seeds", [0, 1, 2]),
    ],
)
def test_what_is_damaged_is_refused(key: str, value: object) -> None:
    packed = packed_hits({0: _hits(100.0 * (np.arange(40) % 3 > 0))}, {0: 0})
    assert packed is not None
    packed["splits"][0][key] = value
    with pytest.raises((ValueError, KeyError)):
        unpacked_hits(packed, {0: 60.0})
