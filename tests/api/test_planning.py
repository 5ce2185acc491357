"""What a search is going to be: every default, every refusal, and what a resumed one keeps."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search import defaults
from l2p_search.api.arguments import space_of
from l2p_search.api.planning import Wanted, directory_of, make_plan
from l2p_search.config import DEFAULTS
from l2p_search.data.demo import demo_graph
from l2p_search.data.fresh_splits import fresh_rule
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_config
from l2p_search.errors import DataError, SearchError, SearchExistsError, UserError, in_shell
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, Race
from l2p_search.searching.running.coordinator import Coordinator
from tests.api.in_process import SPACE
from tests.searching.pretend import drive, searched, settings


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture
def existing(tmp_path: Path, small_graph: Graph) -> Journal:
    """Three trials of four seeds each on the small graph."""
    digest, goal = small_graph.digest, Goal(trials=3, confirm=7, ties=2)
    journal = searched(tmp_path / "searches" / "s", small_graph, goal, data_digest=digest, seeds=4)
    journal.close()
    return journal


def test_every_default_of_a_new_search_is_the_librarys(small_graph: Graph) -> None:
    plan = make_plan(small_graph, Wanted())
    assert plan.directory == Path("searches") / f"small-{defaults.SPACE}"
    assert plan.settings.space == space_of(defaults.SPACE)
    plan = make_plan(small_graph, Wanted(space=SPACE))  # it has no budget of its own
    assert (plan.recorded, plan.done) == (None, 0)
    chosen = plan.settings
    assert (chosen.dataset, chosen.data_digest) == ("small", small_graph.digest)
    assert chosen.base == default_config(small_graph)
    assert (chosen.seeds, chosen.sampler) == (defaults.SEEDS, defaults.SAMPLER)
    assert (chosen.seed, chosen.race) == (defaults.SAMPLER_SEED, None)
    assert plan.goal == Goal(
        trials=defaults.TRIALS,
        confirm=defaults.CONFIRM,
        ties=defaults.TIES,
        time_budget=None,
        controls=True,
        fresh_splits=fresh_rule(small_graph, defaults.CONFIRM),
    )
    assert not Path("searches").exists()  # a plan writes nothing


def test_a_space_goes_before_the_defaults_and_the_caller_before_the_space(
    small_graph: Graph,
) -> None:
    space = {**SPACE, "seeds": 3, "budget": {"trials": 7, "time": "2h"}}
    plan = make_plan(small_graph, Wanted(space=space))
    assert (plan.settings.seeds, plan.goal.trials, plan.goal.time_budget) == (3, 7, 7200.0)
    plan = make_plan(
        small_graph,
        Wanted(space=space, seeds=5, trials=9, time_budget="10m", confirm=0, confirm_ties=0),
    )
    assert (plan.settings.seeds, plan.goal.trials, plan.goal.time_budget) == (5, 9, 600.0)
    assert (plan.goal.confirm, plan.goal.ties) == (0, 0)


def test_there_are_never_more_trials_than_the_space_has(small_graph: Graph) -> None:
    assert make_plan(small_graph, Wanted(space=SPACE, trials=99)).trials == 24


def test_a_model_is_searched_in_its_own_space(small_graph: Graph) -> None:
    plan = make_plan(small_graph, Wanted(model="appnp"))
    assert plan.directory.name == "small-appnp"
    assert plan.settings.space == space_of("appnp")
    assert make_plan(small_graph, Wanted(model="l2s")).settings.space == space_of("paper-l2s")


def test_a_graph_is_named_in_any_case() -> None:
    plan = make_plan("DEMO", Wanted(space="smoke"))
    assert plan.directory.name == "demo-smoke"
    assert plan.graph.digest == demo_graph().digest
    assert plan.settings.base == DEFAULTS["heterophily"]


def test_a_search_is_found_by_its_name_else_by_graph_and_space_else_it_is_the_latest(
    existing: Journal, small_graph: Graph
) -> None:
    folder = Path("elsewhere")
    assert directory_of(None, Wanted(name="x", folder=folder), False) == folder / "x"
    assert directory_of("cora", Wanted(space="a/b.yaml"), False).name == "cora-b"
    own = space_of(SPACE)
    assert directory_of(small_graph, Wanted(space=own), False).name == "small-own"
    assert directory_of(None, Wanted(), True) == Path("searches") / "s"
    with pytest.raises(UserError, match="which graph"):
        directory_of(None, Wanted(), False)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"model": "gcn", "space": "paper"}, "space='paper': does not go with model"),
        ({"model": "gcn", "space": SPACE}, "space: does not go with model"),
        ({"model": "gnc"}, "unknown model 'gnc'; did you mean 'gcn'"),
        ({"space": "extended", "sampler": "grid"}, "take sampler='tpe'"),
        ({"time_budget": "soon"}, "time_budget: 'soon' is no duration"),
        ({"time_budget": -1}, "time_budget=-1: must be a number above 0"),
        ({"name": "a/b"}, "name 'a/b': must be the name of a folder"),
        ({"trials": 0}, "trials=0: must be a whole number of at least 1"),
        ({"register": "a/b"}, "register: 'a/b' must be a name that MLflow's registry takes"),
        ({"champion": True}, "champion=True: is an alias of a registered model; give its name"),
        ({"register": "x", "confirm": 0}, "register='x': the model is that of the fresh seeds"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_anything_is_written(
    wanted: dict[str, Any], says: str, small_graph: Graph
) -> None:
    with pytest.raises(UserError) as error:
        make_plan(small_graph, Wanted(**wanted))
    assert says in str(error.value)
    assert "--" not in str(error.value)
    assert "\n" not in str(error.value)
    assert not Path("searches").exists()


def test_an_existing_search_is_not_continued_by_accident(
    existing: Journal, small_graph: Graph
) -> None:
    with pytest.raises(SearchExistsError) as error:
        make_plan(small_graph, Wanted(name="s"))
    assert str(error.value) == (
        "search 's' exists, with 3 trials; add resume=True to continue it, or search under another"
        " name"
    )
    assert "add --resume to continue it" in in_shell(error.value.message)


def test_a_resumed_search_keeps_what_it_began_with(existing: Journal, small_graph: Graph) -> None:
    plan = make_plan(small_graph, Wanted(name="s"), resume=True)
    assert (plan.settings, plan.goal) == (existing.settings, existing.goal)
    assert (plan.done, plan.trials) == (3, 3)
    assert plan.recorded is not None
    assert plan.recorded.uid == existing.uid


def test_a_resumed_search_may_go_further(existing: Journal, small_graph: Graph) -> None:
    plan = make_plan(small_graph, Wanted(name="s", trials=8, confirm_ties=0), resume=True)
    assert plan.goal == Goal(trials=8, confirm=7, ties=0)


def test_a_resumed_search_registers_its_model_as_before(
    existing: Journal, small_graph: Graph
) -> None:
    named = Wanted(name="s", register="small", champion=True)
    goal = make_plan(small_graph, named, resume=True).goal
    assert (goal.register, goal.champion) == ("small", True)
    journal = Journal.resume(existing.directory)
    journal.begin(goal, {})
    journal.close()
    again = make_plan(small_graph, Wanted(name="s", trials=8), resume=True).goal
    assert again == Goal(trials=8, confirm=7, ties=2, register="small", champion=True)
    other = Wanted(name="s", register="other", champion=False)
    goal = make_plan(small_graph, other, resume=True).goal
    assert (goal.register, goal.champion) == ("other", False)


def test_what_is_given_again_may_agree(existing: Journal, small_graph: Graph) -> None:
    again = Wanted(name="s", seeds=4, sampler="tpe", seed=0, race=False, space=SPACE)
    assert make_plan(small_graph, again, resume=True).done == 3


@pytest.mark.parametrize(
    ("race", "rule"), [(True, "halving"), (False, None), ("paired", "paired")]
)
def test_a_race_has_a_rule_and_is_asked_for_again_with_or_without_it(
    race: bool | Race, rule: Race | None, tmp_path: Path, small_graph: Graph
) -> None:
    wanted = Wanted(name="raced", race=race, space=SPACE, sampler="random")
    begun = make_plan(small_graph, wanted).settings
    assert begun.race == rule
    Journal.create(tmp_path / "searches" / "raced", begun).close()
    for again in (None, race, rule, bool(rule)):
        plan = make_plan(small_graph, Wanted(name="raced", race=again), resume=True)
        assert plan.settings.race == rule
    with pytest.raises(SearchError, match=f"began with {rule or False}; leave it out"):
        make_plan(small_graph, Wanted(name="raced", race=not rule), resume=True)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"seeds": 5}, "seeds=5: search 's' began with 4; leave it out"),
        ({"sampler": "gp"}, "sampler='gp': search 's' began with tpe"),
        ({"seed": 3}, "seed=3: search 's' began with 0"),
        ({"race": True}, "race=True: search 's' began with False"),
        ({"space": "paper"}, "space='paper': is not the space that search 's' began with"),
        ({"space": Path("search.yaml")}, "space='search.yaml': is not the space that"),
        ({"space": {"K": {"choices": [1, 2]}}}, "space: is not the space that search 's' began"),
        ({"model": "gcn"}, "model='gcn': is not the space that search 's' began with"),
    ],
)
def test_what_a_search_began_with_cannot_change(
    existing: Journal, wanted: dict[str, Any], says: str, small_graph: Graph
) -> None:
    Path("search.yaml").write_text("K: {choices: [1, 2]}\n")
    with pytest.raises(SearchError) as error:
        make_plan(small_graph, Wanted(name="s", **wanted), resume=True)
    assert str(error.value).startswith(says)
    assert "--" not in str(error.value)
    assert len(str(error.value)) < 200


def test_another_graph_is_refused_by_the_name_of_the_argument(existing: Journal) -> None:
    with pytest.raises(SearchError) as error:
        make_plan("demo", Wanted(name="s"), resume=True)
    assert str(error.value).startswith("graph='demo': search 's' began with small")
    assert in_shell(error.value.message).startswith("--dataset demo: search 's' began with small")


def test_changed_data_is_refused(existing: Journal, small_graph: Graph) -> None:
    changed = replace(small_graph, x=2 * small_graph.x)
    with pytest.raises(SearchError, match="the data of small has changed since"):
        make_plan(changed, Wanted(name="s"), resume=True)


def test_a_graph_of_ones_own_has_to_be_given_again(existing: Journal) -> None:
    with pytest.raises(SearchError) as error:
        make_plan(None, Wanted(name="s"), resume=True)
    said = str(error.value)
    assert said == "search 's': its graph small was made in memory; give it again with graph"


def test_the_graph_of_a_search_is_found_again_as_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import networkx as nx

    monkeypatch.chdir(tmp_path)
    nx.write_graphml(nx.karate_club_graph(), tmp_path / "karate.graphml")
    wanted = Wanted(name="k", reading={"label": "club", "splits": "3x50/25/25"})
    plan = make_plan("karate.graphml", wanted)
    plan.open().close()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = make_plan(None, Wanted(name="k", folder=tmp_path / "searches"), resume=True)
    assert again.graph.digest == plan.graph.digest
    assert again.graph.num_splits == 3
    (tmp_path / "karate.graphml").rename(tmp_path / "moved.graphml")
    with pytest.raises(DataError, match=r"karate.graphml: no such file.*name it with graph"):
        make_plan(None, Wanted(name="k", folder=tmp_path / "searches"), resume=True)
    text = (tmp_path / "moved.graphml").read_text().replace("Officer", "Mr. Hi", 1)
    (tmp_path / "karate.graphml").write_text(text)
    with pytest.raises(SearchError, match=r"the data of .*karate.graphml has changed since"):
        make_plan(None, Wanted(name="k", folder=tmp_path / "searches"), resume=True)


def test_a_misspelt_search_gets_the_nearest_name(existing: Journal) -> None:
    with pytest.raises(SearchError, match="no search 'ss' in searches; did you mean 's'"):
        make_plan(None, Wanted(name="ss"), resume=True)


def test_open_begins_a_search_or_continues_it(small_graph: Graph) -> None:
    journal = make_plan(small_graph, Wanted(name="new", space=SPACE, trials=2)).open()
    goal = Goal(trials=2, confirm=0)
    journal.begin(goal, {})
    drive(Coordinator(journal, goal), small_graph)
    journal.close()
    plan = make_plan(small_graph, Wanted(name="new"), resume=True)
    again = plan.open()
    assert [record.number for record in again.records()] == [0, 1]
    with pytest.raises(SearchError, match="is being run by process"):
        plan.open()
    again.close()


def test_a_journal_without_a_goal_is_planned_with_the_defaults(
    tmp_path: Path, small_graph: Graph
) -> None:
    """It was killed between its settings and its first invocation."""
    Journal.create(
        tmp_path / "searches" / "killed", settings(data_digest=small_graph.digest)
    ).close()
    plan = make_plan(small_graph, Wanted(name="killed"), resume=True)
    assert plan.goal == Goal(trials=defaults.TRIALS, confirm=defaults.CONFIRM, ties=defaults.TIES)


def test_controls_and_fresh_splits_can_be_left_out_and_asked_for_again(
    tmp_path: Path, small_graph: Graph
) -> None:
    wanted = Wanted(space=SPACE, folder=tmp_path, name="s", controls=False, fresh_splits=False)
    plan = make_plan(small_graph, wanted)
    assert (plan.goal.controls, plan.goal.fresh_splits) == (False, None)
    with closing(plan.open()) as journal:
        journal.begin(plan.goal, {})
    again = make_plan(small_graph, Wanted(folder=tmp_path, name="s"), resume=True)
    assert (again.goal.controls, again.goal.fresh_splits) == (False, None)
    asked = Wanted(folder=tmp_path, name="s", controls=True, fresh_splits=True, confirm=3)
    again = make_plan(small_graph, asked, resume=True)
    assert again.goal.controls
    assert again.goal.fresh_splits == fresh_rule(small_graph, 3)


def test_splits_by_time_are_not_drawn_anew_and_the_plan_says_so(
    tmp_path: Path, small_graph: Graph
) -> None:
    by_time = replace(small_graph, about=replace(small_graph.about, split_rule="temporal:year"))
    goal = make_plan(by_time, Wanted(space=SPACE, folder=tmp_path)).goal
    assert goal.fresh_splits is None
    assert goal.no_fresh_splits == "splits by time cannot be drawn anew"


def test_a_search_stays_sealed_or_open_as_it_began(existing: Journal, small_graph: Graph) -> None:
    assert make_plan(small_graph, Wanted(name="t", space=SPACE, sealed=True)).settings.sealed
    assert not make_plan(small_graph, Wanted(name="s"), resume=True).settings.sealed
    with pytest.raises(SearchError, match="sealed=True: search 's' began with False"):
        make_plan(small_graph, Wanted(name="s", sealed=True), resume=True)


def test_edges_that_moved_are_named_without_the_nodes(tmp_path: Path) -> None:
    rows = [f"{node},{node % 2},{node % 5}" for node in range(30)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,label,age", *rows]))
    pairs = [f"{node},{node + 1}" for node in range(29)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *pairs]))
    wanted = Wanted(name="own", reading={"edges": "edges.csv"})
    plan = make_plan("nodes.csv", wanted)
    plan.open().close()
    (tmp_path / "edges.csv").rename(tmp_path / "links.csv")
    with pytest.raises(DataError) as error:
        make_plan(None, Wanted(name="own"), resume=True)
    said = in_shell(error.value.message)
    assert f"{tmp_path / 'edges.csv'}: no such file" in said
    assert said.endswith("if the file was moved, name it with --dataset and --edges")
    for name in ("own", None):
        moved = Wanted(name=name, reading={"edges": "links.csv"})
        assert make_plan(None, moved, resume=True).graph.digest == plan.graph.digest
    other = Wanted(name="own", reading={"edges": "links.csv", "splits": "2x50/25/25"})
    with pytest.raises(SearchError, match="has changed since"):
        make_plan(None, other, resume=True)


def test_all_files_of_a_graph_that_changed_are_named(tmp_path: Path) -> None:
    rows = [f"{node},{node % 2},{node % 5}" for node in range(30)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,label,age", *rows]))
    pairs = [f"{node},{node + 1}" for node in range(29)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *pairs]))
    plan = make_plan("nodes.csv", Wanted(name="own", reading={"edges": "edges.csv"}))
    plan.open().close()
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *pairs[:-1]]))
    with pytest.raises(SearchError) as error:
        make_plan(None, Wanted(name="own"), resume=True)
    both = f"{tmp_path / 'nodes.csv'} and {tmp_path / 'edges.csv'}"
    assert f"the data of {both} has changed since" in str(error.value)
