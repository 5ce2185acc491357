import io
from dataclasses import replace

import pytest
from rich.console import Console

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.display.leaderboard import LEGEND, leaderboard
from l2p_search.results import TrialStatus
from l2p_search.trial_record import TrialRecord
from tests.searching.pretend import pretend_training


def _record(graph: Graph, number: int, **keys: object) -> TrialRecord:
    config = TrialConfig(**keys)  # type: ignore[arg-type]
    result = pretend_training(graph, config, range(4))
    return TrialRecord(number=number, status=TrialStatus.COMPLETE, config=config, result=result)


def _rows(records: list[TrialRecord], alive: bool = True) -> list[list[str]]:
    """The cells of the table as a terminal shows them."""
    best = records[0]
    table = leaderboard(
        records, keys=["dropout", "K"], best=best, ties={0, 1}, title="a title", alive=alive
    )
    console = Console(file=io.StringIO(), width=120)
    console.print(table)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines[0].strip() == "a title"
    return [_cells(line) for line in (lines[1], *lines[3:])]


def _cells(line: str) -> list[str]:
    """Five columns, a note of any number of words, two hyperparameters."""
    words = line.replace("validation %", "validation_%").split()
    cells = [*words[:5], " ".join(words[5:-2]), *words[-2:]]
    return [cell.replace("_", " ") for cell in cells]


def test_every_trial_has_its_validation_its_note_and_what_varied(small_graph: Graph) -> None:
    records = [_record(small_graph, number, K=2 + number, dropout=0.3) for number in range(3)]
    head, *rows = _rows(records)
    assert head == ["trial", "validation %", "sd", "seeds", "seconds", "", "dropout", "K"]
    result = records[0].result
    assert result is not None
    mean, sd = f"{result.val_mean:.2f}", f"{result.val_std:.2f}"
    assert rows[0] == ["0", mean, sd, "4", "1.0", "best", "0.3", "2"]
    assert [row[5] for row in rows] == ["best", "tie", ""]


def test_trials_stand_in_the_order_in_which_they_are_given(small_graph: Graph) -> None:
    records = [_record(small_graph, number) for number in (5, 2, 9)]
    assert [row[0] for row in _rows(records)[1:]] == ["5", "2", "9"]


@pytest.mark.parametrize(
    ("status", "alive", "note"),
    [
        (TrialStatus.RACED_OUT, True, "raced out"),
        (TrialStatus.FAILED, True, "failed"),
        (TrialStatus.RUNNING, True, "running"),
        (TrialStatus.RUNNING, False, "interrupted"),
    ],
)
def test_a_trial_that_is_not_complete_says_why(
    status: TrialStatus, alive: bool, note: str, small_graph: Graph
) -> None:
    other = replace(_record(small_graph, 7), status=status)
    assert _rows([_record(small_graph, 3), other], alive)[2][5] == note


def test_a_trial_without_a_result_has_dashes(small_graph: Graph) -> None:
    bare = TrialRecord(number=7, status=TrialStatus.RUNNING, config=TrialConfig(K=4))
    row = _rows([_record(small_graph, 3), bare])[2]
    assert row == ["7", "-", "-", "-", "-", "running", "0.6", "4"]


def test_the_legend_says_what_the_signs_mean() -> None:
    assert "standard deviation over seeds" in LEGEND
    assert "Hsu's comparison with the best, at 5 %" in LEGEND
    assert "±" not in LEGEND


@pytest.mark.parametrize("width", [50, 60, 80])
def test_on_a_narrow_screen_hyperparameters_wrap_and_none_is_cut(
    width: int, small_graph: Graph
) -> None:
    keys = ["dropout", "lr", "hidden", "weight_decay", "K"]
    records = [_record(small_graph, 0, weight_decay=1e-6, K=64)]
    table = leaderboard(
        records, keys=keys, best=records[0], ties={0}, title="a title", width=width
    )
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert all(len(line) <= width for line in text.splitlines())
    assert "K=64" in text
    assert "weight_decay=1e-06" in "".join(text.split())
