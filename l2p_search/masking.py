"""Secrets in addresses, kept out of everything that is shown, logged or stored.

A tracking URI may hold a password: postgresql://user:password@host/db. Whatever says something
to a person or to a file passes through `masked` first; only MLflow gets the address itself.
"""

import re

_MASK = "***"
# From the colon behind the user to the last @ of the word: people forget to quote / and @ in
# passwords. A colon with a port and a path behind it is no password.
_LOGIN = re.compile(r"""(://[^\s/@:'"]*):(?!\d+(?:/|$))[^\s'"]*@""")
_TOKEN = re.compile(r"""://[^\s/@:'"]+@""")
_QUERY = re.compile(
    r"""([?&][\w.-]*(?:password|passwd|pwd|passphrase|token|secret|api_?key)[\w.-]*=)[^&#\s'"]*""",
    re.IGNORECASE,
)


def masked(text: str) -> str:
    """The text with three asterisks for every password and token in its addresses.

    Example:
        >>> masked("cannot reach postgresql://me:secret@host/db?sslpassword=x")
        'cannot reach postgresql://me:***@host/db?sslpassword=***'
    """
    text = _LOGIN.sub(rf"\1:{_MASK}@", text)
    text = _TOKEN.sub(f"://{_MASK}@", text)
    return _QUERY.sub(rf"\1{_MASK}", text)


def without_login(address: str) -> str:
    """An address that a browser can open, without the user and password that it holds.

    Example:
        >>> without_login("http://me:secret@host:5000/ml")
        'http://host:5000/ml'
    """
    return re.sub(r"://[^\s/]*@", "://", address)
