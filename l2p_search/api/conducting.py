"""Running planned searches: with a display, a copy in MLflow, and a way to stop in good order."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

from l2p_search import defaults
from l2p_search.api.arguments import check
from l2p_search.api.estimating import trials_at_once
from l2p_search.api.exporting import write_best
from l2p_search.api.needs import check_search_fits
from l2p_search.api.planning import Plan
from l2p_search.api.recording import Tracking, tracking
from l2p_search.caller import left_as_found
from l2p_search.data.catalogue import DATASETS
from l2p_search.display.choosing import Display, Shown, display_of, together_of
from l2p_search.display.live import PlainLines
from l2p_search.display.panel import Subject
from l2p_search.display.phrases import count
from l2p_search.display.together import Together
from l2p_search.errors import UserError, argument, either, in_python
from l2p_search.masking import masked
from l2p_search.progress import Event, Snapshot
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import Outcome, read_outcome
from l2p_search.searching.records.versions import versions
from l2p_search.searching.running.cluster import Resources
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.first_worker import FirstWorker
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.searching.running.parts import divided_for
from l2p_search.searching.running.placement import settled
from l2p_search.searching.running.pool import Job
from l2p_search.searching.running.run import Finish, begin_search, run_jobs, run_search
from l2p_search.training.machine import machine

_MOST_HASHED = 50_000_000
"""Values of features up to which a graph's content is hashed: a second or so."""
_MOST_CLASSES = 100
"""Classes up to which their names are noted."""


@dataclass(frozen=True, kw_only=True)
class Means:
    """How searches run, whatever they search.

    Attributes:
        resources: What trials run on.
        memory_gb: Memory per trial, which bounds how many seeds train at once.
        tracking: Whether and where MLflow gets a copy.
        shown: The display: "auto", "off", or the caller's own object.
        stop: Ends the searches in good order when it is set, from any thread. Without one, Ctrl-C
            does that.
        command: What the journal notes as the origin of the invocation.
        words: Turns a message for the caller into the caller's language, Python or shell.
        keep_model: Whether a search keeps the confirmed seeds of its winner as a model.
        part: Which of several searches this is, for its display, such as "model 2 of 4".
        first_worker: Trains while Ray starts, where the caller has started it already.

    Raises:
        UserError: A value that nothing can run with.
    """

    resources: Resources = field(default_factory=Resources)
    memory_gb: float = defaults.MEMORY_GB
    tracking: Tracking = field(default_factory=Tracking)
    shown: Shown = "auto"
    stop: threading.Event | None = None
    command: str = ""
    words: Callable[[str], str] = in_python
    keep_model: bool = False
    part: str = ""
    first_worker: FirstWorker | None = None

    def __post_init__(self) -> None:
        """Refuse values that nothing can run with."""
        check(
            memory_gb=self.memory_gb,
            concurrency=self.resources.concurrency,
            cpus_per_trial=self.resources.cpus_per_trial,
            device=self.resources.device,
            gpus_per_trial=self.resources.gpus_per_trial,
            address=self.resources.address,
            tracking=self.tracking.on,
            tracking_uri=self.tracking.uri,
            display=self.shown,
            stop=self.stop,
            keep_model=self.keep_model,
        )

    def told(self, name: str) -> Callable[[str], None]:
        """Where remarks on several searches go: to the caller's display, or to stderr."""
        if self.shown == "off":
            return lambda text: None
        if self.shown != "auto":
            display = self.shown
            return lambda text: display.note(self.words(text))
        # This stderr itself: what Ray prints to it meanwhile is sent elsewhere.
        lines = PlainLines(Subject(name, []), sys.stderr)
        return lambda text: lines.note(self.words(text))

    @property
    def provenance(self) -> dict[str, Any]:
        """What a journal notes about an invocation."""
        return {
            "command": masked(self.command),
            "device": self.resources.device,
            "machine": machine(self.resources.cpus_per_trial),
        }


def conduct(plan: Plan, means: Means) -> Finish:
    """Run one search, from its beginning or from where it stands, and write its best.yaml.

    Args:
        plan: The search.
        means: How it runs.

    Returns:
        How it ended, with what it has found.

    Raises:
        UserError: A model is to be registered, and none is to be kept.
        SearchError: The search cannot be run, its trials do not fit into memory, or its folder
            cannot be written.
        KeyboardInterrupt: Ctrl-C was pressed and `means.stop` was not given. The search ended in
            good order and can be resumed.
    """
    if plan.goal.register is not None and not means.keep_model:
        raise UserError(
            f"{argument('register', plan.goal.register)}: there is no model to register with"
            f" {either('keep_model=False', '--no-model')}; leave that out"
        )
    means = replace(means, resources=settled(means.resources))
    means.tracking.check()
    with left_as_found(), _stoppable(means.stop) as stop:
        _check_fits(plan, means)
        journal = plan.open()
        try:
            return _conduct(plan, journal, means, stop)
        finally:
            journal.close()


def _check_fits(plan: Plan, means: Means) -> None:
    """Refuse trials that do not fit into this machine; those of a cluster run elsewhere."""
    resources = means.resources
    if resources.address is None and plan.done < plan.trials:
        at_once = trials_at_once(resources.concurrency, resources.cpus_per_trial)
        check_search_fits(plan.graph, plan.settings, at_once=at_once, memory_gb=means.memory_gb)


