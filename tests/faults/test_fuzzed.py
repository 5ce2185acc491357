"""Changed files for every reader that takes one from a user: understood, or refused by a line."""

import random
from pathlib import Path

import pytest

from tests.faults.conftest import Tried
from tests.faults.fuzz_targets import targets
from tests.faults.fuzzing import changed, check, fuzz


@pytest.mark.parametrize("name", targets())
def test_a_changed_file_is_understood_or_refused_by_a_line(name: str, tmp_path: Path) -> None:
    target, chance = targets()[name](), random.Random(0)
    for seed in target.seeds:
        assert check(target, seed, tmp_path / "f"), "a good file is refused"
    for _ in range(40):
        check(target, changed(chance.choice(target.seeds), chance), tmp_path / "f")


def test_fuzzing_ends_by_the_clock_on_a_machine_that_gives_it_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("time.process_time", lambda: 0.0)
    read, _, failures = fuzz("config", seconds=0.1)
    assert read > 0
    assert failures == {}


@pytest.mark.faults
@pytest.mark.parametrize("name", targets())
def test_no_changed_file_makes_a_reader_fail(name: str, tried: Tried) -> None:
    read, understood, failures = fuzz(name, seconds=20, seed=1)
    tried("input", f"{name} files with changed bytes or values", times=read)
    assert failures == {}
    assert 0 < understood < read
