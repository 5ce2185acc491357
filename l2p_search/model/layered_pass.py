"""One forward pass through the layers of a nonlinear network, each layer called by its name.

A layer `name` has its parameters in theta: W_name [S, inputs, outputs] and b_name [S, outputs],
with attention also to_name and from_name [S, heads, units].
"""

import torch
from torch import Tensor

from l2p_search.model.attention import attention_heads
from l2p_search.model.features import Features
from l2p_search.model.layers import Adjacency, Noise, features_times
from l2p_search.model.network import Pass


class LayeredPass:
    """Holds what all layers of a pass share: parameters, edges and random bytes.

    The bytes are used up in the order of the calls: those of the edges come first.
    """

    def __init__(self, given: Pass, features: Features, adjacency: Adjacency, rate: float) -> None:
        """Begin the pass: draw the edges that DropEdge leaves.

        Args:
            given: Parameters and random bytes of S seeds.
            features: The node features X.
            adjacency: The normalised adjacency A_hat.
            rate: Of the dropout before each layer, and on the attention.
        """
        self.theta = given.theta
        self._features, self._adjacency, self._rate = features, adjacency, rate
        self._noise = Noise(given.noise)
        self._values = adjacency.values(len(given.nodes), self._noise)

    def dropped(self, h: Tensor) -> Tensor:
        """dropout(H) for h [S, N, H]."""
        return self._noise.dropped(h, self._rate)

    def convolve(self, h: Tensor) -> Tensor:
        """A_hat H for h [S, N, H]."""
        return self._adjacency.convolve(h, self._values)

    def product(self, name: str, h: Tensor | None = None) -> Tensor:
        """dropout(H) W: [S, N, inputs] -> [S, N, outputs]. Without h, of the features X."""
        weight = self.theta[f"W_{name}"]
        if h is None:
            return features_times(self._features, weight, self._noise, self._rate)
        return torch.bmm(self.dropped(h), weight)

    def convolution(self, name: str, h: Tensor | None = None) -> Tensor:
        """A_hat dropout(H) W + b: [S, N, inputs] -> [S, N, outputs]. Without h, of X.

        The product comes first: the last layer then convolves one column per class only.
        """
        return self.convolve(self.product(name, h)) + self.bias(name)

    def attention(self, name: str, h: Tensor | None = None) -> Tensor:
        """The heads' attention side by side, plus b: like `convolution`, with learned edges."""
        product = self.product(name, h)
        to, from_ = self.theta[f"to_{name}"], self.theta[f"from_{name}"]
        taken = self._noise.take(to.shape[1] * self._adjacency.nonzeros, rate=self._rate)
        heads = attention_heads(self._adjacency, product, to, from_, taken, self._rate)
        return heads + self.bias(name)

    def bias(self, name: str) -> Tensor:
        """The bias of a layer, the same for all nodes: [S, 1, outputs]."""
        return self.theta[f"b_{name}"][:, None]
