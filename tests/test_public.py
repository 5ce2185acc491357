"""Every public name: exported, typed, documented, and its example runs."""

import ast
import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import l2p_search as l2p

_PUBLIC = sorted(set(l2p.__all__) - {"__version__"})
_PLAIN = {"UserError"}  # raised for the caller, not called by it


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines itself."""
    for name, member in vars(value).items():
        if not name.startswith("_"):
            member = getattr(member, "__func__", member)  # of a classmethod
            if isinstance(member, property) or inspect.isfunction(member):
                yield name, member


def test_the_list_of_names_is_the_same_for_the_runtime_and_for_a_type_checker() -> None:
    tree = ast.parse(Path(l2p.__file__).read_text())
    checked = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("l2p_search.")
        for alias in node.names
        if alias.asname
    }
    assert checked == set(_PUBLIC) == set(l2p._PUBLIC)
    assert set(l2p.__all__) <= set(dir(l2p))


def test_importing_the_package_imports_nothing_beyond_pythons_own_library() -> None:
    program = (
        "import sys; before = set(sys.modules); import l2p_search;"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "['l2p_search']", found.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'serach'"):
        _ = l2p.serach


@pytest.mark.parametrize("name", _PUBLIC)
def test_a_name_is_documented_and_typed(name: str) -> None:
    value = getattr(l2p, name)
    doc = inspect.getdoc(value) or ""
    assert len(doc.splitlines()) > 2, f"{name}: more than a line"
    if inspect.isfunction(value):
        _check_function(name, value, doc)
    elif name not in _PLAIN:
        assert ">>>" in doc, f"{name}: an example"
        for member, found in _members(value):
            assert inspect.getdoc(found), f"{name}.{member}: documented"
            function = found.fget if isinstance(found, property) else found
            _check_types(f"{name}.{member}", function)


def _check_function(name: str, function: Any, doc: str) -> None:
    for part in ("Args:", "Returns:", "Raises:", ">>>"):
        assert part in doc, f"{name}: {part}"
    for parameter in inspect.signature(function).parameters:
        assert f"{parameter}:" in doc, f"{name}: says what {parameter} is"
    _check_types(name, function)


def _check_types(name: str, function: Any) -> None:
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty, name
    for parameter, found in signature.parameters.items():
        if parameter not in ("self", "cls"):
            assert found.annotation is not inspect.Parameter.empty, f"{name}({parameter})"


@pytest.mark.parametrize("name", _PUBLIC)
def test_its_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value = getattr(l2p, name)
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS
        | doctest.NORMALIZE_WHITESPACE
        | doctest.IGNORE_EXCEPTION_DETAIL
    )
    tried = 0
    for example in doctest.DocTestFinder(recurse=True).find(value, name, extraglobs={"l2p": l2p}):
        tried += len(example.examples)
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
    assert tried > 0 or name in _PLAIN
