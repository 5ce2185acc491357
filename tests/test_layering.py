"""Imports only ever point backwards along the way of the data."""

import ast
from pathlib import Path

import pytest

import l2p_search

_ROOT = Path(l2p_search.__file__).parent
_ORDER = (
    "errors",
    "published",
    "durations",
    "whole_file",
    "yaml_file",
    "keys",
    "hyperparameters",
    "config",
    "profiles",
    "results",
    "intervals",
    "trial_record",
    "progress",
    "data",
    "model",
    "training",
    "search",
    "tracking",
    "report",
    "display",
    "api",
    "paper",
    "cli",
)
_APART = {"search", "tracking", "report"}  # joined above them alone
_WITH_CLI = {"display", "api", "paper"}  # moved out of `cli`, and still entangled with it
_ONLY_IN = {
    "torch_geometric": {"data"},
    "mlflow": {"tracking"},
    "ray": {"search"},
    "optuna": {"search"},
    "rich": {"cli"},
    "yaml": {"yaml_file"},
}
_MODULES = sorted(_ROOT.rglob("*.py"))


def _layer(path: Path) -> str:
    layer = path.relative_to(_ROOT).parts[0].removesuffix(".py")
    return "cli" if layer in _WITH_CLI else layer


def _imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
    return found


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: str(path.relative_to(_ROOT)))
def test_a_module_imports_only_what_comes_before_it(path: Path) -> None:
    layer = _layer(path)
    for name in _imports(path):
        package, _, rest = name.partition(".")
        if package in _ONLY_IN:
            assert layer in _ONLY_IN[package], f"{package} does not belong in {layer}"
        if package == "l2p_search" and rest and layer not in ("__init__", "__main__"):
            imported = rest.split(".")[0]
            assert _ORDER.index(imported) <= _ORDER.index(layer), f"{layer} imports {imported}"
            assert imported == layer or not {imported, layer} <= _APART, f"{layer}: {imported}"


def test_every_layer_is_in_the_order() -> None:
    assert {_layer(path) for path in _MODULES} - {"__init__", "__main__"} <= set(_ORDER)
