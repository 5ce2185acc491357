import json
from typing import Any

from l2p_search.searching.running.telling import EpochTeller
from l2p_search.training.fit import Progress


def _epoch(epoch: int) -> Progress:
    return Progress(epoch=epoch, epochs=100, training=3, finished=1, total=4, best_val=80.0)


def test_an_epoch_is_told_once_a_second_with_the_seeds_of_earlier_groups() -> None:
    now, told = [0.0], []
    tell = EpochTeller(told.append, 6, lambda: now[0])
    for epoch in range(1, 31):
        now[0] = epoch / 10
        tell(_epoch(epoch))
    assert [json.loads(each["progress"])["epoch"] for each in told] == [10, 20, 30]
    first = json.loads(told[0]["progress"])
    assert first == {"finished": 7, "training": 3, "epoch": 10, "epochs": 100, "best_val": 80.0}


def test_a_driver_that_is_slow_to_answer_is_told_less_often() -> None:
    now, told = [0.0], []

    def report(message: dict[str, Any]) -> None:
        told.append(message)
        now[0] += 1.0  # as long as the driver takes to come to it

    tell = EpochTeller(report, 0, lambda: now[0])
    while now[0] < 1000.0:
        now[0] += 0.5
        tell(_epoch(1))
    assert len(told) <= 1000 / 50
