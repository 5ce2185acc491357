"""Writing the files that a caller asks for: a whole file, or one line that says why not."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.api.arguments import path_of
from l2p_search.errors import UserError, argument
from l2p_search.whole_file import as_file_name, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_file(path: Path, content: str | bytes) -> Path:
    """Write a file, and make the folders it is in; a reader never sees half of it.

    Args:
        path: The file.
        content: Text, written as UTF-8, or bytes.

    Returns:
        The file.

    Raises:
        UserError: It cannot be written.
    """
    path_of("out", path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise UserError(
            f"{argument('out', path)}: cannot be written ({error.strerror}); choose another"
        ) from None
    return path


def check_writable(path: Path) -> None:
    """Find out before a long computation, not after it, that its result cannot be written.

    Args:
        path: The file to write later. Its folder has to exist.

    Raises:
        UserError: The path is a folder, or its folder is missing or read-only.
    """
    path_of("out", path)
    folder, name = path.parent, f"{argument('out', path)}"
    if path.is_dir():
        raise UserError(f"{name}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise UserError(f"{name}: is no regular file; name another")
    if not folder.is_dir():
        raise UserError(f"{name}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise UserError(f"{name}: the folder {folder} cannot be written; choose another")


def figure_files(stem: str, figure: "Figure") -> dict[str, bytes]:
    """A figure as PNG and as SVG.

    Args:
        stem: The name of both files, without their endings.
        figure: The figure.

    Returns:
        File name -> content.
    """
    from l2p_search.report.drawing import rendered

    return {
        f"{stem}.png": rendered(figure, "png", dpi=150),
        f"{stem}.svg": rendered(figure, "svg"),
    }


def write_files(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """Write several files into one folder.

    Args:
        folder: The folder, made if need be.
        files: File name -> content.

    Returns:
        The files.

    Raises:
        UserError: One cannot be written; those before it are.
    """
    return [write_file(folder / as_file_name(name), files[name]) for name in files]
