import base64
import re
from html.parser import HTMLParser

import pytest

from l2p_search.learned import Curves
from l2p_search.report.drawing import curves_figure, rendered
from l2p_search.report.page import Page, render

_FIGURE = curves_figure(Curves((1, 2), (1.0, 0.5), (1.0, 0.75), (40.0, 60.0)))


def _page(**changes: object) -> Page:
    values: dict[str, object] = {
        "title": "Search s",
        "summary": "9 trials",
        "headline": "81.2 ± 1.0 %",
        "headline_note": "on fresh seeds",
        "notes": ["first", "second"],
        "columns": ["trial", "validation %", ""],
        "rows": [["3", "82.00", "best"], ["1", "81.00", "tie"], ["0", "80.00", ""]],
        "images": {},
        "commands": "l2p-search --dataset demo",
    }
    return Page(**{**values, **changes})  # type: ignore[arg-type]


class _Balance(HTMLParser):
    """Fails where a tag is closed that is not the last opened one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_it_says_everything_in_the_order_of_importance() -> None:
    html = render(_page(images={"How it learned": b"<svg/>"}, figures={"Lines": "<div>x</div>"}))
    body = html[html.index("<body>") :]
    said = ["Search s", "9 trials", "81.2 ± 1.0 %", "on fresh seeds", "first", "second"]
    said += ["Best trials", "82.00", "How it learned", "Lines", "Reproduce it", "--dataset demo"]
    places = [body.index(part) for part in said]
    assert places == sorted(places)


def test_its_tags_are_closed_in_their_order() -> None:
    balance = _Balance()
    balance.feed(render(_page(figures={"Lines": "<div>x</div>"}, script="let a = 1 < 2;")))
    balance.close()
    assert balance.open == []


def test_what_a_user_named_is_text_and_never_markup() -> None:
    evil = "<script>alert('1 & 2')</script>"
    html = render(
        _page(
            title=evil,
            summary=evil,
            headline=evil,
            headline_note=evil,
            notes=[evil],
            columns=[evil],
            rows=[[evil]],
            commands=evil,
            table_title=evil,
            images={'"><b>': b"<svg/>"},
        )
    )
    assert "<script" not in html
    assert "<b>" not in html
    assert html.count("&lt;script&gt;alert(&#x27;1 &amp; 2&#x27;)&lt;/script&gt;") == 10


def test_the_best_row_is_marked_and_no_other() -> None:
    rows = re.findall(r"<tr(.*?)>(.*?)</tr>", render(_page()))
    assert [mark for mark, _ in rows] == ["", ' class="best"', "", ""]
    assert "82.00" in rows[1][1]


@pytest.mark.parametrize(
    ("image", "kind"),
    [
        (rendered(_FIGURE, "png"), "png"),
        (rendered(_FIGURE, "svg"), "svg+xml"),  # it begins with <?xml
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "svg+xml"),
    ],
)
def test_an_image_is_in_the_page_under_its_own_kind(image: bytes, kind: str) -> None:
    html = render(_page(images={"A figure": image}))
    found = re.search(r'<img alt="A figure" src="data:image/([a-z+]+);base64,([^"]+)">', html)
    assert found is not None
    assert found[1] == kind
    assert base64.b64decode(found[2]) == image


def test_the_library_of_figures_is_there_once_and_only_with_figures() -> None:
    drawn = render(_page(script="LIBRARY", figures={"One": "<div/>", "Two": "<div/>"}))
    assert drawn.count("<script>LIBRARY</script>") == 1
    assert "LIBRARY" not in render(_page(script="LIBRARY"))


def test_it_asks_the_network_for_nothing() -> None:
    html = render(_page(images={"A figure": rendered(_FIGURE, "png")}))
    assert not re.findall(r'(?:src|href)="(?!data:)', html)
    assert "@import" not in html
    assert "url(" not in html
