"""How a graph is read again: the words of a command, or of a program, that name it.

A search keeps the arguments of `load_graph` that read its graph. What it prints as next steps has
them all, quoted, with paths from the root: it works when it is pasted, in any folder.
"""

import shlex
from collections.abc import Mapping
from typing import Any

from l2p_search.data.sources.named import is_known
from l2p_search.errors import argument, in_shell

_WITHOUT_FLAG = ("source", "name")


def shell_words(request: Mapping[str, Any] | None, name: str) -> list[str] | None:
    """The options of a command that read a graph as it was read before.

    Args:
        request: The arguments of `load_graph`, as `About.request` has them.
        name: What the graph is called.

    Returns:
        `--dataset` and the others, unquoted; None for a graph that was made in memory, which no
        command can read.

    Example:
        >>> shell_words({"source": "/my nodes.csv", "features": ["a", "b"], "label": "kind"}, "my")
        ['--dataset', '/my nodes.csv', '--features', 'a,b', '--label', 'kind']
        >>> shell_words(None, "wisconsin"), shell_words(None, "graph")
        (['--dataset', 'wisconsin'], None)
    """
    if request is None:
        return ["--dataset", name] if is_known(name) else None
    words = ["--dataset", str(request["source"])]
    for key, value in request.items():
        if key not in _WITHOUT_FLAG:
            words += [in_shell(argument(key)), _as_word(value)]
    return words


def train_command(request: Mapping[str, Any] | None, name: str, config: str) -> str:
    """The line that trains a configuration on a graph: a command, or Python for one in memory.

    Args:
        request: As of `shell_words`.
        name: What the graph is called.
        config: The path of the configuration's file.

    Returns:
        One line to paste.

    Example:
        >>> train_command({"source": "demo"}, "demo", "my best.yaml")
        "l2p-search train --dataset demo --config 'my best.yaml'"
        >>> train_command(None, "graph", "best.yaml")
        "python: l2p.fit(graph, config='best.yaml')  # graph was made in memory"
    """
    words = shell_words(request, name)
    if words is None:
        return f"python: l2p.fit(graph, config={config!r})  # {name} was made in memory"
    return one_line(["l2p-search", "train", *words, "--config", config])


def one_line(words: list[str]) -> str:
    """Words quoted for a shell, in one line even where a path has a line break.

    Example:
        >>> one_line(["cat", "two words", chr(10)]).split("$")[0]
        "cat 'two words' "
    """
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    plain = word.encode("unicode_escape").decode().replace("'", "\\'")
    return f"$'{plain}'"


def _as_word(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)
