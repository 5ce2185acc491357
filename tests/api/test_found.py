"""Search: what it found, and what can be done with it."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from l2p_search.api.found import Search
from l2p_search.api.opening import open_search
from l2p_search.api.recording import Tracking
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.data.plain_graphs import load_arrays
from l2p_search.errors import ModelError, SearchError, in_shell
from l2p_search.intervals import interval_of_test
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult
from l2p_search.saved.trained_model import Model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.running.keeping import ModelKeeper
from l2p_search.training.fit import fit
from l2p_search.trial_record import INTERRUPTED
from tests.searching.pretend import begin, drive, pretend_training, searched

_QUIET: dict[str, Any] = {"display": "off", "tracking": False}


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture(scope="module")
def found(recorded: Journal) -> Search:
    return Search(recorded)


# What a search found.


def test_the_best_is_the_highest_on_validation_and_ties_with_itself(found: Search) -> None:
    best = found.best
    assert best is not None
    records = found.outcome.records
    assert best.objective == max(record.objective or 0.0 for record in records)
    assert found.ties[0] is best
    assert len({record.number for record in found.ties}) == len(found.ties) <= len(records)
    assert found.settings.dataset == "small"


def test_trials_that_validation_cannot_tell_from_the_best_tie_and_are_confirmed_with_it(
    tmp_path: Path, small_graph: Graph
) -> None:
    def noise(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        """All configurations are equally good."""
        result = pretend_training(graph, replace(config, dropout=0.5, lr=0.01, K=8), seeds)
        shift = 0.01 * config.K + config.dropout + config.lr  # far below the noise of a seed
        alike = (
            replace(seed, val=(seed.val or 0) + shift * (-1) ** seed.seed) for seed in result.seeds
        )
        return replace(result, config=config, seeds=tuple(alike))

    goal = Goal(trials=6, confirm=2, ties=2)
    made = Search(searched(tmp_path / "s", small_graph, goal, noise))
    assert len(made.ties) == 6
    assert list(made.outcome.confirmations) == [record.number for record in made.ties[:3]]
    assert list(made.trials["tie"]) == [True] * 6


def test_what_is_confirmed_is_the_best_on_seeds_that_no_trial_had(found: Search) -> None:
    assert found.best is not None
    fresh = found.outcome.confirmations[found.best.number]
    assert [seed.seed for seed in fresh.seeds] == [20, 21, 22]
    assert found.confirmed == interval_of_test(fresh)
    assert found.best.result is not None
    assert found.protocol == interval_of_test(found.best.result)


def test_the_profile_is_that_of_the_best(found: Search) -> None:
    assert found.profile == (0.5, 0.5)


def test_importance_is_shares_of_the_variance(found: Search) -> None:
    assert found.importance is not None
    assert set(found.importance.shares) == {"dropout", "lr", "K"}
    whole = sum(each.share for each in found.importance.shares.values())
    assert whole + found.importance.interactions == pytest.approx(1.0)


def test_trials_are_a_table_without_test_accuracy(found: Search) -> None:
    table = found.trials
    assert list(table.columns[:8]) == [
        "status",
        "config_id",
        "val_accuracy_mean",
        "val_accuracy_std",
        "seeds",
        "seconds",
        "reason",
        "tie",
    ]
    assert {"dropout", "lr", "K", "hidden"} <= set(table.columns)
    assert not [column for column in table.columns if "test" in column]
    assert table.index.name == "number"
    assert sorted(table.index) == list(range(10))
    assert table["val_accuracy_mean"].is_monotonic_decreasing
    assert set(table.index[table["tie"]]) == {record.number for record in found.ties}


def test_no_list_of_trials_has_test_accuracy_under_any_name(found: Search) -> None:
    """The best is judged on test nodes once; a list of such numbers invites choosing by them."""
    tested = {
        round(seed.test or 0.0, 6)
        for record in found.outcome.records
        if record.result is not None
        for seed in record.result.seeds
    }
    numbers = re.findall(r"\d+\.\d+", json.dumps(found.rows()))
    assert not tested & {round(float(number), 6) for number in numbers}


def test_a_search_is_plain_json(found: Search) -> None:
    told = json.loads(json.dumps(found.to_mapping(), allow_nan=False))
    assert (told["name"], told["dataset"]) == ("pretended", "small")
    assert told["best"]["number"] == found.best.number  # type: ignore[union-attr]
    assert told["confirmed_test_accuracy"]["mean"] == found.confirmed.mean  # type: ignore[union-attr]
    assert told["trials"] == {"complete": 10}
    assert (told["exhausted"], told["out_of_time"]) == (False, False)
    assert found.importance is not None
    assert told["importance"] == found.importance.to_mapping()


def test_it_shows_itself_in_a_line_and_tells_itself_in_a_page(found: Search) -> None:
    assert found.best is not None
    assert repr(found) == (
        f"<Search 'pretended': 10 trials, best validation {found.best.objective:.2f} %,"
        f" confirmed {found.confirmed} %>"
    )
    page = str(found)
    assert "search pretended: 10 trials on small, 10 with all 20 seeds" in page
    assert f"CONFIRMED TEST ACCURACY  {found.confirmed} %  on 3 fresh seeds" in page
    assert "importance" not in page
    assert "importance for validation accuracy" in found.text(full=True)


def test_a_search_without_a_trial_has_nothing_and_says_so(begun: Journal) -> None:
    bare = Search(begun)
    assert bare.best is bare.confirmed is bare.protocol is bare.profile is bare.importance is None
    assert bare.ties == bare.rows() == []
    assert len(bare.trials) == 0
    assert repr(bare) == "<Search 'begun': 0 trials, no complete trial>"
    assert "No trial finished, so there is no best one." in str(bare)
    assert bare.to_mapping()["best"] is None
    for act in (bare.exported, lambda: bare.report(tracking=False)):
        with pytest.raises(SearchError, match="has no complete trial yet; wait for one"):
            act()  # type: ignore[operator]


def test_a_trial_that_a_killed_search_left_open_is_interrupted(
    tmp_path: Path, small_graph: Graph
) -> None:
    journal = begin(tmp_path / "killed")
    drive(Coordinator(journal, Goal(trials=3, confirm=0)), small_graph, stop_after=1)
    alive = Search(Journal.read(journal.directory))
    assert alive.running
    assert [row["reason"] for row in alive.rows()] == [None, None]
    journal.close()
    dead = open_search("killed", tmp_path)
    assert not dead.running
    assert [row["reason"] for row in dead.rows()] == [None, INTERRUPTED]


@pytest.mark.parametrize(
    ("name", "form", "begins"),
    [
        (
            "best.yaml",
            None,
            "# python: l2p.fit(graph, config='FILE')  # small",
        ),
        ("best.json", None, '{\n  "dropout": '),
        ("best.txt", "json", '{\n  "dropout": '),
        ("deep/er/best.yml", None, "# python: l2p.fit("),
    ],
)
def test_the_best_is_exported_in_the_form_that_the_file_or_the_caller_says(
    found: Search, name: str, form: str | None, begins: str, tmp_path: Path
) -> None:
    path = found.export(tmp_path / name, form)
    assert path == tmp_path / name
    assert path.read_text().startswith(begins)
    assert found.best is not None
    assert TrialConfig.from_file(path) == found.best.config
    assert path.read_text() == found.exported(form or ("json" if "json" in name else "yaml"))


def test_a_program_is_exported_with_the_graph_that_it_reads(
    tmp_path: Path, small_graph: Graph
) -> None:
    goal = Goal(trials=2, confirm=0)
    searched(tmp_path / "s", small_graph, goal, data_digest=small_graph.digest).close()
    found = open_search("s", tmp_path)
    with pytest.raises(SearchError, match="made in memory; give it again with graph"):
        found.export(tmp_path / "best.py")
    assert not (tmp_path / "best.py").exists()
    assert found.export(tmp_path / "best.py", graph=small_graph) == tmp_path / "best.py"
    assert load_arrays(tmp_path / "best.graph.npz").digest() == small_graph.digest


def test_a_report_is_written_beside_the_journal_or_where_one_says(
    found: Search, tmp_path: Path
) -> None:
    assert found.report(tracking=False) == found.directory / "report.html"
    path = found.report(str(tmp_path / "mine.html"), tracking=False)
    assert path.read_text().startswith("<!doctype html>")
    assert not Path("mlflow").exists()


def test_a_report_and_a_copy_of_the_trials_go_where_one_says(
    found: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []
    module = "l2p_search.api.found"
    monkeypatch.setattr(f"{module}.attach", lambda *given: asked.append(given))
    monkeypatch.setattr(f"{module}.sync", lambda journal, where: (asked.append(where), (3, 7))[1])
    found.report(tmp_path / "r.html", tracking_uri="http://server")
    (journals, files, where) = asked.pop()
    assert [journal.directory for journal in journals] == [found.directory]
    assert (list(files), where) == (["report.html"], Tracking(True, "http://server"))
    assert found.sync("http://other") == (3, 7)
    assert asked == [Tracking(True, "http://other")]


# The model that it keeps.


def _kept(directory: Path, graph: Graph, **keys: object) -> Model:
    config = TrialConfig(hidden=4, epochs=2, **keys)  # type: ignore[arg-type]
    model = Model.of(graph, fit(graph, config, [0]))
    model.save(directory / "model")
    return model


def test_the_model_is_that_of_the_best_configuration(tmp_path: Path, small_graph: Graph) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        return fit(graph, replace(config, epochs=2), seeds, metric=metric)

    journal = begin(tmp_path / "kept", seeds=2)
    goal = Goal(trials=2, confirm=2, ties=0)
    journal.begin(goal, {})
    keeper = ModelKeeper(journal.directory, small_graph)
    drive(Coordinator(journal, goal, keeper=keeper), small_graph, train)
    found = Search(journal)
    assert found.best is not None
    assert found.model.config == found.best.config
    assert found.model.predict(small_graph).shape == (12,)


def test_a_search_without_a_model_and_one_of_an_earlier_best_say_how_to_have_it(
    tmp_path: Path, small_graph: Graph
) -> None:
    found = Search(searched(tmp_path / "first", small_graph, Goal(trials=2, confirm=0)))
    with pytest.raises(ModelError, match="search 'first' has kept no model; resume it") as none:
        _ = found.model
    assert "resume it without --no-model" in in_shell(none.value.message)
    _kept(found.directory, small_graph, K=5)
    with pytest.raises(ModelError, match="the model of an earlier best configuration"):
        _ = found.model
