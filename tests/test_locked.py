"""The lock file: every package once, pinned as in constraints.txt, and with hashes."""

import re
import tomllib
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

_ROOT = Path(__file__).resolve().parents[1]
_OTHERWISE = {"torch", "flask-wtf", "wtforms", "psycopg2-binary"}
"""Installed by version: torch has one version for several builds; a server's are not for all."""


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _pinned(path: Path) -> dict[str, str]:
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", path.read_text(), flags=re.MULTILINE)
    assert len({_name(name) for name, _ in found}) == len(found), "a package twice"
    return {_name(name): version for name, version in found}


def test_the_lock_has_the_versions_that_are_tested() -> None:
    locked, tested = _pinned(_ROOT / "requirements.lock"), _pinned(_ROOT / "constraints.txt")
    assert tested.keys() - locked.keys() <= _OTHERWISE
    for name, version in locked.items():
        assert tested.get(name, version) == version, name


def test_every_package_has_a_hash() -> None:
    entries = re.split(r"\n(?=\w)", (_ROOT / "requirements.lock").read_text().strip())
    for entry in entries:
        if not entry.startswith("#"):
            assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry.splitlines()[0]


def test_what_the_project_asks_for_is_pinned_to_a_version_that_it_allows() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    tested = _pinned(_ROOT / "constraints.txt")
    for text in wanted:
        asked = Requirement(text)
        assert asked.specifier.contains(tested[_name(asked.name)]), text
