import json
from pathlib import Path

import pytest

from l2p_search.config import DEFAULTS, TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import ConfigError
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.settings import Goal, SearchSettings
from l2p_search.searching.running.coordinator import Coordinator
from l2p_search.searching.space.space_file import parse_space
from tests.searching.pretend import drive, searched, settings

_UNREAD = {"model": "appnp", "edge_dropout": {"choices": [0.0, 0.3]}, "K": {"choices": [2, 4]}}
"""A space as old versions accepted it: APPNP has no use for `edge_dropout`."""


def test_settings_are_read_as_they_were_written() -> None:
    base = TrialConfig.from_mapping({"model": "gcn"}, DEFAULTS["heterophily"])
    written = settings(base=base)
    assert SearchSettings.from_mapping(json.loads(json.dumps(written.to_mapping()))) == written


def test_the_metric_is_part_of_the_settings_and_accuracy_where_none_is_written() -> None:
    written = settings(metric="roc_auc").to_mapping()
    assert SearchSettings.from_mapping(written).metric == "roc_auc"
    del written["metric"]
    assert SearchSettings.from_mapping(written) == settings()


def test_an_old_search_goes_on_with_a_key_that_its_model_does_not_read(
    tmp_path: Path, small_graph: Graph
) -> None:
    with pytest.raises(ConfigError, match="edge_dropout is not read by appnp"):
        parse_space("old", _UNREAD)
    space = parse_space("old", _UNREAD, recorded=True)
    base = TrialConfig.recorded({"heads": 4})
    searched(tmp_path / "s", small_graph, Goal(trials=2), space=space, base=base).close()

    journal = Journal.resume(tmp_path / "s")
    assert journal.settings == settings(space=space, base=base)
    drive(Coordinator(journal, Goal(trials=4), concurrency=1), small_graph)
    wanted = [
        TrialConfig.recorded({"model": "appnp", "heads": 4, "edge_dropout": rate, "K": steps})
        for rate in (0.0, 0.3)
        for steps in (2, 4)
    ]
    found = {record.config.config_id for record in journal.records()}
    assert found == {config.config_id for config in wanted}
    journal.close()
