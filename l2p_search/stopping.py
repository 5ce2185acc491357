"""Stop: the wish that a search ends in good order, and whether somebody shows it."""

import threading


class Stop(threading.Event):
    """Ends a search in good order when it is set.

    Attributes:
        shown: Whether a display shows by itself that it is set; if not, whoever sets it says so.
    """

    shown: bool = False
