import contextlib
import json
import os
from pathlib import Path
from typing import Any

import optuna
import pytest

from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError, SearchError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.journal_file import (
    JournalFile,
    drop_cut_off_line,
    explained,
    has_begun,
    parsed,
    quiet_optuna,
    understood,
)
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched

_CREATE, _STUDY_ATTR, _TRIAL_ATTR, _SYSTEM_ATTR = 0, 2, 8, 9


def _entry(number: int, code: int = _STUDY_ATTR) -> dict[str, Any]:
    return {"op_code": code, "worker_id": "host-1", "study_id": 0, "user_attr": {"n": number}}


def _numbers(file: JournalFile) -> list[int]:
    return [log["user_attr"]["n"] for log in file.read_logs(0)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.log"


@pytest.fixture
def writer(path: Path) -> JournalFile:
    file = JournalFile(path, writes=True)
    assert list(file.read_logs(0)) == []
    return file


def test_a_damaged_journal_is_said_to_be_damaged(tmp_path: Path, small_graph: Graph) -> None:
    searched(tmp_path / "s", small_graph, Goal(trials=2, confirm=0)).close()
    path = tmp_path / "s" / "journal.log"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[len(lines) // 2] = b"\x00\x00 garbage\n"
    path.write_bytes(b"".join(lines))
    with pytest.raises(
        SearchError, match=rf"journal.log: is damaged \(line {len(lines) // 2 + 1}: "
    ):
        Journal.read(tmp_path / "s")


def test_every_entry_is_given_once_to_the_writer_and_to_each_reader(
    path: Path, writer: JournalFile
) -> None:
    reader = JournalFile(path, writes=False)
    for first in (0, 2, 4):
        writer.append_logs([_entry(first), _entry(first + 1)])
        for file in (writer, reader):
            assert _numbers(file) == [first, first + 1]
            assert _numbers(file) == []
            assert (file.lines, file.size) == (first + 2, path.stat().st_size)


def test_a_writer_takes_up_what_is_there_and_reads_it_once(
    path: Path, writer: JournalFile
) -> None:
    writer.append_logs([_entry(0), _entry(1)])
    later = JournalFile(path, writes=True)
    assert _numbers(later) == [0, 1]
    assert later.lines == 2
    later.append_logs([_entry(2)])
    path.unlink()
    assert _numbers(later) == [2]


def test_a_new_file_can_be_read_by_all_and_written_by_its_owner(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        JournalFile(tmp_path / "new", writes=True)
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o644


def test_a_reader_makes_no_file(path: Path) -> None:
    JournalFile(path, writes=False)
    assert not path.exists()


def test_its_first_line_and_no_other_names_the_format(path: Path, writer: JournalFile) -> None:
    with writer.together():
        writer.append_logs([_entry(0), _entry(1)])
    writer.append_logs([_entry(2)])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("format") for line in lines] == [2, None, None]
    assert [line["worker_id"] for line in lines] == ["", "", ""]


@pytest.mark.parametrize("named", [{}, {"format": 1}, {"format": 2}])
def test_earlier_formats_are_read(named: dict[str, int], path: Path) -> None:
    path.write_text(json.dumps({**_entry(0), **named}) + "\n" + json.dumps(_entry(1)) + "\n")
    assert _numbers(JournalFile(path, writes=False)) == [0, 1]


def test_a_newer_format_is_refused_and_what_is_no_format_is_damage(path: Path) -> None:
    path.write_text(json.dumps({**_entry(0), "format": 3}) + "\n")
    with pytest.raises(SearchError, match=r"newer l2p-search \(journal format 3, this one reads"):
        list(JournalFile(path, writes=False).read_logs(0))
    path.write_text(json.dumps({**_entry(0), "format": "2"}) + "\n")
    with pytest.raises(ValueError, match="format '2'"):
        list(JournalFile(path, writes=False).read_logs(0))


def test_what_tpe_drew_is_given_back_and_not_written(path: Path, writer: JournalFile) -> None:
    writer.append_logs([_entry(0, _SYSTEM_ATTR), _entry(1)])
    assert path.read_text().count("\n") == writer.lines == 1
    assert _numbers(writer) == [0, 1]


def test_entries_of_a_block_are_written_at_the_end_of_the_outermost_one_and_synced_once(
    path: Path, writer: JournalFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_size))
    with writer.together():
        writer.append_logs([_entry(0)])
        with writer.together():
            writer.append_logs([_entry(1)])
        assert path.read_bytes() == b""
    assert synced == [path.stat().st_size]
    assert _numbers(JournalFile(path, writes=False)) == [0, 1]
    writer.append_logs([_entry(2)])
    assert synced[1:] == [path.stat().st_size]
    with writer.together():
        pass
    assert len(synced) == 2  # nothing to wait for


def test_entries_of_a_block_that_raises_are_written(path: Path, writer: JournalFile) -> None:
    with contextlib.suppress(KeyError), writer.together():
        writer.append_logs([_entry(0)])
        raise KeyError
    assert _numbers(JournalFile(path, writes=False)) == [0]


def test_what_is_no_number_is_neither_written_nor_read(path: Path, writer: JournalFile) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        writer.append_logs([{**_entry(0), "values": [float("nan")]}])
    assert path.read_bytes() == b""
    with pytest.raises(ValueError, match="NaN is not a number"):
        parsed(b'{"values": [NaN]}')
    with pytest.raises(ValueError, match="not an entry"):
        parsed(b"[1]")


def test_a_failed_write_leaves_whole_lines_and_no_later_one_is_written(
    path: Path, writer: JournalFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.append_logs([_entry(0)])
    whole, write = path.read_bytes(), os.write

    def half(fd: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", full)
        return write(fd, data[: len(data) // 2])

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OSError, match="No space left"):
        writer.append_logs([_entry(1)])
    assert path.read_bytes() == whole
    monkeypatch.undo()
    with pytest.raises(OSError, match="No space left"):
        writer.append_logs([_entry(2)])
    assert path.read_bytes() == whole


def test_a_write_that_takes_several_goes_is_whole(
    path: Path, writer: JournalFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:7]))
    writer.append_logs([_entry(0)])
    assert _numbers(JournalFile(path, writes=False)) == [0]


def test_lines_of_another_program_are_not_written_behind(path: Path, writer: JournalFile) -> None:
    writer.append_logs([_entry(0)])
    with open(path, "ab") as file:
        file.write(b"mine\n")
    changed = path.read_bytes()
    with pytest.raises(OSError, match="was changed by another program"):
        writer.append_logs([_entry(1)])
    assert path.read_bytes() == changed


def test_no_descriptor_stays_open(writer: JournalFile) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for number in range(4):
        writer.append_logs([_entry(number)])
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_result_is_found_by_the_place_that_stands_for_it(
    path: Path, writer: JournalFile
) -> None:
    def outcome(result: object) -> dict[str, Any]:
        noted = {"outcome": {"status": "complete", "result": result}}
        return {"op_code": _TRIAL_ATTR, "trial_id": 0, "user_attr": noted}

    result = {"seeds": [1, 2]}
    with writer.together():
        writer.append_logs([_entry(0), outcome(result), outcome(None)])
    for file in (writer, JournalFile(path, writes=False)):
        _, with_result, without = file.read_logs(0)
        kept = with_result["user_attr"]["outcome"]
        assert (kept["status"], file.result_at(kept["result"])) == ("complete", result)
        assert without["user_attr"]["outcome"]["result"] is None


def test_a_result_of_a_file_that_was_moved_away_is_asked_back_in_one_line(
    path: Path, writer: JournalFile
) -> None:
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(SearchError) as raised:
        writer.result_at(0)
    assert str(raised.value).startswith(f"{path}: cannot be read any more (No such file")


def test_damage_is_told_by_the_first_line_of_its_cause_and_where_it_is(path: Path) -> None:
    file = JournalFile(path, writes=False)
    file.lines = 7
    with (
        pytest.raises(SearchError, match=r"is damaged \(line 7: first\); restore it"),
        understood(file),
    ):
        raise ValueError(" first\nsecond")
    with (
        pytest.raises(SearchError, match=r"is damaged \(goal: KeyError\); restore it"),
        understood(file, "goal"),
    ):
        raise KeyError
    with pytest.raises(SearchError, match=r"\(goal: K is odd\)"), understood(file, "goal"):
        raise ConfigError("K is odd")
    with pytest.raises(SearchError, match=r"^as it is$"), understood(file, "goal"):
        raise SearchError("as it is")
    with pytest.raises(ZeroDivisionError), understood(file, "goal"):
        raise ZeroDivisionError  # a mistake of ours is no damage


def test_an_error_of_the_file_system_is_told_by_its_words(tmp_path: Path) -> None:
    for error, said in ((OSError(28, "No space"), "No space"), (OSError("odd"), "odd")):
        with (
            pytest.raises(SearchError, match=rf"cannot be written \({said}\); what is recorded"),
            explained(tmp_path),
        ):
            raise error


def test_optuna_is_quiet_within_the_block_alone() -> None:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.DEBUG)
    try:
        with contextlib.suppress(KeyError), quiet_optuna():
            assert optuna.logging.get_verbosity() == optuna.logging.ERROR
            raise KeyError
        assert optuna.logging.get_verbosity() == optuna.logging.DEBUG
    finally:
        optuna.logging.set_verbosity(before)


_BEFORE = [
    json.dumps({"op_code": _CREATE, "study_name": "trials"}),
    json.dumps({"op_code": _CREATE, "study_name": "confirmations"}),
    json.dumps({"op_code": _STUDY_ATTR, "user_attr": {"uid": "0"}}),
]
_SETTINGS = json.dumps({"op_code": _STUDY_ATTR, "user_attr": {"settings": {}}})


@pytest.mark.parametrize(
    ("lines", "begun"),
    [
        ("", False),
        ("\n".join(_BEFORE[:1]), False),
        ("\n".join(_BEFORE) + "\n", False),
        ("\n".join([*_BEFORE, _SETTINGS]), False),  # cut off: it is no line yet
        ("\n".join([*_BEFORE, _SETTINGS]) + "\n", True),
        (_SETTINGS + "\n", True),
        ("\n".join([*_BEFORE, _BEFORE[-1]]) + "\n", True),  # nothing writes that many first
        ("\n".join([_BEFORE[0], "garbage"]), True),
        ("garbage\n", True),  # damaged is not the same as never begun
        (json.dumps({"op_code": _TRIAL_ATTR, "user_attr": {"uid": "0"}}) + "\n", True),
    ],
)
def test_a_search_has_begun_once_its_settings_are_written(
    lines: str, begun: bool, path: Path
) -> None:
    assert has_begun(path) is False
    path.write_text(lines)
    assert has_begun(path) is begun


def test_what_is_no_file_or_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SearchError, match="is no file, so that no search can be kept there"):
        has_begun(tmp_path / "folder")
    (tmp_path / "file").write_text("")
    assert not has_begun(tmp_path / "file" / "journal.log")
    with pytest.raises(SearchError, match="cannot be read"):
        has_begun(tmp_path / ("x" * 300))


