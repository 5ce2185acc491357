"""Bad arguments and files: one line each, whatever they hold; no traceback, no hang."""

import os
import random
import string
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from l2p_search.api.writing import write_file
from l2p_search.cli.main import main
from l2p_search.config import TrialConfig
from l2p_search.data.loading import load_graph
from l2p_search.errors import ConfigError, SearchError, UserError
from l2p_search.hyperparameters import Hyperparameters
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.space.space_file import parse_space, read_space
from l2p_search.tracking.store import find_store
from l2p_search.yaml_file import parse_value
from tests.faults.conftest import Tried
from tests.faults.sweeping import VALUES

_HUGE = "9" * 5000
_SEARCH = ("--dataset", "demo", "--space", "smoke", "--no-tracking", "--dry-run")
_VALUES = {
    "--seeds": ["0", "-1", "x", "1.5", "1000000000000", _HUGE],
    "--trials": ["0", "1e3", "1000000000000", _HUGE],
    "--seed": ["-1", "4294967296", _HUGE],
    "--confirm": ["-1", "1000000000", _HUGE],
    "--confirm-ties": ["1000000000"],
    "--time-budget": ["0", "-1h", "1e400", _HUGE, "8 parsecs"],
    "--memory": ["0", "-1", "nan", "inf", "1e300", "x"],
    "--concurrency": ["0", "1000000000"],
    "--cpus-per-trial": ["0", "1000000000"],
    "--gpus-per-trial": ["-1", "1e300"],
    "--name": ["", ".", "..", "a/b", "a\\b", "a\nb", "a\x1b[31mb", "\udcff", "x" * 5000],
    "--space": ["", "nosuch", "/dev/zero", "/dev/null", "/", "a\0b.yaml", "x" * 5000, "../x"],
    "--model": ["", "nosuch", "x" * 100_000],
    "--dataset": ["", "nosuch", "/dev/zero", "/", "a\0b", "pyg:", "os:system", "x" * 5000],
    "--sampler": ["", "x"],
    "--metric": ["", "x"],
    "--dir": ["x" * 300, "x/" * 3000, "a\0b", "/dev/null", "/dev/zero"],
    "--log-file": ["x" * 300, "a\0b", "/"],
    "--nosuch": ["\x1b[31m", "\udcff", "a\0b", "\u202e"],
}
_FILES = {
    "a tag without its value": "K: {choices: [!!int abc]}",
    "a date that is none": "K: 2020-13-45",
    "5000 digits": f"K: {_HUGE}",
    "4000 digits": "K: {low: 1, high: " + "9" * 4000 + "}",
    "3000 brackets": "K: " + "[" * 3000,
    "a bomb": "a: &a [1, 1]\n"
    + "".join(f"{b}: &{b} [{','.join(10 * ['*' + a])}]\n" for a, b in zip("abcd", "bcde")),  # noqa: B905
    "a small step": "dropout: {low: 0.0, high: 0.9, step: 1e-10}",
    "a long range": "epochs: {low: 1, high: 999999999}",
    "a long name": "x" * 100_000 + ": 1",
    "many choices": f"K: {{choices: {[*range(1, 9000)]}}}",
    "many seeds": "K: {choices: [1, 2]}\nseeds: 1000000000000",
    "many trials": "K: {choices: [1, 2]}\nbudget: {trials: 1000000000000}",
    "code": "K: !!python/object/apply:os.system [id]",
    "itself": "K: &a [*a]",
    "a zero byte": "K: \0",
    "a list as a key": "? [1, 2]\n: 3",
    "a number as a key": "{1: 2}",
    "a merge of nothing": "<<: 3",
    "infinity": "dropout: {low: 0.1, high: .inf}",
    "no number": "dropout: {choices: [.nan]}",
    "bytes": "K: !!binary aGk=",
    "a set": "K: !!set {a, b}",
    "1e400": "lr: {low: 1e-400, high: 1e400}",
    "a start that is a list": "K: {choices: [1, 2]}\nstart: [[1]]",
}


def _assert_one_line(error: UserError) -> None:
    unshown = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, separators of lines
    assert not any(unicodedata.category(letter) in unshown for letter in str(error))
    assert len(str(error)) < 3000


