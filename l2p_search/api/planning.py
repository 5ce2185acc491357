"""Planning a search: from what a caller asks for to settings and a goal."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from l2p_search import defaults
from l2p_search.api.arguments import SpaceLike, check, seconds, space_of
from l2p_search.api.edge_weights import weights_note
from l2p_search.api.graph_again import graph_again
from l2p_search.api.recorded_names import as_recorded
from l2p_search.config import TrialConfig
from l2p_search.data.catalogue import DATASETS
from l2p_search.data.fresh_splits import fresh_rule, with_fresh_splits
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import chosen_metric, default_config
from l2p_search.data.loading import load_graph
from l2p_search.data.own_names import earlier_name
from l2p_search.data.sources.named import is_known
from l2p_search.display.phrases import count
from l2p_search.errors import DataError, SearchError, SearchExistsError, UserError, argument
from l2p_search.metrics import MetricChoice
from l2p_search.results import TrialStatus
from l2p_search.searching.records.directory import find_search, search_directory, searches_folder
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, Race, Sampler, SearchSettings
from l2p_search.searching.space.shipped import space_of_model


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a caller asks of a search, with the arguments of `search`; None means "not given".

    It has no defaults of its own: those of a new search are in `defaults` and in its space, those
    of a resumed one in its journal.

    Raises:
        UserError: A value cannot be, or two of them exclude each other.
    """

    name: str | None = None
    folder: Path | None = None
    space: SpaceLike | None = None
    model: str | None = None
    trials: int | None = None
    seeds: int | None = None
    sampler: Sampler | None = None
    seed: int | None = None
    race: bool | Race | None = None
    metric: MetricChoice | None = None
    confirm: int | None = None
    confirm_ties: int | None = None
    time_budget: float | str | None = None
    register: str | None = None
    champion: bool | None = None
    sealed: bool | None = None
    controls: bool | None = None
    fresh_splits: bool | None = None
    data_dir: Path | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `load_graph`, such as `label`."""

    def __post_init__(self) -> None:
        """Refuse values that no search can have."""
        check(
            name=self.name,
            model=self.model,
            trials=self.trials,
            seeds=self.seeds,
            seed=self.seed,
            confirm=self.confirm,
            confirm_ties=self.confirm_ties,
            sampler=self.sampler,
            race=self.race,
            metric=self.metric,
            register=self.register,
            champion=self.champion,
            sealed=self.sealed,
            controls=self.controls,
            fresh_splits=self.fresh_splits,
        )
        for name, given in (("space", self.space), ("model", self.model)):
            if given == "":
                raise UserError(f"{argument(name)}: is empty; name one, or leave it out")
        seconds("time_budget", self.time_budget)
        if self.model is not None and self.space is not None:
            raise UserError(
                f"{_named_space(self.space)}: does not go with {argument('model')}, which has its"
                " own"
            )


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A search that is ready to run.

    Attributes:
        directory: The folder of its journal.
        graph: The graph that is searched on.
        settings: What cannot change any more once the search has begun.
        goal: How far this invocation goes.
        recorded: The journal of the search that is resumed; None for a new search.
    """

    directory: Path
    graph: Graph
    settings: SearchSettings
    goal: Goal
    recorded: Journal | None = None

    @property
    def trials(self) -> int:
        """How many trials the search will have: the goal, unless the space has fewer."""
        return self.settings.at_most(self.goal.trials)

    @property
    def done(self) -> int:
        """How many trials have a result already."""
        if self.recorded is None:
            return 0
        return sum(record.result is not None for record in self.recorded.records())

    @property
    def weights_note(self) -> str | None:
        """One line on the weights of edges that a model of the space does not use."""
        configs = [self.settings.typical_config()]
        for key in ("model", "backbone"):
            dimension = self.settings.space.dimensions.get(key)
            values = () if dimension is None else dimension.enumerated() or ()
            configs += [TrialConfig.recorded({key: value}) for value in values]
        return weights_note(self.graph, configs)

    def open(self) -> Journal:
        """Begin or resume the search on disk.

        Returns:
            Its journal, open for writing; whoever calls this has to close it.

        Raises:
            SearchError: Another process writes to it, or the folder cannot be written.
        """
        if self.recorded is None:
            return Journal.create(self.directory, self.settings)
        return Journal.resume(self.directory)


