"""A call in a thread that outlives it: what Ray starts must not lose the thread that started it.

Ray has the kernel kill its processes when their parent dies, and of a process with threads the
parent is the thread that made them. A thread that ended after `ray.init` would take Ray along.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def alongside(
    call: Callable[[], None], meanwhile: Callable[[Callable[[], bool]], None] | None
) -> Iterator[None]:
    """Call something while another thing is done; the block begins when both have ended.

    Args:
        call: Is called in a thread that lives until the block ends.
        meanwhile: Is called in this thread, with what says whether `call` has ended. None to call
            `call` in this thread instead.

    Raises:
        BaseException: Whatever `call` or `meanwhile` raises; `call` has ended then.

    Example:
        >>> with alongside(lambda: None, lambda ended: None):
        ...     print("both have ended")
        both have ended
    """
    if meanwhile is None:
        call()
        yield
        return
    ended, over = threading.Event(), threading.Event()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            raised.append(error)
        ended.set()
        over.wait()

    thread = threading.Thread(target=run, name="ray-start", daemon=True)
    thread.start()
    try:
        try:
            meanwhile(ended.is_set)
        finally:
            ended.wait()
        if raised:
            raise raised[0]
        yield
    finally:
        over.set()
        thread.join()
