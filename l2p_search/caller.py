"""The caller's process is left as it was found, however a call of the library ends.

Ray, MLflow and Optuna change what belongs to the whole process: the environment, handlers of
signals and of logging, warnings, threads. A search needs some of that while it runs. A program
that calls the library must not notice it afterwards.
"""

import gc
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def left_as_found() -> Iterator[None]:
    """Put back what a call changes of the process: when it returns, and when it raises.

    It is a context, and a decorator: `@left_as_found()`.
    """
    with ExitStack() as restored:
        for restore in (
            _environment(),
            _streams(),
            _logging(),
            _signals(),
            _collector(),
            *_libraries(),
        ):
            restored.callback(restore)
        restored.enter_context(warnings.catch_warnings())
        yield


def _environment() -> Callable[[], None]:
    before = dict(os.environ)

    def restore() -> None:
        for key in set(os.environ) - set(before):
            del os.environ[key]
        for key, value in before.items():
            if os.environ.get(key) != value:
                os.environ[key] = value

    return restore


def _streams() -> Callable[[], None]:
    before = sys.stdout, sys.stderr, sys.excepthook, threading.excepthook

    def restore() -> None:
        sys.stdout, sys.stderr, sys.excepthook, threading.excepthook = before

    return restore


def _logging() -> Callable[[], None]:
    """Of every logger that exists: those that an import makes later are nobody's yet."""
    named = logging.root.manager.loggerDict.values()
    loggers = [logging.root, *(each for each in named if isinstance(each, logging.Logger))]
    before = [
        (each, each.level, list(each.handlers), each.propagate, each.disabled) for each in loggers
    ]
    disabled = logging.root.manager.disable

    def restore() -> None:
        logging.disable(disabled)
        for logger, level, handlers, propagate, off in before:
            if logger.level != level:
                logger.setLevel(level)
            if logger.handlers != handlers:
                logger.handlers = handlers
            logger.propagate, logger.disabled = propagate, off

    return restore


def _signals() -> Callable[[], None]:
    """Only the main thread may set handlers, so that only there anything can change."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    before = {number: signal.getsignal(number) for number in signal.valid_signals()}

    def restore() -> None:
        for number, handler in before.items():
            # None is a handler that was not installed from Python: it cannot be put back.
            if handler is not None and signal.getsignal(number) is not handler:
                signal.signal(number, handler)

    return restore


def _collector() -> Callable[[], None]:
    enabled, thresholds = gc.isenabled(), gc.get_threshold()

    def restore() -> None:
        (gc.enable if enabled else gc.disable)()
        gc.set_threshold(*thresholds)

    return restore


def _libraries() -> list[Callable[[], None]]:
    """Of libraries that the caller uses too: threads, random numbers, Optuna's messages."""
    state = random.getstate()
    restores = [lambda: random.setstate(state)]
    if (torch := sys.modules.get("torch")) is not None:
        threads, torch_state = torch.get_num_threads(), torch.get_rng_state()
        restores += [
            lambda: torch.set_num_threads(threads),
            lambda: torch.set_rng_state(torch_state),
        ]
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy_state = numpy.random.get_state()
        restores.append(lambda: numpy.random.set_state(numpy_state))
    if (optuna := sys.modules.get("optuna")) is not None:
        verbosity = optuna.logging.get_verbosity()
        restores.append(lambda: optuna.logging.set_verbosity(verbosity))
    return restores
