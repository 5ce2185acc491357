"""A trial's profile on a page: bars for all nodes, and maps by degree and by class."""

import statistics
from collections.abc import Sequence

from l2p_search.report.drawing import shown_steps
from l2p_search.report.page import Drawing
from l2p_search.report.page_figures import heat_map, profile_bars
from l2p_search.results import TrialResult


def profile_beside(result: TrialResult) -> list[Drawing]:
    """The profile over all nodes, with its spread over the seeds; empty where there is none."""
    if result.profile is None:
        return []
    seeds = [seed.profile for seed in result.finished if seed.profile is not None]
    spread = (
        [statistics.stdev(values) for values in zip(*seeds, strict=True)] if len(seeds) > 1 else []
    )
    caption = "How far nodes look: q(t), the weight of step t, mean over nodes and seeds" + (
        "; orange: one standard deviation over seeds, up and down" if spread else ""
    )
    return [Drawing(profile_bars(result.profile, spread), caption, in_numbers(result.profile))]


def in_numbers(profile: Sequence[float]) -> str:
    """A profile for who cannot see its drawing.

    Example:
        >>> in_numbers((0.75, 0.25))
        'how far nodes look, q(t): 0.75 on step 0, 0.25 on step 1'
    """
    shares = list(profile)[: shown_steps(profile)]
    told = ", ".join(f"{share:.2f} on step {step}" for step, share in enumerate(shares))
    return f"how far nodes look, q(t): {told}"


def profile_groups(result: TrialResult, classes: Sequence[str] = ()) -> list[Drawing]:
    """The profiles of nodes of like degree, and of one class.

    Args:
        result: What was trained.
        classes: The names of the classes, where they have some.

    Returns:
        A map each; empty where there are no profiles.
    """
    if result.profiles is None or result.profile is None:
        return []
    steps = shown_steps(result.profile)
    profiles = result.profiles.with_class_names(classes)
    groups = {"degree": profiles.by_degree, "class": profiles.by_class}
    drawn = []
    for what, rows in groups.items():
        if rows:
            most = max(share for q in rows.values() for share in list(q)[:steps])
            caption = f"q(t) by {what}, from 0 (dark) to {most:.2f} (bright)"
            drawn.append(Drawing(heat_map(rows, steps, what), caption))
    return drawn
