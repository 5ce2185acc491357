"""A model's folder is written whole, refuses what is no model, and notices every change."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.saved import folder as folder_module
from l2p_search.saved.folder import read_folder
from l2p_search.saved.trained_model import Model, load_model


@pytest.fixture
def kept(model: Model, tmp_path: Path) -> Path:
    return model.save(tmp_path / "kept")


def _refused(folder: Path) -> str:
    with pytest.raises(ModelError) as raised:
        load_model(folder)
    line = str(raised.value)
    assert "\n" not in line
    return line


def test_its_files_are_plain_and_named(kept: Path) -> None:
    assert sorted(path.name for path in kept.iterdir()) == [
        *("README.md", "config.yaml", "model.json", "profile.svg", "weights.safetensors")
    ]


def test_a_missing_folder_a_file_and_a_folder_of_something_else_are_no_models(
    tmp_path: Path,
) -> None:
    assert _refused(tmp_path / "none") == (
        f"{tmp_path}/none: no such folder; give the folder of a saved model"
    )
    (tmp_path / "file").write_text("x")
    assert "file: is no folder; give" in _refused(tmp_path / "file")
    (tmp_path / "other").mkdir()
    assert "other: is no saved model, as it has no model.json; give" in _refused(
        tmp_path / "other"
    )


@pytest.mark.parametrize("name", ["x" * 300, "x" * 250, "x/" * 3000 + "x", "a\0b"])
def test_a_name_that_no_folder_can_have_is_one_line(
    name: str, model: Model, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="is no path, as a name in it is too long or holds"):
        model.save(tmp_path / name)
    if len(name) != 250:  # that one is a name, with no room for what is written beside it
        assert "is no path" in _refused(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def _edit(old: str, new: str) -> Callable[[Path], None]:
    def edit(path: Path) -> None:
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))

    return edit


@pytest.mark.parametrize(
    ("name", "harm", "said"),
    [
        ("weights.safetensors", _truncate, "so it was cut short; copy the model again"),
        ("weights.safetensors", _flip, "was changed after the model was saved"),
        ("weights.safetensors", Path.unlink, "is missing; copy the model again, with all its"),
        ("config.yaml", _edit("K: 3", "K: 2"), "was changed after the model was saved"),
        ("config.yaml", _edit("K: 3", "K: 30"), "was changed after the model was saved"),
        ("config.yaml", _truncate, "so it was cut short"),
        ("config.yaml", Path.unlink, "is missing"),
        ("model.json", _truncate, "is no JSON, or cut short; copy the model again"),
        ("model.json", _edit('"features": 7', '"features": 8'), "was changed after the model"),
        ("model.json", _edit('"format": 1', '"format": 2'), "has format 2, made by l2p-search"),
        ("model.json", lambda path: path.write_text("[1]"), "is no description of a model"),
        ("model.json", lambda path: path.write_text("{}"), "is no description of a model"),
        ("model.json", lambda path: path.write_bytes(b"\xff\xfe"), "is no JSON, or cut short"),
    ],
)
def test_what_happened_to_a_file_is_said_in_one_line_with_its_name(
    name: str, harm: Callable[[Path], object], said: str, kept: Path
) -> None:
    harm(kept / name)
    line = _refused(kept)
    assert line.startswith(f"{kept / name}: ")
    assert said in line


def test_a_newer_format_says_what_to_update(kept: Path) -> None:
    _edit('"format": 1', '"format": 7')(kept / "model.json")
    assert _refused(kept).endswith("this version reads formats up to 1: update l2p-search")


def test_the_card_may_be_edited_and_left_out(kept: Path, small_graph: Graph) -> None:
    (kept / "README.md").write_text("mine")
    (kept / "profile.svg").unlink()
    assert load_model(kept).predict(small_graph).shape == (12,)


def test_an_earlier_model_is_replaced(kept: Path, model: Model, small_graph: Graph) -> None:
    (kept / "README.md").write_text("of the earlier one")
    model.save(kept)
    assert (kept / "README.md").read_text() != "of the earlier one"
    assert torch.equal(load_model(kept).predict(small_graph), model.predict(small_graph))
    assert [path.name for path in kept.parent.iterdir()] == ["kept"]


def test_an_empty_folder_becomes_the_model(model: Model, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    model.save(tmp_path / "empty")
    assert load_model(tmp_path / "empty").seeds == model.seeds


def test_folders_on_the_way_are_made(model: Model, tmp_path: Path) -> None:
    assert load_model(model.save(tmp_path / "a" / "b" / "c")).seeds == model.seeds


@pytest.mark.parametrize("case", ["file", "other files", "more files", "link"])
def test_what_is_no_model_is_never_overwritten(
    case: str, kept: Path, model: Model, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    if case == "file":
        target.write_text("precious")
    elif case == "link":
        target.symlink_to(kept)
    else:
        if case == "more files":
            shutil.copytree(kept, target)
        else:
            target.mkdir()
        (target / "thesis.tex").write_text("precious")
    with pytest.raises(ModelError, match=r"stays as it is; choose another name") as raised:
        model.save(target)
    assert str(raised.value).startswith(f"{target}: ")
    assert target.exists()
    if target.is_dir() and case != "link":
        assert (target / "thesis.tex").read_text() == "precious"
    assert not list(tmp_path.glob(".target*"))


@pytest.mark.parametrize("fails_at", [1, 3, 5])
def test_a_disk_that_is_full_leaves_the_former_model_whole(
    fails_at: int, kept: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    real = folder_module.write_whole

    def write(path: Path, content: bytes) -> None:
        written.append(path)
        if len(written) == fails_at:
            raise OSError(28, "No space left on device")
        real(path, content)

    monkeypatch.setattr(folder_module, "write_whole", write)
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    with pytest.raises(ModelError, match=r"cannot be written \(No space left on device\)"):
        model.save(kept)
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == before
    assert [path.name for path in kept.parent.iterdir()] == ["kept"]


def test_the_former_model_comes_back_when_the_new_one_cannot_be_moved_there(
    kept: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def rename(source: Path, target: Path) -> None:
        if source.name.endswith(".new"):
            raise OSError(5, "Input/output error")
        real(source, target)

    monkeypatch.setattr(folder_module.os, "rename", rename)
    with pytest.raises(ModelError, match="Input/output error"):
        model.save(kept)
    assert load_model(kept).seeds == model.seeds
    assert [path.name for path in kept.parent.iterdir()] == ["kept"]


def test_a_hash_of_everything_stands_in_the_description(kept: Path) -> None:
    found = json.loads((kept / "model.json").read_text())
    whence = {"format", "made_by", "config_id", "seeds", "evidence"}
    assert set(found) == whence | {"expected", "files", "digest"}
    description, files = read_folder(kept)
    assert set(files) == {"config.yaml", "weights.safetensors"}
    assert description["files"]["config.yaml"]["bytes"] == len(files["config.yaml"])
