"""A recorded trial trained again; and what does not change a seed's result."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from l2p_search.api.reproducing import reproduce
from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.results import TrialResult
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.space_file import parse_space
from l2p_search.training.fit import fit
from l2p_search.training.machine import machine
from tests.searching.pretend import drive

_SPACE = parse_space(
    "tiny",
    {"K": {"choices": [2, 3]}, "dropout": {"choices": [0.2, 0.5]}, "hidden": 8, "epochs": 8},
)

_Scores = dict[int, tuple[object, ...]]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return demo_graph()


@pytest.fixture(scope="module", params=[None, "halving", "paired"])
def folder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, graph: Graph
) -> Path:
    """A search of real trainings, without Ray."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("searches")
    settings = SearchSettings(
        dataset="demo",
        data_digest=graph.digest,
        space=_SPACE,
        base=TrialConfig(),
        seeds=6,
        sampler="random",
        seed=0,
        race=request.param,
    )
    journal = Journal.create(folder / "s", settings)
    goal = Goal(trials=3, confirm=0)
    journal.begin(goal, {"machine": machine(threads=1)})
    drive(Coordinator(journal, goal), graph, fit)
    journal.close()
    return folder


def test_every_trial_comes_back_to_the_last_bit_from_the_journal(folder: Path) -> None:
    for number in range(3):
        found = reproduce("s", number, folder=folder)
        assert found.equal, found.differing
        assert not found.elsewhere
        assert len(found.again.seeds) == len(found.recorded.seeds) > 0


def test_without_a_number_it_is_the_best_trial(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "s", "--dir", str(folder)]) == 0
    best = reproduce("s", folder=folder).number
    assert f"trial {best} of s, 6 seeds: equal to the last bit" in capsys.readouterr().out


def test_what_differs_is_told_with_how_much_and_what_else_is_not_as_it_was(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s").mkdir()
    text = (folder / "s" / "journal.log").read_text()
    lines = text.splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if '{"outcome":' in line)
    entry = json.loads(lines[place])
    seeds = entry["user_attr"]["outcome"]["result"]["seeds"]
    seeds["val_loss"][1] += 1e-9
    lines[place] = json.dumps(entry) + "\n"
    changed = "".join(lines).replace(machine()["cpu"], "an older CPU")
    (tmp_path / "s" / "journal.log").write_text(changed)
    found = reproduce("s", 0, folder=tmp_path)
    assert list(found.differing) == [1]
    assert found.largest == {"val_loss": pytest.approx(1e-9, rel=1e-3)}
    assert found.elsewhere == {"cpu": ("an older CPU", machine()["cpu"])}
    assert main(["reproduce", "s:0", "--json", "--dir", str(tmp_path)]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["equal"], shown["differing_seeds"]) == (False, [1])


def test_a_trial_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(SearchError, match="has no trial 9; it has 3, counted from 0"):
        reproduce("s", 9, folder=folder)


_CONFIG = TrialConfig(K=4, hidden=16, epochs=15, patience=15, dropout=0.5)


def _scores(result: TrialResult) -> _Scores:
    return {s.seed: (s.best_epoch, s.val_loss, s.val, s.test) for s in result.seeds}


@pytest.fixture(scope="module")
def alone(graph: Graph) -> _Scores:
    """All seeds as one batch, on one thread."""
    torch.set_num_threads(1)
    return _scores(fit(graph, _CONFIG, range(6)))


def _same(found: _Scores, alone: _Scores) -> None:
    """Equal epochs and scores; the loss as far as sums in another order agree."""
    for seed, (epoch, loss, val, test) in found.items():
        expected = alone[seed]
        assert (epoch, val, test) == (expected[0], expected[2], expected[3]), seed
        assert loss == pytest.approx(expected[1], rel=1e-5)


def test_twice_is_equal_to_the_last_bit(graph: Graph, alone: _Scores) -> None:
    assert _scores(fit(graph, _CONFIG, range(6))) == alone


@pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [3, 0, 5]])
def test_the_order_of_seeds_changes_no_result(
    order: list[int], graph: Graph, alone: _Scores
) -> None:
    _same(_scores(fit(graph, _CONFIG, order)), alone)


@pytest.mark.parametrize("sizes", [(1,) * 6, (3, 3), (2, 4)])
def test_how_seeds_are_grouped_changes_no_result(
    sizes: tuple[int, ...], graph: Graph, alone: _Scores
) -> None:
    """As by little memory, or by the groups of a race."""
    found: _Scores = {}
    first = 0
    for size in sizes:
        found |= _scores(fit(graph, _CONFIG, range(first, first + size)))
        first += size
    _same(found, alone)


def test_little_memory_changes_no_result(graph: Graph, alone: _Scores) -> None:
    _same(_scores(fit(graph, _CONFIG, range(6), memory_gb=1e-4)), alone)


def test_the_number_of_threads_changes_no_result(graph: Graph, alone: _Scores) -> None:
    torch.set_num_threads(2)
    _same(_scores(fit(graph, replace(_CONFIG), range(6))), alone)
