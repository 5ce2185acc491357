"""Reading YAML as a person means it, with errors that say what to change."""

import os
import re
import stat
from pathlib import Path
from typing import Any

import yaml

from l2p_search.errors import ConfigError, first_line


class _Loader(yaml.SafeLoader):
    """PyYAML reads 5e-4 as a string and keeps the last of two equal keys; this one does neither.

    5e-4 is a number here, and a key that is given twice is an error.
    """


class _Dumper(yaml.SafeDumper):
    """Quotes the strings that `_Loader` would take for numbers, such as a hash 12e456789012."""


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    return float(str(loader.construct_scalar(node)))


def _mapping_without_repeats(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    written = list(node.value)  # PyYAML puts the keys that `<<` merges among them
    mapping = loader.construct_mapping(node, deep=True)  # refuses keys that cannot be hashed
    seen: set[Any] = set()
    for key_node, _ in written:
        if key_node.tag == _MERGE:
            continue
        key = loader.construct_object(key_node)
        if key in seen:
            raise ConfigError(f"key '{key}' is given twice; keep one of them")
        seen.add(key)
    return mapping


_MERGE = "tag:yaml.org,2002:merge"
_EXPONENT = r"^[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"
for _each in (_Loader, _Dumper):
    _each.add_implicit_resolver("!number", re.compile(_EXPONENT), list("-+0123456789"))
_Loader.add_constructor("!number", _number)
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping_without_repeats)

_MOST_BYTES = 2**20
_MOST_VALUES = 20_000
_DEEPEST = 20
_UNREADABLE = (ValueError, KeyError, AttributeError, RecursionError)
"""What PyYAML raises for text that only looks like a value of some type, such as 2020-13-45."""


def read_yaml_mapping(path: Path) -> dict[str, Any]:
    """Read the top-level mapping of a YAML file.

    Args:
        path: The file. JSON is YAML, too.

    Returns:
        Key -> value; empty for an empty file.

    Raises:
        ConfigError: The file is missing, unreadable, too large or not a mapping. The message does
            not name the file: the caller puts the name in front.
    """
    try:
        loaded = _load(_text(path))
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f"line {where.line + 1}: " if where else ""
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise ConfigError(f"{line}{problem}; write one 'key: value' per line") from None
    except _UNREADABLE as error:
        raise ConfigError(
            f"has a bad value ({first_line(error)}); correct it or put it in quotes"
        ) from None
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise ConfigError("holds no 'key: value' lines; write one hyperparameter per line")
    return loaded


def dump_yaml(mapping: dict[str, Any]) -> str:
    """Write plain values as YAML.

    Args:
        mapping: Key -> value; the order of the keys is kept.

    Returns:
        The text, from which `read_yaml_mapping` gets an equal mapping.

    Example:
        >>> print(dump_yaml({"K": 8, "posterior": "quit"}), end="")
        K: 8
        posterior: quit
    """
    text: str = yaml.dump(mapping, Dumper=_Dumper, sort_keys=False, allow_unicode=True)
    return text


def parse_value(text: str) -> Any:
    """Read one value as in a YAML file; `--set KEY=VALUE` is read by it.

    Args:
        text: What stands behind the equals sign.

    Returns:
        The value; the text itself where it is not valid YAML.

    Example:
        >>> parse_value("5e-4"), parse_value("quit")
        (0.0005, 'quit')
    """
    try:
        return _load(text)
    except (yaml.YAMLError, ConfigError, *_UNREADABLE):
        return text


def _text(path: Path) -> str:
    """The text of a file; a device or a pipe would be read for ever."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigError("is no regular file; name one")
        # Not even the files of the kernel that pass for regular ones are waited for.
        with open(path, "rb", opener=lambda name, how: os.open(name, how | os.O_NONBLOCK)) as file:
            content = file.read(_MOST_BYTES + 1) or b""
        if len(content) > _MOST_BYTES:
            raise ConfigError(f"is larger than {_MOST_BYTES // 2**20} MB; name a YAML file")
        return content.decode()
    except FileNotFoundError:
        raise ConfigError("no such file; check the path") from None
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"cannot be read ({first_line(error)}); check the path and its permissions"
        ) from None


def _load(text: str) -> Any:
    """The value of a text; one that its aliases blow up is refused before it is made."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _count(node, {}, _DEEPEST) > _MOST_VALUES:
            raise ConfigError(f"holds more than {_MOST_VALUES} values; shorten it")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _count(node: yaml.Node, known: dict[yaml.Node, int], deepest: int) -> int:
    """How many values there are in a node, with those that an alias repeats.

    Args:
        node: Of the parsed file.
        known: The counts so far: of a bomb, every level refers ten times to the one below.
        deepest: How many levels may follow.
    """
    if isinstance(node, yaml.ScalarNode):
        return 1
    if deepest == 0:
        raise ConfigError(f"is nested more than {_DEEPEST} levels deep; flatten it")
    if node not in known:
        parts = node.value
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in node.value for part in pair]
        known[node] = 1 + sum(_count(part, known, deepest - 1) for part in parts)
    return known[node]
