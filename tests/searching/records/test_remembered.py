import json
import os
import random
from pathlib import Path

import pytest

from l2p_search.searching.records.remembered import recall, remember

_SAID = {"version": 1, "counts": {"complete": 4}, "place": [1, 2.5], "name": "größe", "none": None}


def test_what_is_remembered_is_recalled(tmp_path: Path) -> None:
    remember(tmp_path / "file", _SAID)
    assert recall(tmp_path / "file") == _SAID
    assert recall(tmp_path / "other") is None


def test_a_changed_byte_or_a_lost_end_is_as_good_as_no_file(tmp_path: Path) -> None:
    path, chance = tmp_path / "file", random.Random(0)
    remember(path, _SAID)
    whole = path.read_bytes()
    for place in range(len(whole)):
        other = chance.choice([byte for byte in b'0123456789ab"{}[],: ' if byte != whole[place]])
        path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
        assert recall(path) in (None, _SAID), whole[place - 9 : place + 9]
        path.write_bytes(whole[:place])
        assert recall(path) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "3", '[["checksum", 1]]', '{"checksum": "x"}', "[" * 100_000, "\x00"]
)
def test_what_was_never_written_so_is_as_good_as_no_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    assert recall(tmp_path / "file") is None


def test_a_pipe_is_not_waited_for_and_a_folder_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        assert recall(tmp_path / name) is None
        with pytest.raises(OSError, match="regular file"):
            remember(tmp_path / name, _SAID)


def test_a_link_is_read_and_what_it_leads_to_is_never_written(tmp_path: Path) -> None:
    remember(tmp_path / "file", _SAID)
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert recall(tmp_path / "link") == _SAID
    with pytest.raises(OSError, match="symbolic links"):
        remember(tmp_path / "link", {})
    assert json.loads((tmp_path / "file").read_text())["version"] == 1
