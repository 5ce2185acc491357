"""The first lines of a result: which configuration, which number, better than what, how far."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from l2p_search.display.phrases import count, describe_config
from l2p_search.display.summary import Summary
from l2p_search.display.travel import travel_in_words
from l2p_search.held import HeldAgainst
from l2p_search.metrics import briefly, title
from l2p_search.other_nodes import OTHER_NODES, THIS_GRAPH, Estimate
from l2p_search.results import TrialStatus
from l2p_search.trial_record import TrialRecord

_MEANING = f"± is the 95 % interval for {THIS_GRAPH}"


def headline(summary: Summary) -> RenderableType:
    """What a person wants to know first, for a console of any width.

    Args:
        summary: What a search found, with a best trial.

    Returns:
        A line on what was searched, facts under their names, and verdicts in a small table.
    """
    complete = sum(record.status is TrialStatus.COMPLETE for record in summary.records)
    head = (
        f"search {summary.name}: {count(len(summary.records), 'trial')} on {summary.dataset},"
        f" {complete} with all {count(summary.seeds, 'seed')}"
    )
    parts: list[RenderableType] = [Text(head, style="bold"), Text()]
    best = summary.best
    if best is None or best.result is None:
        return Group(parts[0], Text("No trial finished, so there is no best one."))
    parts.append(_facts(summary, best))
    if summary.held.others:
        parts += [Text(), _verdicts(summary.held)]
        parts += [Text(summary.held.together)] if summary.held.together else []
    return Group(*parts)


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
            fact("", f"the one for {OTHER_NODES}: {elsewhere}")
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
    text = f"{best.objective:.2f} %" + (f", tied with {count(ties, 'other')}" if ties > 0 else "")
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
