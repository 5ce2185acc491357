"""One journal that cannot be read takes no other search down, and says what is wrong with it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from l2p_search.api.looking import profile_drawings
from l2p_search.api.opening import best_by_dataset, open_all, open_search
from l2p_search.api.recording import Tracking
from l2p_search.api.statuses import Status, statuses
from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.errors import SearchError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched

Lines = list[bytes]


def _replace(part: bytes, old: bytes, new: bytes) -> Callable[[Lines], Lines]:
    """Change the first line that has the part."""

    def damage(lines: Lines) -> Lines:
        place = next(i for i, line in enumerate(lines) if part in line)
        assert old in lines[place], "nothing to damage"
        return [*lines[:place], lines[place].replace(old, new, 1), *lines[place + 1 :]]

    return damage


def _line(part: bytes, new: bytes) -> Callable[[Lines], Lines]:
    """Put another line in the place of the first one that has the part."""
    return lambda lines: [new if line is _first(lines, part) else line for line in lines]


def _first(lines: Lines, part: bytes) -> bytes:
    return next(line for line in lines if part in line)


def _attr(noted: bytes) -> bytes:
    """A line that notes something of the search."""
    return b'{"op_code":2,"worker_id":"","study_id":0,"user_attr":{%s}}\n' % noted


_OUTCOME, _PARAM, _PROPOSAL = b'{"outcome":', b'"op_code":5', b'{"proposal":'
_DAMAGES: dict[str, Callable[[Lines], Lines]] = {
    "unknown op code": _replace(_PARAM, b'"op_code":5', b'"op_code":77'),
    "op code is a word": _replace(_PARAM, b'"op_code":5', b'"op_code":"five"'),
    "no op code": _replace(_PARAM, b'"op_code":5,', b""),
    "unknown status": _replace(_OUTCOME, b'"complete"', b'"finished"'),
    "unknown key of a seed": _replace(_OUTCOME, b'"val_loss"', b'"loss"'),
    "missing key of an outcome": _replace(_OUTCOME, b'"status":"complete",', b""),
    "missing result": _replace(_OUTCOME, b'"result":', b'"results":'),
    "missing number": _replace(_PROPOSAL, b'"number":0,', b""),
    "an outcome of nothing proposed": _replace(_PROPOSAL, b'"proposal"', b'"propos_l"'),
    "missing id": _replace(_PROPOSAL, b'"id"', b'"of"'),
    "not a number": _replace(_OUTCOME, b'"seconds":1.0', b'"seconds":NaN'),
    "infinite": _replace(_OUTCOME, b'"seconds":1.0', b'"seconds":Infinity'),
    "seeds of unlike lengths": _replace(_OUTCOME, b'"seed":[0,', b'"seed":['),
    "a seed twice": _replace(_OUTCOME, b'"seed":[0,1,', b'"seed":[0,0,'),
    "a seed below 0": _replace(_OUTCOME, b'"seed":[0,1,', b'"seed":[-1,1,'),
    "a seed beyond those of the search": _replace(_OUTCOME, b'"seed":[0,1,', b'"seed":[0,20,'),
    "a word for a score": _replace(_OUTCOME, b'"val_accuracy":[', b'"val_accuracy":["no",'),
    "unknown key of the goal": _replace(b'{"goal":', b'"confirm"', b'"conform"'),
    "unknown key of the base": _replace(b'{"settings":', b'"teleport"', b'"telephone"'),
    "missing key of the settings": _replace(b'{"settings":', b'"seeds":20,', b""),
    "too many seeds": _replace(b'{"settings":', b'"seeds":20,', b'"seeds":1000000000000,'),
    "a dataset that commands a terminal": _replace(
        b'{"settings":', b'"dataset":"', b'"dataset":"\\u001b[31m'
    ),
    "a dataset that is no text": _replace(b'{"settings":', b'"dataset":"', b'"dataset":"\\ud800'),
    "a graph without a source": _replace(b'{"settings":', b'"graph":null', b'"graph":{}'),
    "settings are a list": _line(
        b'{"settings":',
        b'{"op_code":2,"worker_id":"","study_id":0,"user_attr":{"settings":[]}}\n',
    ),
    "too much to confirm": _replace(b'{"goal":', b'"confirm":2', b'"confirm":1000000000000'),
    "looks are a number": lambda lines: [*lines, _attr(b'"looks":5')],
    "a look of many": lambda lines: [*lines, _attr(b'"looks":[{"by":"x","seeds":"many"}]')],
    "a look of nobody": lambda lines: [*lines, _attr(b'"looks":[{}]')],
    "not utf-8": _replace(_PARAM, b"dropout", b"drop\xffut"),
    "half a character": _replace(b'{"settings":', b"small", b"sm\xc3"),
    "not JSON": _line(_PARAM, b"\x00\x00\x00\n"),
    "a list for an entry": _line(_PARAM, b"[1, 2]\n"),
    "an empty line": _line(_PARAM, b"\n"),
    "a line lost": lambda lines: [line for line in lines if line is not _first(lines, _PARAM)],
    "deep brackets": _line(_PARAM, b"[" * 100_000 + b"\n"),
    "a word for the format": _replace(b'"format":2', b'"format":2', b'"format":"two"'),
    "the first lines lost": lambda lines: lines[2:],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two searches that can be read."""
    folder = tmp_path_factory.mktemp("searches")
    graph = _graph()
    for name in ("first", "second"):
        searched(folder / name, graph, Goal(trials=3, confirm=2)).close()
    return folder


def _graph() -> Graph:
    from l2p_search.data.demo import demo_graph

    return demo_graph()


