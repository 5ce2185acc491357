from l2p_search.config import TrialConfig
from l2p_search.searching.running.tasks import Task


def test_a_worker_is_told_the_config_the_groups_of_seeds_and_the_metric() -> None:
    task = Task("trial", 3, TrialConfig(K=4), ((0, 1), (2,)), "roc_auc")
    told = task.to_mapping()
    assert TrialConfig.recorded(told["config"]) == task.config
    assert (told["groups"], told["metric"]) == ([[0, 1], [2]], "roc_auc")
