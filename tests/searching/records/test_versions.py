import platform
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
import torch

from l2p_search.searching.records import versions as module
from l2p_search.searching.records.versions import versions


def test_they_are_those_that_run() -> None:
    found = versions()
    assert found["python"] == platform.python_version()
    assert found["numpy"] == np.__version__
    assert found["torch"].split("+")[0] == torch.__version__.split("+")[0]
    assert {"l2p-search", "optuna", "ray"} < set(found)


def test_a_package_without_metadata_is_unknown_and_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(package: str) -> str:
        if package == "l2p-search":
            raise PackageNotFoundError(package)
        return f"of {package}"

    monkeypatch.setattr(module, "version", version)
    found = versions()
    assert found["l2p-search"] == "unknown"
    assert found["ray"] == "of ray"


def test_every_value_is_text_that_json_and_a_journal_can_hold() -> None:
    assert all(type(text) is str and text for text in versions().values())
