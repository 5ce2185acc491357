"""A summary has what a search has found, as values."""

from l2p_search.display.summary import Summary


def test_a_summary_has_the_trials_the_best_and_its_confirmation(summary: Summary) -> None:
    assert (summary.name, summary.dataset, summary.seeds) == ("told", "small", 20)
    assert len(summary.records) == 12
    assert summary.best in summary.records
    assert summary.best is not None
    assert summary.best.number in summary.ties
    assert len(summary.confirmations[summary.best.number].seeds) == 3
    assert summary.confirmed is not None
    assert summary.metric == "accuracy"
