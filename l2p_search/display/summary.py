"""What a search found, printed when it ends."""

from pathlib import Path

from l2p_search.display.charts import bar, bar_chart
from l2p_search.display.leaderboard import print_leaderboard
from l2p_search.display.phrases import count, paper_figure
from l2p_search.intervals import accuracy_of_test, accuracy_of_validation
from l2p_search.results import TrialStatus
from l2p_search.search.records.outcome import Outcome
from l2p_search.search.running.run import Finish
from l2p_search.trial_record import best_first

_SHOWN = 10


def print_results(
    directory: Path,
    finish: Finish,
    importance: dict[str, float] | None,
    best_file: Path | None,
    where: str,
) -> None:
    """The table, the confirmed result, the profile, the importance, what to do next."""
    outcome = finish.outcome
    complete = [r for r in outcome.records if r.status is TrialStatus.COMPLETE]
    failed = [r for r in outcome.records if r.status is TrialStatus.FAILED]
    title = (
        f"search {directory.name}: {count(len(outcome.records), 'trial')} on"
        f" {outcome.settings.dataset}, {len(complete)} with all"
        f" {count(outcome.settings.seeds, 'seed')}"
    )
    print_leaderboard(outcome, best_first(complete)[:_SHOWN], title)
    if failed:
        print(f"{count(len(failed), 'trial')} failed; the first: {failed[0].reason}")
    if finish.exhausted:
        print(f"Every configuration of the space was visited: {len(outcome.records)} in all.")
    best = outcome.best
    if best is None or best.result is None:
        print("No trial finished, so there is no best one.")
        return
    _print_accuracy(outcome, finish.unconfirmed)
    if best.result.profile is not None:
        steps = f"{best.result.expected_step:.2f} steps"
        print(f"\nprofile of trial {best.number}: nodes take {steps}")
        print(bar_chart(best.result.profile))
    if importance is not None:
        print("\nimportance for validation accuracy (fANOVA, shares of its variance)")
        width = max(map(len, importance))
        for key, share in importance.items():
            print(f"  {key:<{width}}  {share:.2f}  {bar(share, 30)}".rstrip())
    more = 2 * len(outcome.records)
    print("\nnext")
    print("  l2p-search ui                         # compare the trials in MLflow")
    print(f"  l2p-search report --search {directory.name}{where}")
    print(f"  l2p-search export --search {directory.name}{where} --out best.yaml")
    print(f"  l2p-search train --dataset {outcome.settings.dataset} --config {best_file}")
    print(f"  l2p-search --resume --name {directory.name}{where} --trials {more}   # search on")


def _print_accuracy(outcome: Outcome, unconfirmed: dict[int, str]) -> None:
    best = outcome.best
    if best is None or best.result is None:
        return
    ties = len(outcome.ties) - 1
    print(
        f"\nbest on validation: trial {best.number}, {accuracy_of_validation(best.result)} %"
        + (f", tied with {count(ties, 'other')}" if ties else "")
    )
    if outcome.confirmed is not None:
        seeds = len(outcome.confirmations[best.number].seeds)
        print(f"CONFIRMED TEST ACCURACY: {outcome.confirmed} %   on {seeds} fresh seeds")
    elif best.number in unconfirmed:
        print(f"not confirmed: {unconfirmed[best.number]}")
    print(f"the paper's protocol:    {outcome.protocol} %   on the search's own seeds")
    if (paper := paper_figure(outcome.settings.dataset, best.config)) is not None:
        print(f"the paper reports:       {paper}")
    print(
        "  ± is the 95 % interval, with a split's seeds taken as one. The first number is the one"
        " to quote:\n  its seeds chose nothing."
        if outcome.confirmed is not None
        else "  ± is the 95 % interval, with a split's seeds taken as one."
    )
    others = [number for number in outcome.confirmations if number != best.number]
    if others:
        print("  ties on the same fresh seeds: ", end="")
        print(
            ", ".join(
                f"trial {number} {accuracy_of_test(outcome.confirmations[number])}"
                for number in others
            )
        )
