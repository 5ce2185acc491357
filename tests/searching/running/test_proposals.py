import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from optuna.samplers import BaseSampler, RandomSampler

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running import proposals
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.proposals import Proposer
from l2p_search.searching.running.samplers import fixed_sampler, seed_of
from l2p_search.searching.space.axes import Axes
from l2p_search.searching.space.search_space import Choices, Range, SearchSpace
from l2p_search.searching.space.shipped import load_space
from l2p_search.searching.space.space_file import parse_space
from l2p_search.trial_record import TrialRecord
from tests.searching.pretend import SPACE, begin, outcomes, searched

ALL = SPACE.size or 0
_RANGES = SearchSpace(
    "ranges",
    {
        "lr": Range(1e-3, 0.1, log=True),
        "K": Range(2, 64, log=True, whole=True),
        "dropout": Range(0.0, 0.8, step=0.2),
        "posterior": Choices(("quit", "select")),
    },
    {},
)


def _propose(
    journal: Journal,
    count: int,
    *,
    anew: bool = False,
    begun: dict[str, TrialRecord] | None = None,
) -> tuple[list[TrialConfig], dict[str, TrialRecord]]:
    """Configurations one after another, all running; `anew` as if resumed before each."""
    known: dict[str, TrialRecord] = dict(begun or {})
    proposer = Proposer(journal, journal.settings)
    for number in range(len(known), count):
        if anew:
            proposer = Proposer(journal, journal.settings)
        config = proposer.propose(number, known)
        assert config is not None
        assert config.config_id not in known
        known[config.config_id] = TrialRecord(
            number=number, status=TrialStatus.RUNNING, config=config
        )
    return [record.config for record in known.values()], known


def test_the_papers_space_has_432_configurations_and_each_is_proposed_once(
    tmp_path: Path,
) -> None:
    journal = begin(tmp_path / "s", space=load_space("paper"), sampler="random")
    _, known = _propose(journal, 432)
    assert len(known) == 432
    assert Proposer(journal, journal.settings).propose(432, known) is None


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid", "gp"])
def test_a_search_begins_with_the_start_of_its_space(
    sampler: str, tmp_path: Path, small_graph: Graph
) -> None:
    start = ({"K": 8, "dropout": 0.4}, {"K": 2, "dropout": 0.2, "lr": 0.01})
    space = replace(SPACE, start=start)
    goal = Goal(trials=6, confirm=0)
    journal = searched(tmp_path / "s", small_graph, goal, sampler=sampler, space=space)
    first, second, *_ = [record.config for record in journal.records()]
    begins = (first.K, first.dropout, second.K, second.dropout, second.lr)
    # A grid has an order of its own.
    assert (begins == (8, 0.4, 2, 0.2, 0.01)) == (sampler != "grid")
    assert len({record.config.config_id for record in journal.records()}) == 6


def test_a_start_that_is_given_twice_is_tried_once(tmp_path: Path) -> None:
    point = {"K": 8, "dropout": 0.4, "lr": 0.01}
    space = replace(SPACE, start=(point, point, {**point, "K": 2}))
    journal = begin(tmp_path / "s", space=space, sampler="random")
    (first, second, third), _ = _propose(journal, 3)
    assert (first.K, first.dropout, first.lr) == (8, 0.4, 0.01)
    assert second != first
    assert (third.K, third.dropout, third.lr) == (2, 0.4, 0.01)
    assert journal.proposals.settled == 4  # the repeated one was asked for once, and answered


def test_a_repeated_start_takes_none_of_the_samplers_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = {"K": 8, "dropout": 0.4, "lr": 0.01}
    journal = begin(tmp_path / "s", space=replace(SPACE, start=(point, point)))
    seeds: list[int] = []

    def stubborn(kind: str, seed: int, distributions: object) -> BaseSampler:
        seeds.append(seed)
        return fixed_sampler(Axes(SPACE).params(point), seed)

    monkeypatch.setattr(proposals, "learning_sampler", stubborn)
    (first, second), _ = _propose(journal, 2)
    assert second != first
    # Eight repeats of the sampler's own, from its first attempt on; then a point drawn at random.
    assert seeds == [seed_of(journal.settings.seed, 1, attempt) for attempt in range(8)]


def test_a_grid_has_every_point_once_in_an_order_that_the_seed_draws(tmp_path: Path) -> None:
    orders = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        journal = begin(tmp_path / name, sampler="grid", seed=seed)
        found, _ = _propose(journal, ALL)
        assert {config.config_id for config in found} == {
            journal.settings.config(SPACE.point(index)).config_id for index in range(ALL)
        }
        orders.append(found)
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_the_largest_grid_that_is_kept_in_memory_has_its_order_without_a_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_DRAWS", 0)
    monkeypatch.setattr(proposals, "_SHUFFLED", ALL)
    orders = []
    for name, sampler in (("a", "grid"), ("b", "random")):
        journal = begin(tmp_path / name, sampler=sampler)
        orders.append(_propose(journal, ALL)[0])
    in_the_file = [journal.settings.config(SPACE.point(index)) for index in range(ALL)]
    assert orders[0] != in_the_file
    assert orders[1] == in_the_file


