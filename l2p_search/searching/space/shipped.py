"""Finding space files: those shipped with the package, and a user's own by path."""

from pathlib import Path

import l2p_search
from l2p_search.errors import ConfigError, did_you_mean
from l2p_search.searching.space.search_space import SearchSpace
from l2p_search.searching.space.space_file import read_space
from l2p_search.whole_file import is_path

_NOT_A_MODEL = ("paper", "extended", "smoke")
"""Prefixes of the space files that are not named after a model."""


def shipped_spaces() -> dict[str, Path]:
    """The files of the spaces that come with l2p-search, by name."""
    package = Path(l2p_search.__file__).parent
    # Inside the package when installed from a wheel, beside it in a checkout.
    for folder in (package / "search_spaces", package.parent / "search_spaces"):
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.glob("*.yaml"))}
    return {}


def find_space_file(name_or_path: str) -> Path:
    """The file of a shipped space, given by its name, or any other file, given by its path."""
    shipped = shipped_spaces()
    if name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    if is_path(path) and path.exists():
        return path
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        raise ConfigError(f"{path}: no such file; check the path")
    near = did_you_mean(name_or_path, shipped)
    raise ConfigError(f"unknown space '{name_or_path}'; {near} A file is given by its path")


def space_of_model(name: str) -> str:
    """The shipped space of a model: it has the model's name, or is the paper's for L2Q and L2S."""
    models = {model: space for space, model in models_of_spaces().items()}
    if name not in models:
        raise ConfigError(f"unknown model '{name}'; {did_you_mean(name, models)}")
    return models[name]


def models_of_spaces() -> dict[str, str]:
    """Shipped space -> the model that it is the space of, for those that are of one."""
    return {"paper": "l2q", "paper-l2s": "l2s"} | {
        space: space for space in shipped_spaces() if not space.startswith(_NOT_A_MODEL)
    }


def load_space(name_or_path: str) -> SearchSpace:
    """Find and read a space, given by its name or its path."""
    return read_space(find_space_file(name_or_path))
