"""What a search's winner is held against, in words: an MLP, other trials, fresh splits."""

from l2p_search.held import Against, HeldAgainst
from l2p_search.intervals import Interval
from l2p_search.metrics import Metric, title
from l2p_search.other_nodes import Estimate


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


def _points(each: Against) -> str:
    """A difference with its sign: "+0.14 ± 0.96 points (other nodes: -0.90 to 1.18)"."""
    elsewhere = Estimate(each.difference, each.elsewhere).beside
    return f"{each.difference.mean:+z.2f}{each.difference.plus_minus} points{elsewhere}"
