"""L2P on APPNP, the paper's own choice: all of it linear after the encoder, hence fast."""

from collections.abc import Sequence

from torch import Generator

from l2p_search.config import TrialConfig
from l2p_search.data.splits import most_rows
from l2p_search.model.encoder import Encoder
from l2p_search.model.l2p_network import L2pNetwork
from l2p_search.model.layers import drop_units
from l2p_search.model.linear_encoder import LinearEncoder
from l2p_search.model.mixing import MIXED_FROM, StepsOfRows
from l2p_search.model.network import Parameters, Pass, Readout
from l2p_search.model.problem import Problem
from l2p_search.model.propagation import (
    Propagation,
    columns_bytes,
    normalised_adjacency,
    propagate_and_read,
)
from l2p_search.model.rows import rows_at


class L2pOnAppnp(L2pNetwork):
    """L2P on APPNP's propagation.

    Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697, section 4:

        H_0 = dropout(relu(dropout(X) W_1 + b_1))          [S, N, H]
        H_k = (1 - a) A_hat H_{k-1} + a H_0                [S, N, H]
        class scores of step k:  H_k W_2 + b_2             [S, N, C]
        q from the scores of the steps  s_k = w_k . H_k + b_k    (see `L2pNetwork`)

    APPNP is by Klicpera (now Gasteiger), Bojchevski and Guennemann, ICLR 2019,
    https://arxiv.org/abs/1810.05997. Parameters of theta: W_1 [S, F, H], b_1 [S, H],
    W_2 [S, H, C], b_2 [S, C].

    Config keys: K, teleport (a), hidden, dropout, posterior, scorer, and:

    `skip` > 0: a node's own H_0 has a classifier of its own beside the mixed steps, as in the
    authors' code: class scores H_k W_2 + skip * H_0 W_3 + b_2, with W_3 [S, H, C]. What neighbours
    say can then count for something else than what the node says itself.

    `self_loop`: the weight w in A_hat = D^-1/2 (A + w I) D^-1/2. With 0, what a step brings to a
    node is its neighbours' alone, which with `skip` the classifiers tell from its own (as in
    H2GCN, Zhu et al. 2020, https://arxiv.org/abs/2006.11468).

    `classifier: per_step`: class scores H_k W_2k + b_2, with W_2 [S, H, T C]. What neighbours say
    can count for something else than what their neighbours say. It propagates one column per
    class and step, so it is for few steps.

    `node_dropout`: whole rows of H_0 are left out of the steps while theta learns (a node's own
    classifier keeps its row). A prediction then has to come from other neighbours each time, as
    in GRAND (Feng et al. 2020, https://arxiv.org/abs/2005.11079).

    `encoder: linear`: H_0 = dropout(X) W_1 has one column per class, and class scores are
    H_k + b_2.
    """

    def __init__(self, problem: Problem, config: TrialConfig) -> None:
        """Prepare the graph's matrices once for all epochs and seeds."""
        graph = problem.graph
        linear = config.encoder == "linear"
        self._encoder = (LinearEncoder if linear else Encoder)(problem, config)
        super().__init__(problem, config, self._encoder.width)
        self.first_layer, self.streamed = self._encoder.first_layer, self._encoder.streamed
        adjacency = normalised_adjacency(problem, config.self_loop)
        self._propagation = Propagation(adjacency, config.K, config.teleport)
        self._classes = graph.num_classes
        self._classifiers = self._encoder.classifiers
        self._skip = config.skip
        self._node_dropout = config.node_dropout
        self.noise_size = self._encoder.noise_size
        if config.node_dropout > 0.0:
            self.noise_size += graph.num_nodes
        classes = self._classifiers * graph.num_classes
        rows = most_rows(graph, config)
        self.bytes_of_step = 4 * graph.num_nodes * (self.scorers + classes)
        # The other ways to learn and to classify read the class scores of each step by itself.
        self._may_mix = (
            config.algorithm == "vi"
            and config.consistency == 0.0
            and config.skip == 0.0
            and self.scorers == self._classifiers == 1
        )
        self.bytes_per_seed = self._encoder.bytes_per_seed + columns_bytes(
            graph.num_nodes, rows, self.steps, self.scorers, classes, mixed=self._mixes(rows)
        )

    def _mixes(self, rows: int) -> bool:
        """Whether class scores read at so many nodes are mixed as rows (see `mixing`)."""
        return self._may_mix and 4 * self.steps * self._classes * rows >= MIXED_FROM

    def initial_theta(self, generators: Sequence[Generator]) -> Parameters:
        """The encoder's parameters, and those of a node's own classifier."""
        theta = self._encoder.initial(generators)
        if self._skip > 0.0:
            shape = (self._encoder.width, self._classes)
            theta["W_3"] = self._problem.glorot(generators, shape)
        return theta

    def forward(self, given: Pass) -> Readout:
        """Encode, project, propagate, read."""
        nodes, noise = given.nodes, given.noise
        score_columns, class_columns = self._encoder.read(given)
        own = class_columns
        if self._skip > 0.0:
            mixed = self._classifiers * self._classes
            class_columns, own = class_columns.tensor_split([mixed], dim=2)
        if noise is not None and self._node_dropout > 0.0:
            bytes_ = noise[:, self._encoder.noise_size :, None]
            kept = drop_units(class_columns.new_ones(bytes_.shape), bytes_, self._node_dropout)
            score_columns, class_columns = score_columns * kept, class_columns * kept
        if self._mixes(nodes.shape[1]):
            read = StepsOfRows(self._propagation, score_columns, class_columns, nodes)
            log_q = self.log_q(read.scores, given.phi)
            return Readout(log_q, read.rows.permute(1, 2, 0, 3), given.theta["b_2"], read.mixed)
        columns = (score_columns, class_columns)
        scores, logits = propagate_and_read(self._propagation, *columns, nodes, self.scored)
        if self._classifiers > 1:  # keep for step k the scores of classifier k: the diagonal
            every = logits.permute(2, 3, 0, 1).unflatten(1, (self._classifiers, self._classes))
            logits = every.diagonal().permute(1, 2, 3, 0)
        if self._skip > 0.0:
            own = rows_at(own, nodes).permute(2, 0, 1)  # as the class scores lie in memory
            logits = (logits.permute(2, 3, 0, 1) + self._skip * own).permute(2, 3, 0, 1)
        return Readout(self.log_q(scores, given.phi), logits, given.theta["b_2"])
