from dataclasses import replace

from l2p_search.report.printed_table import (
    MISSING,
    Cell,
    Table,
    as_markdown,
    latex,
    name,
    number,
)

_TABLE = Table(
    label="scores",
    caption="Test 95 % ± x.",
    columns=["method", "a_b"],
    rows=[
        [name("L2Q"), Cell("85.6 ± 2.9", number=True, best=True)],
        [name("a&b|c"), Cell("84.0 ± 2.0", number=True, tied=True)],
        [name("MLP"), MISSING],
    ],
)


def test_latex_has_rules_of_booktabs_and_marks() -> None:
    text = latex(_TABLE)
    assert [text.count(rf"\{rule}") for rule in ("toprule", "midrule", "bottomrule")] == [1, 1, 1]
    assert r"L2Q & $\mathbf{85.6 \pm 2.9}$ \\" in text
    assert r"a\&b\textbar{}c & $84.0 \pm 2.0$$^{\dagger}$ \\" in text
    assert r"MLP & -- \\" in text
    assert r"\caption{Test 95 \% $\pm$ x.}\label{tab:scores}" in text
    assert r"{lr}" in text


def test_words_within_a_number_are_no_letters_of_a_formula() -> None:
    rows = [[name("L2Q"), number("53.0 ± over 50")], [name("MLP"), number("-0.4 to 1.2")]]
    text = latex(replace(_TABLE, rows=rows))
    assert r"$53.0 \pm\mbox{ over }50$" in text
    assert r"$-0.4\mbox{ to }1.2$" in text
    below = latex(replace(_TABLE, rows=[[name("MLP"), number("-2.4 to -1.2")]]))
    assert r"$-2.4\mbox{ to }{-}1.2$" in below


def test_markdown_has_a_cell_for_every_column() -> None:
    lines = as_markdown(_TABLE).splitlines()
    assert lines[0] == r"| method | a\_b |"
    assert lines[2] == "| L2Q | **85.6 ± 2.9** |"
    assert lines[3] == r"| a\&b\|c | 84.0 ± 2.0† |"
    assert lines[4] == "| MLP | – |"


def test_a_wide_table_shrinks_and_never_grows() -> None:
    wide = replace(_TABLE, columns=["m"] * 7, rows=[[name("x")] * 7])
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}" in latex(wide)
    assert "resizebox" not in latex(_TABLE)


def test_a_long_table_goes_over_pages_with_its_head() -> None:
    long = replace(_TABLE, rows=[[name("x"), number("1")]] * 80)
    assert r"\begin{longtable}" in latex(long)
    assert r"\begin{table}" not in latex(long)
    assert r"\endhead" in latex(long)


def test_long_text_is_broken_into_lines() -> None:
    assert r"{lp{0.5\linewidth}}" in latex(replace(_TABLE, wrapped=1))