_ENTRY = b'{"op_code": 0, "worker_id": "w", "study_name": "s", "directions": [2]}\n'


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (b"", b""),
        (_ENTRY + _ENTRY, _ENTRY + _ENTRY),
        (_ENTRY + _ENTRY[:-1], _ENTRY),
        (_ENTRY + _ENTRY[:3], _ENTRY),
        (_ENTRY[:9], b""),
    ],
)
def test_a_last_line_that_was_cut_off_is_dropped_for_good_and_no_other(
    data: bytes, kept: bytes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_size))
    path.write_bytes(data)
    drop_cut_off_line(path)
    assert path.read_bytes() == kept
    assert synced == ([] if data == kept else [len(kept)])


@pytest.mark.parametrize(
    "last",
    ["somebody's words", "\r".join([*_BEFORE, _SETTINGS, ""])],
    ids=["no entry", "entries with other line ends"],
)
def test_a_last_line_that_no_crash_leaves_is_damage_and_stays(last: str, path: Path) -> None:
    path.write_text("\n".join([*_BEFORE, _SETTINGS, last]), newline="")
    before = path.read_bytes()
    with pytest.raises(SearchError, match=r"is damaged \(its last line is none of a search\)"):
        drop_cut_off_line(path)
    assert path.read_bytes() == before
