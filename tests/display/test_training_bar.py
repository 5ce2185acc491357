import io

from rich.console import Console

from l2p_search.display.training_bar import TrainingProgress
from l2p_search.training.fit import Progress


def test_shows_seeds_best_validation_and_time_left() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=140)
    with TrainingProgress(console) as on_epoch:
        for epoch in range(1, 40):
            on_epoch(
                Progress(
                    epoch=epoch,
                    epochs=100,
                    training=17,
                    finished=3,
                    total=20,
                    best_val=81.25,
                )
            )
    shown = screen.getvalue()
    assert "starting" in shown
    assert "17 of 20 seeds training" in shown
    assert "epoch 39/100" in shown
    assert "best validation 81.25 %" in shown
    assert "left" in shown
