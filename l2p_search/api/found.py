"""Search: a recorded search as an object, what it found and what can be done with it."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l2p_search import defaults
from l2p_search.api.arguments import check, path_of
from l2p_search.api.exporting import exported, exported_files, form_of
from l2p_search.api.recording import Tracking, attach, sync
from l2p_search.api.summarising import summary_of
from l2p_search.api.writing import write_file
from l2p_search.caller import left_as_found
from l2p_search.display.result_text import summary_text
from l2p_search.display.summary import Summary
from l2p_search.effects import Effects
from l2p_search.errors import ModelError, either
from l2p_search.intervals import Interval
from l2p_search.metrics import briefly
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.searching.records.importance import importance_of
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.lock import is_locked
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.settings import SearchSettings
from l2p_search.searching.running.keeping import FOLDER
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
        ties: The best and the trials that Hsu's comparison with the best, on validation, does not
            rule out.
        confirmed: The number to quote: the best configuration's test score on fresh seeds that
            chose nothing, as an `Interval` for this graph, other seeds and splits; None when
            nothing was confirmed.
        other_nodes: The same score with its `Interval` for other nodes of this kind; None where
            the nodes were not recorded.
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
    def journal(self) -> Journal:
        """What the search is read from."""
        return self._journal

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
        """The best trial and those that may be as good on validation (Hsu), best first."""
        return self.outcome.ties

    @property
    def confirmed(self) -> Interval | None:
        """The best configuration's test score on fresh seeds, in percent."""
        return self.outcome.confirmed

    @property
    def other_nodes(self) -> Interval | None:
        """The same score with its interval for other nodes of this kind, in percent."""
        estimate = self.outcome.estimate
        return None if estimate is None else estimate.other_nodes

    @property
    def protocol(self) -> Interval | None:
        """Its test score on the search's own seeds, in percent."""
        return self.outcome.protocol

    @property
    def profile(self) -> tuple[float, ...] | None:
        """q(t) of the best trial over all nodes and seeds: [K + 1]; None without one."""
        best = self.best
        return best.result.profile if best is not None and best.result is not None else None

    @property
    def model(self) -> Model:
        """The trained fresh seeds of the best configuration, to predict with.

        Raises:
            ModelError: The search has kept none, or that of an earlier best one.
        """
        again = either("resume it with keep_model=True", "resume it without --no-model")
        folder = self.directory / FOLDER
        if not folder.exists():
            raise ModelError(f"search '{self.name}' has kept no model; {again} to have it trained")
        found = load_model(folder)
        if self.best is not None and found.config != self.best.config:
            raise ModelError(
                f"search '{self.name}' has kept the model of an earlier best configuration"
                f" ({found.config.config_id}); {again} to have it replaced"
            )
        return found

    @cached_property
    def importance(self) -> Effects | None:
        """How much each hyperparameter mattered, and how well that can be told.

        None with fewer than 8 trials, or when all of them are equally good.
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
        """What `text` says of the search, as values."""
        return summary_of(self.outcome, self.name, self.importance, self._finish)

    def to_mapping(self) -> dict[str, Any]:
        """What the search found, as plain JSON values."""
        finish = self._finish
        return {
            "name": self.name,
            "directory": str(self.directory),
            **self.outcome.to_mapping(),
            "importance": None if self.importance is None else self.importance.to_mapping(),
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
        return self.text()

    def text(self, *, full: bool = False) -> str:
        """What the search found, in words and numbers.

        Args:
            full: Whether everything is told: the profile drawn, every test score, the best trials
                and which hyperparameters mattered; else what fits on a screen, as `print` shows.

        Returns:
            Lines of text.
        """
        return summary_text(self.summary(), full=full)

    def export(
        self,
        out: str | Path,
        format: str | None = None,  # noqa: A002
        *,
        graph: Any = None,
    ) -> Path:
        """Write the best configuration with where it came from.

        Args:
            out: The file to write.
            format: "yaml", "json" or "script" (a program on torch and torch-geometric alone); by
                default what the file's ending says, else "yaml". A program reads a graph that
                torch-geometric does not have from a file NAME.graph.npz, written beside it.
            graph: The graph of the search, for a program, where it was made in memory.

        Returns:
            The file.

        Raises:
            UserError: There is no complete trial yet, the graph cannot be read again, or the file
                cannot be written.
        """
        path = path_of("out", out) or Path()
        form = format or form_of(path)
        with left_as_found():
            files = exported_files(self._journal, self.outcome, form, path, graph)
        for file, content in files.items():
            write_file(file, content)
        return path

    def exported(self, format: str = defaults.FORM) -> str:  # noqa: A002
        """The best configuration with where it came from, as text.

        Args:
            format: As of `export`.

        Returns:
            The content of the file that `export` writes.

        Raises:
            UserError: There is no complete trial yet, no such form of the configuration, or a
                program that needs a file beside it.
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
        from l2p_search.api.reporting import report_page  # it draws, and matplotlib takes long

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
        from l2p_search.api.searches import search  # it makes objects of this class

        return search(graph, name=self.name, folder=self.directory.parent, resume=True, **options)
