from l2p_search.errors import did_you_mean


def test_a_near_name_is_suggested() -> None:
    assert did_you_mean("Wisconson", ["wisconsin", "texas"]) == "did you mean 'wisconsin'?"


def test_without_a_near_name_all_are_listed() -> None:
    assert did_you_mean("x", ["texas", "cora"]) == "choose one of cora, texas"
