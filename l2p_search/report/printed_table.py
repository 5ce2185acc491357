"""A table for a paper: once in LaTeX (booktabs), once in Markdown, from the same cells."""

from collections.abc import Sequence
from dataclasses import dataclass

from l2p_search.report.markup import markdown, tex

_WIDE = 6
"""From so many columns on, LaTeX shrinks a table that is wider than the text."""
_SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_LONG = 40
"""Of more rows than these, a table goes over several pages."""
_MISSING = "–"


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: A name, which is escaped, or a number such as "85.6 ± 2.9" or "-0.4 to 1.2".
        number: Whether it is a number, set as a formula in LaTeX.
        best: Whether it is the best of its column, and bold.
        tied: Whether it cannot be told from the best, and has a dagger.
    """

    text: str
    number: bool = False
    best: bool = False
    tied: bool = False


MISSING = Cell(_MISSING)
"""What stands where there is no number."""


def name(text: str) -> Cell:
    """A cell with any text."""
    return Cell(text)


def number(text: str) -> Cell:
    """A cell with a number."""
    return Cell(text, number=True)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table.

    Attributes:
        label: For references in LaTeX, `tab:LABEL`; also the name of its files.
        caption: What it shows, as plain text.
        columns: The head; the first one is that of the rows' names.
        rows: As many cells each as there are columns.
        wrapped: The place of a column with long text, which LaTeX breaks into lines.
    """

    label: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    wrapped: int | None = None


def latex(table: Table) -> str:
    """Write a table for LaTeX.

    It needs the package booktabs, if it is wide graphicx too, and if it is long longtable.

    Args:
        table: The table.

    Returns:
        A `table` environment, or a `longtable`, to be read with an input command.
    """
    named = [not any(row[i].number for row in table.rows) for i in range(len(table.columns))]
    places = "".join(
        r"p{0.5\linewidth}" if i == table.wrapped else "l" if is_name else "r"
        for i, is_name in enumerate(named)
    )
    head = " & ".join(tex(column) for column in table.columns) + r" \\"
    rows = [" & ".join(map(_tex_cell, row)) + r" \\" for row in table.rows]
    caption = rf"\caption{{{tex(table.caption)}}}\label{{tab:{table.label}}}"
    if len(rows) > _LONG:
        return _over_pages(places, head, rows, caption)
    lines = [
        rf"\begin{{tabular}}{{{places}}}",
        r"\toprule",
        head,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}%",
    ]
    if len(table.columns) >= _WIDE:
        lines = [_SHRUNK, *lines, "}"]
    return "\n".join(
        [r"\begin{table}[tbp]", r"\centering\small", caption, *lines, r"\end{table}", ""]
    )


def _over_pages(places: str, head: str, rows: Sequence[str], caption: str) -> str:
    """A table that goes over several pages, with its head on each."""
    lines = [
        r"{\scriptsize\setlength{\tabcolsep}{3pt}",
        rf"\begin{{longtable}}{{{places}}}",
        caption + r"\\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
        *rows,
        r"\end{longtable}}",
        "",
    ]
    return "\n".join(lines)


def as_markdown(table: Table) -> str:
    """Write a table for Markdown.

    Args:
        table: The table.

    Returns:
        The table with its caption below it.
    """
    head = "".join(f" {markdown(column)} |" for column in table.columns)
    rule = "".join("---|" for _ in table.columns)
    rows = ["|" + "".join(f" {_markdown_cell(cell)} |" for cell in row) for row in table.rows]
    return "\n".join([f"|{head}", f"|{rule}", *rows, "", markdown(table.caption), ""])


def _tex_cell(cell: Cell) -> str:
    if not cell.number:
        return "--" if cell == MISSING else tex(cell.text)
    text = cell.text.replace("±", r"\pm").replace("%", r"\%").replace(",", "{,}")
    for word in (" over ", " to "):
        text = text.replace(word, rf"\mbox{{{word}}}")
    text = text.replace("}-", "}{-}")  # a sign of its number, no subtraction
    formula = rf"\mathbf{{{text}}}" if cell.best else text
    return f"${formula}$" + r"$^{\dagger}$" * cell.tied


def _markdown_cell(cell: Cell) -> str:
    if not cell.number:
        return markdown(cell.text)
    text = f"**{cell.text}**" if cell.best else cell.text
    return text + "†" * cell.tied
