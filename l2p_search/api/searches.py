"""search: run a search, new or resumed, to its goal."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.api.arguments import SpaceLike, check, path_of
from l2p_search.api.conducting import Means, conduct
from l2p_search.api.found import Search
from l2p_search.api.planning import Plan, Wanted, make_plan
from l2p_search.api.recording import Tracking
from l2p_search.api.statuses import remember_status
from l2p_search.caller import left_as_found
from l2p_search.display.choosing import Shown
from l2p_search.metrics import MetricChoice
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Race, Sampler
from l2p_search.searching.running.cluster import Resources

if TYPE_CHECKING:
    pass


@left_as_found()
def search(
    graph: Any,
    *,
    trials: int | None = None,
    space: SpaceLike | None = None,
    model: str | None = None,
    name: str | None = None,
    seeds: int | None = None,
    sampler: Sampler | None = None,
    seed: int | None = None,
    race: bool | Race | None = None,
    metric: MetricChoice | None = None,
    confirm: int | None = None,
    confirm_ties: int | None = None,
    time_budget: float | str | None = None,
    register: str | None = None,
    champion: bool | None = None,
    sealed: bool | None = None,
    controls: bool | None = None,
    fresh_splits: bool | None = None,
    folder: str | Path | None = None,
    data_dir: str | Path | None = None,
    resume: bool = False,
    tracking: bool = True,
    tracking_uri: str | None = None,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    device: str = defaults.DEVICE,
    gpus_per_trial: float | None = defaults.GPUS_PER_TRIAL,
    address: str | None = None,
    memory_gb: float = defaults.MEMORY_GB,
    keep_model: bool = True,
    display: Shown = "auto",
    stop: threading.Event | None = None,
) -> Search:
    """Search the configuration that learns best how far messages should travel on a graph.

    Optuna proposes configurations, Ray Tune trains each over all its seeds, and the best on
    validation is trained again on fresh seeds. Every result is in the search's journal before
    anybody is told of it: a search that was interrupted is continued with `resume=True`. Nothing
    of the caller's process is changed once the call has returned or raised.

    Args:
        graph: What `load_graph` takes: a `Graph`, a dataset's name, a PyG `Data`. None for the
            graph of the search that is resumed.
        trials: Configurations in all, those of a resumed search among them; the space's budget,
            else 100.
        space: A shipped space's name, a YAML file, its content as a dict, or a `SearchSpace`;
            "paper" by default.
        model: Search a model in its own space instead: "l2q", "l2s", "mlp", "gcn", "appnp", ...
        name: The search's name; dataset-space by default.
        seeds: Seeds per trial; the space's, else 20.
        sampler: "tpe" (default), "random", "grid" or "gp".
        seed: The sampler's seed.
        race: Stop losing configurations before they have all their seeds. True or "halving": of
            those with as many seeds the best quarter goes on; "paired": each goes on until it is
            significantly worse than the best.
        metric: What configurations are compared by on validation nodes, and the best is reported
            by on test nodes: "accuracy", "balanced_accuracy", "macro_f1", "roc_auc" or
            "average_precision". By default "auto": ROC AUC for two classes of which one has less
            than 30 % of the training nodes, else accuracy.
        confirm: Train the best on so many fresh seeds (20); 0 for none.
        confirm_ties: Confirm up to so many ties beside it (4).
        time_budget: Start no trial after so many seconds, or after a time such as "8h".
        register: The name of a model in MLflow's registry. The best configuration's model becomes
            a version of it, with the alias `candidate`; a search makes one, and another when it
            is resumed and its best changes.
        champion: Whether that version gets the alias `champion` too.
        sealed: Whether trials compute no test score at all; only what is trained on fresh seeds
            does. A search that began sealed stays so.
        controls: Whether the default configuration is trained on those fresh seeds too, and for
            L2P the controls: MLP and the plain backbone at the winner's settings (yes).
        fresh_splits: Whether the best is also trained on new splits of the graph's own rule
            (yes); splits by time cannot be drawn anew.
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.
        data_dir: A folder with raw files of named datasets.
        resume: Continue the search of that name.
        tracking: Whether MLflow gets a copy.
        tracking_uri: An MLflow server; $MLFLOW_TRACKING_URI, then a database in ./mlflow.
        concurrency: Trials at once; by default as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        device: What trials compute on: "auto" (a CUDA device where this machine has one, else
            the CPU), "cpu", "cuda" or "mps".
        gpus_per_trial: The share of a GPU that a trial takes: with 0.25 four share one. By
            default a whole one with `device="cuda"`. With "auto", a number above 0 means "cuda".
        address: A running Ray cluster, such as "auto" or "HOST:6379". A program that has called
            `ray.init` itself has its trials run there without it.
        memory_gb: Memory per trial, which bounds how many seeds train at once.
        keep_model: Whether the best configuration's fresh seeds are kept, in `model/` of the
            search's folder: `Search.model` opens it.
        display: "auto" shows progress in a terminal and in a notebook, "off" shows nothing; any
            object with `update(event, snapshot)` and `note(text)` is told instead.
        stop: Ends the search in good order when it is set, from any thread.

    Returns:
        The search with what it found.

    Raises:
        UserError: Something that was asked for cannot be; the message says what to change.
        KeyboardInterrupt: Ctrl-C was pressed. The search ended in good order: it can be resumed.

    Example:
        >>> import l2p_search as l2p
        >>> found = l2p.search("demo", trials=4, space="smoke", seeds=2, confirm=2,
        ...                    display="off", tracking=False)
        >>> found.best.config.method, len(found.trials)
        ('l2q', 4)
    """
    check(resume=resume, tracking=tracking, tracking_uri=tracking_uri)
    wanted = Wanted(
        name=name,
        folder=path_of("folder", folder),
        space=space,
        model=model,
        trials=trials,
        seeds=seeds,
        sampler=sampler,
        seed=seed,
        race=race,
        metric=metric,
        confirm=confirm,
        confirm_ties=confirm_ties,
        time_budget=time_budget,
        register=register,
        champion=champion,
        sealed=sealed,
        controls=controls,
        fresh_splits=fresh_splits,
        data_dir=path_of("data_dir", data_dir),
    )
    means = Means(
        resources=Resources(
            concurrency=concurrency,
            cpus_per_trial=cpus_per_trial,
            device=device,
            gpus_per_trial=gpus_per_trial,
            address=address,
        ),
        memory_gb=memory_gb,
        tracking=Tracking(tracking, tracking_uri),
        shown=display,
        stop=stop,
        command="l2p.search",
        keep_model=keep_model,
    )
    return run_plan(make_plan(graph, wanted, resume=resume), means)


def run_plan(plan: Plan, means: Means) -> Search:
    """Run a planned search.

    Args:
        plan: The search.
        means: How it runs.

    Returns:
        The search with what it found.

    Raises:
        UserError: The search cannot be run, or its folder cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed and `means.stop` was not given.
    """
    finish = conduct(plan, means)
    found = Search(Journal.read(plan.directory), finish)
    if not finish.interrupted:
        remember_status(plan.directory, found.outcome)
    return found
