"""Zip archives of users (.npz, .pt): sizes are checked before reading, pickles stay shut."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import IO

import numpy as np
from numpy.lib import format as npy

from l2p_search.data.limits import check_fits
from l2p_search.errors import DataError

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,  # a way of compression that Python has not
    RuntimeError,  # a password
    UnicodeDecodeError,  # in the name of a member
)
_REMEDY = "check the file: it may be damaged, or made to fill the memory"


def check_archive(path: Path) -> None:
    """Refuse a zip archive whose members would not fit into memory; other files pass.

    A zip bomb is a small file that unpacks to a huge one. Python reads no more of a member than
    the size that the archive declares for it, so declared sizes can be relied on.

    Raises:
        DataError: It names the file and how large it would become.
    """
    if _is_archive(path):
        with opened(path) as archive:
            total = sum(member.file_size for member in archive.infolist())
        check_fits(f"{path}: its content", total, _REMEDY)


def _is_archive(path: Path) -> bool:
    try:
        return zipfile.is_zipfile(path)
    except zipfile.BadZipFile:  # raised for an archive that is said to span several disks
        return True


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, with one line for a file that cannot be read or is none.

    Raises:
        DataError: The file is missing, unreadable, damaged or no archive.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    except _BROKEN as error:
        raise DataError(
            f"{path}: not a readable archive ({error or type(error).__name__}); it may be cut"
            " short: make or download it anew"
        ) from None


class NpzArchive:
    """The arrays of an .npz file, read one at a time when they are asked for.

    Members that hold Python objects are pickled, and opening a pickle runs what it says: those
    count as not there.

    Attributes:
        path: The file.
        names: The members that can be read.
        pickled: The members that are left shut.
    """

    def __init__(self, path: Path) -> None:
        """Read the headers of all members; nothing else is unpacked yet."""
        self.path = path
        self._headers: dict[str, tuple[tuple[int, ...], bool, np.dtype[np.generic]]] = {}
        pickled: list[str] = []
        with opened(path) as archive:
            for member in archive.infolist():
                if not member.filename.endswith(".npy"):
                    continue
                name = member.filename.removesuffix(".npy")
                with archive.open(member) as file:
                    header = _header(path, name, file)
                    at = file.tell()
                shape, _, dtype = header
                if dtype.hasobject:
                    pickled.append(name)
                    continue
                size = dtype.itemsize
                for length in shape:
                    size *= length
                check_fits(f"{path}: member '{name}' of shape {list(shape)}", size, _REMEDY)
                if at + size != member.file_size:
                    raise DataError(
                        f"{path}: member '{name}' says shape {list(shape)} and holds"
                        f" {member.file_size - at} bytes instead of {size}; make the file anew"
                    )
                self._headers[name] = header
        self.names = tuple(self._headers)
        self.pickled = tuple(pickled)
        if not self.names:
            raise DataError(
                f"{path}: no arrays in it that can be read; write it by numpy.savez(path, x=x,"
                " edge_index=edges, y=labels)"
            )

    def __contains__(self, name: str) -> bool:
        return name in self._headers

    def __getitem__(self, name: str) -> np.ndarray:
        return self.need(name)[0]

    def get(self, name: str) -> np.ndarray | None:
        """The array of that name, or None."""
        if name not in self._headers:
            return None
        shape, fortran, dtype = self._headers[name]
        with opened(self.path) as archive, archive.open(f"{name}.npy") as file:
            _header(self.path, name, file)
            content = file.read()
        flat = np.frombuffer(content, dtype=dtype).copy()
        return flat.reshape(shape, order="F" if fortran else "C")

    def need(self, *names: str) -> list[np.ndarray]:
        """Several arrays, or an error that names all that are missing.

        Raises:
            DataError: It names the missing members and those that are there.
        """
        missing = [name for name in names if name not in self]
        if missing:
            shut = [name for name in missing if name in self.pickled]
            why = f" ({', '.join(shut)} is pickled and was not opened)" if shut else ""
            raise DataError(
                f"{self.path}: no {', '.join(missing)} in it{why}; it has"
                f" {', '.join(sorted(self.names))}"
            )
        return [array for name in names if (array := self.get(name)) is not None]


def _header(
    path: Path, name: str, file: IO[bytes]
) -> tuple[tuple[int, ...], bool, "np.dtype[np.generic]"]:
    """Shape, order and type of an array, from the beginning of its member."""
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            return npy.read_array_header_1_0(file)
        return npy.read_array_header_2_0(file)
    except (ValueError, TypeError, SyntaxError, TokenError) as error:
        said = (str(error).splitlines() or [""])[0]
        raise DataError(
            f"{path}: member '{name}' is no numpy array ({said}); make the file anew"
        ) from None
