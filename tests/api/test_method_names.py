import doctest
from typing import get_args

from l2p_search.api import method_names
from l2p_search.api.method_names import printed_name
from l2p_search.config import Model
from l2p_search.searching.space.shipped import models_of_spaces


def test_its_examples_run() -> None:
    assert doctest.testmod(method_names).failed == 0


def test_every_method_has_a_name_of_its_own() -> None:
    methods = {*get_args(Model), *models_of_spaces().values()}
    names = {method: printed_name(method) for method in methods}
    assert len(set(names.values())) == len(methods)
    assert all(name != method for method, name in names.items())


def test_an_unknown_method_keeps_its_own() -> None:
    assert printed_name("mine") == "mine"
