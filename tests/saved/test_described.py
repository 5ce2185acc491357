"""A description is trusted when it has the keys and types of one, not when its hash fits."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from l2p_search.errors import ModelError
from l2p_search.saved import folder as folders
from l2p_search.saved.described import described
from l2p_search.saved.trained_model import Model, load_model


@pytest.fixture
def kept(model: Model, tmp_path: Path) -> Path:
    return model.save(tmp_path / "kept")


def _signed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a description, and write the hash that fits the change."""
    path = folder / folders.DESCRIPTION
    found = json.loads(path.read_text())
    found.pop("digest")
    change(found)
    path.write_text(json.dumps({**found, "digest": folders._digest(found)}))


_CHANGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no seeds": lambda d: d.pop("seeds"),
    "seeds are words": lambda d: d.update(seeds=["a"]),
    "nothing expected": lambda d: d.pop("expected"),
    "a list is expected": lambda d: d.update(expected=[]),
    "a key too many": lambda d: d["expected"].update(more=1),
    "a key too few": lambda d: d["expected"].pop("classes"),
    "a word for a number": lambda d: d["expected"].update(features="9"),
    "no features": lambda d: d["expected"].update(features=0),
    "a million million features": lambda d: d["expected"].update(features=10**12),
    "classes are a word": lambda d: d["expected"].update(classes="abc"),
    "too few names": lambda d: d["expected"].update(feature_names=["a"]),
    "half a standard": lambda d: d["expected"].update(standard={"center": [0.0]}),
    "a short standard": lambda d: d["expected"].update(standard={"center": [0], "spread": [1]}),
    "an unknown metric": lambda d: d["evidence"].update(metric="luck"),
    "no evidence": lambda d: d.update(evidence=None),
    "no files": lambda d: d.pop("files"),
    "a file without its hash": lambda d: d["files"]["config.yaml"].pop("sha256"),
    "a size that is a word": lambda d: d["files"]["weights.safetensors"].update(bytes="many"),
}


@pytest.mark.parametrize("what", _CHANGES)
def test_a_wrong_description_with_a_right_hash_is_one_line(what: str, kept: Path) -> None:
    load_model(kept)
    _signed(kept, _CHANGES[what])
    with pytest.raises(ModelError) as raised:
        load_model(kept)
    assert str(kept) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_good_description_is_read_as_it_was_written(kept: Path, model: Model) -> None:
    found = described(json.loads((kept / folders.DESCRIPTION).read_text()))
    assert found.seeds == model.seeds
    assert found.expected == model.expected
    assert found.evidence == model.evidence


def test_a_configuration_that_is_no_text_is_one_line(kept: Path) -> None:
    content = b"K: \xff\n"
    (kept / folders.CONFIG).write_bytes(content)
    saved = {"bytes": len(content), "sha256": folders._sha256(content)}
    _signed(kept, lambda d: d["files"].update({folders.CONFIG: copy.copy(saved)}))
    with pytest.raises(ModelError, match=r"config\.yaml: is no text"):
        load_model(kept)


@pytest.mark.parametrize("name", [folders.DESCRIPTION, folders.CONFIG, folders.WEIGHTS])
@pytest.mark.parametrize("what", ["pipe", "endless"])
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_not_waited_for(
    name: str, what: str, kept: Path
) -> None:
    (kept / name).unlink()
    if what == "pipe":
        os.mkfifo(kept / name)
    else:
        (kept / name).symlink_to("/dev/zero")
    with pytest.raises(ModelError):
        load_model(kept)


def test_brackets_without_end_are_no_description(kept: Path) -> None:
    (kept / folders.DESCRIPTION).write_text("[" * 100_000)
    with pytest.raises(ModelError, match="is no JSON"):
        load_model(kept)
