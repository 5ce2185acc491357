import os
import stat
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from l2p_search.errors import ConfigError
from l2p_search.yaml_file import dump_yaml, parse_value, read_yaml_mapping

# Ten times ten times ten .. values, in a few lines.
_BOMB = "a: &a [1, 1]\n" + "".join(
    f"{name}: &{name} [{', '.join(10 * [f'*{before}'])}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def _read(tmp_path: Path, text: str) -> dict[str, object]:
    path = tmp_path / "file.yaml"
    path.write_text(text, encoding="utf-8")
    return read_yaml_mapping(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5e-4", 5e-4),
        ("1E2", 100.0),
        ("-3e+1", -30.0),
        ("1.5e-3", 1.5e-3),
        ("16", 16),
        ("'5e-4'", "5e-4"),
        ("quit", "quit"),
        ("e5", "e5"),
    ],
)
def test_numbers_with_an_exponent_are_numbers(tmp_path: Path, text: str, value: object) -> None:
    found = _read(tmp_path, f"key: {text}")["key"]
    assert found == value
    assert type(found) is type(value)
    assert parse_value(text) == value


def test_yaml_itself_is_left_alone() -> None:
    assert yaml.safe_load("a: 5e-4") == {"a": "5e-4"}
    assert yaml.safe_dump({"a": "5e-4"}) == "a: 5e-4\n"


def test_an_empty_file_is_an_empty_mapping_and_json_is_read_too(tmp_path: Path) -> None:
    assert _read(tmp_path, "# only a comment\n") == {}
    assert _read(tmp_path, '{"K": 8, "lr": 5e-4}') == {"K": 8, "lr": 5e-4}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("K: 4\nlr: 0.1\nK: 8", "key 'K' is given twice; keep one of them"),
        ("K: {low: 1, low: 2}", "key 'low' is given twice"),
        ("- K", "holds no 'key: value' lines; write one hyperparameter per line"),
        ("lr: 0.1\nK: {", "line 2: "),
        ("? [1, 2]\n: 3", "line 1: found unhashable key"),
        ("a: &a [*a]", "is nested more than 20 levels deep; flatten it"),
        ("a: &a {b: *a}", "is nested more than 20 levels deep; flatten it"),
        ("K: " + "[" * 21 + "]" * 21, "is nested more than 20 levels deep; flatten it"),
        ("K: [" + "1," * 30_000 + "]", "holds more than 20000 values; shorten it"),
        (_BOMB, "holds more than 20000 values; shorten it"),
        ("K: " + "9" * 5000, "has a bad value (Exceeds the limit"),
        ("#" * 2_000_000, "is larger than 1 MB; name a YAML file"),
        ("K: !!python/object:os.system 1", "could not determine a constructor"),
        ("K: 2020-13-45", "has a bad value (month must be in 1..12); correct it or put"),
        ("K: !!int many", "has a bad value ("),
        ("K: " + "[" * 5000, "has a bad value (maximum recursion depth"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as raised:
        _read(tmp_path, text)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_a_binary_and_an_unreadable_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file; check the path"):
        read_yaml_mapping(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_yaml_mapping(tmp_path / "binary.yaml")
    os.mkfifo(tmp_path / "pipe")
    for endless in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ConfigError, match="is no regular file; name one"):
            read_yaml_mapping(endless)


def test_a_merged_mapping_may_be_overridden(tmp_path: Path) -> None:
    found = _read(tmp_path, "a: &a {K: 1, lr: 0.1}\nb: {<<: *a, K: 2}")
    assert found["b"] == {"K": 2, "lr": 0.1}
    with pytest.raises(ConfigError, match="key 'K' is given twice"):
        _read(tmp_path, "a: &a {K: 1}\nb: {<<: *a, K: 2, K: 3}")


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,5}", fullmatch=True),
        st.one_of(
            st.integers(),
            st.floats(allow_nan=False),
            st.booleans(),
            st.none(),
            st.from_regex(r"[-+]?[0-9a-fE.]{1,12}", fullmatch=True),
        ),
        max_size=4,
    )
)
@example({"config_id": "83e920175562"})
def test_what_is_written_is_read_back_in_its_order(values: dict[str, object]) -> None:
    found = parse_value(dump_yaml(values)) if values else {}
    assert found == values
    assert list(found) == list(values)
    assert [type(value) for value in found.values()] == [type(v) for v in values.values()]


@pytest.mark.parametrize("text", ["[", "2020-13-45", "!!int many", "a: b: c"])
def test_a_value_that_is_no_yaml_is_its_own_text(text: str) -> None:
    assert parse_value(text) == text


def test_a_file_is_opened_without_waiting_for_what_it_may_say_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of /proc/kmsg, which passes for a regular file; a pipe stands in for it."""
    os.mkfifo(tmp_path / "kernel.yaml")
    monkeypatch.setattr(stat, "S_ISREG", lambda mode: True)
    assert read_yaml_mapping(tmp_path / "kernel.yaml") == {}
