"""The machines of a cluster: each must have what this one trains with."""

from collections.abc import Mapping, Sequence
from typing import Any

from l2p_search.errors import SearchError, argument

_PACKAGES = ("l2p-search", "torch", "numpy")
"""Packages on whose versions the numbers of a trial depend."""
_SECONDS = 60.0
"""How long a machine may take to answer."""


def refuse_other_nodes(address: str) -> None:
    """Refuse a cluster with a machine that would train otherwise, before anything is trained.

    Args:
        address: What the user calls the cluster; Ray has joined it.

    Raises:
        SearchError: A machine lacks l2p-search, has another version, or does not answer; the
            message names it.
    """
    import ray
    from ray.exceptions import GetTimeoutError, RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ours = _asker()(_PACKAGES)
    ask = ray.remote(num_cpus=0, max_retries=0)(_asker())
    alive = [node for node in ray.nodes() if node["Alive"]]
    asked = [
        ask.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        ).remote(_PACKAGES)
        for node in alive
    ]
    for node, answer in zip(alive, asked, strict=True):
        name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
        try:
            wrong = difference(ours, ray.get(answer, timeout=_SECONDS))
        except (GetTimeoutError, RayError):
            wrong = f"does not answer within {_SECONDS:g} s"
        if wrong is not None:
            raise SearchError(
                f"{argument('address', address)}: its node {name} {wrong}; install the same there"
            )


def difference(ours: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> str | None:
    """What a machine has otherwise than this one, in words.

    Args:
        ours: Package -> its version here; None where it is not installed.
        theirs: The same of the other machine.

    Returns:
        The first difference; None where there is none.

    Example:
        >>> difference({"torch": "2.6"}, {"torch": "2.7"})
        'has torch 2.7, this machine 2.6'
    """
    for package, version in ours.items():
        other = theirs.get(package)
        if other is None:
            return f"has no {package}"
        if other != version:
            return f"has {package} {other}, this machine {version}"
    return None


def _asker() -> Any:
    """A function that is sent as a whole: a machine without l2p-search could not look it up."""

    def ask(packages: Sequence[str]) -> dict[str, str | None]:
        from importlib.metadata import PackageNotFoundError, version
        from importlib.util import find_spec

        found: dict[str, str | None] = {}
        for package in packages:
            try:
                found[package] = version(package)
            except PackageNotFoundError:
                there = find_spec(package.replace("-", "_")) is not None
                found[package] = "unknown" if there else None
        return found

    return ask