def test_a_part_of_a_grid_sees_the_last_values_of_its_first_key(tmp_path: Path) -> None:
    """In the file's order the first key would keep its first value for most of the points."""
    first_key, dimension = next(iter(SPACE.dimensions.items()))
    values = dimension.enumerated() or ()
    assert len(values) >= 3
    unseen = 0
    for seed in range(30):
        journal = begin(tmp_path / str(seed), sampler="grid", seed=seed)
        found, _ = _propose(journal, ALL // 2)
        unseen += {getattr(config, first_key) for config in found} != set(values)
    assert unseen <= 3


def test_a_grid_that_was_begun_in_the_files_order_is_finished(tmp_path: Path) -> None:
    journal = begin(tmp_path / "s", sampler="grid")
    begun = {}
    for number in range(ALL // 2):
        config = journal.settings.config(SPACE.point(number))
        begun[config.config_id] = TrialRecord(
            number=number, status=TrialStatus.RUNNING, config=config
        )
    _, known = _propose(journal, ALL, begun=begun)
    assert len(known) == ALL
    assert Proposer(journal, journal.settings).propose(ALL, known) is None


@pytest.mark.parametrize("sampler", ["tpe", "random", "gp"])
def test_a_seed_fixes_the_sequence(sampler: str, tmp_path: Path, small_graph: Graph) -> None:
    goal = Goal(trials=12, confirm=0)  # TPE and GP draw the first ten at random
    first, again, other = (
        outcomes(searched(tmp_path / name, small_graph, goal, sampler=sampler, seed=seed))
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_a_proposal_depends_on_the_journal_alone(sampler: str, tmp_path: Path) -> None:
    through, _ = _propose(begin(tmp_path / "a", space=_RANGES, sampler=sampler), 12)
    resumed, _ = _propose(begin(tmp_path / "b", space=_RANGES, sampler=sampler), 12, anew=True)
    assert resumed == through


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
def test_nothing_is_asked_for_once_every_configuration_is_known(
    sampler: str, tmp_path: Path
) -> None:
    journal = begin(tmp_path / "s", sampler=sampler)
    _, known = _propose(journal, ALL)
    before = journal.proposals.settled
    assert Proposer(journal, journal.settings).propose(ALL, known) is None
    assert journal.proposals.settled == before


def test_whole_numbers_on_a_logarithmic_scale_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = SearchSpace("few", {"K": Range(2, 6, log=True, whole=True)}, {})
    journal = begin(tmp_path / "s", space=space, sampler="random")
    found, known = _propose(journal, 5)
    assert {config.K for config in found} == {2, 3, 4, 5, 6}

    def ask(*args: object) -> None:
        raise AssertionError("asked for a configuration that cannot be new")

    monkeypatch.setattr(journal.proposals, "ask", ask)
    assert Proposer(journal, journal.settings).propose(5, known) is None


def test_duplicates_are_answered_from_what_is_known_and_the_sampler_is_told(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(tmp_path / "s", small_graph, Goal(trials=ALL, confirm=0))
    trials = journal._stored.trials()
    answered = [trial for trial in trials if "duplicate_of" in trial.user_attrs]
    values = {record.number: record.objective for record in journal.records()}
    assert answered
    assert all(trial.value == values[trial.user_attrs["duplicate_of"]] for trial in answered)
    assert len(journal.records()) == ALL


@pytest.mark.parametrize("sampler", ["tpe", "random", "gp"])
def test_a_space_of_ranges_is_searched_without_repeats(
    sampler: str, tmp_path: Path, small_graph: Graph
) -> None:
    journal = searched(
        tmp_path / "s", small_graph, Goal(trials=15, confirm=0), space=_RANGES, sampler=sampler
    )
    configs = [record.config for record in journal.records()]
    assert len({config.config_id for config in configs}) == 15
    assert all(2 <= config.K <= 64 and 1e-3 <= config.lr <= 0.1 for config in configs)
    assert {config.dropout for config in configs} <= {0.0, 0.2, 0.4, 0.6, 0.8}


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_each_value_of_a_stepped_range_is_proposed_once(sampler: str, tmp_path: Path) -> None:
    space = SearchSpace("steps", {"dropout": Range(0.0, 0.8, step=0.2)}, {})
    journal = begin(tmp_path / "s", space=space, sampler=sampler)
    found, _ = _propose(journal, 5)
    assert sorted(config.dropout for config in found) == [0.0, 0.2, 0.4, 0.6, 0.8]


_EXCLUDING = {
    "heads": {"model": "gat", "hidden": {"choices": [7, 8, 12, 16]}, "heads": 8},
    "both": {"model": "gat", "hidden": {"choices": [6, 8]}, "heads": {"choices": [2, 3, 8]}},
    "encoder": {"encoder": {"choices": ["mlp", "linear"]}, "skip": {"choices": [0.0, 1.0]}},
    "range": {"model": "gat", "hidden": {"low": 8, "high": 24}, "heads": 8},
    "models": {"model": {"choices": ["gat", "gcn"]}, "hidden": {"choices": [7, 8]}},
}


def _possible(space: SearchSpace) -> set[str]:
    """The ids of all configurations, by trying every point."""
    found = set()
    for index in range(space.size or 0):
        with contextlib.suppress(ConfigError):
            found.add(space.config(space.point(index), TrialConfig()).config_id)
    return found


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
@pytest.mark.parametrize("name", _EXCLUDING)
def test_values_that_exclude_each_other_are_left_out_and_all_others_are_tried(
    name: str, sampler: str, tmp_path: Path, small_graph: Graph
) -> None:
    space = parse_space(name, {"lr": {"choices": [0.001, 0.01]}, **_EXCLUDING[name]})
    wanted = _possible(space)
    assert 0 < len(wanted) < (space.size or 0)
    journal = searched(
        tmp_path / "s", small_graph, Goal(trials=99, confirm=0), space=space, sampler=sampler
    )
    assert journal.settings.size == len(wanted)
    records = journal.records()
    assert {record.config.config_id for record in records} == wanted
    assert len(records) == len(wanted)
    assert all(record.status is TrialStatus.COMPLETE for record in records)


@pytest.mark.parametrize("sampler", ["tpe", "random", "grid"])
def test_nothing_is_proposed_once_all_points_but_impossible_ones_are_known(
    sampler: str, tmp_path: Path
) -> None:
    space = parse_space("heads", _EXCLUDING["heads"])
    journal = begin(tmp_path / "s", space=space, sampler=sampler)
    found, known = _propose(journal, 2)
    assert sorted(config.hidden for config in found) == [8, 16]
    assert Proposer(journal, journal.settings).propose(2, known) is None


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_values_of_an_endless_space_that_exclude_each_other_are_left_out(
    sampler: str, tmp_path: Path, small_graph: Graph
) -> None:
    mapping = {"lr": {"low": 0.001, "high": 0.1}, "model": "gat", "hidden": {"low": 8, "high": 24}}
    space = parse_space("endless", {**mapping, "start": {"hidden": 9}})
    journal = searched(
        tmp_path / "s", small_graph, Goal(trials=15, confirm=0), space=space, sampler=sampler
    )
    assert {record.config.hidden % 8 for record in journal.records()} == {0}
    assert len(journal.records()) == 15
    text = (tmp_path / "s" / "journal.log").read_text()
    assert "cannot be shared by heads=8; give a multiple" in text


def test_a_space_that_can_be_counted_on_a_logarithmic_scale_comes_to_an_end_too(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_HOPELESS", 60)
    mapping = {"model": "gat", "hidden": {"low": 8, "high": 18, "log": True}}
    seen: list[Coordinator] = []
    journal = searched(
        tmp_path / "s",
        small_graph,
        Goal(trials=9, confirm=0),
        space=parse_space("log", mapping),
        on_coordinator=seen.append,
    )
    assert sorted(record.config.hidden for record in journal.records()) == [8, 16]
    assert seen[0].fatal is None
    assert seen[0].exhausted


def test_an_endless_space_of_which_hardly_a_point_is_possible_is_given_up_with_the_reason(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "_HOPELESS", 20)
    mapping = {"model": "gat", "hidden": {"low": 9, "high": 15}, "lr": {"low": 0.001, "high": 0.1}}
    seen: list[Coordinator] = []
    searched(
        tmp_path / "s",
        small_graph,
        Goal(trials=9),
        space=parse_space("none", mapping),
        on_coordinator=seen.append,
    )
    assert "20 points in a row are impossible" in str(seen[0].fatal)
    assert "cannot be shared by heads=8" in str(seen[0].fatal)


@pytest.mark.parametrize(
    ("sampler", "asked"), [("tpe", {"tpe"}), ("gp", {"gp"}), ("random", set()), ("grid", set())]
)
def test_the_sampler_that_was_asked_for_proposes(
    sampler: str,
    asked: set[str],
    tmp_path: Path,
    small_graph: Graph,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds: list[str] = []

    def learning(kind: str, seed: int, distributions: object) -> RandomSampler:
        kinds.append(kind)
        return RandomSampler(seed)

    monkeypatch.setattr(proposals, "learning_sampler", learning)
    searched(tmp_path / "s", small_graph, Goal(trials=4, confirm=0), sampler=sampler).close()
    assert set(kinds) == asked
