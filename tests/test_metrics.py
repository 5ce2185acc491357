from typing import get_args

from l2p_search.metrics import METRICS, Metric, briefly, title


def test_every_metric_has_a_key_for_names_and_a_title_for_people() -> None:
    assert get_args(Metric) == METRICS
    assert all(metric.isidentifier() for metric in METRICS)
    titles = [title(metric) for metric in METRICS]
    assert len(set(titles)) == len(titles)
    assert not any("_" in name for name in titles)


def test_accuracy_is_the_metric_that_needs_no_name() -> None:
    assert METRICS[0] == "accuracy"
    assert briefly("test", "accuracy") == "test"
    for metric in METRICS[1:]:
        assert briefly("test", metric) == f"test {title(metric)}"
