"""What a search's winner is held against, in words: an MLP, other trials, fresh splits."""

from l2p_search.held import Against, HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.metrics import Metric, title
<<<<<<< HEAD
from l2p_search.other_nodes import Estimate
=======
from l2p_search.other_nodes import Estimate, estimate_of_test


def fresh_splits_text(held: HeldAgainst) -> str | None:
    """The winner on fresh splits: "84.90 ± 1.52 %   on 20 new splits (48/32/20)"; None without."""
    estimate = held.estimate_on_fresh_splits
    if estimate is None or held.rule is None:
        return None
    number, _, rule = held.rule.partition("x")
    splits = count(int(number), "new split")
    return f"{_percent(estimate)}   on {splits} by {rule_text(rule)}"
>>>>>>> numbers


def luck_text(interval: Interval) -> str:
    """The headline with the luck of the search in its interval."""
    found = str(interval) if interval.too_wide else interval.bounds() or f"{interval.mean:.2f}"
    return f"{found} %   for other trials too, drawn anew from these"


def rule_text(rule: str) -> str:
    """A rule of splits for people.

    Example:
        >>> rule_text("48/32/20"), rule_text("20-per-class/500/1000")
        ('48/32/20 % of each class', '20 per class/500/1000 nodes')
    """
    if "-per-class" in rule:
        return f"{rule.replace('-per-class', ' per class')} nodes"
    if rule.endswith("-nodes"):
        return f"{rule.removesuffix('-nodes')} nodes, in each class its share"
    return f"{rule} % of each class"


<<<<<<< HEAD
=======
def default_text(held: HeldAgainst, metric: Metric) -> str | None:
    """Whether the winner is better than what nobody searched for; None where that is not known."""
    default = held.of("default")
    if default is None:
        return None
    if default.is_winner:
        return "better than the default configuration? The winner is the default configuration."
    was = "" if default.trial is None else f", which was trial {default.trial}"
    return (
        f"better than the default configuration? {_capital(default.verdict)}:"
        f" winner minus default {_points(default)}, the default has {_score(default)}{was}."
    )


def control_lines(held: HeldAgainst, metric: Metric) -> list[str]:
    """A line for each control, with what the winner is above it."""
    controls = [each for each in (held.of("mlp"), held.of("backbone")) if each is not None]
    width = max((len(each.name) for each in controls), default=0)
    return [
        f"{each.name:<{width}}  {_score(each)}   winner minus {each.name} {_points(each)}:"
        f" {each.verdict}"
        for each in controls
    ]


def label_lines(held: HeldAgainst, metric: Metric) -> list[str]:
    """How optimistic shared validation is, and the winner against a control with its labels."""
    labels = held.labels
    if labels is None:
        return []
    share = f"{labels.share:g} of the validation nodes"
    lines = [
        f"optimism of shared validation: {_signed(labels.optimism)}, phi's nodes above those that"
        f" only judge, with phi on {share}"
    ]
    if labels.control_test is not None and labels.difference is not None:
        lines.append(
            f"at equal labels: {_percent(labels.test)} with phi on {share},"
            f" {_percent(labels.control_test)} {labels.control}:"
            f" {_signed(labels.difference.this_graph)}{labels.difference.beside},"
            f" {labels.judged.in_words}"
        )
    return lines


>>>>>>> numbers
def mlp_text(held: HeldAgainst, metric: Metric) -> str | None:
    """That L2P has learned to be an MLP, where it has, and what it is worth beside one."""
    if not held.is_mlp or held.own_share is None:
        return None
    text = (
        f"It learned to be an MLP: q(0) is {held.own_share:.2f}, so nodes hardly listen to their"
        " neighbours"
    )
    mlp = held.of("mlp")
    if mlp is None:
        return f"{text}."
    return (
        f"{text}. Minus an MLP with its settings: {_points(mlp)} of test {title(metric)},"
        f" {mlp.verdict}."
    )


<<<<<<< HEAD
def _points(each: Against) -> str:
    """A difference with its sign: "+0.14 ± 0.96 points (other nodes: -0.90 to 1.18)"."""
    elsewhere = Estimate(each.difference, each.elsewhere).beside
    return f"{each.difference.mean:+.2f}{each.difference.plus_minus} points{elsewhere}"
=======
def held_paragraphs(held: HeldAgainst, metric: Metric) -> list[str]:
    """All of it in sentences, for a page."""
    told = []
    if (splits := fresh_splits_text(held)) is not None:
        told.append(f"On fresh splits: {' '.join(splits.split())}.")
    elif held.no_fresh_splits is not None:
        told.append(f"There are no fresh splits: {held.no_fresh_splits}.")
    if (default := default_text(held, metric)) is not None:
        told.append(_capital(default))
    told += [f"Control: {' '.join(line.split())}." for line in control_lines(held, metric)]
    if (mlp := mlp_text(held, metric)) is not None:
        told.append(mlp)
    told += [f"{_capital(line)}." for line in label_lines(held, metric)]
    return told


def _score(each: Against) -> str:
    found = estimate_of_test(each.result)
    return "unknown" if found is None else _percent(found)


def _percent(score: Estimate) -> str:
    """A score with both intervals: "80.16 ± 7.85 % (other nodes: 72.31 to 88.01)"."""
    return f"{score.this_graph} %{score.beside}"


def _points(each: Against) -> str:
    """A difference with its sign: "+0.14 ± 0.96 points (other nodes: -0.90 to 1.18)"."""
    elsewhere = Estimate(each.difference, each.elsewhere).beside
    return f"{_signed(each.difference)}{elsewhere}"


def _signed(interval: Interval) -> str:
    width = interval.half_width
    return f"{interval.mean:+.2f}" + ("" if width is None else f" ± {width:.2f}") + " points"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
>>>>>>> numbers
