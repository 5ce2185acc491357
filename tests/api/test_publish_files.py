import json
import shutil
import subprocess
from pathlib import Path

import pytest

from l2p_search.api.publish_entries import collected
from l2p_search.api.publish_files import kit_files
from l2p_search.data.graph import Graph
from tests.api.publishable import made

_ALWAYS = {
    *(f"{name}.{form}" for form in ("tex", "md")
      for name in ("scores", "details", "selection", "budgets", "spaces", "methods")),
    *("checklist.tex", "checklist.md", "paper.tex", "README.md", "provenance.json"),
    *("budget.pdf", "budget.png"),
}  # fmt: skip
_NASTY = r"a_b%$\input{x}&[1]|<b>図"


def test_one_search_makes_a_kit_without_comparisons(tmp_path: Path, small_graph: Graph) -> None:
    files = kit_files(collected([made(tmp_path, small_graph, "l2q", "a")]), 1.0)
    assert set(files) == _ALWAYS
    assert "no critical-difference figure: there is one method" in files["README.md"].decode()


def test_several_graphs_and_methods_make_a_whole_kit(tmp_path: Path, small_graph: Graph) -> None:
    searches = [made(tmp_path, small_graph, m, d) for d in "abc" for m in ("l2q", "mlp")]
    files = kit_files(collected(searches), 1.0)
    more = {"comparisons.tex", "comparisons.md"}
    assert set(files) == _ALWAYS | more | {"critical_difference.pdf", "critical_difference.png"}
    told = json.loads(files["provenance.json"])
    assert {each["where"] for each in told["numbers"]} == {
        "scores", "comparisons", "details", "selection", "budgets", "budget",
    }  # fmt: skip
    assert all(each["sources"] for each in told["numbers"])
    assert len(told["searches"]) == 6
    assert told["over_graphs"]["graphs"] == ["a", "b", "c"]


def test_the_same_searches_give_the_same_files(tmp_path: Path, small_graph: Graph) -> None:
    entries = collected([made(tmp_path, small_graph, "l2q", "a")])
    assert kit_files(entries, 1.0) == kit_files(entries, 1.0)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_latex_compiles_the_kit_whatever_the_names_are(tmp_path: Path, small_graph: Graph) -> None:
    searches = [
        made(
            tmp_path, small_graph, method, graph, name=f"{number}{name}", space=f"{_NASTY}{method}"
        )
        for number, (graph, method, name) in enumerate(
            [
                (_NASTY, "l2q", "_^~"),
                (_NASTY, "mlp", "{}$"),
                ("b#", "l2q", "%"),
                ("b#", "mlp", "&"),
            ]
        )
    ]
    folder = tmp_path / "kit"
    folder.mkdir()
    for name, content in kit_files(collected(searches), 1.0).items():
        (folder / name).write_bytes(content)
    found = subprocess.run(
        [
            "pdflatex",
            "-interaction=nonstopmode",
            "-halt-on-error",
            "-no-shell-escape",
            "paper.tex",
        ],
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stdout[-2000:]
    assert (folder / "paper.pdf").stat().st_size > 10_000
