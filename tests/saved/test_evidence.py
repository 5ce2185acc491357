"""What is known of a model's seeds is kept with it."""

import json

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.intervals import interval_of_test
from l2p_search.saved.evidence import Evidence
from l2p_search.training.fit import fit


def test_it_is_what_the_result_says(small_graph: Graph) -> None:
    result = fit(small_graph, TrialConfig(K=2, hidden=4, epochs=3), range(4))
    evidence = Evidence.of(result, confirmed=True, search="first", trials=7)
    interval = interval_of_test(result)
    assert interval is not None
    assert (evidence.test, evidence.low, evidence.high) == (
        *(result.test_mean, interval.low, interval.high),
    )
    assert (evidence.metric, evidence.validation) == ("accuracy", result.val_mean)
    assert (evidence.profile, evidence.confirmed, evidence.trials) == (result.profile, True, 7)


def test_it_becomes_json_and_comes_back(small_graph: Graph) -> None:
    for changes in ({}, {"model": "mlp"}):
        config = TrialConfig.recorded({"K": 2, "hidden": 4, "epochs": 3, **changes})
        evidence = Evidence.of(fit(small_graph, config, [0], metric="macro_f1"))
        assert Evidence.from_mapping(json.loads(json.dumps(evidence.to_mapping()))) == evidence
