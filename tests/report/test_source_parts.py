import ast
from types import ModuleType

import pytest

from l2p_search.report import source_parts
from l2p_search.report.source_parts import joined_source

_FIRST = '''"""A module."""

import math
from collections.abc import Callable, Mapping

from l2p_search.config import TrialConfig

LIMIT = 3
"""How many."""
UNUSED = 4


def half(x: float) -> float:
    """Half of x.

    Args:
        x: Any.

    Raises:
        ValueError: Never.

    Example:
        >>> half(2)
        1
    """
    return x / 2


def root(x: float) -> float:
    """The root."""
    return math.sqrt(x)


# The one that is usual comes first.
TABLE: dict[str, Callable[[float], float]] = {"half": half, "root": root}
"""Two."""
'''
_SECOND = '''"""Another."""

import os

import torch
from torch import Tensor, nn

from l2p_search.first import LIMIT, TABLE


class Net(nn.Module):
    """A net."""

    def forward(self, x: Tensor) -> Tensor:
        """Called by torch."""
        return self.used(x)

    def used(self, x: Tensor) -> Tensor:
        """Called by name."""
        return x * TABLE["half"](LIMIT)

    @classmethod
    def from_config(cls) -> "Net":
        """Called by nobody here."""
        from l2p_search.config import TrialConfig

        return cls()

    def chain(self) -> str:
        """Only called by nobody."""
        return self.links()

    def links(self) -> str:
        """Only called by the above."""
        return os.sep


def net() -> Net:
    """A net of torch's default type."""
    return Net().to(torch.get_default_dtype())
'''


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> list[ModuleType]:
    sources = {"first": _FIRST, "second": _SECOND}
    made = [ModuleType(name) for name in sources]
    monkeypatch.setattr(source_parts.inspect, "getsource", lambda it: sources[it.__name__])
    return made


def test_what_is_needed_is_taken_and_nothing_else(modules: list[ModuleType]) -> None:
    imports, source = joined_source(modules, ["net"], {"TABLE": "half"})
    assert imports == (
        "from collections.abc import Callable\n\nimport torch\nfrom torch import Tensor, nn"
    )
    assert source.startswith('LIMIT = 3\n"""How many."""\n\n\ndef half(')
    tree = ast.parse(source)
    names = [getattr(node, "name", None) for node in tree.body]
    assert [name for name in names if name] == ["half", "Net", "net"]
    (net,) = (node for node in tree.body if isinstance(node, ast.ClassDef))
    methods = [node.name for node in net.body if isinstance(node, ast.FunctionDef)]
    assert methods == ["forward", "used"]
    assert 'TABLE: dict[str, Callable[[float], float]] = {"half": half}\n' in source
    assert "l2p_search" not in imports + source
    assert "UNUSED" not in source
    assert "Two." not in source


def test_docstrings_lose_examples_and_errors_and_nothing_else(modules: list[ModuleType]) -> None:
    _, source = joined_source(modules, ["half", "root"], {})
    assert source == (
        'def half(x: float) -> float:\n    """Half of x.\n\n    Args:\n        x: Any.\n    """\n'
        '    return x / 2\n\n\ndef root(x: float) -> float:\n    """The root."""\n'
        "    return math.sqrt(x)"
    )


def test_a_comment_above_a_definition_stays_with_it(modules: list[ModuleType]) -> None:
    _, source = joined_source(modules, ["TABLE"], {})
    assert "# The one that is usual comes first.\nTABLE: " in source
    assert '{"half": half, "root": root}\n"""Two."""' in source


def test_an_entry_that_a_table_does_not_have_is_an_error(modules: list[ModuleType]) -> None:
    with pytest.raises(KeyError, match="third"):
        joined_source(modules, ["net"], {"TABLE": "third"})
