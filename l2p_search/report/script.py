"""A configuration as a program of its own: the source of the modules that say what L2P is.

Nothing that a user named is code in it: names are written as literals only.
"""

import math
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.data import plain_graphs
from l2p_search.data.plain_graphs import PUBLISHED
from l2p_search.errors import UserError, argument
from l2p_search.nn import (
    backbones,
    choices,
    edges,
    equations,
    l2p,
    label_share,
    layered,
    two_levels,
)
from l2p_search.report import plain_scores, seed_by_seed
from l2p_search.report.source_parts import joined_source

_MODULES = (
    choices,
    edges,
    equations,
    backbones,
    layered,
    l2p,
    two_levels,
    label_share,
    plain_graphs,
    plain_scores,
    seed_by_seed,
)
_WIDTH = 99
_PIECE = 60
"""Characters of a long string that stand on one line."""

GRAPH_SUFFIX = ".graph.npz"
"""The ending of the file with the graph beside a program, in place of the program's `.py`."""

_LEARNING = (
    "lr", "upper_lr", "weight_decay", "decay_on", "step_decay", "level", "consistency",
    "sharpening", "class_weight",
)  # fmt: skip
_STOPPING = ("epochs", "patience", "stop_on", "phi_share")

_HEAD = '''\
"""L2P, Learning How to Propagate Messages in Graph Neural Networks, with one configuration.

Xiao, Chen, Wang and Wang, KDD 2021, https://arxiv.org/abs/2310.00697. Exported by l2p-search: FROM
says from which trial. Of the method those parts are here that the configuration uses.
{needs}
"""
'''
_PUBLISHED_NEEDS = """It needs torch and torch-geometric:

    python THIS_FILE [FOLDER]

The folder has the files of the graph, or they are downloaded to it; ./data by default.
"""
_ARRAYS_NEEDS = """It needs torch and numpy, and the file with the graph that is beside it:

    python THIS_FILE
"""
_MAIN = """\
if __name__ == "__main__":
    {load}
    train_all(graph, MODEL, LEARNING, STOPPING, FROM)
"""
_LOAD_PUBLISHED = """folder = sys.argv[1] if len(sys.argv) > 1 else "data"
    graph = load_published(folder, {dataset})"""
_LOAD_ARRAYS = f'graph = load_arrays(Path(__file__).with_suffix("{GRAPH_SUFFIX}"))'


def as_script(config: TrialConfig, provenance: dict[str, Any], published: str | None) -> str:
    """Write the program of a configuration.

    Args:
        config: An L2P configuration.
        provenance: Where it came from, as plain values: `seeds`, `metric`, `data_digest`, the
            mean scores, and names.
        published: The graph, if it is one of `PUBLISHED` as it is; None for a graph that is
            written beside the program.

    Returns:
        The source of the program.

    Raises:
        UserError: The configuration is that of a baseline.
    """
    if config.model != "l2p":
        raise UserError(
            f"{argument('format', 'script')}: {config.method} has no program, only L2P has; export"
            " it as yaml"
        )
    entries = {
        "BACKBONES": config.backbone,
        "POSTERIORS": config.posterior,
        "SCORES": provenance["metric"],
    }
    load, needs, loader = _LOAD_ARRAYS, _ARRAYS_NEEDS, "load_arrays"
    if published is not None:
        named = ", ".join(map(_literal, PUBLISHED[published]))
        load, needs = _LOAD_PUBLISHED.format(dataset=named), _PUBLISHED_NEEDS
        loader = "load_published"
    imports, source = joined_source(_MODULES, ["train_all", loader], entries)
    read = [key for key in config.to_mapping() if config.why_unread(key) is None]
    constants = {
        "FROM": provenance,
        "MODEL": l2p.choices_of(config.to_mapping(), dict.fromkeys([*read, "hidden"])),
        "LEARNING": {key: getattr(config, key) for key in _LEARNING if key in read},
        "STOPPING": {key: getattr(config, key) for key in _STOPPING},
    }
    written = "\n".join(f"{name} = {_literal(value)}" for name, value in constants.items())
    head = _HEAD.format(needs=needs.rstrip("\n"))
    return f"{head}\n{imports}\n\n{written}\n\n\n{source}\n\n\n{_MAIN.format(load=load)}"


def _literal(value: Any, column: int = 0) -> str:
    """A plain value as source that fits into the lines of a program."""
    if isinstance(value, str):
        return _text(value, column)
    if isinstance(value, dict):
        items = [
            f"{_text(str(key), 0)}: {_literal(item, column + 4)}" for key, item in value.items()
        ]
        return _bracketed("{", items, "}", column)
    if isinstance(value, list | tuple):
        return _bracketed("[", [_literal(item, column + 4) for item in value], "]", column)
    if value is None or isinstance(value, bool | int) or math.isfinite(value):
        return repr(value)
    raise ValueError(f"{value!r} has no literal")


def _bracketed(opened: str, items: list[str], closed: str, column: int) -> str:
    """Items on one line where they fit, else one line each."""
    line = opened + ", ".join(items) + closed
    if len(line) + column + 12 <= _WIDTH and "\n" not in line:
        return line
    inner = " " * (column + 4)
    return opened + "".join(f"\n{inner}{item}," for item in items) + f"\n{' ' * column}{closed}"


def _text(value: str, column: int) -> str:
    """A string as a literal: `repr` escapes what does not print, line ends of all kinds too."""
    pieces = [value[start : start + _PIECE] for start in range(0, len(value), _PIECE)] or [""]
    quoted = [_quoted(piece) for piece in pieces]
    if len(quoted) == 1:
        return quoted[0]
    inner = " " * (column + 4)
    return "(" + "".join(f"\n{inner}{piece}" for piece in quoted) + f"\n{' ' * column})"


def _quoted(value: str) -> str:
    """`repr` in double quotes, where that needs no further escape."""
    written = repr(value)
    if written.startswith("'") and '"' not in written:
        return f'"{written[1:-1]}"'
    return written
