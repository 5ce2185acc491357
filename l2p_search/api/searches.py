"""search and open_search: run a search, or open a recorded one, as an object."""

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.api.arguments import SpaceLike, check, path_of
from l2p_search.api.conducting import Means, conduct
from l2p_search.api.exporting import exported, form_of, write_best
from l2p_search.api.planning import Plan, Wanted, make_plan
from l2p_search.api.recording import Tracking, attach, sync
from l2p_search.api.reporting import report_page
from l2p_search.api.writing import write_file
from l2p_search.caller import left_as_found
from l2p_search.display.choosing import Shown
from l2p_search.display.phrases import paper_figure
from l2p_search.display.summary import Summary, summary_text
from l2p_search.errors import SearchError, UserError, argument
from l2p_search.intervals import Interval
from l2p_search.metrics import MetricChoice, briefly
from l2p_search.searching.records.directory import find_search, list_searches, searches_folder
from l2p_search.searching.records.importance import importance_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import Sampler, SearchSettings
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.run import Finish
from l2p_search.trial_record import INTERRUPTED, TrialRecord, best_first

if TYPE_CHECKING:
    import pandas


class Search:
    """A recorded search: what it found, and what can be done with it.

    It is what `search` and `open_search` return. Everything is read from the search's journal
    when the object is made; `resume` returns a new one.

    Attributes:
        name: The search's name, that of its folder.
        directory: The folder that holds its journal.
        settings: What was searched: dataset, space, seeds, sampler, metric.
        best: The complete trial with the highest mean of the metric on validation nodes, as a
            `TrialRecord` with `number`, `config` and `result`; None without one.
        ties: The best and the trials that a paired t-test on validation cannot tell from it.
        confirmed: The number to quote: the best configuration's test score on fresh seeds that
            chose nothing, as an `Interval`; None when nothing was confirmed.
        protocol: Its test score on the search's own seeds, as the paper reports it.
        profile: q(t) of the best trial, averaged over nodes and seeds: K + 1 shares.

    Example:
        >>> import l2p_search as l2p
        >>> found = l2p.open_search("first")          # doctest: +SKIP
        >>> found.best.config.K, str(found.confirmed)  # doctest: +SKIP
        (8, '85.59 ± 2.88')
    """

    def __init__(self, journal: Journal, finish: Finish | None = None) -> None:
        """Use `search` or `open_search`."""
        self._journal, self._finish = journal, finish
        self.directory: Path = journal.directory
        self.name: str = journal.directory.name
        self.outcome: Outcome = read_outcome(journal) if finish is None else finish.outcome

    @property
    def settings(self) -> SearchSettings:
        """What was searched."""
        return self.outcome.settings

    @property
    def best(self) -> TrialRecord | None:
        """The best complete trial by validation; None without one."""
        return self.outcome.best

    @property
    def ties(self) -> list[TrialRecord]:
        """The best trial and those that validation cannot tell from it, best first."""
        return self.outcome.ties

    @property
    def confirmed(self) -> Interval | None:
        """The best configuration's test score on fresh seeds, in percent."""
        return self.outcome.confirmed

    @property
    def protocol(self) -> Interval | None:
        """Its test score on the search's own seeds, in percent."""
        return self.outcome.protocol

    @property
    def profile(self) -> tuple[float, ...] | None:
        """q(t) of the best trial over all nodes and seeds: [K + 1]; None without one."""
        best = self.best
        return best.result.profile if best is not None and best.result is not None else None

    @cached_property
    def importance(self) -> dict[str, float] | None:
        """How much each hyperparameter mattered: its share of the variance of the objective.

        None with fewer than 8 complete trials, or when all of them are equally good.
        """
        return importance_of(self.outcome)

    @property
    def running(self) -> bool:
        """Whether a process writes to the search now."""
        return is_locked(self.directory)

    @property
    def interrupted(self) -> bool:
        """Whether the call that this object comes from was stopped before its goal."""
        return self._finish is not None and self._finish.interrupted

    def rows(self) -> list[dict[str, Any]]:
        """The trials as plain JSON values, the best first; test scores are not among them."""
        alive = self.running
        rows = [record.to_mapping() for record in best_first(self.outcome.records)]
        for row in rows:
            # A search that was killed could not mark its trials as interrupted.
            if row["status"] == "running" and not alive:
                row["reason"] = INTERRUPTED
        return rows

    @property
    def trials(self) -> "pandas.DataFrame":
        """The trials as a DataFrame, a row per trial, the best first.

        The index is the trial's number. Columns: status, config_id, val_accuracy_mean and
        val_accuracy_std in percent (named after the search's metric, such as val_roc_auc_mean),
        seeds, seconds, reason, tie (with the best), and one per hyperparameter. Test scores are
        not in it: a list of them invites choosing by them.
        """
        import pandas

        ties = {record.number for record in self.ties}
        flat = []
        for row in self.rows():
            config = row.pop("config")
            flat.append({**row, "tie": row["number"] in ties, **config})
        return pandas.DataFrame(flat).set_index("number") if flat else pandas.DataFrame()

    def summary(self) -> Summary:
        """What `str` says of the search, as values."""
        outcome, finish = self.outcome, self._finish
        best = outcome.best
        return Summary(
            name=self.name,
            dataset=outcome.settings.dataset,
            seeds=outcome.settings.seeds,
            keys=list(outcome.settings.space.dimensions),
            records=outcome.records,
            best=best,
            ties={record.number for record in outcome.ties},
            confirmations=outcome.confirmations,
            confirmed=outcome.confirmed,
            protocol=outcome.protocol,
            paper=None
            if best is None
            else paper_figure(outcome.settings.dataset, best.config, outcome.settings.metric),
            metric=outcome.settings.metric,
            importance=self.importance,
            exhausted=finish is not None and finish.exhausted,
            unconfirmed={} if finish is None else finish.unconfirmed,
        )

    def to_mapping(self) -> dict[str, Any]:
        """What the search found, as plain JSON values."""
        finish = self._finish
        return {
            "name": self.name,
            "directory": str(self.directory),
            **self.outcome.to_mapping(),
            "importance": self.importance,
            "exhausted": finish is not None and finish.exhausted,
            "out_of_time": finish is not None and finish.out_of_time,
        }

    def __repr__(self) -> str:
        best = "no complete trial"
        if self.best is not None:
            named = briefly("validation", self.settings.metric)
            best = f"best {named} {self.best.objective:.2f} %"
        confirmed = f", confirmed {self.confirmed} %" if self.confirmed is not None else ""
        return f"<Search {self.name!r}: {len(self.outcome.records)} trials, {best}{confirmed}>"

    def __str__(self) -> str:
        return summary_text(self.summary())

    def export(self, out: str | Path, format: str | None = None) -> Path:  # noqa: A002
        """Write the best configuration with where it came from.

        Args:
            out: The file to write.
            format: "yaml", "json" or "script" (a short program on torch and torch-geometric); by
                default what the file's ending says, else "yaml".

        Returns:
            The file.

        Raises:
            UserError: There is no complete trial yet, or the file cannot be written.
        """
        path = path_of("out", out) or Path()
        return write_file(path, self.exported(format or form_of(path)))

    def exported(self, format: str = defaults.FORM) -> str:  # noqa: A002
        """The best configuration with where it came from, as text.

        Args:
            format: As of `export`.

        Returns:
            The content of the file that `export` writes.

        Raises:
            UserError: There is no complete trial yet, or no such form of the configuration.
        """
        return exported(self._journal, self.outcome, format)

    def report(
        self,
        out: str | Path | None = None,
        *,
        tracking: bool = True,
        tracking_uri: str | None = None,
    ) -> Path:
        """Write the search as one HTML page that needs no network; MLflow gets a copy.

        Args:
            out: The file to write; report.html in the search's folder where it is not given.
            tracking: Whether MLflow gets a copy.
            tracking_uri: An MLflow server, instead of the one that the environment names.

        Returns:
            The file.

        Raises:
            UserError: There is no complete trial yet, or the file cannot be written.
        """
        check(tracking=tracking, tracking_uri=tracking_uri)
        path = path_of("out", out) or self.directory / "report.html"
        with left_as_found():
            text = report_page(self._journal, self.outcome, self.importance)
            write_file(path, text)
            where = Tracking(tracking, tracking_uri)
            attach([self._journal], {"report.html": text.encode()}, where)
        return path

    def sync(self, tracking_uri: str | None = None) -> tuple[int, int]:
        """Write to MLflow the trials that are missing there; nothing is written twice.

        Args:
            tracking_uri: An MLflow server, instead of the one that the environment names.

        Returns:
            How many trials were written, and how many were there before.

        Raises:
            UserError: MLflow cannot use that store.
        """
        check(tracking_uri=tracking_uri)
        with left_as_found():
            return sync(self._journal, Tracking(True, tracking_uri))

    def resume(self, graph: Any = None, **options: Any) -> "Search":
        """Continue the search; `trials` is the total, with those that it has.

        Args:
            graph: The graph, where it cannot be loaded by the name that the search knows.
            **options: As of `search`, such as `trials` or `confirm`. What a search began with
                (space, seeds, sampler, metric) cannot change.

        Returns:
            A new object: the search as it stands then.

        Raises:
            UserError: An option is not what the search began with, or cannot be at all.
            KeyboardInterrupt: As of `search`.
        """
        return search(graph, name=self.name, folder=self.directory.parent, resume=True, **options)


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
    race: bool | None = None,
    metric: MetricChoice | None = None,
    confirm: int | None = None,
    confirm_ties: int | None = None,
    time_budget: float | str | None = None,
    folder: str | Path | None = None,
    data_dir: str | Path | None = None,
    resume: bool = False,
    tracking: bool = True,
    tracking_uri: str | None = None,
    concurrency: int | None = None,
    cpus_per_trial: int = defaults.CPUS_PER_TRIAL,
    gpus_per_trial: float = defaults.GPUS_PER_TRIAL,
    address: str | None = None,
    memory_gb: float = defaults.MEMORY_GB,
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
        race: Stop a configuration as soon as it is significantly worse on paired seeds.
        metric: What configurations are compared by on validation nodes, and the best is reported
            by on test nodes: "accuracy", "balanced_accuracy", "macro_f1", "roc_auc" or
            "average_precision". By default "auto": ROC AUC for two classes of which one has less
            than 30 % of the training nodes, else accuracy.
        confirm: Train the best on so many fresh seeds (20); 0 for none.
        confirm_ties: Confirm up to so many ties beside it (4).
        time_budget: Start no trial after so many seconds, or after a time such as "8h".
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.
        data_dir: A folder with raw files of named datasets.
        resume: Continue the search of that name.
        tracking: Whether MLflow gets a copy.
        tracking_uri: An MLflow server; $MLFLOW_TRACKING_URI, then a database in ./mlflow.
        concurrency: Trials at once; by default as many as there are CPUs.
        cpus_per_trial: Threads per trial.
        gpus_per_trial: GPUs reserved per trial; the engine itself trains on CPUs.
        address: A running Ray cluster, such as "auto" or "HOST:6379". A program that has called
            `ray.init` itself has its trials run there without it.
        memory_gb: Memory per trial, which bounds how many seeds train at once.
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
        data_dir=path_of("data_dir", data_dir),
    )
    means = Means(
        resources=Resources(
            concurrency=concurrency,
            cpus_per_trial=cpus_per_trial,
            gpus_per_trial=gpus_per_trial,
            address=address,
        ),
        memory_gb=memory_gb,
        tracking=Tracking(tracking, tracking_uri),
        shown=display,
        stop=stop,
        command="l2p.search",
    )
    return run_plan(make_plan(graph, wanted, resume=resume), means)


