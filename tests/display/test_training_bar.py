import io

import pytest
from rich.console import Console

from l2p_search.display.training_bar import TrainingProgress
from l2p_search.training.fit import Progress


def _shown(width: int) -> str:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=width)
    with TrainingProgress(console) as on_epoch:
        for epoch in range(1, 1000):
            on_epoch(
                Progress(
                    epoch=epoch,
                    epochs=1000,
                    training=17,
                    finished=3,
                    total=20,
                    best_val=81.25,
                )
            )
    return screen.getvalue()


def test_shows_seeds_best_validation_and_time_left() -> None:
    shown = _shown(140)
    assert "starting" in shown
    assert "17 of 20 seeds training" in shown
    assert "epoch 999/1000" in shown
    assert "best validation 81.25 %" in shown
    assert "left" in shown
    assert "…" not in shown


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_narrow_terminal_gets_less_but_nothing_that_is_cut(width: int) -> None:
    shown = _shown(width)
    assert "17/20 seeds" in shown
    assert "epoch 999/1000" in shown
    assert "best 81.25 %" in shown
    assert "left" in shown
    assert "…" not in shown