def make_plan(graph: Any, wanted: Wanted, *, resume: bool = False) -> Plan:
    """Turn what is asked for into a search that can run; nothing is written.

    Args:
        graph: What `load_graph` takes; None for the graph of the search that is resumed.
        wanted: What was asked for.
        resume: Whether a recorded search of that name is continued.

    Returns:
        The plan, with every default filled in.

    Raises:
        SearchExistsError: The search is recorded, and `resume` is False.
        SearchError: There is no search to resume, or it began with other settings.
        UserError: Something that was asked for cannot be.
    """
    check(resume=resume)
    if graph is None and resume and wanted.reading:
        graph, wanted = _source_before(wanted)
    if isinstance(graph, str) and graph.lower() in DATASETS and not wanted.reading:
        graph = graph.lower()  # loaded when it is known to be needed
    elif graph is not None:
        reading = _reading(graph, wanted) if resume else wanted.reading
        graph = load_graph(graph, data_dir=wanted.data_dir, **reading)
    if isinstance(graph, Graph) and wanted.name is None:
        graph = as_recorded(graph, lambda name: [directory_of(name, wanted, resume)])
    directory = directory_of(graph, wanted, resume)
    if not Journal.exists(directory):
        if graph is None:
            find_search(directory.parent, directory.name)  # raises, with the names there are
            Journal.read(directory)  # raises: the search never began
        return _new(directory, graph, wanted)
    recorded = Journal.read(directory)
    if not resume:
        records, goal = recorded.records(), recorded.goal
        most = wanted.trials or (len(records) + 1 if goal is None else goal.trials)
        raise SearchExistsError(
            f"search '{directory.name}' exists, with {count(len(records), 'trial')}; add"
            f" {argument('resume', True)} to continue it, or search under another"
            f" {argument('name')}",
            finished=sum(record.status is not TrialStatus.RUNNING for record in records) >= most,
        )
    return _continued(recorded, graph, wanted)


def _source_before(wanted: Wanted) -> tuple[str | None, Wanted]:
    """Where the graph of a resumed search was read from, and the search by its name.

    So a table of edges that moved can be named without the nodes, which are where they were.
    """
    directory = directory_of(None, wanted, resume=True)
    if not Journal.exists(directory):
        return None, wanted
    request = Journal.read(directory).settings.graph
    source = None if request is None else str(request["source"])
    return source, replace(wanted, name=directory.name)


def _reading(graph: Any, wanted: Wanted) -> Mapping[str, Any]:
    """How a graph is read whose file has moved: as its search read it, and as is asked now."""
    if wanted.name is None or not isinstance(graph, str | Path) or is_known(str(graph)):
        return wanted.reading
    directory = search_directory(searches_folder(wanted.folder), wanted.name)
    if not Journal.exists(directory):
        return wanted.reading
    settings = Journal.read(directory).settings
    before = dict(settings.graph or {})
    if not before or is_known(str(before.pop("source"))):
        return wanted.reading
    for key in ("edges", "features"):
        if isinstance(before.get(key), str):
            beside = Path(graph).parent / Path(before[key]).name
            before[key] = str(beside) if beside.is_file() else before[key]
    return {**before, "name": settings.dataset, **wanted.reading}


def directory_of(graph: Graph | str | None, wanted: Wanted, resume: bool) -> Path:
    """The folder of a search: by its name, else by its graph and space, else the latest search.

    Args:
        graph: The graph or its name; None where only a name is given.
        wanted: What was asked for.
        resume: Whether a search is continued; only then the latest one may be meant.

    Returns:
        The folder, which need not exist.

    Raises:
        SearchError: The name cannot be a folder's, or there is no latest search.
        UserError: Neither a graph nor a name was given.
    """
    folder = searches_folder(wanted.folder)
    if wanted.name is not None:
        return search_directory(folder, wanted.name)
    if graph is not None:
        name = graph if isinstance(graph, str) else graph.name
        return search_directory(folder, f"{name}-{_space_word(wanted)}", made=True)
    if resume:
        return find_search(folder, None)
    raise UserError("which graph? Give one, such as 'demo'")


def _space_word(wanted: Wanted) -> str:
    if wanted.model is not None:
        return wanted.model
    if wanted.space is None or isinstance(wanted.space, (str, Path)):
        return Path(wanted.space or defaults.SPACE).stem
    return space_of(wanted.space).name


def _named_space(space: SpaceLike) -> str:
    """The argument `space` for a message; the content of a space would fill a page."""
    return argument("space", space) if isinstance(space, str | Path) else argument("space")


def _space(wanted: Wanted) -> SpaceLike | None:
    return wanted.space if wanted.model is None else space_of_model(wanted.model)


