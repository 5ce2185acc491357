import json
import re
from html.parser import HTMLParser
from typing import Any

from l2p_search.report.page import Code, Drawing, Link, Page, Section, Table, render

_TABLE = Table(
    ["trial", "validation %", ""],
    [["3", "82.00", "best"], ["1", "81.00", "tie"], ["0", "80.00", ""]],
    sorts=True,
    trials=[3, 1, 0],
)
_SVG = '<svg viewBox="0 0 1 1" role="img"></svg>'


def _page(**changes: Any) -> Page:
    values: dict[str, Any] = {
        "title": "How far on s?",
        "answer": "Nearly all nodes stop at once.",
        "headline": "81.2 ± 1.0 %",
        "headline_note": "on fresh seeds",
        "verdict": ["Ties: trial 1."],
        "beside": [Drawing(_SVG, "the profile")],
        "facts": ["The graph: 9 nodes."],
        "summary": "9 trials",
        "sections": [
            Section("The numbers", ["opening", _TABLE]),
            Section("Reproduce it", [Code("l2p-search --dataset demo")]),
        ],
        "configs": {n: {"K": n, "lr": 0.01, "model": "l2p"} for n in (3, 1, 0)},
    }
    return Page(**{**values, **changes})


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
    body = render(_page()).partition("<body>")[2]
    said = ["How far on s?", "Nearly all nodes", "81.2 ± 1.0 %", "on fresh seeds", "Ties: trial 1"]
    said += [
        "the profile",
        "The graph: 9 nodes.",
        "9 trials",
        "opening",
        "82.00",
        "<span>--dataset</span> demo",
    ]
    places = [body.index(part) for part in said]
    assert places == sorted(places)


def test_its_tags_are_closed_in_their_order() -> None:
    balance = _Balance()
    balance.feed(render(_page()))
    balance.close()
    assert balance.open == []


def test_what_a_user_named_is_text_and_never_markup() -> None:
    evil = "<script>alert('1 & 2')</script>"
    page = _page(
        title=evil,
        answer=evil,
        headline=evil,
        headline_note=evil,
        verdict=[evil],
        facts=[evil],
        summary=evil,
        beside=[Drawing(_SVG, evil)],
        sections=[
            Section(evil, [evil, Code(evil), Table([evil], [[evil], [Link(evil, f'"{evil}')]])])
        ],
        configs={0: {"model": evil, "K": 1}, 1: {"model": "x", "K": 1}},
    )
    html = render(page)
    scripts = re.findall(r"<script[^>]*>", html)
    assert scripts == ['<script type="application/json" id="configs">', "<script>"]  # ours
    assert html.count("</script>") == 2
    assert html.count("&lt;script&gt;alert(&#x27;1 &amp; 2&#x27;)&lt;/script&gt;") >= 14


def test_a_drawing_is_told_to_who_cannot_see_it() -> None:
    evil = '"><b>'
    told = [Drawing(_SVG, "the profile"), Drawing(_SVG, "x", told=evil)]
    page = render(_page(beside=told, sections=[Section("S", [Table(["a"], [[told[1]]])])]))
    names = re.findall(r'<svg[^>]* aria-label="([^"]*)"', page)
    assert names == ["the profile", *["&quot;&gt;&lt;b&gt;"] * 2]


def test_a_column_of_sentences_stands_to_the_left_whatever_they_begin_with() -> None:
    rows = [["1.5 ± 1", "50 % of the nodes stop"]]
    page = render(_page(verdict=[Table(["score", "far"], rows, prose=["far"])]))
    assert '<td>1.5 ± 1</td><td class="text">50 % of the nodes stop</td>' in page


def test_no_line_of_a_command_ends_within_a_flag() -> None:
    page = render(_page(sections=[Section("S", [Code("l2p-search --data-dir <x> --a--b --no")])]))
    code = page.partition("<pre>")[2].partition("</pre>")[0]
    spans = "<span>--data-dir</span> &lt;x&gt; <span>--a--b</span> <span>--no</span>"
    assert code == f"l2p-search {spans}"


def test_the_best_row_is_marked_and_no_other() -> None:
    rows = re.findall(r"<tr(.*?)>(.*?)</tr>", render(_page()))
    assert [mark for mark, _ in rows] == ["", ' class="best"', "", ""]
    assert "82.00" in rows[1][1]


def test_every_section_with_something_in_it_is_linked_from_the_top() -> None:
    html = render(_page(sections=[Section("The numbers", ["x"]), Section("Nothing", [])]))
    linked = re.findall(r'<a href="#([^"]+)">', html)
    assert linked == re.findall(r'<section id="([^"]+)">', html) == ["the-numbers"]


def test_each_trials_configuration_is_in_the_page_what_they_share_once() -> None:
    html = render(_page())
    found = re.search(r'id="configs">(.*?)</script>', html)
    assert found is not None
    told = json.loads(found[1])
    assert told == {
        "base": {"lr": 0.01, "model": "l2p"},
        "trials": {"3": {"K": 3}, "1": {"K": 1}, "0": {"K": 0}},
    }
    assert re.findall(r'data-trial="(\d+)"', html) == ["3", "1", "0"]


def test_it_asks_the_network_for_nothing() -> None:
    html = render(_page())
    assert not re.findall(r'(?:src|href)="(?!data:|#)', html)
    assert "@import" not in html
    assert "url(" not in html
