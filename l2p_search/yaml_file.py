"""Reading YAML as a person means it, with errors that say what to change."""

import re
from pathlib import Path
from typing import Any

import yaml

from l2p_search.errors import ConfigError


class _Loader(yaml.SafeLoader):
    """YAML 1.1 takes 5e-4 for a string and the last of two equal keys; here neither happens."""


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(str(loader.construct_scalar(node)))


def _mapping_without_repeats(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    mapping = loader.construct_mapping(node, deep=True)  # refuses keys that cannot be hashed
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            raise ConfigError(f"key '{key}' is given twice; keep one of them")
        seen.add(key)
    return mapping


_EXPONENT = r"^[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"
_Loader.add_implicit_resolver("!number", re.compile(_EXPONENT), list("-+0123456789"))
_Loader.add_constructor("!number", _number)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping_without_repeats)


def read_yaml_mapping(path: Path) -> dict[str, Any]:
    """A YAML file's top-level mapping, or an error that says what is wrong with the file."""
    try:
        loaded = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except FileNotFoundError:
        raise ConfigError("no such file; check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot be read ({error}); check the path and its permissions"
        ) from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f"line {where.line + 1}: " if where else ""
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise ConfigError(f"{line}{problem}; write one 'key: value' a line") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError("holds no 'key: value' lines; write one hyperparameter a line")
    return loaded


def dump_yaml(mapping: dict[str, Any]) -> str:
    """Plain values as YAML, in their order; `read_yaml_mapping` gives them back."""
    text: str = yaml.safe_dump(mapping, sort_keys=False, allow_unicode=True)
    return text


def parse_value(text: str) -> Any:
    """A value as it would be read from a YAML file; used for `--set KEY=VALUE`."""
    try:
        return yaml.load(text, _Loader)
    except yaml.YAMLError:
        return text
