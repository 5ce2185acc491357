"""fit: one configuration trained over all its seeds."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import torch

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.arguments import on_epoch as on_epoch_or_word
from l2p_search.caller import left_as_found
from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.data.loading import load_graph
from l2p_search.display.training_bar import OnEpoch, training_display
from l2p_search.errors import ConfigError, argument, either, shown
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
        seeds: How many seeds, counted from 0, or the seeds themselves. By default as many as an
            exported file was searched with, else 20.
        threads: Threads that torch computes with.
        memory_gb: Train as many seeds at once as fit into this.
        display: "auto" draws a progress bar on a terminal; a function is called with a `Progress`
            after every epoch instead.
        **keys: Hyperparameters by name, such as K=8; they replace those of `config`.

    Returns:
        The result of every seed at its best epoch by validation loss, with mean accuracies in
        percent, the profile q(t) over the steps [K + 1], and learning curves.

    Raises:
        ConfigError: A hyperparameter is unknown, out of range, or not read by the model; or a
            seed is none.
        DataError: The graph cannot be used.
        UserError: Another argument cannot be what it is.

    Example:
        >>> import l2p_search as l2p
        >>> result = l2p.fit("demo", K=2, dropout=0.4, epochs=20, seeds=2)
        >>> len(result.seeds), len(result.profile)
        (2, 3)
    """
    check(threads=threads, memory_gb=memory_gb)
    on_epoch_or_word("display", display)
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
    """A complete configuration for a graph.

    Args:
        graph: The graph; its kind decides the defaults.
        config: A complete configuration, or hyperparameters that replace defaults.
        keys: Single hyperparameters, which replace those of `config`.

    Returns:
        The configuration.

    Raises:
        ConfigError: A hyperparameter is unknown, out of range, or not read by the model.

    Example:
        >>> from l2p_search.data.demo import demo_graph
        >>> made = config_of(demo_graph(), {"K": 4, "lr": 0.1}, {"K": 2})
        >>> made.K, made.lr
        (2, 0.1)
    """
    made = default_config(graph)
    if isinstance(config, TrialConfig):
        made = config
    elif isinstance(config, Mapping):
        made = TrialConfig.from_mapping(config, made)
    elif isinstance(config, str | Path):
        made = TrialConfig.from_file(Path(config), made)
    elif config is not None:
        raise ConfigError(
            f"{argument('config')}: {shown(config)} must be a TrialConfig, a mapping of"
            " hyperparameters, or the path of a YAML file"
        )
    try:
        return TrialConfig.from_mapping(keys or {}, made)
    except ConfigError as error:
        raise ConfigError(either("", "--set: ") + error.message) from None


def _seeds(
    config: TrialConfig | Mapping[str, Any] | str | Path | None, given: int | Iterable[int] | None
) -> list[int]:
    if given is None:
        given = exported_seeds(config) or defaults.SEEDS
    if not isinstance(given, Iterable):
        check(seeds=given)
        return list(range(given))
    seeds: list[Any] = list(given)
    for seed in seeds:
        # Integral, not int: a whole number of numpy is one of these.
        if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
            raise ConfigError(f"seeds: {shown(seed)} is no seed; give whole numbers from 0")
    if not seeds:
        raise ConfigError("seeds: there are none; give at least one")
    if len(set(seeds)) < len(seeds):
        raise ConfigError("seeds: one is given twice; give each once")
    return [int(seed) for seed in seeds]


def exported_seeds(config: object) -> int | None:
    """How many seeds an exported file was searched with.

    Args:
        config: What was given as `config`; anything but a path has no such number.

    Returns:
        The number of seeds; None where the file does not say it.
    """
    if not isinstance(config, (str, Path)):
        return None
    provenance = read_yaml_mapping(Path(config)).get(PROVENANCE)
    seeds = provenance.get("seeds") if isinstance(provenance, dict) else None
    return seeds if isinstance(seeds, int) and seeds > 0 else None
