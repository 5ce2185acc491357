"""One forward pass through the layers of a nonlinear network, each layer called by its name.

A layer `name` has its parameters in theta: W_name [S, inputs, outputs] and b_name [S, outputs],
with attention also to_name and from_name [S, heads, units]. Further matrices of the shape of
W_name may multiply a node's own representation: they are given by the letters of their names.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from l2p_search.model.attention import AttendedEdges, attention_heads
from l2p_search.model.convolved_layer import Moving, convolved_layer
from l2p_search.model.dense import times
from l2p_search.model.features import Features
from l2p_search.model.initial_residual import initial_residual
from l2p_search.model.layers import Adjacency, Noise, drop_units, features_product
from l2p_search.model.network import Pass
from l2p_search.model.rectified import rectify
from l2p_search.model.rows import rows_at


@dataclass(frozen=True, eq=False)
class LayerInput:
    """What a layer reads after dropout, to be multiplied by several matrices under one draw.

    Attributes:
        h: dropout(H), [S, N, inputs]; None for the features.
        features: The node features X.
        taken: The random bytes for the dropout of X, [S, noise_size].
        rate: Of that dropout.
    """

    h: Tensor | None
    features: Features
    taken: Tensor | None
    rate: float

    def times(self, weight: Tensor) -> Tensor:
        """dropout(H) W for W [S, inputs, outputs]: -> [S, N, outputs]."""
        if self.h is None:
            return features_product(self.features, weight, self.taken, self.rate)
        return times(self.h, weight)

    def added_to(self, moved: Tensor, weight: Tensor) -> Tensor:
        """What was moved plus dropout(H) W, in the memory of `moved`, which nobody else reads."""
        return moved.add_(self.times(weight))


class LayeredPass:
    """Holds what all layers of a pass share: parameters, edges and random bytes.

    The bytes are used up in the order of the calls: those of the edges come first.
    """

    def __init__(self, given: Pass, features: Features, adjacency: Adjacency, rate: float) -> None:
        """Begin the pass: draw the edges that DropEdge leaves.

        Args:
            given: Parameters and random bytes of S seeds.
            features: The node features X.
            adjacency: The normalised adjacency A_hat, or another mean over neighbours.
            rate: Of the dropout before each layer, and on the attention.
        """
        self.theta = given.theta
        self._features, self._adjacency, self._rate = features, adjacency, rate
        self._noise = Noise(given.noise)
        self._values = adjacency.values(len(given.nodes), self._noise)

    def dropped(self, h: Tensor) -> Tensor:
        """dropout(H) for h [S, N, H]."""
        return self._noise.dropped(h, self._rate)

    def dropped_at(self, steps: Sequence[Tensor], nodes: Tensor) -> Sequence[Tensor]:
        """dropout(R) for what was read of each step at nodes [S, L]: R [S, L, H].

        There is a random byte for every node of the graph and unit, read or not: what a node
        loses does not depend on which others are read. All steps lose the same units.
        """
        units = steps[0].shape[-1]
        taken = self._noise.take(self._features.num_nodes, units, rate=self._rate)
        if taken is None:
            return steps
        own = rows_at(taken, nodes)
        return [drop_units(read, own, self._rate) for read in steps]

    def convolve(self, h: Tensor) -> Tensor:
        """A_hat H for h [S, N, H]."""
        return self._adjacency.convolve(h, self._values)

    def product(self, name: str, h: Tensor | None = None) -> Tensor:
        """dropout(H) W: [S, N, inputs] -> [S, N, outputs]. Without h, of the features X."""
        return self._input(h).times(self.theta[f"W_{name}"])

    def convolution(
        self,
        name: str,
        h: Tensor | None = None,
        own: Sequence[str] = (),
        *,
        rectified: bool = False,
        relu: bool = False,
    ) -> Tensor:
        """A_hat dropout(H) W + b: [S, N, inputs] -> [S, N, outputs]. Without h, of X.

        The product comes first: the last layer then convolves one column per class only.

        Args:
            name: Of the layer.
            h: What it reads; None for the features.
            own: The letters of further matrices, by which a node's own dropout(H) is multiplied
                and added.
            rectified: Whether h is a rectified tensor (see `rectified`).
            relu: Whether relu follows; what comes out is then a rectified tensor.

        Returns:
            The convolution.
        """
        weight, bias, of_own = self.theta[f"W_{name}"], self.bias(name), self._own(name, own)
        if h is not None:
            taken = self._noise.take(*h.shape[1:], rate=self._rate)
            moving = Moving(self._adjacency, self._values, taken, self._rate, rectified, relu)
            return convolved_layer(h, weight, bias, of_own, moving)
        read = self._input(None)
        moved = self.convolve(read.times(weight)).add_(bias)
        moved = moved if of_own is None else read.added_to(moved, of_own)
        return rectify(moved) if relu else moved

    def initial_residual(
        self, h: Tensor, first: Tensor, mapping: Tensor, own: Tensor
    ) -> tuple[Tensor, Tensor]:
        """relu(A_hat dropout(H) W + H_0 V), and H_0 for the next layer: see `initial_residual`."""
        taken = self._noise.take(*h.shape[1:], rate=self._rate)
        moving = Moving(self._adjacency, self._values, taken, self._rate, True, True)
        return initial_residual(h, first, mapping, own, moving)

    def attention(self, name: str, h: Tensor | None = None, own: Sequence[str] = ()) -> Tensor:
        """The heads' attention side by side, plus b: like `convolution`, with learned edges."""
        assert isinstance(self._adjacency, AttendedEdges), "attention is paid to attended edges"
        read = self._input(h)
        product = read.times(self.theta[f"W_{name}"])
        to, from_ = self.theta[f"to_{name}"], self.theta[f"from_{name}"]
        taken = self._noise.take(to.shape[1] * self._adjacency.nonzeros, rate=self._rate)
        heads = attention_heads(self._adjacency, product, to, from_, taken, self._rate)
        moved, of_own = heads.add_(self.bias(name)), self._own(name, own)
        return moved if of_own is None else read.added_to(moved, of_own)

    def bias(self, name: str) -> Tensor:
        """The bias of a layer, the same for all nodes: [S, 1, outputs]."""
        return self.theta[f"b_{name}"][:, None]

    def _input(self, h: Tensor | None) -> LayerInput:
        """dropout(H) by the next random bytes; without h, dropout(X)."""
        if h is not None:
            return LayerInput(self.dropped(h), self._features, None, self._rate)
        taken = self._noise.take(self._features.noise_size, rate=self._rate)
        return LayerInput(None, self._features, taken, self._rate)

    def _own(self, name: str, letters: Sequence[str]) -> Tensor | None:
        """The matrix for what a node keeps of itself, if there is one.

        Several are summed first: they are smaller than what they multiply.
        """
        if not letters:
            return None
        weight = self.theta[f"{letters[0]}_{name}"]
        for letter in letters[1:]:
            weight = weight + self.theta[f"{letter}_{name}"]
        return weight
