"""L2P as an ordinary torch module: the method in plain words, and what the engine is held to."""

from l2p_search.nn.l2p import L2P as L2P
from l2p_search.nn.two_levels import TwoLevels as TwoLevels

__all__ = ["L2P", "TwoLevels"]
