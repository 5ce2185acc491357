"""fit: one configuration trained over all its seeds."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import torch

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.arguments import on_epoch as on_epoch_or_word
from l2p_search.api.edge_weights import weights_note
from l2p_search.api.needs import check_training_fits
from l2p_search.caller import left_as_found
from l2p_search.config import PROVENANCE, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import chosen_metric, default_config
from l2p_search.data.loading import load_graph
from l2p_search.display.training_bar import OnEpoch, training_display
from l2p_search.errors import ConfigError, ModelError, argument, either, shown
from l2p_search.metrics import Metric, MetricChoice
from l2p_search.model.devices import chosen_device
from l2p_search.results import TrialResult
from l2p_search.saved.trained_model import Model
from l2p_search.searching.running.parts import divided_for, parts_at_once, whole
from l2p_search.training.fit import fit as train
from l2p_search.training.parted import fit_parts
from l2p_search.yaml_file import read_yaml_mapping


@dataclass(frozen=True, kw_only=True)
class Fitted(TrialResult):
    """A result that comes right from the training, and so has a model.

    Attributes:
        graph: What was trained on.
    """

    graph: Graph | None = field(default=None, compare=False, repr=False)

    @property
    def model(self) -> Model:
        """The ensemble of the seeds that finished, to predict with and to save."""
        if self.graph is None:
            raise ModelError(
                f"{self.dataset}: a result that was recorded has no weights; fit again"
            )
        return Model.of(self.graph, self)


@left_as_found()
def fit(
    graph: Any,
    config: TrialConfig | Mapping[str, Any] | str | Path | None = None,
    *,
    seeds: int | Iterable[int] | None = None,
    metric: MetricChoice | None = None,
    threads: int | None = None,
    memory_gb: float = defaults.MEMORY_GB,
    device: str = defaults.DEVICE,
    display: Literal["auto", "off"] | OnEpoch = "off",
    **keys: Any,
) -> Fitted:
    """Train one configuration over all its seeds, as `l2p-search train` does.

    Args:
        graph: What `load_graph` takes: a `Graph`, a dataset's name, a PyG `Data`.
        config: A `TrialConfig`, a mapping of hyperparameters, or a YAML file of them. What it
            leaves out has the default for the graph's kind (homophilous or heterophilous).
        seeds: How many seeds, counted from 0, or the seeds themselves. By default as many as an
            exported file was searched with, else 20.
        metric: What seeds are judged by on validation and test nodes: "accuracy",
            "balanced_accuracy", "macro_f1", "roc_auc", "average_precision", or "auto": ROC AUC
            for two classes of which one has less than 30 % of the training nodes, else accuracy.
            By default what an exported file was searched by, else "auto". With
            `stop_on="val_accuracy"` it also says which epoch of a seed is its best.
        threads: Train the seeds in parts, so many of them at once, each on one core (see
            docs/speed.md). The parts follow from the graph, the configuration and `memory_gb`: any
            number gives the same numbers, to the last bit. By default all seeds train in one
            batch, on one core, as in a search; on a graph that has several parts last bits differ
            from theirs.
        memory_gb: Train as many seeds at once as fit into this; fewer, with a warning in the
            log, where even that is not there.
        device: "auto" (a CUDA device where there is one, else the CPU), "cpu", "cuda", "cuda:1"
            or "mps". It is no hyperparameter: seeds begin with the same weights on every device.
            On CUDA dropout and Gumbel noise are drawn by its own generators, so its numbers
            differ from the CPU's as those of other seeds would.
        display: "auto" draws a progress bar on a terminal; a function is called with a `Progress`
            after every epoch instead.
        **keys: Hyperparameters by name, such as K=8; they replace those of `config`.

    Returns:
        The result of every seed at its best epoch by validation loss, with mean scores in
        percent, the profile q(t) over the steps [K + 1], learning curves, and the trained
        `model`, which predicts and can be saved.

    Raises:
        ConfigError: A hyperparameter is unknown, out of range, or not read by the model; or a
            seed is none.
        DataError: The graph cannot be used.
        SearchError: Training would not fit into memory.
        DeviceError: This machine has no such device.
        UserError: Another argument cannot be what it is.

    Example:
        >>> import l2p_search as l2p
        >>> result = l2p.fit("demo", K=2, dropout=0.4, epochs=20, seeds=2)
        >>> len(result.seeds), len(result.profile)
        (2, 3)
        >>> result.model.predict("demo").shape
        torch.Size([320])
    """
    metric = exported_metric(config) if metric is None else metric
    check(memory_gb=memory_gb, metric=metric, device=device)
    if threads is not None:
        check(threads=threads)
    on_epoch_or_word("display", display)
    loaded = load_graph(graph)
    made = config_of(loaded, config, keys)
    chosen = _seeds(config, seeds)
    check_training_fits(loaded, made, len(chosen), memory_gb=memory_gb)
    note = weights_note(loaded, [made])
    if note is not None:
        warnings.warn(note, stacklevel=3)  # the caller, behind `left_as_found`
    torch.set_num_threads(1)
    parts, at_once = whole(made, chosen), 1
    if threads is not None:
        parts = divided_for(loaded, memory_gb, str(chosen_device(device)))(made, chosen)
        at_once = min(threads, parts_at_once(loaded, made, parts, memory_gb))
    options: dict[str, Any] = {
        "metric": chosen_metric(loaded, metric),
        "memory_gb": memory_gb,
        "device": device,
    }
    with training_display(display) as on_epoch:
        if len(parts) == 1:
            result = train(loaded, made, chosen, **options, on_epoch=on_epoch)
        else:
            result = fit_parts(loaded, made, parts, at_once, **options, on_epoch=on_epoch)
    if (directory := _search_of(config, loaded)) is not None:
        from l2p_search.searching.records.looks import note_look

        note_look(directory, "train", len(result.finished))
    known = {each.name: getattr(result, each.name) for each in fields(result)}
    return Fitted(**known, graph=loaded)


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
    seeds = (_provenance(config) or {}).get("seeds")
    return seeds if isinstance(seeds, int) and seeds > 0 else None


def _search_of(config: object, graph: Graph) -> Path | None:
    """The search that an exported file comes from, if it is in reach and of this very graph."""
    provenance = _provenance(config) or {}
    name = provenance.get("search")
    if not isinstance(name, str) or provenance.get("data_digest") != graph.digest:
        return None
    from l2p_search.searching.records.directory import searches_folder
    from l2p_search.searching.records.journal import Journal

    beside = Path(str(config)).absolute().parent
    found = beside if beside.name == name else searches_folder(None) / name
    return found if Journal.exists(found) else None


def exported_metric(config: object) -> Metric | None:
    """What an exported file was searched by.

    Args:
        config: What was given as `config`; anything but a path has no metric.

    Returns:
        The metric; None where the file was not exported. Files from before there was a choice
        do not say it: theirs is accuracy.
    """
    provenance = _provenance(config)
    return None if provenance is None else provenance.get("metric", "accuracy")


def _provenance(config: object) -> dict[str, Any] | None:
    """What an exported file says about where it comes from; None for anything else."""
    if not isinstance(config, (str, Path)):
        return None
    try:
        found = read_yaml_mapping(Path(config)).get(PROVENANCE)
    except ConfigError:
        return None  # `config_of` says what is wrong with the file, by its name
    return found if isinstance(found, dict) else None