def _refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a command says before it ends with exit code 2."""
    capsys.readouterr()
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code  # type: ignore[assignment]
    said = capsys.readouterr().err
    assert code == 2, said
    last = said.rstrip("\n").splitlines()[-1]
    assert last.startswith("l2p-search")
    assert "error: " in last
    assert last.isprintable()
    assert len(last) < 3000
    return last


@pytest.mark.parametrize("option", _VALUES)
def test_a_bad_value_of_an_option_is_one_line(
    option: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tried: Tried,
) -> None:
    tried("input", "bad values of options", times=len(_VALUES[option]))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for value in _VALUES[option]:
        _refused([*_SEARCH, option, value], capsys)
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("command", ["status", "trials", "report", "sync", "compare", "reproduce"])
def test_a_folder_that_is_none_is_one_line_for_every_command(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, tried: Tried
) -> None:
    (tmp_path / "file").write_text("")
    folders = ["x" * 300, "a\0b", "/dev/null", str(tmp_path / "file")]
    tried("input", "folders of searches that are none", times=len(folders))
    for folder in folders:
        named = ["a"] if command == "compare" else []
        _refused([command, *named, "--dir", folder], capsys)


@pytest.mark.parametrize("out", ["a\0b", "x" * 300, "x/" * 3000])
def test_a_file_that_can_be_none_is_one_line(out: str, tmp_path: Path, tried: Tried) -> None:
    tried("input", "names of files that no file can have")
    with pytest.raises(UserError, match="is no path") as raised:
        write_file(Path(out), "content")
    _assert_one_line(raised.value)


@pytest.mark.parametrize("what", ["pipe", "folder"])
def test_a_search_whose_journal_is_no_file_is_one_line_and_is_not_waited_for(
    what: str, tmp_path: Path, tried: Tried
) -> None:
    tried("input", "journals that are a pipe or a folder")
    path = tmp_path / "s" / "journal.log"
    path.parent.mkdir()
    (os.mkfifo if what == "pipe" else Path.mkdir)(path)
    for open_it in (Journal.exists, Journal.read, Journal.resume):
        with pytest.raises(SearchError) as raised:
            open_it(path.parent)
        _assert_one_line(raised.value)


def test_a_bad_space_file_is_one_line_with_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, tried: Tried
) -> None:
    tried("input", "bad space files", times=len(_FILES) + 1)
    path = tmp_path / "space.yaml"
    for content in _FILES.values():
        path.write_text(content)
        assert str(path) in _refused(["--dataset", "demo", "--space", str(path)], capsys)
    os.mkfifo(tmp_path / "pipe.yaml")
    _refused(["--dataset", "demo", "--space", str(tmp_path / "pipe.yaml")], capsys)


@pytest.mark.parametrize(
    "uri",
    [
        "http://me:hunter2@[::1",
        "http://me:hunter2@host:port",
        "nosuch://me:hunter2@host",
        "mssql://me:hunter2@host/db",
    ],
)
def test_a_bad_tracking_uri_is_one_line_without_its_password(
    uri: str, capsys: pytest.CaptureFixture[str], tried: Tried
) -> None:
    tried("input", "bad tracking URIs")
    assert "hunter2" not in _refused(["ui", "--tracking-uri", uri], capsys)


_OF_TABLES = (
    *("edges", "label", "id", "source_column", "target_column", "features", "split", "weight"),
    *("splits", "scale", "name"),
)


@pytest.mark.parametrize("argument", _OF_TABLES)
def test_how_tables_are_read_is_understood_or_refused_by_a_line(
    argument: str, tmp_path: Path, tried: Tried
) -> None:
    tried("input", "arguments of tables with values that nobody means", times=len(VALUES))
    rows = "".join(f"{node},0.{node},{'ab'[node % 2]}\n" for node in range(12))
    (tmp_path / "nodes.csv").write_text(f"id,x,club\n{rows}")
    pairs = "".join(f"{node},{(node + 1) % 12}\n" for node in range(12))
    (tmp_path / "edges.csv").write_text(f"source,target\n{pairs}")
    usual = {"edges": tmp_path / "edges.csv", "label": "club"}
    for value in VALUES:
        try:
            load_graph(str(tmp_path / "nodes.csv"), **{**usual, argument: value})  # type: ignore[arg-type]
        except UserError as error:
            _assert_one_line(error)


_KEYS = st.sampled_from(
    [*TrialConfig.__dataclass_fields__, "seeds", "budget", "start", "choices", "low", "high"]
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.sampled_from(["l2p", "gat", "quit", "8h", 10**400, -1, 1e-300])
)
_NESTED = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(_KEYS | st.sampled_from(["step", "log", "trials", "time"]), inner)
    ),
    max_leaves=12,
)
_BOUNDED = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@_BOUNDED
@given(mapping=st.dictionaries(_KEYS | st.text(max_size=5), _NESTED, max_size=6))
def test_any_structure_is_a_space_or_a_line(mapping: dict[str, Any]) -> None:
    try:
        space = parse_space("fuzzed", mapping)
    except ConfigError as error:
        _assert_one_line(error)
    else:
        assert space.dimensions


@_BOUNDED
@given(mapping=st.dictionaries(_KEYS | st.text(max_size=5), _NESTED, max_size=6))
def test_any_structure_is_a_config_or_a_line(mapping: dict[str, Any]) -> None:
    try:
        config = TrialConfig.from_mapping(mapping)
    except ConfigError as error:
        _assert_one_line(error)
    else:
        assert isinstance(config, Hyperparameters)


@_BOUNDED
@given(content=st.binary(max_size=200) | st.text("{}[]:,-&*!|>'\"#\n aK19.e", max_size=200))
def test_any_file_is_a_space_or_a_line(content: bytes | str, tmp_path: Path) -> None:
    path = tmp_path / "space.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as raised:
        read_space(path)
    _assert_one_line(raised.value)


@_BOUNDED
@given(text=st.text(max_size=60))
def test_any_text_is_a_value_and_any_address_is_a_store_or_a_line(text: str) -> None:
    parse_value(text)
    for uri in (text, f"http://{text}", f"postgresql://{text}"):
        try:
            find_store(uri)
        except UserError as error:
            _assert_one_line(error)


@pytest.mark.faults
def test_shipped_spaces_with_a_few_bytes_changed_are_spaces_or_a_line(
    tmp_path: Path, tried: Tried
) -> None:
    tried("input", "space files with changed bytes", times=3000)
    chance = random.Random(1)
    texts = [path.read_text() for path in sorted(Path("search_spaces").glob("*.yaml"))]
    path = tmp_path / "space.yaml"
    for _ in range(3000):
        letters = list(chance.choice(texts))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(letters))
            letters[place : place + chance.randint(0, 3)] = chance.choice(string.printable)
        path.write_text("".join(letters))
        try:
            read_space(path)
        except ConfigError as error:
            _assert_one_line(error)
