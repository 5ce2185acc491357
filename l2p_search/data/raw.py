"""RawGraph: what a reader of a format hands over, as the file has it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array


@dataclass(frozen=True, kw_only=True, eq=False)
class RawGraph:
    """A graph as a file has it: nothing is merged, numbered or scaled yet.

    Attributes:
        name: For titles and folder names: the file's stem, or the dataset's name.
        source: What error messages call it: the path, or "the Data object".
        num_nodes: N.
        edges: [2, E] int64, positions of nodes; directed, loops, doubles as they come.
        labels: [N] ints, floats, bools or strings (dtype object). A missing label is None, NaN
            or "". None instead of an array: the source has no labels at all.
        x: [N, F] numbers as read; None: the source has no features.
        weights: [E], the weight of each edge.
        node_ids: [N], the user's own ids; None means 0..N-1.
        feature_names: F names.
        label_name: The column that holds the class.
        masks: Train, validation and test, each bool [P, N].
        columns: Further columns with a value per node, for splits by `temporal:COLUMN`.
        notes: One sentence for each decision of the reader, such as "3 text columns were one-hot
            encoded".
    """

    name: str
    source: str
    num_nodes: int
    edges: np.ndarray
    labels: np.ndarray | None
    x: np.ndarray | csr_array | None = None
    weights: np.ndarray | None = None
    node_ids: np.ndarray | None = None
    feature_names: tuple[str, ...] | None = None
    label_name: str | None = None
    masks: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