def _conduct(plan: Plan, journal: Journal, means: Means, stop: threading.Event) -> Finish:
    settings = plan.settings
    subject = Subject(
        journal.directory.name,
        list(settings.space.dimensions),
        settings.race is not None,
        what=f"{count(plan.trials, 'trial')} x {count(settings.seeds, 'seed')} on"
        f" {settings.dataset}, space {settings.space.name}",
        part=means.part,
        tracked=means.tracking.on,
    )
    with display_of(means.shown, subject, stop) as display:
        _note_other_versions(journal, display)
        if plan.recorded is None and plan.graph.name not in DATASETS:
            display.note(plan.graph.describe())
        if plan.weights_note is not None:
            display.note(plan.weights_note)

        def note(text: str) -> None:
            display.note(means.words(text))

        with tracking(journal, means.tracking, note) as record:

            def on_event(event: Event, snapshot: Snapshot) -> None:
                display.update(event, snapshot)
                record(event)

            finish = run_search(
                journal,
                plan.graph,
                plan.goal,
                means.resources,
                provenance=_noted(plan, means),
                memory_gb=means.memory_gb,
                on_event=on_event,
                stop=stop,
                keeper=_keeper(plan, means, note),
                first=means.first_worker,
            )
            # Before MLflow is told the end, for which figures are drawn and importance computed.
            if not finish.interrupted:
                write_best(journal, finish.outcome)
            return finish


def conduct_together(
    plans: Sequence[Plan],
    means: Means,
    *,
    on_begin: Callable[[Plan], None] = lambda plan: None,
    on_end: Callable[[Plan, Outcome], None] = lambda plan, outcome: None,
) -> bool:
    """Run several searches on the same workers, each opened when its turn comes.

    Args:
        plans: The searches, in the order in which they are begun.
        means: How they run. A display of the caller's own is not told events.
        on_begin: Is called when a search begins.
        on_end: Is called when a search has ended, with what it found.

    Returns:
        Whether they were stopped before the end.

    Raises:
        SearchError: One of the searches cannot be run; the others are stopped in good order.
        KeyboardInterrupt: As of `conduct`.
    """
    means = replace(means, resources=settled(means.resources))
    means.tracking.check()
    with left_as_found(), _stoppable(means.stop) as stop:
        for plan in plans:
            _check_fits(plan, means)
        with together_of(means.shown, len(plans), stop) as display:
            jobs = [_job(plan, means, display, on_begin, on_end) for plan in plans]
            return run_jobs(jobs, means.resources, memory_gb=means.memory_gb, stop=stop)


def _noted(plan: Plan, means: Means) -> dict[str, Any]:
    """What a journal notes about an invocation, and by what its graph is told from others."""
    small = plan.graph.x.numel() <= _MOST_HASHED
    content: dict[str, Any] = {"node_digest": plan.graph.node_digest} if small else {}
    content["graph"] = plan.graph.describe()
    names = plan.graph.about.class_names
    if names is not None and len(names) <= _MOST_CLASSES:
        content["classes"] = list(names)
    return {**means.provenance, **content}


def _job(
    plan: Plan,
    means: Means,
    display: Together,
    on_begin: Callable[[Plan], None],
    on_end: Callable[[Plan, Outcome], None],
) -> Job:
    until_the_end = ExitStack()
    opened: list[Journal] = []
    name = plan.directory.name

    def begin() -> Coordinator:
        on_begin(plan)
        journal = plan.open()
        opened.append(journal)

        def on_event(event: Event, snapshot: Snapshot) -> None:
            display.update(name, snapshot)
            record(event)

        until_the_end.callback(journal.close)
        record = until_the_end.enter_context(tracking(journal, means.tracking, lambda text: None))
        return begin_search(
            journal,
            plan.goal,
            _noted(plan, means),
            on_event,
            _keeper(plan, means, lambda text: None),
            divided_for(plan.graph, means.memory_gb, means.resources.device),
        )

    def end(coordinator: Coordinator) -> None:
        display.ended(name)
        with display.aside():
            on_end(plan, read_outcome(opened[0]))
        until_the_end.close()

    # These propose and train the same whatever was found: several trials may run at once.
    any_order = plan.settings.sampler in ("grid", "random") and not plan.settings.race
    return Job(graph=plan.graph, any_order=any_order, begin=begin, end=end)


def _keeper(plan: Plan, means: Means, told: Callable[[str], None]) -> ModelKeeper | None:
    if not means.keep_model:
        return None
    if plan.goal.confirm == 0:
        told(f"no model is kept, as nothing is confirmed; ask for it with {argument('confirm')}")
        return None
    return ModelKeeper(plan.directory, plan.graph, told)


@contextmanager
def _stoppable(given: threading.Event | None) -> Iterator[threading.Event]:
    """The event that ends a search in good order: the caller's own, or one that Ctrl-C sets.

    After the first Ctrl-C the search ends in good order, and then KeyboardInterrupt is raised. The
    second Ctrl-C raises it at once.
    """
    if given is not None:
        yield given
        return
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
    if stop.is_set():
        raise KeyboardInterrupt


def _note_other_versions(journal: Journal, display: Display) -> None:
    """Tell that the search began with other versions of packages: its numbers may differ."""
    now = versions()
    for began in journal.invocations[:1]:
        for package, version in began.get("versions", {}).items():
            if now.get(package) != version:
                display.note(
                    f"note: search '{journal.directory.name}' began with {package} {version},"
                    f" this is {now.get(package)}; numbers may differ"
                )
