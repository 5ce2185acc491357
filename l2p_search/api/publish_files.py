"""The files of a paper kit: content by name, all of it in memory until all of it is there."""

import json
from collections.abc import Sequence
from typing import Any

import l2p_search
from l2p_search.api.publish_budgets import budgets_table, spaces_table
from l2p_search.api.publish_entries import Column, Entries
from l2p_search.api.publish_ledger import Ledger, each_entry, trials_source
from l2p_search.api.publish_methods import checklist, methods_paragraphs
from l2p_search.api.publish_tables import (
    comparisons_table,
    controls_table,
    details_table,
    scores_table,
    selection_table,
)
from l2p_search.api.publish_verdicts import OverGraphs, contest_of, over_graphs, pairs_of
from l2p_search.metrics import title
from l2p_search.report.markup import markdown, tex
from l2p_search.report.printed_table import Table, as_markdown, latex
from l2p_search.searching.records.expected_best import expected_best

FORMAT = 1
"""Of provenance.json."""
_CD, _BUDGET = "critical_difference", "budget"
_FILES = {
    "scores": "the table: a row a method, a column a graph",
    "comparisons": "every method against the first one, with verdicts",
    "details": "a row a search: interval, standard deviation over seeds, what was selected",
    "controls": "the winners against the default, MLP and the backbone at their settings",
    "selection": "nested selection, overtuning and the luck of the search",
    "budgets": "trials, sizes of spaces and CPU time per method",
    "spaces": "the values that every hyperparameter could have",
    _CD: "average ranks over graphs, and which cannot be told apart",
    _BUDGET: "what fewer trials would have found",
    "methods": "how the numbers came about, in paragraphs",
    "checklist": "the reproducibility checklist, filled in as far as journals tell",
}
_DONE = {True: r"\bullet", False: r"\circ"}
_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{longtable}
\usepackage[margin=2.5cm]{geometry}
\begin{document}
"""


def kit_files(entries: Entries, margin: float) -> dict[str, bytes]:
    """Write everything.

    Args:
        entries: What is published.
        margin: Points within which scores are called equivalent.

    Returns:
        File name -> content. None of the names is a user's.
    """
    ledger = Ledger()
    contests = {column.digest: contest_of(entries, column) for column in entries.columns}
    pairs, overall = pairs_of(entries, margin), over_graphs(entries)
    tables = [scores_table(entries, contests, ledger)]
    if pairs:
        tables.append(comparisons_table(pairs, ledger))
    controls, selection = controls_table(entries, ledger), selection_table(entries, ledger)
    tables += [
        details_table(entries, ledger),
        *(table for table in (controls, selection) if table is not None),
        budgets_table(entries, ledger),
        spaces_table(entries),
    ]
    figures = _figures(entries, overall, ledger)
    paragraphs, items = methods_paragraphs(entries, pairs, overall), checklist(entries, pairs)
    texts: dict[str, str] = {}
    for table in tables:
        texts[f"{table.label}.tex"] = latex(table)
        texts[f"{table.label}.md"] = as_markdown(table)
    texts["methods.tex"] = "\n\n".join(map(tex, paragraphs)) + "\n"
    texts["methods.md"] = "\n\n".join(map(markdown, paragraphs)) + "\n"
    texts["checklist.md"] = "\n".join(
        f"- [{'x' if done else ' '}] {markdown(text)}" for done, text in items
    )
    texts["checklist.tex"] = "\n".join(
        [
            r"\begin{itemize}",
            *(rf"\item[${_DONE[done]}$] {tex(text)}" for done, text in items),
            r"\end{itemize}",
            "",
        ]
    )
    texts["paper.tex"] = _document(tables, figures)
    texts["README.md"] = _readme(entries, tables, figures, overall)
    texts["provenance.json"] = _provenance(entries, overall, ledger)
    return {name: text.encode() for name, text in texts.items()} | figures


def _figures(entries: Entries, overall: OverGraphs, ledger: Ledger) -> dict[str, bytes]:
    from l2p_search.report.drawing import rendered
    from l2p_search.report.published_figures import as_pdf, budget_figure, ranks_figure

    drawn = {}
    ranks = overall.ranks
    if ranks.critical_difference is not None:
        drawn[_CD] = ranks_figure(
            ranks.average, ranks.groups, ranks.critical_difference, len(ranks.graphs)
        )
    panels = [
        panel for column in entries.columns if (panel := _panel(entries, column, ledger)).curves
    ]
    if panels:
        drawn[_BUDGET] = budget_figure(panels)
    files = {}
    for name, figure in drawn.items():
        files[f"{name}.pdf"] = as_pdf(figure)
        files[f"{name}.png"] = rendered(figure, "png", dpi=200)
    return files


def _panel(entries: Entries, column: Column, ledger: Ledger) -> Any:
    from l2p_search.report.published_figures import BudgetPanel, BudgetPoint

    curves = {}
    for row, entry in entries.of(column).items():
        found = expected_best(entry.search.outcome.records)
        if found:
            curves[row] = [
                BudgetPoint(each.trials, each.val, each.low, each.high, each.test)
                for each in found
            ]
        for each in found:
            ledger.add(
                _BUDGET,
                row,
                f"{column.label}: {each.trials} trials",
                f"{each.val:.2f}",
                each.to_mapping(column.metric),
                [trials_source(entry)],
            )
    return BudgetPanel(title=column.label, score=title(column.metric), curves=curves)


def _document(tables: Sequence[Table], figures: dict[str, bytes]) -> str:
    """All of it as one LaTeX document, to be looked at."""
    parts = [r"\section*{Results}", *(rf"\input{{{table.label}.tex}}" for table in tables)]
    captions = {
        _CD: "Average ranks over graphs; bars join methods that cannot be told apart (Friedman's"
        " test and, where it finds a difference, Nemenyi's critical difference, both at 5 %).",
        _BUDGET: "Above: the expected validation score of the best of so many trials (Tang et al."
        " 2020) with its 5 to 95 % band. Below: the expected test score of the same trial.",
    }
    for name, caption in captions.items():
        if f"{name}.pdf" in figures:
            parts += [
                r"\begin{figure}[tbp]\centering",
                rf"\includegraphics[width=\linewidth]{{{name}.pdf}}",
                rf"\caption{{{tex(caption)}}}\label{{fig:{name.replace('_', '-')}}}",
                r"\end{figure}",
            ]
    parts += [
        r"\clearpage\section*{Methods}",
        r"\input{methods.tex}",
        r"\section*{Reproducibility checklist}",
        r"\input{checklist.tex}",
        r"\end{document}",
        "",
    ]
    return _PREAMBLE + "\n".join(parts)


def _readme(
    entries: Entries, tables: Sequence[Table], figures: dict[str, bytes], overall: OverGraphs
) -> str:
    made = {table.label for table in tables} | {"methods", "checklist"}
    lines = [
        "# Paper kit",
        "",
        f"Written by l2p-search {l2p_search.__version__} from {len(entries.cells)} recorded"
        " searches. Numbers are of fresh seeds that chose nothing.",
        "",
        as_markdown(tables[0]),
        "| file | |",
        "|---|---|",
    ]
    for name, words in _FILES.items():
        if name in made:
            lines.append(f"| `{name}.tex`, `{name}.md` | {words} |")
        elif f"{name}.pdf" in figures:
            lines.append(f"| `{name}.pdf`, `{name}.png` | {words} |")
    lines += [
        "| `provenance.json` | for every number: journal, line, trial, seeds |",
        "| `paper.tex` | all of it as one document: `pdflatex paper.tex` |",
        "",
    ]
    if overall.reason:
        lines.append(f"There is no critical-difference figure: {overall.reason}.\n")
    if f"{_BUDGET}.pdf" not in figures:
        lines.append("There is no budget figure: no search has a trial with all its seeds.\n")
    return "\n".join(lines)


def _provenance(entries: Entries, overall: OverGraphs, ledger: Ledger) -> str:
    searches = []
    for row, column, entry in each_entry(entries):
        settings, last = entry.search.settings, (entry.search.journal.invocations or [{}])[-1]
        searches.append(
            {
                "search": entry.search.name,
                "row": row,
                "column": column.label,
                "journal": str(entry.lines.path),
                "journal_sha256": entry.lines.sha256,
                "settings_line": entry.lines.settings,
                "dataset": settings.dataset,
                "data_digest": settings.data_digest,
                "graph": None if settings.graph is None else dict(settings.graph),
                "metric": settings.metric,
                "space": {"name": settings.space.name, **settings.space.to_mapping()},
                "best_trial": entry.best.number,
                "config_id": entry.best.config.config_id,
                "config": entry.best.config.to_mapping(),
                "trial_lines": {str(n): line for n, line in entry.lines.trials.items()},
                "confirmation_line": entry.line,
                "command": last.get("command"),
                "versions": last.get("versions", {}),
                "machine": last.get("machine", {}),
            }
        )
    return (
        json.dumps(
            {
                "format": FORMAT,
                "l2p-search": l2p_search.__version__,
                "searches": searches,
                "numbers": ledger.numbers,
                "over_graphs": {
                    **overall.ranks.to_mapping(),
                    "signed_ranks": [pair.to_mapping() for pair in overall.pairs],
                    "repeated_graphs": overall.repeats,
                    "computed_from": "the numbers of table scores",
                },
            },
            indent=1,
            ensure_ascii=True,
            allow_nan=False,
        )
        + "\n"
    )
