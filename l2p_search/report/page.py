"""One self-contained HTML page, the verdict first: nothing in it asks the network for anything.

All text is escaped here, so that callers pass plain text; only drawings are taken as they are.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from l2p_search.report.page_style import SCRIPT, STYLE


@dataclass(frozen=True)
class Table:
    """Rows of text; numbers stand to the right, words to the left.

    Args:
        columns: The head.
        rows: The cells; a row that has a cell "best" is bold. A `Drawing` is a cell too.
        sorts: Whether a click at the head sorts the table.
        trials: The trial of each row, whose configuration can be copied; empty for none.
        prose: The columns of sentences, which stand to the left even where they begin with a
            number.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence["str | Drawing | Link"]]
    sorts: bool = False
    trials: Sequence[int] = ()
    prose: Sequence[str] = ()


@dataclass(frozen=True)
class Drawing:
    """An SVG that stands in the page itself, so that its colours follow light and dark.

    Args:
        svg: Written by us; what users named in it is escaped already.
        caption: Below it.
        told: What it shows, for who cannot see it; the caption where it is empty.
    """

    svg: str
    caption: str = ""
    told: str = ""


@dataclass(frozen=True)
class Link:
    """A link to a file beside the page."""

    text: str
    address: str


@dataclass(frozen=True)
class Code:
    """Lines to copy."""

    text: str


Part = str | Table | Code | Sequence[Drawing]
"""A paragraph, a table, lines to copy, or drawings side by side."""


@dataclass(frozen=True)
class Section:
    """A heading that the top of the page links to, and what is below it."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page says, from top to bottom.

    Args:
        title: The question.
        answer: The answer, in two sentences or so.
        headline: The number, in large type.
        headline_note: What it means.
        verdict: Below the number: controls, ties.
        beside: What stands beside them, or follows them on a narrow screen: the profile.
        facts: Below both: paragraphs on the graph.
        summary: What was done, in one line.
        sections: The rest.
        configs: Trial -> its configuration, for the tables whose rows copy one.
    """

    title: str
    answer: str
    headline: str
    headline_note: str
    beside: Sequence[Drawing] = ()
    verdict: Sequence[Part] = ()
    facts: Sequence[str] = ()
    summary: str = ""
    sections: Sequence[Section] = ()
    configs: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)


def render(page: Page) -> str:
    """Write a page as HTML.

    Args:
        page: What it says; all text is escaped.

    Returns:
        One file, which asks the network for nothing.
    """
    sections = [each for each in page.sections if each.parts]
    links = "".join(f'<a href="#{_anchor(s.title)}">{escape(s.title)}</a>' for s in sections)
    parts = [
        f"<header><h1>{escape(page.title)}</h1>",
        f'<p class="answer">{escape(page.answer)}</p></header>',
        f'<div class="first"><div><p class="big">{escape(page.headline)}</p>',
        f'<p class="small">{escape(page.headline_note)}</p>',
        *map(_part, page.verdict),
        "</div>",
        *(f"<div>{_drawing(each)}</div>" for each in page.beside),
        "</div>",
        *map(_part, page.facts),
        f'<p class="small">{escape(page.summary)}</p>',
        f"<nav>{links}</nav>" if links else "",
        *(
            f'<section id="{_anchor(each.title)}"><h2>{escape(each.title)}</h2>'
            + "\n".join(map(_part, each.parts))
            + "</section>"
            for each in sections
        ),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(page.title)}</title><style>{STYLE}</style></head>\n"
        "<body>" + "\n".join(parts) + f"{_configs(page.configs)}<script>{SCRIPT}</script>"
        "</body></html>\n"
    )


def _part(part: Part) -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Code):
        text = _FLAG.sub(r"<span>\g<0></span>", escape(part.text))
        return f'<div class="code"><pre>{text}</pre>{_COPY}</div>'
    drawings = "".join(map(_drawing, part))
    return f'<div class="figures">{drawings}</div>' if len(part) > 1 else drawings


def _drawing(each: Drawing) -> str:
    caption = f"<figcaption>{escape(each.caption)}</figcaption>" if each.caption else ""
    return f"<figure>{_told(each)}{caption}</figure>"


def _told(each: Drawing) -> str:
    """The drawing with a name: a screen reader passes over one without."""
    name = escape(each.told or each.caption)
    return each.svg.replace(' role="img"', f' role="img" aria-label="{name}"', 1)


def _table(table: Table) -> str:
    words = [
        column in table.prose
        or (bool(table.rows) and not any(_NUMBER.match(_plain(row[place])) for row in table.rows))
        for place, column in enumerate(table.columns)
    ]
    kind = [' class="text"' if each else "" for each in words]
    head = "".join(
        f"<th{attr}>{escape(column)}</th>"
        for attr, column in zip(kind, table.columns, strict=True)
    )
    head += "<th></th>" if table.trials else ""
    body = []
    for place, row in enumerate(table.rows):
        cells = "".join(
            f"<td{attr}>{_cell(cell)}</td>" for attr, cell in zip(kind, row, strict=True)
        )
        if table.trials:
            number = table.trials[place]
            cells += (
                f'<td><button class="copy" hidden data-trial="{number}">copy config</button></td>'
            )
        body.append(f"<tr{_BEST if 'best' in row else ''}>{cells}</tr>")
    sorts = ' class="sorts"' if table.sorts else ""
    return (
        f'<div class="wide"><table{sorts}><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(cell: str | Drawing | Link) -> str:
    if isinstance(cell, Drawing):
        return _told(cell)
    if isinstance(cell, Link):
        return f'<a href="{escape(cell.address)}">{escape(cell.text)}</a>'
    return escape(cell)


def _plain(cell: str | Drawing | Link) -> str:
    return cell if isinstance(cell, str) else ""


def _configs(configs: Mapping[int, Mapping[str, Any]]) -> str:
    """All configurations, what they share written once, as data for the page's own script."""
    if not configs:
        return ""
    first = next(iter(configs.values()))
    shared = {
        key: value
        for key, value in first.items()
        if all(key in each and each[key] == value for each in configs.values())
    }
    own = {
        number: {key: value for key, value in each.items() if key not in shared}
        for number, each in configs.items()
    }
    text = json.dumps({"base": shared, "trials": own}, allow_nan=False)
    # Within a script nothing is escaped, so that no text may end it.
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="configs">{text}</script>'


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


_BEST = ' class="best"'
_COPY = '<button class="copy" hidden>copy</button>'
_NUMBER = re.compile(r"^[+-]?[\d.]+")
_FLAG = re.compile(r"(?<!\S)--[a-z-]+(?!\S)")
"""No line ends within one: a browser would end it after a hyphen."""
