import threading

from l2p_search.stopping import Stop


def test_it_is_an_event_that_nobody_shows_at_first() -> None:
    stop = Stop()
    assert isinstance(stop, threading.Event)
    assert (stop.is_set(), stop.shown) == (False, False)
    stop.set()
    assert stop.is_set()
