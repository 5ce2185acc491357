"""Every argument of every command: whatever it is given is taken, or refused by one line."""

import pytest

from tests.faults import sweeping
from tests.faults.conftest import Tried
from tests.faults.sweeping import Place

_FEW, _MORE = 4, 60
"""Command lines drawn per command; `python -m tests.faults.sweeping` tries them all."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return sweeping.recorded(tmp_path_factory.mktemp("sweep"))


@pytest.mark.parametrize("command", sweeping.commands())
def test_a_value_that_nobody_means_is_taken_or_refused_by_one_line(
    command: str, place: Place
) -> None:
    assert sweeping.sweep(command, place, _FEW) == (_FEW, [])


@pytest.mark.faults
@pytest.mark.parametrize("command", sweeping.commands())
def test_many_values_that_nobody_means_are_taken_or_refused_by_one_line(
    command: str, place: Place, tried: Tried
) -> None:
    lines, wrong = sweeping.sweep(command, place, _MORE)
    tried("input", "arguments of every command with values that nobody means", lines)
    assert wrong == []
