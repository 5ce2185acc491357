"""`demo`: a graph from a seeded generator on which two kinds of nodes need different steps.

A contextual stochastic block model with two regions. In the homophilous one, words say
little and neighbours share the class: a node must listen to its neighbourhood. In the
heterophilous one, words say much and neighbours are mostly of other classes: a node must not
listen. No single K serves both, which is the case that the paper argues from.
"""

import numpy as np
import torch

from l2p_search.data.about import About
from l2p_search.data.graph import Graph, row_normalised, undirected

NODES = 320
CLASSES = 4
WORDS = 160
SPLITS = 10
SOURCE = "the built-in generator"
"""What the graph names as its origin."""
_SEED = 20210814


def demo_regions() -> torch.Tensor:
    """0 for the homophilous region, 1 for the heterophilous one: [N]."""
    return torch.arange(NODES) // (NODES // 2)


def demo_graph() -> Graph:
    """About 300 nodes, two regions, ten splits of 48/32/20 %; the same on every machine."""
    rng = np.random.Generator(np.random.PCG64(_SEED))
    region = demo_regions().numpy()
    label = rng.integers(0, CLASSES, NODES)
    train, val, test = _splits(rng, label)
    return Graph(
        name="demo",
        x=row_normalised(torch.from_numpy(_words(rng, region, label))),
        edges=undirected(torch.from_numpy(_edges(rng, region, label)), NODES),
        y=torch.from_numpy(label),
        train=train,
        val=val,
        test=test,
        about=About(source=SOURCE, scaling="row", split_rule="given"),
    )


def _words(rng: np.random.Generator, region: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Each region has its own words; a quarter of those belongs to each class."""
    half = WORDS // 2
    word = np.arange(WORDS)
    own_region = word[None, :] // half == region[:, None]
    own_class = (word[None, :] % half) // (half // CLASSES) == label[:, None]
    clear = np.where(region[:, None] == 0, 0.13, 0.30)
    chance = np.where(own_region, np.where(own_class, clear, 0.09), 0.01)
    return (rng.random((NODES, WORDS)) < chance).astype(np.float32)


def _edges(rng: np.random.Generator, region: np.ndarray, label: np.ndarray) -> np.ndarray:
    """About six neighbours a node: mostly of one's class in region 0, of others in region 1."""
    same_class = label[:, None] == label[None, :]
    same_region = region[:, None] == region[None, :]
    homophilous = np.where(same_class, 0.13, 0.006)
    heterophilous = np.where(same_class, 0.012, 0.048)
    chance = np.where(region[:, None] == 0, homophilous, heterophilous)
    chance = np.where(same_region, chance, 0.001)
    linked = np.triu(rng.random((NODES, NODES)) < chance, k=1)
    return np.stack(linked.nonzero())


def _splits(
    rng: np.random.Generator, label: np.ndarray
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ten splits of 48/32/20 % of each class, as the heterophily benchmarks have."""
    masks = np.zeros((3, SPLITS, NODES), dtype=bool)
    for split in range(SPLITS):
        for cls in range(CLASSES):
            nodes = rng.permutation(np.flatnonzero(label == cls))
            ends = np.cumsum([round(0.48 * nodes.size), round(0.32 * nodes.size)])
            for part, chosen in enumerate(np.split(nodes, ends)):
                masks[part, split, chosen] = True
    train, val, test = torch.from_numpy(masks)
    return train, val, test
