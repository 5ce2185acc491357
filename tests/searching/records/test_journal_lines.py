import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from l2p_search.data.graph import Graph
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.journal_lines import journal_lines
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched

_EARLIER = Path(__file__).parent / "journals"


@pytest.fixture
def ended(tmp_path: Path, small_graph: Graph) -> Journal:
    journal = searched(tmp_path / "one", small_graph, Goal(trials=4, confirm=3, ties=1))
    journal.close()
    return Journal.read(journal.directory)


def _line(directory: Path, number: int) -> dict[str, object]:
    found: dict[str, object] = json.loads(
        (directory / "journal.log").read_text().splitlines()[number - 1]
    )
    return found


def test_the_line_of_a_trial_has_its_scores(ended: Journal) -> None:
    lines = journal_lines(ended.directory)
    assert set(lines.trials) == {record.number for record in ended.records()}
    for record in ended.records():
        noted = _line(ended.directory, lines.trials[record.number])["user_attr"]
        seeds = noted["outcome"]["result"]["seeds"]  # type: ignore[index]
        assert record.result is not None
        assert seeds["test_accuracy"] == [seed.test for seed in record.result.seeds]


def test_the_line_of_a_confirmation_has_its_scores(ended: Journal) -> None:
    lines = journal_lines(ended.directory)
    assert set(lines.confirmations) == set(ended.checked())
    for key, result in ended.checked().items():
        noted = _line(ended.directory, lines.confirmations[key])["user_attrs"]
        seeds = noted["result"]["seeds"]  # type: ignore[index]
        assert seeds["test_accuracy"] == [seed.test for seed in result.seeds]


def test_a_result_on_fresh_splits_has_a_line_of_its_own(ended: Journal) -> None:
    (config_id, seeds, _), result = next(iter(ended.checked().items()))
    directory = ended.directory
    writer = Journal.resume(directory)
    writer.confirm(replace(result, seconds=7.0), splits="10x48/32/20")
    writer.close()
    lines = journal_lines(directory).confirmations
    own, fresh = lines[config_id, seeds, None], lines[config_id, seeds, "10x48/32/20"]
    assert own != fresh
    noted = [_line(directory, line)["user_attrs"]["result"] for line in (own, fresh)]  # type: ignore[index]
    assert [each["seconds"] for each in noted] == [1.0, 7.0]


def test_the_settings_and_the_hash_are_those_of_the_file(ended: Journal) -> None:
    lines = journal_lines(ended.directory)
    assert "settings" in _line(ended.directory, lines.settings)["user_attr"]  # type: ignore[operator]
    assert lines.sha256 == hashlib.sha256(lines.path.read_bytes()).hexdigest()


def test_a_line_that_was_cut_off_is_none(ended: Journal) -> None:
    before = journal_lines(ended.directory)
    with open(before.path, "ab") as file:
        file.write(b'{"op_code":8,"trial_id":0,"user_attr":{"outc')
    assert journal_lines(ended.directory) == before


@pytest.mark.parametrize("name", ["whole", "raced", "models-gcn"])
def test_journals_of_earlier_versions_have_lines_too(name: str, tmp_path: Path) -> None:
    directory = tmp_path / name
    shutil.copytree(_EARLIER / name, directory)
    journal = Journal.read(directory)
    lines = journal_lines(directory)
    with_result = {record.number for record in journal.records() if record.result is not None}
    assert with_result <= set(lines.trials)
    assert set(lines.confirmations) == set(journal.checked())
