import pytest

from l2p_search.searching.running.nodes import _PACKAGES, _asker, difference

_HERE = {"l2p-search": "0.1.0", "torch": "2.13.0", "numpy": "2.4.6"}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, None),
        ({"other": "1"}, None),
        ({"l2p-search": None}, "has no l2p-search"),
        ({"l2p-search": "0.0.9"}, "has l2p-search 0.0.9, this machine 0.1.0"),
        ({"numpy": "1.26"}, "has numpy 1.26, this machine 2.4.6"),
    ],
)
def test_the_first_difference_is_named(changed: dict[str, str | None], wrong: str | None) -> None:
    assert difference(_HERE, {**_HERE, **changed}) == wrong


def test_a_machine_says_which_versions_it_has() -> None:
    found = _asker()((*_PACKAGES, "no-such-package"))
    assert found["no-such-package"] is None
    assert all(found[package] for package in _PACKAGES)
