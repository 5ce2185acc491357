"""MlflowTracker: searches as parent runs, trials as child runs, each written once.

A run is found again by the uid in its tags, so that resuming or syncing a search writes nothing
twice. A run that is still marked as running was cut off by a crash, and is written anew.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.tracking.entries import (
    IMAGE_TAG,
    RUN_STATUS,
    Logged,
    Mark,
    SearchEntry,
    TrialEntry,
)
from l2p_search.tracking.notes import (
    ANSWER,
    dataset_note,
    search_note,
    trial_note,
    with_all_graphs,
)
from l2p_search.tracking.registry import keep_model
from l2p_search.tracking.store import Store
from l2p_search.tracking.view import (
    SEARCHES_VIEW,
    WHOLE_VIEW,
    search_view,
    searches_view,
    trials_view,
    view_tag,
)
from l2p_search.whole_file import as_file_name

if TYPE_CHECKING:
    from mlflow.entities import Run

_BATCH = 1000
_NOTE = "mlflow.note.content"
"""The tag that holds the description of a page."""
_MOST_SEARCHES = 100
"""Of a dataset, that its page counts."""


@dataclass(frozen=True)
class _Child:
    """A trial that the store has."""

    run_id: str
    status: str
    name: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    standing: Mapping[str, float] = field(default_factory=dict)
    """The metrics of its mark. MLflow writes metrics before tags: a kill may leave them alone."""


class MlflowTracker:
    """Writes the entries of searches and trials to one store.

    To be used within `explained` or `quiet_mlflow` (see `quiet`).
    """

    def __init__(self, store: Store) -> None:
        """Connect to a store; our own database is made if it does not exist.

        Args:
            store: Where to write.
        """
        store.prepare()
        from mlflow import MlflowClient

        self._store = store
        self._client = MlflowClient(tracking_uri=store.uri)
        self._children: dict[str, dict[str, _Child]] = {}
        self._experiments: dict[str, str] = {}
        self._ended: dict[str, int] = {}

    def begin(self, search: SearchEntry) -> str:
        """Find or make the run of a search, and mark it as running.

        Args:
            search: The search; what it found is not written yet.

        Returns:
            The id of the run, by which the other methods know the search.
        """
        experiment = self._experiment(search)
        run = self._parent(search)
        if run is None:
            run = self._client.create_run(
                experiment,
                run_name=search.name,
                start_time=_milliseconds(search.began),
                tags={"search_uid": search.uid, "kind": search.kind, **search.tags},
            )
        elif run.info.status != "RUNNING":
            self._ended[run.info.run_id] = run.info.end_time
            self._client.update_run(run.info.run_id, status="RUNNING")
        run_id: str = run.info.run_id
        # A resumed search has another command, and maybe other versions and another device.
        tags = {k: v for k, v in search.tags.items() if run.data.tags.get(k) != v}
        params = search.params if run.data.params != search.params else {}  # new, or cut off
        if params or tags:
            self._batch(run_id, [], params, tags)
        if not run.inputs.dataset_inputs:
            self._input(run_id, search.dataset, search.data_digest)
        self._view(experiment, run_id, search)
        self._children[run_id] = self._known(experiment, run_id)
        return run_id

    def _view(self, experiment: str, run_id: str, search: SearchEntry) -> None:
        state = trials_view(
            run_id, search.varied, search.metric, search.logarithms, ranked=bool(search.marks)
        )
        self._client.set_experiment_tag(experiment, view_tag(search_view(search.uid)), state)

    def has(self, parent: str, uid: str) -> bool:
        """Whether the store has the trial of that uid, completely written."""
        return uid in self._children[parent] and self._children[parent][uid].status != "RUNNING"

    def _parent(self, search: SearchEntry) -> "Run | None":
        found = self._client.search_runs(
            [self._experiment(search)], f"tags.search_uid = '{search.uid}'", max_results=1
        )
        return found[0] if found else None

    def record(self, parent: str, search: SearchEntry, trial: TrialEntry) -> None:
        """Write a trial that has ended, unless the store already has it.

        Args:
            parent: The run of its search.
            search: Its search.
            trial: The trial.
        """
        known = self._children[parent]
        if self.has(parent, trial.uid):
            return
        if trial.uid in known:
            self._client.delete_run(known[trial.uid].run_id)  # it was cut off by a crash
        began, ended = trial.span
        experiment = self._experiment(search)
        run = self._client.create_run(
            experiment,
            run_name=trial.name,
            start_time=began,
            tags={"mlflow.parentRunId": parent, "kind": "trial", **trial.tags()},
        )
        run_id = run.info.run_id
        tags = {_NOTE: trial_note(trial, search, experiment, parent, run_id)}
        self._batch(run_id, trial.metrics(), trial.params(), tags, at=ended)
        self._input(run_id, search.dataset, search.data_digest)
        self._files(run_id, trial.files)
        self._client.set_terminated(run_id, RUN_STATUS[trial.status], ended)
        known[trial.uid] = _Child(run_id, RUN_STATUS[trial.status], trial.name)
        self._ended.pop(parent, None)

    def restore(self, parent: str, trial: TrialEntry) -> None:
        """Write the files of a trial that somebody has deleted, or that were cut off by a crash.

        Args:
            parent: The run of its search.
            trial: A trial that the store has.
        """
        run_id = self._children[parent][trial.uid].run_id
        sizes = {found.path: found.file_size for found in self._client.list_artifacts(run_id)}
        lost = {
            name: content
            for name, content in trial.files.items()
            if name not in sizes or sizes[name] not in (None, len(content))
        }
        self._files(run_id, lost)

    def finish(self, parent: str, search: SearchEntry, interrupted: bool) -> str | None:
        """Write what a search found, mark its run as ended, and keep its model.

        Its trials are told where they stand, and the page of the dataset what is best. A run that
        had ended before, and to which no trial was added since `begin`, keeps its end.

        Args:
            parent: The run of the search.
            search: The search with what it found.
            interrupted: Whether it was stopped before its goal.

        Returns:
            The version of its model in the registry; None where nothing is registered.
        """
        experiment = self._experiment(search)
        written = self._client.get_run(parent).data.metrics
        metrics: list[Logged] = [
            (name, value, 0)
            for name, value in search.metrics.items()
            if written.get(name) != value
        ]
        profile = [("profile/q", round(share, 5), t) for t, share in enumerate(search.profile)]
        metrics += self._unwritten(parent, (*search.series, *profile))
        tags = {_NOTE: search_note(search, experiment, parent)}
        tags |= {ANSWER: search.answer} if search.answer else {}
        self._batch(parent, metrics, {}, tags | (IMAGE_TAG if search.profile else {}))
        self._files(parent, search.files)
        self._mark(parent, search)
        self._view(experiment, parent, search)
        status = "KILLED" if interrupted else "FINISHED"
        ended = self._ended.get(parent, _milliseconds(search.ended))
        self._client.set_terminated(parent, status, ended)
        if search.kind == "search":
            self._describe(experiment, search)
        return None if search.model is None else keep_model(self._client, parent, search.model)

    def _mark(self, parent: str, search: SearchEntry) -> None:
        """Tell trials where they stand; one whose place is the same is not written again."""
        for uid, child in self._children[parent].items():
            mark = search.marks.get(uid)
            if mark is not None and any(child.tags.get(k) != v for k, v in mark.tags().items()):
                new = [row for row in mark.metrics() if child.standing.get(row[0]) != row[1]]
                self._batch(child.run_id, new, {}, mark.tags())

    def _describe(self, experiment: str, search: SearchEntry) -> None:
        """Say on the page of the dataset what its searches have found."""
        datasets = self._client.search_experiments(filter_string="name LIKE 'l2p-search/%'")
        found = self._client.search_runs(
            [experiment],
            "tags.kind = 'search'",
            max_results=_MOST_SEARCHES,
            order_by=[f"metrics.best_val_{search.metric} DESC"],
        )
        others = sorted((each.experiment_id for each in datasets), key=int)
        note = dataset_note(experiment, found, others, search.metric)
        self._client.set_experiment_tag(experiment, _NOTE, note)
        for each in datasets:  # the pages of other datasets link to this one, too
            before = each.tags.get(_NOTE)
            if before is None or each.experiment_id == experiment:
                continue
            after = with_all_graphs(before, each.experiment_id, others)
            if after != before:
                self._client.set_experiment_tag(each.experiment_id, _NOTE, after)

    def attach(self, search: SearchEntry, files: dict[str, bytes]) -> bool:
        """Add files to the run of a search.

        Args:
            search: The search.
            files: File name -> content.

        Returns:
            Whether the store has the search; if not, nothing was written.
        """
        found = self._parent(search)
        if found is not None:
            self._files(found.info.run_id, files)
        return found is not None

    def views(self, most: int) -> dict[str, tuple[tuple[str, ...], str]]:
        """List the views that the store has.

        Args:
            most: How many searches, the newest first.

        Returns:
            Name -> experiments and key of the view: of all searches where there are several, of
            each search, then of whole datasets.
        """
        found = self._client.search_experiments(
            filter_string="name LIKE 'l2p-search/%'", order_by=["last_update_time DESC"]
        )
        tags = {each.experiment_id: each.tags for each in found}
        if not tags:
            return {}
        views: dict[str, tuple[tuple[str, ...], str]] = {}
        for run in self._client.search_runs(
            list(tags), "tags.kind = 'search'", max_results=most, order_by=["start_time DESC"]
        ):
            key = search_view(run.data.tags["search_uid"])
            if view_tag(key) in tags[run.info.experiment_id]:
                views.setdefault(run.info.run_name, ((run.info.experiment_id,), key))
        whole = {each.name: ((each.experiment_id,), WHOLE_VIEW) for each in found}
        listed = tuple(each for each, own in tags.items() if view_tag(SEARCHES_VIEW) in own)
        if len(views) > 1 and listed:
            # The view is that of the first experiment, and the same in all.
            views = {"all searches": (listed, SEARCHES_VIEW), **views}
        return views | whole

    def recorded(self, parent: str) -> int:
        """How many trials of the search are in the store."""
        return len(self._children[parent])

    def _experiment(self, search: SearchEntry) -> str:
        name = search.experiment
        if name in self._experiments:
            return self._experiments[name]
        found = self._client.get_experiment_by_name(name)
        if found is None:
            artifacts = self._store.artifacts
            location = (
                None if artifacts is None else (artifacts / as_file_name(search.dataset)).as_uri()
            )
            experiment: str = self._client.create_experiment(name, artifact_location=location)
        else:
            experiment = found.experiment_id
            if found.lifecycle_stage == "deleted":
                self._client.restore_experiment(experiment)
        tags = {
            # where searches differ in their metric, that of the latest one
            view_tag(WHOLE_VIEW): trials_view(metric=search.metric),
            view_tag(SEARCHES_VIEW): searches_view(),
            "mlflow.experimentKind": "custom_model_development",
        }
        for key, value in tags.items():
            if found is None or found.tags.get(key) != value:
                self._client.set_experiment_tag(experiment, key, value)
        self._experiments[name] = experiment
        return experiment

    def _known(self, experiment: str, parent: str) -> dict[str, _Child]:
        """Uid -> run, for the trials of a search that the store has."""
        known: dict[str, _Child] = {}
        token = None
        while True:
            page = self._client.search_runs(
                [experiment],
                f"tags.`mlflow.parentRunId` = '{parent}'",
                max_results=1000,
                page_token=token,
            )
            for run in page:
                known[run.data.tags["trial_uid"]] = _Child(
                    run.info.run_id,
                    run.info.status,
                    run.info.run_name,
                    run.data.tags,
                    {k: v for k, v in run.data.metrics.items() if k in Mark.METRICS},
                )
            token = page.token
            if not token:
                return known

    def _unwritten(self, run_id: str, series: Iterable[Logged]) -> list[Logged]:
        """What of the series the store does not have: it would keep a point twice."""
        rows = list(series)
        known = {
            (name, point.value, point.step)
            for name in {name for name, _, _ in rows}
            for point in self._client.get_metric_history(run_id, name)
        }
        return [row for row in rows if row not in known]

    def _batch(
        self,
        run_id: str,
        metrics: Iterable[Logged],
        params: dict[str, str],
        tags: dict[str, str],
        at: int | None = None,
    ) -> None:
        from mlflow.entities import Metric as MlflowMetric
        from mlflow.entities import Param, RunTag

        when = int(time.time() * 1000) if at is None else at
        rows = [MlflowMetric(name, value, when, step) for name, value, step in metrics]
        self._client.log_batch(
            run_id,
            metrics=rows[:_BATCH],
            params=[Param(key, value) for key, value in params.items()],
            tags=[RunTag(key, value) for key, value in tags.items()],
        )
        for start in range(_BATCH, len(rows), _BATCH):
            self._client.log_batch(run_id, metrics=rows[start : start + _BATCH])

    def _input(self, run_id: str, dataset: str, digest: str) -> None:
        from mlflow.entities import Dataset, DatasetInput

        source = json.dumps({"name": dataset})
        entity = Dataset(name=dataset, digest=digest, source_type="l2p-search", source=source)
        self._client.log_inputs(run_id, datasets=[DatasetInput(entity, tags=[])])

    def _files(self, run_id: str, files: dict[str, bytes]) -> None:
        if not files:
            return
        # Named like the folders of searches: if this process is killed, the next one removes it.
        with tempfile.TemporaryDirectory(prefix=f"l2p-{os.getpid()}-") as folder:
            for name, content in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            self._client.log_artifacts(run_id, folder)


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)