def _new(directory: Path, graph: Graph | str, wanted: Wanted) -> Plan:
    space = space_of(_space(wanted) or defaults.SPACE)
    loaded = load_graph(graph, data_dir=wanted.data_dir)
    settings = SearchSettings(
        dataset=loaded.name,
        data_digest=loaded.digest,
        space=space,
        base=default_config(loaded),
        seeds=wanted.seeds or space.seeds or defaults.SEEDS,
        sampler=wanted.sampler or defaults.SAMPLER,
        seed=defaults.SAMPLER_SEED if wanted.seed is None else wanted.seed,
        race=_rule(wanted.race),
        metric=chosen_metric(loaded, wanted.metric),
        graph=loaded.about.request,
        sealed=bool(wanted.sealed),
    )
    settings.check_possible()
    settings.check_new()
    goal = Goal(
        trials=wanted.trials or space.trials or defaults.TRIALS,
        confirm=defaults.CONFIRM if wanted.confirm is None else wanted.confirm,
        ties=defaults.TIES if wanted.confirm_ties is None else wanted.confirm_ties,
        time_budget=seconds("time_budget", wanted.time_budget) or space.time_budget,
        register=wanted.register,
        champion=bool(wanted.champion),
        controls=wanted.controls is not False,
    )
    goal = _with_fresh_splits(goal, loaded, wanted.fresh_splits is not False)
    _check_registered(goal)
    return Plan(directory=directory, graph=loaded, settings=settings, goal=goal)


def _rule(race: bool | Race | None) -> Race | None:
    """By which rule a new search races, if at all."""
    return defaults.RACE if race is True else race or None


def _rule_again(race: bool | Race | None, began: Race | None) -> bool | Race | None:
    """What is asked of a search that has begun; None where that leaves it as it is."""
    as_it_is = race is True if began else not race
    return None if as_it_is else race


def _continued(recorded: Journal, graph: Graph | str | None, wanted: Wanted) -> Plan:
    """The plan of a resumed search; settings that are given again must be those it began with."""
    settings, name = recorded.settings, recorded.directory.name
    if isinstance(graph, Graph) and earlier_name(graph.about.request) == settings.dataset:
        graph = replace(graph, name=settings.dataset)
    given = {
        "graph": (graph if graph is None or isinstance(graph, str) else graph.name),
        "seeds": wanted.seeds,
        "sampler": wanted.sampler,
        "seed": wanted.seed,
        "race": _rule_again(wanted.race, settings.race),
        "metric": None if wanted.metric == "auto" else wanted.metric,
        "sealed": wanted.sealed,
    }
    for key, now in given.items():
        began = settings.dataset if key == "graph" else getattr(settings, key)
        if now is not None and now != began:
            raise SearchError(
                f"{argument(key, now)}: search '{name}' began with"
                f" {False if began is None else began}; leave it out to continue, or search under"
                f" another {argument('name')}"
            )
    space = _space(wanted)
    asked = settings.space if space is None else space_of(space)
    if (asked.dimensions, asked.fixed) != (settings.space.dimensions, settings.space.fixed):
        by_model = wanted.space is None
        one = argument("model", wanted.model) if by_model else _named_space(wanted.space or "")
        raise SearchError(
            f"{one}: is not the space that search '{name}' began with; leave it out to continue,"
            f" or search under another {argument('name')}"
        )
    loaded = graph_again(settings, name, graph, wanted.data_dir)
    settings.check_possible()
    before = recorded.goal or Goal(trials=settings.space.trials or defaults.TRIALS)
    goal = Goal(
        trials=wanted.trials or before.trials,
        confirm=before.confirm if wanted.confirm is None else wanted.confirm,
        ties=before.ties if wanted.confirm_ties is None else wanted.confirm_ties,
        time_budget=seconds("time_budget", wanted.time_budget),
        register=before.register if wanted.register is None else wanted.register,
        champion=before.champion if wanted.champion is None else wanted.champion,
        controls=before.controls if wanted.controls is None else wanted.controls,
    )
    redrawn = before.fresh_splits is not None or before.no_fresh_splits is not None
    asked_splits = redrawn if wanted.fresh_splits is None else wanted.fresh_splits
    goal = _with_fresh_splits(goal, loaded, asked_splits)
    _check_registered(goal)
    return Plan(
        directory=recorded.directory,
        graph=loaded,
        settings=settings,
        goal=goal,
        recorded=recorded,
    )


def _with_fresh_splits(goal: Goal, graph: Graph, asked: bool) -> Goal:
    """The goal with the rule of fresh splits, or with why there can be none."""
    if not asked or not goal.confirm:
        return goal
    try:
        rule = fresh_rule(graph, goal.confirm)
        with_fresh_splits(graph, rule)
    except DataError as error:
        return replace(goal, no_fresh_splits=error.message)
    return replace(goal, fresh_splits=rule)


def _check_registered(goal: Goal) -> None:
    """Refuse what could not be registered at the end, before anything is computed."""
    if goal.champion and goal.register is None:
        raise UserError(
            f"{argument('champion', True)}: is an alias of a registered model; give its name with"
            f" {argument('register')}"
        )
    if goal.register is not None and not goal.confirm:
        raise UserError(
            f"{argument('register', goal.register)}: the model is that of the fresh seeds, and"
            f" {argument('confirm', 0)} leaves none; confirm on some"
        )
