"""Pages that we write, as a browser hands them to who copies from them."""

import re
from html import unescape


def copied(page: str) -> str:
    """The text of a page's lines to copy."""
    return unescape(re.sub("</?span>", "", page))
