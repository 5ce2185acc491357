import io
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from l2p_search.data import limits
from l2p_search.data.sources.archives import NpzArchive, check_archive
from l2p_search.errors import DataError


def test_arrays_of_every_order_and_type_are_read(tmp_path: Path) -> None:
    given = {
        "numbers": np.arange(6.0).reshape(2, 3),
        "fortran": np.asfortranarray(np.arange(6).reshape(2, 3)),
        "flags": np.array([True, False]),
        "text": np.array(["ab", "c"]),
        "scalar": np.array(7),
        "empty": np.zeros((0, 3)),
    }
    np.savez_compressed(tmp_path / "a.npz", **given)
    archive = NpzArchive(tmp_path / "a.npz")
    assert set(archive.names) == set(given)
    for name, array in given.items():
        assert archive[name].dtype == array.dtype
        assert archive[name].tolist() == array.tolist()


def test_a_pickled_member_stays_shut(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.eye(2), meta=np.array([{"a": 1}], dtype=object))
    archive = NpzArchive(tmp_path / "a.npz")
    assert archive.names == ("x",)
    assert archive.pickled == ("meta",)
    with pytest.raises(DataError, match=r"no meta in it \(meta is pickled and was not opened\)"):
        archive.need("meta")


def test_missing_members_are_named_beside_those_that_are_there(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.eye(2), y=np.arange(2))
    with pytest.raises(DataError, match="no edges, masks in it; it has x, y"):
        NpzArchive(tmp_path / "a.npz").need("x", "edges", "masks")


def _npy(shape: tuple[int, ...], content: bytes) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + content


def _archive(path: Path, member: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", member)
    return path


def test_a_zip_bomb_is_refused_by_its_declared_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A megabyte of zeros stands for a terabyte of them."""
    monkeypatch.setattr(limits, "free_bytes", lambda: 100_000)
    path = _archive(tmp_path / "bomb.npz", _npy((2**17,), bytes(2**20)))
    assert path.stat().st_size < 10_000
    with pytest.raises(DataError, match=r"bomb.npz: member 'x' of shape \[131072\] would take"):
        NpzArchive(path)
    with pytest.raises(DataError, match=r"bomb.npz: its content would take"):
        check_archive(path)


def test_a_header_that_claims_more_than_there_is_is_refused(tmp_path: Path) -> None:
    path = _archive(tmp_path / "liar.npz", _npy((10,), bytes(16)))
    with pytest.raises(DataError, match=r"'x' says shape \[10\] and holds 16 bytes instead of 80"):
        NpzArchive(path)
    huge = _archive(tmp_path / "huge.npz", _npy((10**15,), bytes(16)))
    with pytest.raises(DataError, match=r"huge.npz: member 'x' of shape"):
        NpzArchive(huge)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """The size in the directory is made small: what is beyond it is never unpacked."""
    path = _archive(tmp_path / "liar.npz", _npy((2**17,), bytes(2**20)))
    content = bytearray(path.read_bytes())
    directory = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, directory + 24, 200)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"liar.npz"):
        NpzArchive(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not a readable archive"),
        (b"no archive at all", "not a readable archive"),
        (b"PK\x03\x04 cut short", "not a readable archive"),
    ],
)
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=says):
        NpzArchive(path)


def test_an_archive_that_is_said_to_span_several_disks_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.eye(2))
    content = (tmp_path / "a.npz").read_bytes()
    end = content.rindex(b"PK\x05\x06")
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 7, 0, 9)  # of zip64: disk 7 of 9
    (tmp_path / "a.npz").write_bytes(content[:end] + locator + content[end:])
    with pytest.raises(DataError, match=r"a\.npz: not a readable archive"):
        check_archive(tmp_path / "a.npz")


def test_an_archive_cut_short_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=np.eye(50))
    content = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="not a readable archive"):
        NpzArchive(tmp_path / "a.npz")


def test_an_archive_of_other_files_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(DataError, match="no arrays in it that can be read"):
        NpzArchive(tmp_path / "a.npz")


def test_a_member_that_is_no_array_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="member 'x' is no numpy array"):
        NpzArchive(_archive(tmp_path / "a.npz", b"not an array"))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.npz: no such file"):
        NpzArchive(tmp_path / "none.npz")
