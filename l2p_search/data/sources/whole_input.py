"""A user's file, read whole: unpacked from gzip, in UTF-8, and no larger than memory allows."""

import difflib
import gzip
import io
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from l2p_search.data.limits import available_bytes
from l2p_search.errors import DataError

_GZIP = b"\x1f\x8b"
_NO_TABLE = {
    b"PK\x03\x04": "a zip archive (or an Excel file)",
    b"\x89PNG": "a picture",
    b"\x89HDF": "an HDF5 file",
    b"%PDF": "a PDF",
    b"SQLite format 3": "a SQLite database",
    b"\x80\x02": "a Python pickle",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"\x93NUMPY": "a numpy array",
}
_CHUNK = 1 << 24


def read_bytes(path: Path, *, expansion: int = 8) -> bytes:
    """The content of a file, unpacked if it is gzip.

    Args:
        path: The file.
        expansion: How many bytes of memory a byte of the file takes once it is parsed. A file
            that would not fit into free memory is refused before it is read.

    Returns:
        The bytes.

    Raises:
        DataError: The file is missing, unreadable, empty, damaged or too large.

    Example:
        >>> import gzip, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "edges.csv.gz"
        ...     _ = path.write_bytes(gzip.compress(b"u,v"))
        ...     read_bytes(path)
        b'u,v'
    """
    content = _opened(path, lambda: _whole(path, expansion))
    if not content.strip():
        raise DataError(f"{path}: is empty; check how it was written")
    return content


def read_text(path: Path, *, expansion: int = 8) -> str:
    """The content of a text file in UTF-8, with or without a byte order mark.

    Args:
        path: The file; gzip is unpacked.
        expansion: As in `read_bytes`.

    Returns:
        The text, without a byte order mark.

    Raises:
        DataError: As in `read_bytes`, or the file is binary or in another encoding.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "nodes.csv"
        ...     _ = path.write_bytes("\ufeffid;café".encode())
        ...     read_text(path)
        'id;café'
    """
    return decoded(path, read_bytes(path, expansion=expansion))


def read_start(path: Path, most: int = 1 << 20) -> bytes:
    r"""The first lines of a file, unpacked if it is gzip.

    Args:
        path: The file.
        most: How many bytes at the most; a line that this cuts is left out.

    Returns:
        The bytes.

    Raises:
        DataError: The file is missing, unreadable, empty or damaged.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "edges.csv"
        ...     _ = path.write_text("u,v\n10,20\n")
        ...     read_start(path, most=7)
        b'u,v\n'
    """
    content = _opened(path, lambda: _first(path, most))
    if not content.strip():
        raise DataError(f"{path}: is empty; check how it was written")
    whole_lines = content.rfind(b"\n") + 1
    return content[:whole_lines] if len(content) == most and whole_lines else content


def decoded(path: Path, content: bytes) -> str:
    """The bytes of `path` as text, or an error that names what they are instead."""
    for magic, kind in _NO_TABLE.items():
        if content.startswith(magic):
            raise DataError(f"{path}: is {kind}, not text; export it as text in UTF-8")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")) or _every_other_byte_is_zero(content):
        raise DataError(f"{path}: is in UTF-16; save it in UTF-8")
    zero = content.find(b"\0")
    if zero >= 0:
        line = content.count(b"\n", 0, zero) + 1
        raise DataError(
            f"{path}, line {line}: has a zero byte, so it is no text; export it as text in UTF-8"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: the byte 0x{content[error.start]:02x} is not UTF-8"
            " (Latin-1 or Windows-1252?); save the file in UTF-8"
        ) from None


def check_size(path: Path, size: int, *, expansion: int) -> None:
    """Refuse what would not fit into free memory.

    Args:
        path: The file, for the message.
        size: Its bytes, once unpacked.
        expansion: How many bytes of memory each of them takes.

    Raises:
        DataError: It would not fit.

    Example:
        >>> check_size(Path("nodes.csv"), 10**15, expansion=8)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        l2p_search.errors.DataError: nodes.csv: ...
    """
    free = _free_memory()
    if size * expansion > free:
        raise DataError(
            f"{path}: {size / 1e9:.1f} GB or more would take about {size * expansion / 1e9:.0f} GB"
            f" of memory, and {free / 1e9:.0f} GB is free; leave out columns or rows"
        )


def _opened(path: Path, read: Callable[[], bytes]) -> bytes:
    """What `read` gives, with the operating system's refusals as errors of one line."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise DataError(f"{path}: is a folder; name the file in it")
        if not stat.S_ISREG(mode):
            raise DataError(f"{path}: is no ordinary file; write its content to a file first")
        return read()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; {nearest_file(path)}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(
            f"{path}: is a gzip file that is cut short or damaged; compress it anew"
        ) from None
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}); check its permissions"
        ) from None


def _whole(path: Path, expansion: int) -> bytes:
    check_size(path, path.stat().st_size, expansion=expansion)
    content = path.read_bytes()
    return _unpacked(path, content, expansion) if content.startswith(_GZIP) else content


def _first(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    with gzip.open(path) if packed else path.open("rb") as file:
        return file.read(most)


def _unpacked(path: Path, content: bytes, expansion: int) -> bytes:
    """Gzip's content; a small file can unpack to any size, so this stops at the limit."""
    chunks, size = [], 0
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            check_size(path, size, expansion=expansion)
            chunks.append(chunk)
    return b"".join(chunks)


def _free_memory() -> int:
    return available_bytes()


def nearest_file(path: Path) -> str:
    """The nearest name in the folder as a remedy for a path that is not there."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either; check the path"
    there = [entry.name for entry in path.parent.iterdir()]
    near = difflib.get_close_matches(path.name, there, n=1)
    return f"did you mean '{path.parent / near[0]}'?" if near else "check the path"


def _every_other_byte_is_zero(content: bytes) -> bool:
    """Latin text in UTF-16 without a byte order mark looks like this."""
    start = content[:200]
    return len(start) >= 8 and (not any(start[1::2]) or not any(start[::2]))
