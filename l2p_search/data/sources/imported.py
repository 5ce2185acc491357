"""Graphs that Python code makes: pyg:Amazon:Photo, and my.module:function."""

import contextlib
import importlib
import inspect
import io
import os
import re
import shutil
import sys
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from l2p_search.data.raw import RawGraph
from l2p_search.data.raw_files import cache_folder, temporary_beside
from l2p_search.data.sources.pyg import read_data
from l2p_search.errors import DataError, did_you_mean

_LEAKING = ("chameleon", "squirrel")
_LEAK = (
    "many nodes are duplicates of others, in training and in test alike, which flatters every"
    " model (Platonov et al. 2023): {}-filtered is without them"
)
_NAME = re.compile(r"^ *name(?: \(str\))?:(.*?)(?=^ *\w+(?: \([^)]*\))?: |\Z)", re.M | re.S)
"""What a class's documentation says of its argument `name`."""
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def is_function(text: str) -> bool:
    """Whether a text has the form `package.module:function`."""
    return _FUNCTION.fullmatch(text) is not None and not text.startswith(("pyg:", "ogb:"))


def read_imported(
    text: str,
    *,
    label: str | None = None,
    features: str | None = None,
    weight: str | None = None,
    name: str | None = None,
    with_masks: bool = True,
) -> RawGraph:
    """Read a dataset of PyTorch Geometric; it is downloaded into the cache folder once.

    Args:
        text: `pyg:CLASS` or `pyg:CLASS:NAME`, a class of torch_geometric.datasets.
        label: The attribute with the classes, if not `y`.
        features: The attribute with the features, if not `x`.
        weight: The attribute with the weights of edges, if not `edge_weight`.
        name: What the graph is called.
        with_masks: Whether to read its own splits.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: There is no such dataset, it cannot be downloaded, or it is no single graph.
    """
    class_name, _, given = text.removeprefix("pyg:").partition(":")
    dataset, chosen = _pyg_dataset(text, class_name, given)
    if len(dataset) != 1:
        raise DataError(f"{text}: {len(dataset)} graphs; give a dataset of one graph")
    raw = read_data(
        dataset[0],
        label=label,
        features=features,
        weight=weight,
        name=name or "-".join(part for part in (class_name, chosen) if part).lower(),
        source=text,
        with_masks=with_masks,
    )
    if class_name == "WikipediaNetwork" and (chosen or "").lower() in _LEAKING:
        note = _LEAK.format((chosen or "").lower())
        return replace(raw, notes=(*raw.notes, note))
    return raw


def call_function(text: str) -> Any:
    """What a function of the user's own module returns; its own errors keep their traceback.

    Args:
        text: `package.module:function`; the module is looked for in the working folder too.

    Raises:
        DataError: There is no such module or function.
    """
    module_name, _, function_name = text.partition(":")
    with _working_folder_on_path():
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
                raise
            raise DataError(
                f"{text}: there is no module {error.name} in {Path.cwd()} or among the installed"
                " ones; check the name"
            ) from None
        found = getattr(module, function_name, None)
        if not callable(found):
            public = [key for key in vars(module) if callable(getattr(module, key))]
            raise DataError(
                f"{text}: {module_name} has no function {function_name};"
                f" {did_you_mean(function_name, public)}"
            )
        if not _takes_nothing(found):
            raise DataError(
                f"{text}: {function_name} takes arguments; give a function that can be called"
                " without any"
            )
        return found()


def _takes_nothing(function: Any) -> bool:
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:  # some built-in ones say nothing of their arguments
        return True
    return True


@contextlib.contextmanager
def _working_folder_on_path() -> Iterator[None]:
    """A command that is installed does not look for modules where it is called."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _pyg_dataset(text: str, class_name: str, given: str) -> tuple[Any, str | None]:
    """The dataset, and its name as PyG spells it."""
    from torch_geometric import datasets

    if class_name not in datasets.__all__:
        near = did_you_mean(class_name, datasets.__all__)
        raise DataError(
            f"{text}: torch_geometric.datasets has no {class_name or 'class of no name'};"
            f" {near if len(near) < 80 else 'see its documentation'}"
        )
    found = getattr(datasets, class_name)
    parameters = inspect.signature(found.__init__).parameters
    needed = [
        key
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        and key not in ("self", "root", "name")
    ]
    if needed:
        raise DataError(
            f"{text}: {class_name} takes further arguments ({', '.join(needed)}); load it in"
            " Python, and give its Data object or a function that returns it"
        )
    arguments: dict[str, str] = {}
    chosen = None
    if "name" in parameters:
        chosen = _spelled(text, class_name, given, found.__doc__ or "")
        arguments["name"] = chosen
    elif given:
        raise DataError(f"{text}: {class_name} has no names; give pyg:{class_name}")
    if "root" not in parameters:
        return _made(text, found, arguments), chosen
    called = "-".join(filter(None, (class_name, chosen)))
    folder = cache_folder() / "pyg" / re.sub(r"[^\w.-]", "_", called)
    if folder.is_dir():
        return _made(text, found, {"root": str(folder), **arguments}), chosen
    # Made beside its place and then moved there: a download that is cut short leaves nothing.
    with temporary_beside(folder) as temporary:
        dataset = _made(text, found, {"root": str(temporary / "new"), **arguments})
        with contextlib.suppress(OSError):
            shutil.move(temporary / "new", folder)
    return dataset, chosen


def _spelled(text: str, class_name: str, given: str, documentation: str) -> str:
    """The name as the class's documentation spells it."""
    described = _NAME.search(documentation)
    quoted = re.findall(r':obj:`"([^"]+)"`', described[1]) if described else []
    names: list[str] = list(dict.fromkeys(quoted))
    if not given:
        examples = f", for example pyg:{class_name}:{names[0]}" if names else ""
        raise DataError(f"{text}: {class_name} needs a name{examples}")
    for name in names:
        if name.lower() == given.lower():
            return name
    if names:
        raise DataError(f"{text}: {class_name} has no {given}; {did_you_mean(given, names)}")
    return given


def _made(text: str, found: Any, arguments: dict[str, str]) -> Any:
    """The dataset, downloaded and processed by PyG if it is not there yet."""
    from aiohttp import ClientError

    quiet = io.StringIO()
    try:
        with (
            contextlib.redirect_stderr(quiet),
            contextlib.redirect_stdout(quiet),
            warnings.catch_warnings(action="ignore"),
        ):
            return found(**arguments)
    except ImportError as error:
        raise DataError(f"{text}: it needs another package: {one_line(error)}") from None
    except (OSError, ClientError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{text}: it cannot be downloaded ({one_line(error)}); check the network, or give a"
            " file of the graph"
        ) from None
    except (AssertionError, AttributeError, KeyError, ValueError, RuntimeError) as error:
        raise DataError(
            f"{text}: torch_geometric cannot make it ({one_line(error)}); check the name"
        ) from None


def one_line(error: BaseException) -> str:
    """What another package's error says, cut to the length of a line."""
    return (str(error).splitlines() or [""])[0][:120] or type(error).__name__
