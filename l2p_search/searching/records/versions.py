"""The versions that a search was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("l2p-search", "torch", "numpy", "optuna", "ray")


def versions() -> dict[str, str]:
    """Package -> version, with Python's own."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found
