"""Imports only ever point backwards along the way of the data."""

import ast
from pathlib import Path

import pytest

import l2p_search

_ROOT = Path(l2p_search.__file__).parent
_ORDER = (
    "masking",
    "errors",
    "defaults",
    "caller",
    "guard",
    "stopping",
    "published",
    "durations",
    "field_types",
    "whole_file",
    "yaml_file",
    "keys",
    "hyperparameters",
    "config",
    "metrics",
    "learned",
    "step_shares",
    "weights",
    "node_hits",
    "results",
    "intervals",
    "other_nodes",
    "variances",
    "verdicts",
    "contenders",
    "over_graphs",
    "trial_record",
    "progress",
    "effects",
    "held",
    "nn",
    "data",
    "model",
    "training",
    "saved",
    "searching",
    "tracking",
    "report",
    "display",
    "api",
    "paper",
    "cli",
)
_APART = {"searching", "tracking", "report", "display"}  # joined by `api` alone
_ROOMS = ("space", "records", "running")  # of `searching`, in this order
_ONLY_IN = {
    "argparse": {"cli"},
    "torch_geometric": {"data"},
    "mlflow": {"tracking"},
    "ray": {"searching"},
    "optuna": {"searching"},
    "rich": {"display", "cli"},
    "yaml": {"yaml_file"},
}
_MODULES = sorted(_ROOT.rglob("*.py"))


def _layer(path: Path) -> str:
    return path.relative_to(_ROOT).parts[0].removesuffix(".py")


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


@pytest.mark.parametrize("path", sorted((_ROOT / "searching").rglob("*.py")), ids=str)
def test_the_rooms_of_a_search_import_only_the_rooms_before_them(path: Path) -> None:
    room = path.relative_to(_ROOT / "searching").parts[0]
    if room not in _ROOMS:
        return
    for name in _imports(path):
        if name.startswith("l2p_search.searching."):
            imported = name.split(".")[2]
            assert _ROOMS.index(imported) <= _ROOMS.index(room), f"{room} imports {imported}"


def test_no_two_modules_have_one_name() -> None:
    names = [path.stem for path in _MODULES if not path.stem.startswith("__")]
    repeated = {name for name in names if names.count(name) > 1}
    assert repeated == set()


def test_every_layer_is_in_the_order() -> None:
    assert {_layer(path) for path in _MODULES} - {"__init__", "__main__"} <= set(_ORDER)
