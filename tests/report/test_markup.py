import doctest
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from l2p_search.report import markup
from l2p_search.report.drawing import rendered
from l2p_search.report.markup import drawn, markdown, tex

NASTY = [
    r"\input{/etc/passwd}", "a_b^c~d#e$f%g&h{i}j", "[1cm] x", "*x", "--- -- ''q'' ``q``", "a|b||c",
    "<script>alert(1)</script>", "![x](http://e.vil)", "[a](javascript:b)", "`code`", "$x$ $$",
    "größe Łódź", "図表 ليل \U0001f600", "a\u202eb\u200bc", r"\\ \hline", "%", "^^41", "&amp;",
    "**b** __c__ ~~d~~", "@all #1", "_", "\\",
]  # fmt: skip


def test_its_examples_run() -> None:
    assert doctest.testmod(markup).failed == 0


@given(st.text(max_size=40))
def test_a_command_of_latex_is_never_a_users(text: str) -> None:
    escaped = tex(text)
    known = r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar"
    known += r"|textasciigrave|char34)\{\}|\\[{}#$%&_]|\$\\(pm|times|dagger)\$"
    left = re.sub(known, "", escaped)
    assert not set(left) & set('\\#$%&_^~<>|`"')
    assert not set(re.sub(r"\{[\[\]*]?\}", "", left)) & set("{}[]*")


@given(st.text(max_size=40))
def test_markdown_has_no_sign_of_a_users(text: str) -> None:
    left = re.sub(r"\\[\\`*_{}\[\]<>|~&$#!@:]", "", markdown(text))
    assert not set(left) & set("\\`*_{}[]<>|~&$#!@\n\r")
    assert "://" not in left


def test_plain_names_stay_as_they_are() -> None:
    for name in ("cornell-legacy", "wisconsin", "mein Graph (2)", "v1.2"):
        assert markdown(name) == tex(name) == drawn(name) == name


@pytest.mark.parametrize("text", NASTY)
def test_a_figure_draws_any_name_without_a_warning(text: str) -> None:
    figure = Figure()
    figure.text(0.5, 0.5, drawn(text))
    assert rendered(figure, "png")[:4] == b"\x89PNG"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_latex_prints_any_name(tmp_path: Path) -> None:
    rows = "\n".join(rf"{tex(text)} & x \\" for text in NASTY)
    (tmp_path / "all.tex").write_text(
        r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{booktabs}\begin{document}"
        "\n" r"\begin{tabular}{lr}\toprule" "\n" + rows + "\n" r"\bottomrule\end{tabular}"
        r"\end{document}",
        encoding="utf-8",
    )  # fmt: skip
    found = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stdout[-2000:]


def test_a_dash_in_a_text_is_the_dash_of_an_empty_cell() -> None:
    assert tex("–: not searched") == r"\textendash{}: not searched"
    assert tex("a--b") == "a-{}-b"