def run_plan(plan: Plan, means: Means) -> Search:
    """Run a planned search, and write its best configuration into its folder.

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
        write_best(found._journal, found.outcome)
    return found


@left_as_found()
def open_search(name: str | None = None, folder: str | Path | None = None) -> Search:
    """Open a recorded search, running or not, without touching it.

    Args:
        name: Its name; None for the one that runs now, else the latest.
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.

    Returns:
        The search as its journal has it now.

    Raises:
        SearchError: There is none of that name; the message has the nearest one.

    Example:
        >>> import l2p_search as l2p
        >>> l2p.open_search("no-such-search")
        Traceback (most recent call last):
        ...
        l2p_search.errors.SearchError: searches: no searches there; start one, such as ...
    """
    check(name=name)
    return Search(Journal.read(find_search(_place(folder), name)))


def open_all(folder: str | Path | None = None) -> tuple[list[Search], list[SearchError]]:
    """Every search of a folder that can be read, and why the others cannot.

    Args:
        folder: The folder of searches; $L2P_SEARCH_DIR, then ./searches by default.

    Returns:
        The searches, the latest first, and an error per search that cannot be read.

    Raises:
        SearchError: There is no search at all.
    """
    place = _place(folder)
    find_search(place, None)  # raises where there is none
    readable, errors = [], []
    for directory in list_searches(place):
        try:
            readable.append(Search(Journal.read(directory)))
        except SearchError as error:
            errors.append(error)
    return readable, errors


def open_named(
    name: str | None, folder: str | Path | None = None
) -> tuple[list[Search], list[SearchError]]:
    """The search of that name, or every one.

    Args:
        name: The search's name; None for all of them.
        folder: The folder of searches.

    Returns:
        The searches, the latest first, and an error per search that cannot be read.

    Raises:
        SearchError: The named search cannot be read, or there is no search at all.
    """
    return open_all(folder) if name is None else ([open_search(name, folder)], [])


def latest_by_dataset(folder: str | Path | None = None) -> dict[str, Search]:
    """The latest search of every dataset.

    Args:
        folder: The folder of searches.

    Returns:
        Dataset -> its latest search that has a complete trial.

    Raises:
        SearchError: There is no search at all.
    """
    latest: dict[str, Search] = {}
    for found in open_all(folder)[0]:
        if found.best is not None:
            latest.setdefault(found.settings.dataset, found)
    return latest


def best_of_dataset(dataset: str, folder: str | Path | None = None) -> Search:
    """The latest search of a dataset that has a complete trial.

    Args:
        dataset: The graph's name.
        folder: The folder of searches.

    Returns:
        The search.

    Raises:
        UserError: There is none; the message has the datasets that were searched.
    """
    latest = latest_by_dataset(folder)
    if dataset not in latest:
        there = ", ".join(sorted(latest)) or "none"
        raise UserError(
            f"{argument('dataset', dataset)}: no search of it in {_place(folder)} has a complete"
            f" trial (there are: {there}); search it first"
        )
    return latest[dataset]


def _place(folder: str | Path | None) -> Path:
    """The folder of searches that is meant."""
    return searches_folder(path_of("folder", folder))
