import pytest

from l2p_search.data import limits
from l2p_search.errors import DataError


def test_what_does_not_fit_is_refused_with_both_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free_bytes", lambda: 3 * 2**30)
    limits.check_fits("features", 3 * 2**30, "give fewer")
    with pytest.raises(DataError) as error:
        limits.check_fits("features", 50 * 2**30, "give fewer")
    assert str(error.value) == (
        "features would take 50 GB of memory, and 3.0 GB can be used; give fewer"
    )


def test_less_than_the_whole_machine_can_be_used() -> None:
    import psutil

    assert 0 < limits.free_bytes() < psutil.virtual_memory().total
