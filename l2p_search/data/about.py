"""About: where a graph came from and what was changed on the way; never part of its digest."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `raw` and others describe graphs without torch
    from l2p_search.data.standardising import Standard


@dataclass(frozen=True)
class About:
    """What a person wants to know of a graph beside its tensors.

    Attributes:
        source: The file, folder, dataset or object that the graph was read from.
        node_ids: The user's own name of each node; None means 0..N-1.
        class_names: What each class is called in the source; None means 0..C-1.
        feature_names: What each feature is called; None when the source has no names.
        scaling: How features were scaled: "row", "standard", "none"; "made" when the source has no
            features and some were made; "" when unknown.
        standard: The means and spreads that features were standardised by; None when they were
            not, or when these are unknown.
        features: What was understood of the features, in words.
        split_rule: Where the splits are from: a rule such as "10x48/32/20", "given" for those of
            the source, or "" when unknown.
        request: The arguments of `load_graph` that read it, as plain JSON values, so that a search
            finds its graph again; None for a graph that was made in memory.
        changes: One sentence for each thing that was merged, removed, made or left out.
    """

    source: str = ""
    node_ids: tuple[str | int, ...] | None = None
    class_names: tuple[str, ...] | None = None
    feature_names: tuple[str, ...] | None = None
    scaling: str = ""
    features: str = ""
    split_rule: str = ""
    request: Mapping[str, Any] | None = None
    changes: tuple[str, ...] = ()
    standard: "Standard | None" = None
