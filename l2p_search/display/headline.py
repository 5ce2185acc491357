"""The first lines of a result: the answer, which configuration, which number, how far."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from l2p_search.display.phrases import count, describe_config, listed
from l2p_search.display.summary import Summary
from l2p_search.display.travel import travel_in_words
from l2p_search.held import HeldAgainst
from l2p_search.intervals import two_digits
from l2p_search.metrics import briefly, title
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH, Estimate
from l2p_search.results import TrialStatus
from l2p_search.trial_record import TrialRecord, best_first
from l2p_search.verdicts import Judged, points

_MEANING = f"± is the 95 % interval for {THIS_GRAPH}"
_MOST_TIES = 6
"""Ties that are named; the others are counted."""


def headline(summary: Summary) -> RenderableType:
    """What a person wants to know first, for a console of any width.

    Args:
        summary: What a search found, with a best trial.

    Returns:
        A line on what was searched, the answer in a sentence, and facts under their names.
    """
    complete = sum(record.status is TrialStatus.COMPLETE for record in summary.records)
    seeds = f"all {count(summary.seeds, 'seed')}" if summary.seeds > 1 else "their one seed"
    head = (
        f"search {summary.name}: {count(len(summary.records), 'trial')} on {summary.dataset},"
        f" {complete} with {seeds}"
    )
    parts: list[RenderableType] = [Text(head, style="bold"), Text()]
    best = summary.best
    if best is None or best.result is None:
        return Group(parts[0], Text("No trial finished, so there is no best one."))
    return Group(*parts, Text(answer(summary, best), style="bold"), Text(), _facts(summary, best))


def verdicts(held: HeldAgainst) -> RenderableType | None:
    """What the winner is better than: a line each, with the paired difference.

    Args:
        held: The winner beside the default configuration and the controls.

    Returns:
        A small table; None where nothing was trained beside the winner.
    """
    if not held.others:
        return None
    table = _verdicts(held)
    return Group(table, Text(held.together)) if held.together else table


def answer(summary: Summary, best: TrialRecord) -> str:
    """What was found, in a sentence: what reaches which score, and what it is better than.

    Args:
        summary: What a search found.
        best: Its best trial.

    Returns:
        Such as "L2Q reaches 82.30 % test accuracy on demo: better than MLP; undecided against
        APPNP."
    """
    if summary.confirmed is None:
        return (
            f"{summary.method} has the best {briefly('validation', summary.metric)} score of"
            f" {count(len(summary.records), 'trial')} on {summary.dataset}; no test score of it is"
            " confirmed on fresh seeds."
        )
    words = (
        f"{summary.method} reaches {two_digits(summary.confirmed.mean)} % test"
        f" {title(summary.metric)} on {summary.dataset}"
    )
    told = compared(summary.held)
    return f"{words}: {told}." if told else f"{words}."


def compared(held: HeldAgainst) -> str:
    """What the winner is better than, as a part of a sentence.

    Args:
        held: The winner beside the default configuration and the controls.

    Returns:
        Such as "better than MLP; undecided against APPNP"; empty where nothing was trained
        beside the winner.
    """
    found = [
        (each.judged, "the default configuration" if each.role == "default" else each.name)
        for each in held.others
        if not each.is_winner
    ]
    labels = held.labels
    if labels is not None and labels.difference is not None:
        found.append((labels.judged, labels.control))
    return _in_words(found)


def _in_words(found: Sequence[tuple[Judged, str]]) -> str:
    """Verdicts that are alike as one part of a sentence, the certain ones first."""
    names: dict[str, list[str]] = {}
    order = ("better", "worse", "equivalent", "undecided")
    for judged, name in sorted(found, key=lambda pair: order.index(pair[0].word)):
        small = f" by less than {points(judged.margin)}" if judged.within_margin else ""
        phrase = {
            "better": f"better than {{}}{small}",
            "worse": f"worse than {{}}{small}",
            "equivalent": f"equivalent to {{}} within {points(judged.margin)}",
            "undecided": "undecided against {}",
        }[judged.word]
        names.setdefault(phrase, []).append(name)
    return "; ".join(phrase.format(listed(each)) for phrase, each in names.items())


def in_short(summary: Summary) -> Text | None:
    """The number and the configuration in one line, to end a result whose first lines are gone.

    Args:
        summary: What a search found.

    Returns:
        The line; None where nothing is confirmed.
    """
    best = summary.best
    if best is None or summary.confirmed is None:
        return None
    config = describe_config(best.config, summary.keys)
    return Text(
        f"{summary.name}: {summary.confirmed} % test {title(summary.metric)} on fresh seeds,"
        f" with {config} (trial {best.number})",
        style="bold",
    )


def _facts(summary: Summary, best: TrialRecord) -> Table:
    """Names on the left, what they are on the right; long lines go on below themselves."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")

    def fact(name: str, words: str, style: str = "") -> None:
        grid.add_row(Text(name, style=style), Text(words, style=style))

    config = describe_config(best.config, summary.keys) or "the only one of the space"
    fact("best configuration", f"{config}  (trial {best.number})")
    fact(f"on {briefly('validation', summary.metric)}", _on_validation(summary, best))
    confirmed = f"CONFIRMED TEST {title(summary.metric).upper()}"
    if summary.confirmed is not None:
        seeds = count(len(summary.confirmations[best.number].seeds), "fresh seed")
        number = f"{summary.confirmed} %  on {seeds} that chose nothing: the number to quote"
        fact(confirmed, number, "bold")
        if summary.confirmed.low is None or summary.confirmed.too_wide:
            fact("", f"{seeds} cannot tell how far off that is: --confirm 10 or more can")
        else:
            fact("", _MEANING)
            elsewhere = Estimate(summary.confirmed, summary.elsewhere).elsewhere
            fact("", f"for {OTHER_NODES} it is {elsewhere}")
    elif best.number in summary.unconfirmed:
        fact("not confirmed", summary.unconfirmed[best.number])
    if best.result is not None and best.result.profile is not None:
        words = travel_in_words(best.result)
        if summary.held.is_mlp and summary.held.own_share is not None:
            words += f"; it learned to be an MLP: q(0) is {summary.held.own_share:.2f}"
        fact("how far nodes look", words)
    return grid


def _on_validation(summary: Summary, best: TrialRecord) -> str:
    ties = len(summary.ties) - 1
    text = f"{best.objective:.2f} %"
    if ties > 0:
        others = [r.number for r in best_first(list(summary.records)) if r.number in summary.ties]
        named = [str(number) for number in others if number != best.number]
        more = ", .." if len(named) > _MOST_TIES else ""
        which = f"trial{'s' * (len(named) != 1)} {', '.join(named[:_MOST_TIES])}{more}"
        text += f", tied with {count(ties, 'other')}: {which}"
    if summary.still_open:
        text += f"; {count(summary.still_open, 'raced-out trial')} may be as good, too"
    return text


def _verdicts(held: HeldAgainst) -> Table:
    """A question a line, its answer, and the paired difference that it rests on."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for each in held.others:
        question = Text(f"better than {'the default' if each.role == 'default' else each.name}?")
        if each.is_winner:
            table.add_row(question, "it is the winner", "")
            continue
        table.add_row(
            question, Text(each.verdict, style="bold"), f"{each.difference.signed} points"
        )
    return table
