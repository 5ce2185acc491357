"""The tests mirror the package: l2p_search/a/b.py has tests/a/test_b.py."""

from pathlib import Path

import pytest

import l2p_search

_ROOT = Path(l2p_search.__file__).parent
_TESTS = Path(__file__).parent
_MODULES = sorted(
    path.relative_to(_ROOT)
    for path in _ROOT.rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)


def _mirrored(module: Path) -> Path:
    return _TESTS / module.parent / f"test_{module.name}"


@pytest.mark.parametrize("module", _MODULES, ids=str)
def test_a_module_has_a_test_file_of_its_own_name(module: Path) -> None:
    file = _mirrored(module)
    assert file.is_file()
    assert "\ndef test_" in file.read_text(), "a file without a test"
