"""The folder of a saved model: written as a whole, moved freely, checked file by file.

    model.json            what it expects of a graph, how good it is, and the hash of all this
    config.yaml           the configuration, for `l2p-search train --config` too
    weights.safetensors   theta and phi of every seed
    README.md             the model card; profile.svg is its figure

Of model.json, config.yaml and the weights every byte counts: they belong together. The card may
be edited.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from l2p_search.errors import ModelError, first_line
from l2p_search.whole_file import is_path, write_whole

FORMAT = 1
"""Raised when a folder becomes one that earlier versions cannot read."""

DESCRIPTION, CONFIG, WEIGHTS, CARD = (
    "model.json",
    "config.yaml",
    "weights.safetensors",
    "README.md",
)
FIGURE = "profile.svg"
_NEW, _OLD = ".new", ".old"
"""How the names of folders end that are written, or replaced, beside a model."""
_BOUND = (CONFIG, WEIGHTS)
"""Files whose hash stands in the description."""
_KNOWN = {DESCRIPTION, CONFIG, WEIGHTS, CARD, FIGURE}


def write_folder(folder: Path, description: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Write a model beside its place and move it there, in the place of an earlier model.

    Args:
        folder: Where to; its parent folders are made.
        description: What model.json says, as plain values.
        files: The other files by name.

    Raises:
        ModelError: There is something at that place which is no model, or it cannot be written.
    """
    check_replaceable(folder)
    _mend(folder, writing=True)
    described = {
        "format": FORMAT,
        **description,
        "files": {
            name: {"bytes": len(files[name]), "sha256": _sha256(files[name])} for name in _BOUND
        },
    }
    text = json.dumps({**described, "digest": _digest(described)}, indent=1, allow_nan=False)
    beside, former = (_beside(folder, os.getpid(), end) for end in (_NEW, _OLD))
    try:
        beside.mkdir(parents=True)
        for name, content in {**files, DESCRIPTION: f"{text}\n".encode()}.items():
            write_whole(beside / name, content)
        if folder.exists():
            os.rename(folder, former)
        os.rename(beside, folder)
    except OSError as error:
        if former.exists() and not folder.exists():
            os.rename(former, folder)
        raise ModelError(
            f"{folder}: the model cannot be written ({error.strerror}); choose another folder"
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


def check_replaceable(folder: Path) -> None:
    """Refuse a place where something else would be lost; a missing or empty folder is free.

    Raises:
        ModelError: It is a file, or a folder with other files than those of a model.
    """
    if not folder.name:
        raise ModelError(f"{folder}: is no name of a folder; choose another")
    _refuse_no_path(_beside(folder, os.getpid(), _NEW), folder)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ModelError(f"{folder}: is no folder, and stays as it is; choose another name")
    if not folder.exists():
        return
    found = {path.name for path in folder.iterdir()}
    others = sorted(found - _KNOWN)
    if others or (found and DESCRIPTION not in found):
        named = f" ('{others[0]}')" if others else ""
        raise ModelError(
            f"{folder}: holds other files than those of a model{named}, and stays as it is;"
            " choose another name"
        )


def identity_of(folder: Path) -> tuple[str, tuple[int, ...]] | None:
    """Which model a folder holds, if it holds a whole one.

    Args:
        folder: Any place.

    Returns:
        The configuration's id and the seeds; None when there is no whole model.
    """
    try:
        description, _ = read_folder(folder)
    except ModelError:
        return None
    try:
        return str(description["config_id"]), tuple(description["seeds"])
    except (KeyError, TypeError):
        return None


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Read a model's files and check that they are those that were saved.

    Args:
        folder: What `write_folder` made, here or elsewhere.

    Returns:
        The description, and the content of config.yaml and of the weights by name.

    Raises:
        ModelError: One line that names the file and says what is wrong with it.
    """
    _refuse_no_path(folder, folder)
    _mend(folder)
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "no such folder"
        raise ModelError(f"{folder}: {what}; give the folder of a saved model")
    try:
        described = (folder / DESCRIPTION).is_file()
    except OSError as error:
        raise ModelError(
            f"{folder}: cannot be read ({error.strerror}); check its permissions"
        ) from None
    if not described:
        raise ModelError(
            f"{folder}: is no saved model, as it has no {DESCRIPTION}; give a folder that"
            " `l2p-search train --save` or Model.save made"
        )
    description = _description(folder / DESCRIPTION)
    return description, {name: _bound(folder / name, description) for name in _BOUND}


def _beside(folder: Path, process: int, end: str) -> Path:
    return folder.with_name(f".{folder.name}.{process}{end}")


def _mend(folder: Path, *, writing: bool = False) -> None:
    """Clear up what writers that were killed have left beside a folder.

    One that was killed between its two renames has left no model at the place: the old one is put
    back.

    Args:
        folder: The place of a model.
        writing: Whether this process is about to write there. What bears its number was then left
            by an earlier process of that number, as in a container that was started again.
    """
    for end in (_OLD, _NEW):
        # A folder that cannot be listed or written stays as it is.
        with suppress(OSError):
            for left in folder.parent.iterdir():
                process = left.name.removeprefix(f".{folder.name}.").removesuffix(end)
                if not process.isdigit() or left != _beside(folder, int(process), end):
                    continue
                if _lives(int(process)) and not (writing and int(process) == os.getpid()):
                    continue
                if end == _OLD and not folder.exists():
                    os.rename(left, folder)
                else:
                    shutil.rmtree(left, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def _refuse_no_path(path: Path, folder: Path) -> None:
    if not is_path(path):
        raise ModelError(
            f"{str(folder)[:60]!r} is no path, as a name in it is too long or holds what no name"
            " can hold; choose another"
        )


def _description(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(_bytes(path))
    except (ValueError, RecursionError):
        raise ModelError(f"{path}: is no JSON, or cut short; copy the model again") from None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise ModelError(f"{path}: is no description of a model; give the folder of a saved model")
    if found["format"] > FORMAT:
        raise ModelError(
            f"{path}: has format {found['format']}, made by {found.get('made_by', 'a newer one')};"
            f" this version reads formats up to {FORMAT}: update l2p-search"
        )
    digest = found.pop("digest", None)
    if digest != _digest(found):
        raise ModelError(
            f"{path}: was changed after the model was saved; copy the model again, or save it anew"
        )
    return found


def _bound(path: Path, description: dict[str, Any]) -> bytes:
    content = _bytes(path)
    try:
        saved = description["files"][path.name]
        size, digest = int(saved["bytes"]), str(saved["sha256"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ModelError(
            f"{path.with_name(DESCRIPTION)}: does not say what {path.name} is; copy the model"
            " again, or save it anew"
        ) from None
    if len(content) < size:
        raise ModelError(
            f"{path}: has {len(content):,} of {size:,} bytes, so it was cut short; copy"
            " the model again"
        )
    if _sha256(content) != digest:
        raise ModelError(
            f"{path}: was changed after the model was saved, so that configuration and weights"
            " may not belong together; copy the model again, or train anew"
        )
    return content


def _bytes(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"{path}: is a folder, a device or a pipe; copy the model again")
        return path.read_bytes()
    except FileNotFoundError:
        raise ModelError(f"{path}: is missing; copy the model again, with all its files") from None
    except OSError as error:
        raise ModelError(
            f"{path}: cannot be read ({error.strerror or first_line(error)}); check its"
            " permissions"
        ) from None


def _digest(description: Mapping[str, Any]) -> str:
    return _sha256(json.dumps(description, sort_keys=True).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
