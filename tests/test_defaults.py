"""Each default is written once, and what a user reads of it is true."""

import argparse
import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

import l2p_search as l2p
from l2p_search import defaults
from l2p_search.api.exporting import SUFFIXES
from l2p_search.api.found import Search
from l2p_search.cli.main import build_parser
from l2p_search.paper.budgets import BUDGETS
from l2p_search.searching.records.settings import Sampler

_ROOT = Path(l2p.__file__).parent
_BY_NAME = {
    "trials": defaults.TRIALS,
    "seeds": defaults.SEEDS,
    "confirm": defaults.CONFIRM,
    "ties": defaults.TIES,
    "confirm_ties": defaults.TIES,
    "space": defaults.SPACE,
    "sampler": defaults.SAMPLER,
    "cpus_per_trial": defaults.CPUS_PER_TRIAL,
    "gpus_per_trial": defaults.GPUS_PER_TRIAL,
    "device": defaults.DEVICE,
    "memory_gb": defaults.MEMORY_GB,
    "memory": defaults.MEMORY_GB,
    "threads": defaults.THREADS,
    "budget": defaults.BUDGET,
    "format": defaults.FORM,
    "form": defaults.FORM,
    "out": defaults.FIGURES,
}
"""What parameters, fields and flags are called -> their default."""


def _written(tree: ast.AST) -> Iterator[tuple[str, ast.expr, int]]:
    """Every default of a parameter, a field or a flag: its name, its value, its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            given = node.args
            plain = [*given.posonlyargs, *given.args]
            pairs = list(zip(reversed(plain), reversed(given.defaults), strict=False))
            pairs += [
                (name, value)
                for name, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
                if value is not None
            ]
            for name, value in pairs:
                yield name.arg, value, value.lineno
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value, node.lineno
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument":
            flags = [each.value for each in node.args if isinstance(each, ast.Constant)]
            for keyword in node.keywords:
                if keyword.arg == "default":
                    yield str(flags[-1]).lstrip("-").replace("-", "_"), keyword.value, node.lineno


@pytest.mark.parametrize(
    "path", sorted(_ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(_ROOT))
)
def test_no_module_writes_a_default_a_second_time(path: Path) -> None:
    repeated = [
        f"line {line}: {name}={value.value!r}"
        for name, value, line in _written(ast.parse(path.read_text()))
        if isinstance(value, ast.Constant) and _BY_NAME.get(name, value) == value.value
    ]
    assert repeated == []


def test_the_check_above_sees_parameters_fields_and_flags() -> None:
    program = (
        "def f(a, trials=1, *, seeds=2): ...\n"
        "class C:\n    confirm: int = 3\n"
        "p.add_argument('-m', '--memory-gb', default=4)\n"
    )
    seen = {(name, ast.unparse(value)) for name, value, _ in _written(ast.parse(program))}
    assert seen == {("trials", "1"), ("seeds", "2"), ("confirm", "3"), ("memory_gb", "4")}


def test_the_library_has_these_defaults() -> None:
    search = inspect.signature(l2p.search).parameters
    for name in ("cpus_per_trial", "gpus_per_trial", "memory_gb"):
        assert search[name].default == _BY_NAME[name]
    for name in ("trials", "seeds", "space", "sampler", "confirm", "confirm_ties", "seed"):
        assert search[name].default is None  # not given: a resumed search has its own
    fit = inspect.signature(l2p.fit).parameters
    assert fit["threads"].default is None  # not given: all seeds in one batch
    assert fit["memory_gb"].default == defaults.MEMORY_GB
    assert inspect.signature(Search.exported).parameters["format"].default == defaults.FORM


@pytest.mark.parametrize(
    "says",
    [
        rf"trials: .* else {defaults.TRIALS}\.",
        rf'space: .* "{defaults.SPACE}" by default',
        rf"seeds: .* else {defaults.SEEDS}\.",
        rf'sampler: "{defaults.SAMPLER}" \(default\)',
        rf"confirm: .* \({defaults.CONFIRM}\)",
        rf"confirm_ties: .* \({defaults.TIES}\)",
    ],
)
def test_the_documentation_of_search_says_them(says: str) -> None:
    doc = " ".join((l2p.search.__doc__ or "").split())
    assert re.search(says, doc)


def test_the_documentation_of_fit_says_its_seeds() -> None:
    assert f"else {defaults.SEEDS}." in (l2p.fit.__doc__ or "")


def _parsers() -> dict[str, argparse.ArgumentParser]:
    parser = build_parser()
    (commands,) = [action for action in parser._actions if hasattr(action, "_name_parser_map")]
    return {"": parser, **commands._name_parser_map}


def _help(command: str) -> str:
    return " ".join(_parsers()[command].format_help().split())


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", f"path of a YAML file (default: {defaults.SPACE})"),
        ("", f"(default: the space's budget, else {defaults.TRIALS})"),
        ("", f"(default: the space's, else {defaults.SEEDS})"),
        ("", f"who proposes configurations (default: {defaults.SAMPLER})"),
        ("", f"of the sampler (default: {defaults.SAMPLER_SEED})"),
        ("", f"fresh seeds (default: {defaults.CONFIRM}; 0 for none)"),
        ("", f"ties beside it (default: {defaults.TIES})"),
        ("", f"threads per trial (default: {defaults.CPUS_PER_TRIAL})"),
        ("", f"cuda:1 or mps (default: {defaults.DEVICE})"),
        ("", f"as fit into it (default: {defaults.MEMORY_GB:g})"),
        ("train", f"else {defaults.SEEDS})"),
        ("train", "(default: all seeds in one batch, on one core)"),
        ("predict", f"torch threads (default: {defaults.THREADS})"),
        ("train", f"as fit into it (default: {defaults.MEMORY_GB:g})"),
        ("node", f"(default: {defaults.NODE_SEEDS})"),
        ("node", f"(default: ./{defaults.FIGURES})"),
        ("profiles", f"(default: ./{defaults.FIGURES})"),
        ("paper", f"(default: {defaults.BUDGET})"),
        ("export", f"else {defaults.FORM})"),
    ],
)
def test_the_help_of_a_command_shows_the_librarys_default(command: str, says: str) -> None:
    assert says in _help(command)


def test_what_is_parsed_is_the_librarys_default() -> None:
    args = build_parser().parse_args(["--dataset", "demo"])
    assert (args.cpus_per_trial, args.gpus_per_trial, args.memory) == (
        defaults.CPUS_PER_TRIAL,
        defaults.GPUS_PER_TRIAL,
        defaults.MEMORY_GB,
    )
    assert args.trials is args.seeds is args.sampler is args.confirm is args.race is None
    args = build_parser().parse_args(["node", "--dataset", "demo", "--node", "0"])
    assert (args.seeds, args.out) == (defaults.NODE_SEEDS, Path(defaults.FIGURES))


@pytest.mark.parametrize(
    ("command", "flag", "known"),
    [
        ("", "--sampler", get_args(Sampler)),
        ("export", "--format", tuple(SUFFIXES)),
        ("paper", "--budget", tuple(BUDGETS)),
    ],
)
def test_the_choices_of_a_flag_are_the_librarys(
    command: str, flag: str, known: tuple[str, ...]
) -> None:
    (action,) = [each for each in _parsers()[command]._actions if flag in each.option_strings]
    choices: Any = action.choices
    assert tuple(choices) == known
