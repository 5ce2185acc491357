"""The parts of some modules' source that a few names need, put together as one source.

A definition is taken when it defines a name that is wanted, or one that a definition taken before
needs. Of a class those methods are taken that anything taken calls by name. Docstrings lose their
examples and what is raised.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from types import ModuleType

_PACKAGE = __name__.partition(".")[0]
_CALLED_BY_TORCH = "forward"
_DROPPED_SECTION = re.compile(r"\n *(Example|Raises):\n.*?(?=\n\n *\w+:\n|\Z)", re.DOTALL)


def joined_source(
    modules: Sequence[ModuleType], wanted: Iterable[str], entries: Mapping[str, str]
) -> tuple[str, str]:
    """Put together what some names need.

    Args:
        modules: Where definitions come from, each after those that it imports. No two of them
            define one name.
        wanted: The names that have to be defined.
        entries: Tables, by their names, of which only the entry with this key is taken.

    Returns:
        The imports, and the definitions in their order.
    """
    parts = [part for module in modules for part in _parts(module, entries)]
    taken, count = _needed(parts, wanted), 0
    while count != len(taken) or any(_drop_methods(part, taken) for part in taken):
        count = len(taken)
        taken = _needed(taken, wanted)
    source = taken[0].source()
    for before, part in pairwise(taken):
        source += ("\n" if before.is_constant and part.is_constant else "\n\n\n") + part.source()
    return _imports(modules, {name for part in taken for name in part.names}), source


class _Part:
    """A definition of a module, with the comment above it and the docstring below a constant."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.name, self._lines = name, lines
        self._parse()
        self.is_constant = not isinstance(self.node, ast.FunctionDef | ast.ClassDef)

    def _parse(self) -> None:
        """Find the names that it reads, and the attributes of whatever."""
        self.node = ast.parse("\n".join(self._lines)).body[0]
        nodes = list(ast.walk(self.node))
        self.names = {node.id for node in nodes if isinstance(node, ast.Name)}
        self.attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}

    def describe(self, lines: list[str]) -> None:
        """Add the docstring of a constant."""
        self._lines += lines

    def drop(self, method: ast.FunctionDef) -> None:
        """Take a method out of a class, with the empty line above it."""
        first = min([method.lineno, *(each.lineno for each in method.decorator_list)])
        del self._lines[first - 2 : method.end_lineno]
        self._parse()

    def source(self) -> str:
        """Its lines, with shorter docstrings."""
        lines = list(self._lines)
        documented = (ast.FunctionDef, ast.ClassDef)
        nodes = [node for node in ast.walk(self.node) if isinstance(node, documented)]
        for node in sorted(nodes, key=lambda node: node.lineno, reverse=True):
            text = node.body[0]
            if ast.get_docstring(node) is not None and text.end_lineno is not None:
                own = slice(text.lineno - 1, text.end_lineno)
                whole = "\n".join(lines[own])
                short = _DROPPED_SECTION.sub("", whole.removesuffix('"""').rstrip()).rstrip()
                end = f"\n{' ' * text.col_offset}" if "\n" in short else ""
                lines[own] = f'{short}{end}"""'.splitlines()
        return "\n".join(lines)


def _parts(module: ModuleType, entries: Mapping[str, str]) -> list[_Part]:
    """The definitions of a module."""
    lines = inspect.getsource(module).splitlines()
    body = ast.parse("\n".join(lines)).body
    parts: list[_Part] = []
    end = 0
    for node in body:
        name, last = _defined(node), node.end_lineno or end
        if name is not None:
            own = [_entry(node, entries[name])] if name in entries else lines[end:last]
            parts.append(_Part(name, "\n".join(own).strip("\n").splitlines()))
        elif parts and parts[-1].is_constant and _is_text(node) and parts[-1].name not in entries:
            parts[-1].describe(lines[end:last])
        end = last
    return parts


def _defined(node: ast.stmt) -> str | None:
    """The name that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return None


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a string: the docstring of a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _entry(table: ast.stmt, key: str) -> str:
    """A table with one of its entries only."""
    assert isinstance(table, ast.Assign | ast.AnnAssign)
    assert isinstance(table.value, ast.Dict)
    for known, value in zip(table.value.keys, table.value.values, strict=True):
        if known is not None and ast.literal_eval(known) == key:
            table.value = ast.Dict([known], [value])
            return ast.unparse(table).replace("'", '"')
    raise KeyError(key)


def _needed(parts: Sequence[_Part], wanted: Iterable[str]) -> list[_Part]:
    """The parts that define a name which is wanted, or which one of them needs."""
    by_name = {part.name: part for part in parts}
    needed: set[str] = set()
    waiting = set(wanted)
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in needed:
            needed.add(name)
            waiting |= by_name[name].names
    return [part for part in parts if part.name in needed]


def _drop_methods(part: _Part, taken: Sequence[_Part]) -> bool:
    """Take out of a class a method that nothing taken calls, if there is one."""
    if not isinstance(part.node, ast.ClassDef):
        return False
    called = {name for each in taken for name in each.attributes}
    for method in part.node.body:
        if isinstance(method, ast.FunctionDef) and method.name not in called:
            if method.name.startswith("__") or method.name == _CALLED_BY_TORCH:
                continue
            part.drop(method)
            return True
    return False


def _imports(modules: Iterable[ModuleType], used: set[str]) -> str:
    """The modules' imports of what is used, sorted as ruff sorts them; none of this package."""
    whole: dict[bool, set[str]] = {True: set(), False: set()}
    single: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for module in modules:
        for node in ast.parse(inspect.getsource(module)).body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) in used:
                        whole[_is_standard(alias.name)].add(ast.unparse(ast.Import([alias])))
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                names = {alias.name for alias in node.names} & used
                if names and node.module.partition(".")[0] != _PACKAGE:
                    found = single[_is_standard(node.module)]
                    found[node.module] = found.get(node.module, set()) | names
    sections = []
    for standard in (True, False):
        lines = sorted(whole[standard])
        for name, names in sorted(single[standard].items()):
            lines.append(f"from {name} import {', '.join(sorted(names, key=_rank))}")
        sections.append("\n".join(lines))
    return "\n\n".join(section for section in sections if section)


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _rank(name: str) -> tuple[int, str]:
    """Constants before classes before the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name
