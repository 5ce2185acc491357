import threading
import time
from collections.abc import Callable

import pytest

from l2p_search.searching.running.alongside import alongside


def test_both_are_done_at_once_and_the_thread_lives_until_the_block_ends() -> None:
    threads: list[threading.Thread] = []
    go = threading.Event()

    def call() -> None:
        threads.append(threading.current_thread())
        go.wait()

    def meanwhile(ended: Callable[[], bool]) -> None:
        assert not ended()
        go.set()

    with alongside(call, meanwhile):
        assert threads[0] is not threading.current_thread()
        assert threads[0].is_alive()
    assert not threads[0].is_alive()


def test_without_anything_else_to_do_it_is_a_plain_call() -> None:
    threads: list[threading.Thread] = []
    with alongside(lambda: threads.append(threading.current_thread()), None):
        assert threads == [threading.current_thread()]


def test_an_error_of_the_call_is_raised_here() -> None:
    def call() -> None:
        raise ValueError("no Ray here")

    with pytest.raises(ValueError, match="no Ray here"), alongside(call, lambda ended: None):
        pass


def test_an_error_meanwhile_waits_until_the_call_has_ended() -> None:
    done: list[bool] = []
    go = threading.Event()

    def call() -> None:
        go.wait()
        done.append(True)

    def meanwhile(ended: Callable[[], bool]) -> None:
        go.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), alongside(call, meanwhile):
        pass
    assert done == [True]


def test_the_block_begins_when_the_call_has_ended() -> None:
    done: list[bool] = []

    def call() -> None:
        time.sleep(0.2)
        done.append(True)

    with alongside(call, lambda ended: None):
        assert done == [True]
