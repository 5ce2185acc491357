"""What MLflow is given of a search: everything that is written, without MLflow."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from l2p_search.api.mlflow_entries import search_entry, trial_entry, trial_uid
from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.learned import Curves, Profiles
from l2p_search.metrics import Metric
from l2p_search.results import TrialResult, TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.tracking.entries import SearchEntry
from l2p_search.trial_record import TrialRecord
from l2p_search.yaml_file import dump_yaml
from tests.searching.pretend import begin, drive, pretend_training, searched


@pytest.fixture(scope="module")
def whole(recorded: Journal) -> SearchEntry:
    return search_entry(recorded, read_outcome(recorded))


def test_a_trial_is_found_again_by_its_search_and_number(recorded: Journal) -> None:
    record = recorded.records()[3]
    assert trial_uid(recorded, record) == f"{recorded.uid}/3"
    entry = trial_entry(recorded, record)
    assert (entry.uid, entry.number, entry.status) == (f"{recorded.uid}/3", 3, record.status)
    assert entry.config == record.config


def test_a_trial_has_its_configuration_and_its_profile_as_files(recorded: Journal) -> None:
    record = recorded.records()[0]
    files = trial_entry(recorded, record).files
    pictures = {name for name in files if name.startswith("images/profile+step+0+")}
    assert len(pictures) == 2  # the picture, and the small one that charts show
    plain = {"config.yaml", "profile.npz", "profile.json", "profile.svg"}
    assert set(files) - pictures == plain
    assert files["config.yaml"].decode() == dump_yaml(record.config.to_mapping())
    told = json.loads(files["profile.json"])
    assert told["profile"] == [0.5, 0.5]
    assert told["seeds"] == list(range(20))
    arrays = np.load(io.BytesIO(files["profile.npz"]), allow_pickle=False)
    assert arrays["profile_by_seed"].shape == (20, 2)
    assert files["profile.svg"].startswith(b"<svg")


def test_a_trial_has_the_same_numbers_at_once_and_from_its_journal_later(
    recorded: Journal,
) -> None:
    record = recorded.records()[0]
    assert record.result is not None
    draws = np.random.default_rng(0).dirichlet([1.0] * 60, size=len(record.result.seeds))
    seeds = zip(record.result.seeds, draws.tolist(), strict=True)
    result = replace(
        record.result, seeds=tuple(replace(seed, profile=tuple(q)) for seed, q in seeds)
    )
    kept = TrialResult.from_record(
        json.loads(json.dumps(result.to_record())), result.config, "small", "0"
    )
    at_once = trial_entry(recorded, replace(record, result=result))
    later = trial_entry(recorded, replace(record, result=kept))
    assert at_once.metrics() == later.metrics()
    assert at_once.files["profile.json"] == later.files["profile.json"]


def test_the_page_of_a_trial_says_its_score_and_configuration(recorded: Journal) -> None:
    record = recorded.records()[0]
    assert record.result is not None
    told = trial_entry(recorded, record).description
    assert told.startswith(f"**{record.result.val_mean:.2f} % on validation** over 20 seeds, with")
    assert f"dropout={record.config.dropout:.4g}" in told
    failed = replace(record, result=None, status=TrialStatus.FAILED, reason="boom")
    assert "%" not in trial_entry(recorded, failed).description


def test_profiles_name_the_classes_of_the_graph(tmp_path: Path, small_graph: Graph) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        profiles = Profiles({}, {"0": (1.0, 0.0), "1": (0.5, 0.5)}, (0.0, 0.0))
        return replace(pretend_training(graph, config, seeds, metric=metric), profiles=profiles)

    journal, goal = begin(tmp_path / "own"), Goal(trials=1, confirm=0)
    journal.begin(goal, {"classes": ["chess", "choir"]})
    drive(Coordinator(journal, goal), small_graph, train)
    (record,) = journal.records()
    for entry in (search_entry(journal, read_outcome(journal)), trial_entry(journal, record)):
        assert b">choir</text>" in entry.files["profile.svg"]


def test_a_search_says_what_it_ran_on_and_one_from_before_that_was_noted_the_cpu(
    recorded: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search_entry(recorded, None).tags["device"] == "cpu"
    began = [{"command": "typed", "versions": {}, "device": "cuda"}]
    monkeypatch.setattr(Journal, "invocations", began)
    assert search_entry(recorded, None).tags["device"] == "cuda"


def test_a_failed_trial_has_a_reason_and_no_files(recorded: Journal) -> None:
    failed = TrialRecord(
        number=7, status=TrialStatus.FAILED, config=TrialConfig(), reason="out of memory"
    )
    entry = trial_entry(recorded, failed)
    assert entry.files == {}
    assert entry.tags()["reason"] == "out of memory"


def test_a_baseline_has_no_profile_to_write(tmp_path: Path, small_graph: Graph) -> None:
    def training(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        result = pretend_training(graph, config, seeds)
        curves = Curves((1, 2), (1.0, 0.5), (1.0, 0.75), (40.0, 60.0))
        bare = tuple(replace(seed, profile=None, expected_step=None) for seed in result.seeds)
        return replace(result, seeds=bare, curves=curves)

    journal = searched(
        tmp_path / "s",
        small_graph,
        Goal(trials=2, confirm=0),
        training,
        base=TrialConfig(model="appnp"),
    )
    assert set(trial_entry(journal, journal.records()[0]).files) == {"config.yaml"}
    files = search_entry(journal, read_outcome(journal)).files
    assert "profile.svg" not in files
    assert files["curves.png"].startswith(b"\x89PNG")


def test_a_search_that_runs_has_what_it_began_with_and_nothing_else(recorded: Journal) -> None:
    entry = search_entry(recorded)
    assert (entry.uid, entry.name, entry.dataset) == (recorded.uid, "pretended", "small")
    assert entry.params == {
        "dataset": "small",
        "space": "pretend",
        "seeds": "20",
        "sampler": "tpe",
        "seed": "0",
        "race": "no",
        "metric": "accuracy",
        "method": "l2q",
        "sealed": "False",
    }
    assert entry.varied == ("dropout", "lr", "K")
    assert (entry.metrics, entry.files, entry.description) == ({}, {}, "")


def test_what_a_search_found_is_numbers_with_two_decimals(
    recorded: Journal, whole: SearchEntry
) -> None:
    outcome = read_outcome(recorded)
    assert outcome.best is not None
    assert outcome.best.objective is not None
    assert outcome.confirmed is not None
    assert outcome.confirmed.half_width is not None
    assert whole.metrics["trials_complete"] == 10.0
    assert whole.metrics["best_val_accuracy"] == round(outcome.best.objective, 2)
    assert whole.metrics["confirmed_test_accuracy"] == round(outcome.confirmed.mean, 2)
    assert whole.metrics["confirmed_test_accuracy_half_width"] == round(
        outcome.confirmed.half_width, 2
    )


def test_nested_selection_is_beside_the_protocol(whole: SearchEntry, recorded: Journal) -> None:
    nested = read_outcome(recorded).nested
    assert nested is not None
    by_others = nested.by_others.this_graph
    assert by_others.half_width is not None
    assert whole.metrics["nested_test_accuracy"] == round(by_others.mean, 2)
    assert whole.metrics["nested_test_accuracy_half_width"] == round(by_others.half_width, 2)
    assert whole.metrics["protocol_test_accuracy"] > 0.0


def test_the_confirmed_number_is_the_first_line_of_the_page(
    recorded: Journal, whole: SearchEntry
) -> None:
    confirmed = read_outcome(recorded).confirmed
    first = whole.description.splitlines()[0]
    assert first.startswith(f"**Confirmed test accuracy: {confirmed} %** on fresh seeds, with l2q")
    assert "`l2p-search export --search pretended --out best.yaml`" in whole.description
    assert "Nothing was chosen by test accuracy" in whole.description


def test_the_page_has_every_test_score_in_a_table_after_its_first_paragraph(
    recorded: Journal, whole: SearchEntry
) -> None:
    outcome = read_outcome(recorded)
    confirmed = outcome.confirmed
    assert confirmed is not None
    head, line, first, *_ = whole.description.split("\n\n")[1].splitlines()
    head, first = (each.replace("&nbsp;", "") for each in (head, first))
    assert head.startswith("| test accuracy, % | mean | this graph, other seeds and splits |")
    assert line == "| --- | ---: | ---: | ---: |"
    assert first.startswith(f"| CONFIRMED on 3 fresh seeds | {confirmed.mean:.2f} |")


def test_the_leaderboard_has_no_test_accuracy_and_marks_ties(
    recorded: Journal, whole: SearchEntry
) -> None:
    rows = list(csv.DictReader(io.StringIO(whole.files["leaderboard.csv"].decode())))
    assert len(rows) == 10
    assert not any("test" in column for column in rows[0])
    means = [float(row["val_accuracy_mean"]) for row in rows]
    assert means == sorted(means, reverse=True)
    ties = {str(record.number) for record in read_outcome(recorded).ties}
    assert {row["number"] for row in rows if row["tie"] == "True"} == ties


def test_a_search_without_a_complete_trial_says_so(begun: Journal) -> None:
    entry = search_entry(begun, read_outcome(begun))
    assert entry.description.endswith("No trial has all its seeds yet.")
    assert "best.yaml" not in entry.files
    assert entry.files["leaderboard.csv"].count(b"\n") == 1
    assert "best_val_accuracy" not in entry.metrics


def test_the_files_of_a_search_are_figures_and_what_reproduces_it(whole: SearchEntry) -> None:
    assert {name for name in whole.files if not name.startswith("images/")} == {
        "space.yaml",
        "leaderboard.csv",
        "invocations.json",
        "outcome.json",
        "best.yaml",
        "search.png",
        "trials.png",
        "budget.png",
        "budget.svg",
        "profile.svg",
        "profile-nodes.svg",
    }
    assert json.loads(whole.files["outcome.json"])["dataset"] == "small"
    assert b"dropout:" in whole.files["space.yaml"]
