"""One self-contained HTML page: nothing in it asks the network for anything."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 70rem; margin: 2rem auto;
       padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.big { font-size: 2.4rem; font-weight: 600; color: #0072B2; margin: .3rem 0; }
.small { color: #555; font-size: .9rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #ddd; }
th { background: #f4f6f8; } tr.best td { font-weight: 600; }
img { max-width: 100%; } pre { background: #f4f6f8; padding: .8rem; overflow-x: auto; }
"""


@dataclass(frozen=True, kw_only=True)
class Page:
    """What a page says, from top to bottom.

    Args:
        title: Of the page.
        summary: One line below the title.
        headline: The main result, in large type.
        headline_note: One line below it.
        notes: Paragraphs.
        columns: The head of the table.
        rows: The table; a row that has a cell "best" is bold.
        images: Title -> PNG or SVG.
        figures: Title -> interactive figure, as HTML, which is not escaped.
        script: The JavaScript library that draws the figures.
        commands: How to reproduce the result.
        table_title: The heading of the table.
    """

    title: str
    summary: str
    headline: str
    headline_note: str
    notes: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    images: Mapping[str, bytes]
    figures: Mapping[str, str] = field(default_factory=dict)
    script: str = ""
    commands: str = ""
    table_title: str = "Best trials"


def render(page: Page) -> str:
    """Write a page as HTML.

    Args:
        page: What it says; all text is escaped.

    Returns:
        One file, which asks the network for nothing.
    """
    parts = [
        f"<h1>{escape(page.title)}</h1>",
        f'<p class="small">{escape(page.summary)}</p>',
        f'<p class="big">{escape(page.headline)}</p>',
        f'<p class="small">{escape(page.headline_note)}</p>',
        *(f"<p>{escape(note)}</p>" for note in page.notes),
        f"<h2>{escape(page.table_title)}</h2>",
        _table(page.columns, page.rows),
    ]
    for title, image in page.images.items():
        kind = "png" if image.startswith(_PNG) else "svg+xml"
        data = base64.b64encode(image).decode()
        parts += [
            f"<h2>{escape(title)}</h2>",
            f'<img alt="{escape(title)}" src="data:image/{kind};base64,{data}">',
        ]
    for title, figure in page.figures.items():
        parts += [f"<h2>{escape(title)}</h2>", figure]
    parts += ["<h2>Reproduce it</h2>", f"<pre>{escape(page.commands)}</pre>"]
    script = f"<script>{page.script}</script>" if page.figures else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(page.title)}</title><style>{_STYLE}</style>{script}</head>\n"
        "<body>" + "\n".join(parts) + "</body></html>\n"
    )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        f"<tr{_BEST if 'best' in row else ''}>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


_BEST = ' class="best"'
_PNG = b"\x89PNG"