@pytest.mark.parametrize("what", _DAMAGES)
def test_a_damaged_journal_is_one_line_and_all_others_are_shown(
    what: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "all")
    path = tmp_path / "all" / "first" / "journal.log"
    path.write_bytes(b"".join(_DAMAGES[what](path.read_bytes().splitlines(keepends=True))))

    with pytest.raises(SearchError, match=r"is damaged \(") as raised:
        open_search("first", tmp_path / "all")
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
    readable, errors = open_all(tmp_path / "all")
    assert [found.name for found in readable] == ["second"]
    assert len(errors) == 1

    assert main(["status", "--dir", str(tmp_path / "all")]) == 0
    shown = capsys.readouterr()
    assert "first: cannot be read\n" in shown.out
    assert "second: stopped, 3 of 3 trials" in shown.out or "second: finished" in shown.out
    assert main(["status", "--json", "--dir", str(tmp_path / "all")]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert "is damaged" in rows["first"]["error"]
    assert rows["second"]["trials"] == {"complete": 3}
    assert main(["status", "first", "--dir", str(tmp_path / "all")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert set(best_by_dataset(tmp_path / "all")) == {"small"}
    if what == "unknown status":
        assert profile_drawings(folder=tmp_path / "all", tracking=Tracking(False))


@pytest.mark.parametrize("noted", [b'"versions":null', b'"machine":"x"', b'"command":[1]'])
def test_what_is_not_of_its_type_in_an_invocation_is_damage(
    noted: bytes, folder: Path, tmp_path: Path
) -> None:
    lines = (folder / "first" / "journal.log").read_bytes().splitlines(keepends=True)
    damage = _replace(b'{"invocations":', b'"started":', noted + b',"started":')
    (tmp_path / "journal.log").write_bytes(b"".join(damage(lines)))
    with pytest.raises(SearchError, match=r"is damaged \(invocations: '"):
        _ = Journal.read(tmp_path).invocations


def test_a_newer_journal_is_refused_by_its_format(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "all")
    path = tmp_path / "all" / "first" / "journal.log"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(_replace(b'"format"', b'"format":2', b'"format":3')(lines)))
    says = r"written by a newer l2p-search \(journal format 3, this one reads up to 2\)"
    for open_it in (Journal.read, Journal.resume):
        with pytest.raises(SearchError, match=says):
            open_it(path.parent)
    (_, first), (_, second) = sorted(statuses(None, tmp_path / "all"))
    assert isinstance(first, SearchError)
    assert isinstance(second, Status)


@pytest.mark.parametrize("lines", [0, 1, 2, 3])
def test_a_search_that_never_began_says_what_to_do_and_can_be_begun(
    lines: int, folder: Path, tmp_path: Path
) -> None:
    whole = (folder / "first" / "journal.log").read_bytes().splitlines(keepends=True)
    directory = tmp_path / "all" / "first"
    directory.mkdir(parents=True)
    (directory / "journal.log").write_bytes(b"".join(whole[:lines]) + whole[lines][:20])
    assert not Journal.exists(directory)
    for open_it in (Journal.read, Journal.resume):
        with pytest.raises(SearchError, match="stopped before it began; start it again"):
            open_it(directory)
    settings = Journal.read(folder / "first").settings
    Journal.create(directory, settings).close()
    assert Journal.read(directory).settings == settings


def test_a_damaged_journal_is_never_taken_for_one_that_did_not_begin(
    folder: Path, tmp_path: Path
) -> None:
    whole = (folder / "first" / "journal.log").read_bytes().splitlines(keepends=True)
    path = tmp_path / "journal.log"
    for place in range(4):
        path.write_bytes(b"".join([*whole[:place], b"\x00garbage\n", *whole[place + 1 :]]))
        assert Journal.exists(tmp_path)
    path.write_bytes(b"\x00garbage\n")
    assert Journal.exists(tmp_path)


@pytest.mark.parametrize(
    "damage",
    {
        "other line ends": lambda content: content.replace(b"\n", b"\r"),
        "zeros for line ends": lambda content: content.replace(b"\n", b"\0"),
        "text of something else": lambda content: b"notes of mine",
    }.items(),
    ids=lambda each: each[0],
)
def test_a_file_without_line_ends_is_damaged_and_never_replaced(
    damage: tuple[str, Callable[[bytes], bytes]], folder: Path, tmp_path: Path
) -> None:
    content = damage[1]((folder / "first" / "journal.log").read_bytes())
    path = tmp_path / "journal.log"
    path.write_bytes(content)
    assert Journal.exists(tmp_path)
    for open_it in (Journal.read, Journal.resume):
        with pytest.raises(SearchError, match=r"is damaged \("):
            open_it(tmp_path)
    with pytest.raises(SearchError):
        Journal.create(tmp_path, Journal.read(folder / "first").settings)
    assert path.read_bytes() == content


@pytest.mark.parametrize("zeros", [1, 4096])
def test_zeros_that_a_power_failure_left_at_the_end_are_dropped(
    zeros: int, folder: Path, tmp_path: Path
) -> None:
    content = (folder / "first" / "journal.log").read_bytes()
    (tmp_path / "journal.log").write_bytes(content + bytes(zeros))
    assert Journal.read(tmp_path).settings == Journal.read(folder / "first").settings
    Journal.resume(tmp_path).close()
    assert (tmp_path / "journal.log").read_bytes() == content


def test_a_last_line_that_is_none_of_ours_is_not_dropped(folder: Path, tmp_path: Path) -> None:
    content = (folder / "first" / "journal.log").read_bytes() + b"a line of somebody's"
    (tmp_path / "journal.log").write_bytes(content)
    with pytest.raises(SearchError, match=r"is damaged \(its last line is none of a search\)"):
        Journal.resume(tmp_path)
    assert (tmp_path / "journal.log").read_bytes() == content
    Journal.read(tmp_path)
