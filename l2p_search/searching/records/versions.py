"""The versions of Python and of the packages that decide a search's numbers."""

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("l2p-search", "torch", "numpy", "optuna", "ray")


def versions() -> dict[str, str]:
    """Read the installed versions.

    Returns:
        Package -> version, and `python` -> Python's own; "unknown" for a package without
        metadata, such as one that runs from a plain folder.

    Example:
        >>> sorted(versions())
        ['l2p-search', 'numpy', 'optuna', 'python', 'ray', 'torch']
    """
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
