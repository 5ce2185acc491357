"""Secrets in addresses, kept out of everything that is shown, logged or stored.

A tracking URI may hold a password: postgresql://user:password@host/db. Whatever says something
to a person or to a file passes through `masked` first; only MLflow gets the address itself.
"""

import re
from urllib.parse import unquote

_MASK = "***"
# From the colon behind the user to the last @ of the word: people forget to quote / and @ in
# passwords, and some users have an @. In an address of the web, a colon with a port and a path
# behind it is no password.
# A path has one slash where an address has two: an address may be given for a path by mistake.
_LOGIN = re.compile(
    r"""((?:(?<=http)(?P<web>)|(?<=https)(?P<webs>))?+(?<=\w):/{1,2}[^\s/:'"]*):"""
    r"""(?(web)(?!\d+(?:/|$)))(?(webs)(?!\d+(?:/|$)))[^\s'"]*@""",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"""://[^\s/@:'"]+@""")
# Words that say by themselves that a secret follows, and others that say so as a whole word. What
# a driver reads out of a parameter is written with %3B for ; and %3D for =.
_SURELY = r"(?:password|passwd|pwd|passphrase|token|secret|credential|signature|api[_-]?key)"
_AS_A_WORD = r"(?:pass|auth|authorization|key|sig|jwt)"
_QUERY = re.compile(
    rf"""((?:[?&;#=]|%3B|%26)(?:[\w.-]*{_SURELY}[\w.-]*|(?:[\w.-]*[._-])?{_AS_A_WORD})(?:=|%3D))"""
    r"""[^&#\s'"]*""",
    re.IGNORECASE,
)

_HEADER = re.compile(r"""(authorization\W{1,6}\w+ +)[^\s'"]+""", re.IGNORECASE)
"""What a server may say back of a request: the password in another alphabet, or a token."""


def masked(text: str, of: str = "") -> str:
    """The text with three asterisks for every password and token in its addresses.

    Args:
        text: What is to be shown or kept.
        of: An address whose secrets are masked wherever they stand: libraries take addresses
            apart, and say the parts.

    Returns:
        The text without them.

    Example:
        >>> masked("cannot reach postgresql://me:secret@host/db?sslpassword=x")
        'cannot reach postgresql://me:***@host/db?sslpassword=***'
        >>> masked("user 'me', password 's/3': wrong", of="mysql://me:s%2F3@host/db")
        "user 'me', password '***': wrong"
    """
    for secret in _secrets(of):
        text = text.replace(secret, _MASK)
    text = _LOGIN.sub(rf"\1:{_MASK}@", text)
    text = _TOKEN.sub(f"://{_MASK}@", text)
    text = _HEADER.sub(rf"\1{_MASK}", text)
    return _QUERY.sub(rf"\1{_MASK}", text)


def _secrets(address: str) -> list[str]:
    """The passwords and tokens of an address, as written and as meant; the longest first."""
    found = [login[0] for login in re.finditer(_LOGIN, address)]
    written = [login.partition("/")[2].partition(":")[2][:-1] for login in found]
    if not found:
        written = [token[0][3:-1] for token in re.finditer(_TOKEN, address)]
    written += [query[0][len(query[1]) :] for query in re.finditer(_QUERY, address)]
    # A secret of a letter or two is none, and its letters are in every word.
    every = {each for one in written for each in (one, unquote(one)) if len(each) > 2}
    return sorted(every, key=len, reverse=True)


def without_login(address: str) -> str:
    """An address that a browser can open, without the user and password that it holds.

    Example:
        >>> without_login("http://me:secret@host:5000/ml")
        'http://host:5000/ml'
    """
    return re.sub(r"://[^\s/]*@", "://", address)
