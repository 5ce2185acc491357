"""What each test node contributes to the score of a seed, and its compact form in a journal.

A contribution is in percent, and the mean over the test nodes is the score. For accuracy it is
100 or 0, whether the node is right: one bit. For other metrics it is the score plus how much the
score would change if there were more nodes like this one (its influence); for ROC AUC these are
the placement values, which rank a node among those of the other kind. 256 levels are enough
for them.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_LEVELS = 256
_MOST_BYTES = 2**30
"""No record decompresses to more than this, whatever it says."""


@dataclass(frozen=True, eq=False)
class NodeHits:
    """The test nodes of one seed.

    Attributes:
        nodes: Their numbers in the graph, ascending, [n].
        values: What each contributes to the score, in percent, [n]; the mean is the score.
    """

    nodes: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def packed_hits(
    hits: Mapping[int, NodeHits | None], splits: Mapping[int, int]
) -> dict[str, Any] | None:
    """What is kept of the nodes of all seeds, as plain JSON values.

    Args:
        hits: Seed -> its test nodes.
        splits: Seed -> split; the seeds of one split have the same test nodes.

    Returns:
        Per split the test nodes and per seed the contributions, compressed; None without any.
    """
    kept = {seed: each for seed, each in hits.items() if each is not None}
    if not kept:
        return None
    levels = _levels(np.concatenate([each.values for each in kept.values()]))
    found = []
    for split in sorted({splits[seed] for seed in kept}):
        seeds = [seed for seed in sorted(kept) if splits[seed] == split]
        nodes = kept[seeds[0]].nodes
        values = np.stack([kept[seed].values for seed in seeds], axis=1)  # nodes first: they agree
        codes = np.searchsorted((levels[1:] + levels[:-1]) / 2.0, values)
        of_seeds = np.packbits(codes.astype(bool)) if len(levels) <= 2 else codes.astype(np.uint8)
        mask = np.zeros(int(nodes.max(initial=-1)) + 1, dtype=bool)
        mask[nodes] = True
        found.append(
            {"seeds": seeds, "nodes": _text(np.packbits(mask)), "values": _text(of_seeds)}
        )
    return {"levels": [float(f"{level:.7g}") for level in levels], "splits": found}


def unpacked_hits(packed: Mapping[str, Any], scores: Mapping[int, float]) -> dict[int, NodeHits]:
    """The inverse of `packed_hits`.

    Args:
        packed: What it gave.
        scores: Seed -> its score, which the mean of its contributions is set to: levels are
            rounded.

    Returns:
        Seed -> its test nodes.

    Raises:
        ValueError: It is not what `packed_hits` gives.
    """
    levels = np.array(packed["levels"], dtype=np.float64)
    if not np.isfinite(levels).all():
        raise ValueError("'hits' has a level that is no number")
    hits = {}
    for split in packed["splits"]:
        seeds = split["seeds"]
        nodes = np.flatnonzero(np.unpackbits(_bytes(split["nodes"])))
        codes = _bytes(split["values"])
        if len(levels) <= 2:
            codes = np.unpackbits(codes)[: len(nodes) * len(seeds)]
        if not len(nodes) or codes.size != len(nodes) * len(seeds) or codes.max() >= len(levels):
            raise ValueError("'hits' are not of as many nodes as they say")
        values = levels[codes].reshape(len(nodes), len(seeds))
        for place, seed in enumerate(seeds):
            own = values[:, place]
            hits[seed] = NodeHits(nodes, own + (scores[seed] - own.mean()))
    return hits


def _levels(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The values themselves if they are few; else 256 means of values that are near each other.

    Half of the levels go by rank, where the values are dense, and half by size, so that a few
    large ones, such as those of a rare class, keep their differences.
    """
    distinct = np.unique(values)
    if len(distinct) <= _LEVELS:
        return distinct
    ordered = np.sort(values)
    rank = np.linspace(0.0, 1.0, len(ordered))
    size = (ordered - ordered[0]) / (ordered[-1] - ordered[0])
    bins = np.minimum(((rank + size) / 2.0 * _LEVELS).astype(int), _LEVELS - 1)
    count = np.bincount(bins, minlength=_LEVELS)
    total = np.bincount(bins, weights=ordered, minlength=_LEVELS)
    return total[count > 0] / count[count > 0]


def _text(values: npt.NDArray[np.uint8]) -> str:
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode()


def _bytes(text: str) -> npt.NDArray[np.uint8]:
    try:
        found = zlib.decompressobj().decompress(base64.b64decode(text), _MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"'hits' cannot be decompressed: {error}") from error
    return np.frombuffer(found, dtype=np.uint8)
