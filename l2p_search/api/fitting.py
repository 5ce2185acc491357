"""fit: one configuration trained over all its seeds."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import torch

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.caller import left_as_found
from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.data.loading import load_graph
from l2p_search.display.training_bar import OnEpoch, training_display
from l2p_search.errors import ConfigError, either
from l2p_search.results import TrialResult
from l2p_search.training.fit import fit as train
from l2p_search.yaml_file import read_yaml_mapping


@left_as_found()
def fit(
    graph: Any,
    config: TrialConfig | Mapping[str, Any] | str | Path | None = None,
    *,
    seeds: int | Iterable[int] | None = None,
    threads: int = defaults.THREADS,
    memory_gb: float = defaults.MEMORY_GB,
    display: Literal["auto", "off"] | OnEpoch = "off",
    **keys: Any,
) -> TrialResult:
    """Train one configuration over all its seeds, as `l2p-search train` does.

    Args:
        graph: What `load_graph` takes: a `Graph`, a dataset's name, a PyG `Data`.
        config: A `TrialConfig`, a mapping of hyperparameters, or a YAML file of them. What it
            leaves out has the default for the graph's kind (homophilous or heterophilous).
        seeds: How many seeds, counted from 0, or the seeds themselves; an exported file's number,
            else 20.
        threads: Threads that torch computes with.
        memory_gb: Train as many seeds at once as fit into this.
        display: "auto" draws a progress bar on a terminal; a function is called with a `Progress`
            after every epoch instead.
        **keys: Hyperparameters by name, such as K=8; they go before the config's own.

    Returns:
        The result of every seed at its best epoch by validation loss, with mean accuracies in
        percent, the profile q(t) over the steps [K + 1], and learning curves.

    Raises:
        ConfigError: A hyperparameter is unknown, out of range, or not read by the model.
        DataError: The graph cannot be used.

    Example:
        >>> import l2p_search as l2p
        >>> result = l2p.fit("demo", K=2, dropout=0.4, epochs=20, seeds=2)
        >>> len(result.seeds), len(result.profile)
        (2, 3)
    """
    check(threads=threads, memory_gb=memory_gb)
    loaded = load_graph(graph)
    made = config_of(loaded, config, keys)
    chosen = _seeds(config, seeds)
    torch.set_num_threads(threads)
    with training_display(display) as on_epoch:
        return train(loaded, made, chosen, memory_gb=memory_gb, on_epoch=on_epoch)


def config_of(
    graph: Graph,
    config: TrialConfig | Mapping[str, Any] | str | Path | None = None,
    keys: Mapping[str, Any] | None = None,
) -> TrialConfig:
    """A complete configuration for a graph: its defaults, then `config`, then single keys."""
    made = default_config(graph)
    if isinstance(config, TrialConfig):
        made = config
    elif isinstance(config, Mapping):
        made = TrialConfig.from_mapping(config, made)
    elif config is not None:
        made = TrialConfig.from_file(Path(config), made)
    try:
        return TrialConfig.from_mapping(keys or {}, made)
    except ConfigError as error:
        raise ConfigError(either("", "--set: ") + error.message) from None


def _seeds(
    config: TrialConfig | Mapping[str, Any] | str | Path | None, given: int | Iterable[int] | None
) -> list[int]:
    if given is None:
        given = exported_seeds(config) or defaults.SEEDS
    if isinstance(given, int):
        check(seeds=given)
        return list(range(given))
    seeds = list(given)
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"seeds: {seed!r} is no seed; give whole numbers from 0")
    if not seeds:
        raise ConfigError("seeds: there are none; give at least one")
    return seeds


def exported_seeds(config: object) -> int | None:
    """The seeds that an exported file was searched with."""
    if not isinstance(config, (str, Path)):
        return None
    provenance = read_yaml_mapping(Path(config)).get(PROVENANCE)
    seeds = provenance.get("seeds") if isinstance(provenance, dict) else None
    return seeds if isinstance(seeds, int) and seeds > 0 else None
