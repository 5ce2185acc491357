"""An answer in words: ten lines for a terminal, one page of HTML, one run in MLflow."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from l2p_search.api.answer_methods import USUAL, long_name, short_name, simplest_first
from l2p_search.api.spent import Spent
from l2p_search.data.graph import Graph
from l2p_search.data.kinds import default_metric
from l2p_search.data.reading_again import one_line, shell_words
from l2p_search.display.charts import bar_chart
from l2p_search.display.phrases import sentence
from l2p_search.display.travel import travel_in_words
from l2p_search.durations import format_duration
from l2p_search.metrics import Metric, title
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH, Estimate, estimate_of_test
from l2p_search.report.comparison import Comparison, compare, judged_together
from l2p_search.report.page import Code, Page, Section, Table, render
from l2p_search.report.page_profile import profile_beside, profile_groups
from l2p_search.results import TrialResult
from l2p_search.tracking.entries import SearchEntry, inert
from l2p_search.verdicts import MARGIN, points

WIDTH = 100
"""Columns that an answer takes at the most."""


@dataclass(frozen=True, kw_only=True)
class AnswerPage:
    """The answer as values, and its forms.

    Attributes:
        effort: The budget of each method, in words.
        budget: The same as the arguments of `Effort`, for the command that answers again.
    """

    graph: Graph
    effort: str
    backbone: str
    results: Mapping[str, TrialResult]
    against: Mapping[str, Comparison]
    seconds: float
    spent: Mapping[str, Spent] = field(default_factory=dict)
    budget: Mapping[str, int] = field(default_factory=dict)

    @property
    def metric(self) -> Metric:
        """What everything was judged by."""
        return self.results["l2q"].metric

    @property
    def travel(self) -> str:
        """How far messages travel: a sentence."""
        words = travel_in_words(self.results["l2q"])
        return sentence(words)

    @property
    def use(self) -> str:
        """The simplest method that no other is better than, by Holm over all of its rivals.

        One that does worse than a simpler one is left out: a wide interval alone is no merit.
        """
        means = {method: result.test_mean or 0.0 for method, result in self.results.items()}
        reached = 0.0
        for method in simplest_first(self.backbone):
            reached = max(reached, means[method])
            if means[method] == reached and not self._worse(method):
                return method
        return max(means, key=lambda method: means[method])

    def _worse(self, method: str) -> bool:
        """Whether a method is worse than any other one."""
        own = self.results[method]
        found = [
            compare(other, own, "test") for name, other in self.results.items() if name != method
        ]
        return any(each.verdict == "worse" for each in judged_together(found, self.margin))

    @property
    def margin(self) -> float:
        """The points within which two scores are called equivalent."""
        return next(iter(self.against.values())).judged.margin

    @property
    def signs(self) -> str:
        """What the signs and words of the answer mean."""
        beside = f"beside it stands that for {OTHER_NODES}"
        return f"± is the 95 % interval for {THIS_GRAPH}; {beside}. {self._words}"

    @property
    def _words(self) -> str:
        return (
            f"Verdicts hold together (Holm, {len(self.against)} comparisons); equivalent means"
            f" within {points(self.margin)}."
        )

    def to_mapping(self) -> dict[str, Any]:
        """Plain JSON values."""
        l2q = self.results["l2q"]
        return {
            "graph": self.graph.name,
            "data_digest": self.graph.digest,
            "effort": self.effort,
            "backbone": self.backbone,
            "metric": self.metric,
            "travel": self.travel,
            "profile": l2q.profile,
            "use": self.use,
            "methods": {
                method: {
                    "config": result.config.to_mapping(),
                    f"test_{self.metric}": _interval(result),
                    "budget": self.spent[method].to_mapping() if method in self.spent else None,
                }
                for method, result in self.results.items()
            },
            "l2q_against": {name: found.to_mapping() for name, found in self.against.items()},
            "seconds": self.seconds,
        }

    def html(self) -> str:
        """One page that needs no network."""
        briefly, whole = [], []
        for method, result in self.results.items():
            score, found = estimate_of_test(result), self.against.get(method)
            difference = "" if found is None else found.difference.signed
            mean = "unknown" if score is None else str(score.this_graph)
            word = "" if found is None else found.verdict
            briefly.append([short_name(method, self.backbone), mean, difference, word])
            whole.append(
                [
                    long_name(method, self.backbone),
                    mean,
                    "unknown" if score is None else score.elsewhere,
                    difference,
                    "" if found is None else _difference(found).elsewhere,
                    "" if found is None else words_for(found),
                    str(self.spent.get(method, "")),
                ]
            )
        test, minus = f"test {title(self.metric)}, %", "L2Q minus it, points"
        columns = ["method", test, "other nodes", minus, "minus it, other nodes"]
        columns += ["verdict", "given to it"]
        l2q = estimate_of_test(self.results["l2q"])
        elsewhere = "" if l2q is None else f"; the one for {OTHER_NODES}: {l2q.elsewhere}"
        groups = profile_groups(self.results["l2q"], self.graph.about.class_names or ())
        return render(
            Page(
                title=f"How far should messages travel on {self.graph.name}?",
                answer=f"{self.travel} {advice(self)}",
                headline="unknown" if l2q is None else f"{l2q.this_graph} %",
                headline_note=f"test {title(self.metric)} of"
                f" {short_name('l2q', self.backbone)} on fresh seeds that chose nothing."
                f" ± is its 95 % interval for {THIS_GRAPH}{elsewhere}. {self._words}",
                beside=profile_beside(self.results["l2q"]),
                verdict=[Table(["method", test, minus, "verdict"], briefly), *worth(self)],
                facts=[f"The graph: {self.graph.describe()}"],
                summary=f"{self.effort}; {format_duration(self.seconds)}.",
                sections=[
                    Section(
                        "Every number", [Table(columns, whole, sorts=True, prose=columns[-1:])]
                    ),
                    Section("Who looks how far", [groups] if groups else []),
                    Section("Reproduce it", [Code(_command(self))]),
                ],
            )
        )

    def entry(self) -> SearchEntry:
        """One run of MLflow; another budget or margin is another run, whose params may differ."""
        metrics: dict[str, float] = {}
        for method, result in self.results.items():
            if result.test_mean is not None:
                metrics[f"{method}_test_{self.metric}"] = round(result.test_mean, 2)
        for method, found in self.against.items():
            metrics[f"l2q_minus_{method}"] = round(found.difference.mean, 2)
        by = "" if self.metric == "accuracy" else f"-{self.metric}"
        on = "" if self.backbone == USUAL else f"-{self.backbone}"
        budget = "x".join(map(str, self.budget.values()))
        asked, size = (f"-{budget}", f" ({budget})") if budget else ("", "")
        asked += f"-{self.margin:g}" if self.margin != MARGIN else ""
        return SearchEntry(
            uid=f"answer-{self.graph.digest}{by}{on}{asked}",
            name=f"answer: {self.graph.name}{' on ' * bool(on)}{on[1:]}{size}",
            dataset=self.graph.name,
            data_digest=self.graph.digest,
            params={
                "use": self.use,
                "effort": self.effort,
                "metric": self.metric,
                "backbone": self.backbone,
            },
            metric=self.metric,
            metrics=metrics,
            description=f"**{inert(f'{self.travel} {advice(self)}')}**\n\n```\n"
            + answer_text(self).replace("`", "'")  # a backtick would end the block
            + "\n```",
            files={"answer.html": self.html().encode()},
            kind="answer",
        )


def answer_text(page: AnswerPage, width: int = WIDTH) -> str:
    """About ten lines for a terminal of that many columns."""

    def wrapped(text: str) -> list[str]:
        return textwrap.wrap(text, width - 1, break_long_words=False, break_on_hyphens=False)

    lines = [f"How far should messages travel on {page.graph.name}?", ""]
    lines += wrapped(page.travel)
    if page.results["l2q"].profile is not None:
        lines.append(bar_chart(page.results["l2q"].profile))
    lines += ["", *_table(page, width), ""]
    for said in (*worth(page), advice(page)):
        lines += wrapped(said)
    lines += ["", *wrapped(f"{page.effort}; {format_duration(page.seconds)}.")]
    if page.spent:
        given = [
            f"{short_name(method, page.backbone)} {each.size}, {each.time}"
            for method, each in page.spent.items()
        ]
        lines += wrapped(f"Chosen from: {'; '.join(given)}.")
    return "\n".join([*lines, *wrapped(page.signs)])


def _table(page: AnswerPage, width: int) -> list[str]:
    """A line a method, or two where it is narrow: its score, and what L2Q has more."""
    seeds = len(page.results["l2q"].seeds)
    head = f"test {title(page.metric)} on {seeds} fresh seeds, %"
    rows = [(head, "this graph", "other nodes", "L2Q minus it", "")]
    for method, result in page.results.items():
        score, found = estimate_of_test(result), page.against.get(method)
        rows.append(
            (
                f"  {long_name(method, page.backbone)}",
                "unknown" if score is None else str(score.this_graph),
                "unknown" if score is None else score.elsewhere,
                "" if found is None else found.difference.signed,
                "" if found is None else found.verdict,
            )
        )
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    if sum(widths) + 2 * 4 <= width:
        return [_padded(row, widths) for row in rows]
    stacked = []
    for name, *numbers in rows:
        stacked += [name, "    " + _padded(numbers, widths[1:])]
    return stacked


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip()


def words_for(found: Comparison) -> str:
    """What the second is against the first, in words that claim no more than the tests."""
    return found.in_words


def _difference(found: Comparison) -> Estimate:
    return Estimate(found.difference, found.elsewhere)


def worth(page: AnswerPage) -> list[str]:
    """What propagation is worth, and what choosing the step per node is worth."""
    mlp, alone = page.against["mlp"], page.against[page.backbone]
    l2q = short_name("l2q", page.backbone)
    fixed = "the best fixed number of steps"
    if page.backbone != USUAL:
        fixed = f"its backbone with {fixed}"
    return [
        f"Propagation is worth {_points(mlp)}: {l2q} against MLP is {words_for(mlp)}.",
        f"Choosing the step per node is worth {_points(alone)}: {l2q} against {fixed} is"
        f" {words_for(alone)}.",
    ]


def _points(found: Comparison) -> str:
    """A difference with both intervals."""
    return f"{found.difference.signed} points{_difference(found).beside}"


def advice(page: AnswerPage) -> str:
    """What to use."""
    name = short_name(page.use, page.backbone)
    if page.use == "mlp":
        return f"Use {name}: no message passing is shown to be better on this graph."
    said = f"Use {name}: nothing simpler does as well, and nothing else is shown to be better."
    if page.use == "gcn" and page.backbone == USUAL:
        said += " L2Q can be put on a stronger GCN, too: ask again with the backbone gcn-tuned."
    return said


def _command(page: AnswerPage) -> str:
    """The line that answers for the graph: a command, or Python for one made in memory."""
    graph = page.graph
    asked: dict[str, str] = {}
    if page.metric != default_metric(graph):
        asked["metric"] = page.metric
    if page.backbone != USUAL:
        asked["backbone"] = page.backbone
    words = shell_words(graph.about.request, graph.name)
    if words is None:
        keys = "".join(f", {key}={value!r}" for key, value in asked.items())
        if page.budget:
            given = ", ".join(f"{key}={value}" for key, value in page.budget.items())
            keys += f", effort=l2p.Effort({given})"
        return f"python: l2p.answer(graph{keys})  # {graph.name} was made in memory"
    options = {**asked, **page.budget}
    more = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    return one_line(["l2p-search", "answer", *words, *more])


def _interval(result: TrialResult) -> dict[str, Any] | None:
    found = estimate_of_test(result)
    return None if found is None else found.to_mapping()
