"""Journals that version 0.1.0 wrote before the library had its present form.

`whole` has five trials of demo and a confirmation, `raced` eight of which five were raced out,
`models-gcn` two of GCN. `whole-continued.json` is what the same version found with ten trials.
"""

import json
import shutil
from pathlib import Path

import pytest

import l2p_search as l2p
from l2p_search.results import TrialStatus
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome

_JOURNALS = Path(__file__).parent / "journals"
_NAMES = ("whole", "raced", "models-gcn")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy: resuming writes."""
    for name in _NAMES:
        (tmp_path / name).mkdir()
        shutil.copy(_JOURNALS / name / "journal.log", tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", _NAMES)
def test_they_are_read_with_the_ids_that_were_recorded(name: str, folder: Path) -> None:
    recorded = {
        line.split('"config_id":"')[1][:12]
        for line in (folder / name / "journal.log").read_text().splitlines()
        if '"outcome"' in line
    }
    found = l2p.open_search(name, folder)
    assert {record.config.config_id for record in found.outcome.records} == recorded
    assert found.best is not None
    assert found.confirmed is not None


def test_a_raced_out_trial_has_one_status(folder: Path) -> None:
    records = read_outcome(Journal.read(folder / "raced")).records
    statuses = [record.status for record in records]
    assert statuses.count(TrialStatus.RACED_OUT) == 5
    raced = next(r for r in records if r.status is TrialStatus.RACED_OUT)
    assert raced.objective is None
    assert raced.result is not None
    assert 0 < len(raced.result.seeds) < 6


@pytest.mark.parametrize("name", _NAMES)
def test_they_are_exported_and_reported(name: str, folder: Path, tmp_path: Path) -> None:
    found = l2p.open_search(name, folder)
    exported = found.export(tmp_path / "best.yaml")
    assert found.best is not None
    config = l2p.TrialConfig.from_file(exported)
    assert config.config_id == found.best.config.config_id
    page = found.report(tmp_path / "report.html", tracking=False)
    assert str(found.confirmed) in page.read_text()


def test_one_is_resumed_to_what_the_version_that_began_it_found(folder: Path) -> None:
    """Proposals and ids are those of before; numbers as far as another CPU sums alike."""
    found = l2p.open_search("whole", folder).resume(
        trials=10, concurrency=1, display="off", tracking=False
    )
    expected = json.loads((_JOURNALS / "whole-continued.json").read_text())
    ours = {row["number"]: row for row in found.rows()}
    assert len(ours) == len(expected) == 10
    for row in expected:
        own = ours[row["number"]]
        assert own["config_id"] == row["config_id"]
        assert own["val_accuracy_mean"] == pytest.approx(row["val_accuracy_mean"], abs=1.0)
