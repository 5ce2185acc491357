from dataclasses import replace

from l2p_search.config import TrialConfig
from l2p_search.searching.running.tasks import Task


def test_a_worker_is_told_the_config_the_groups_of_seeds_and_the_metric() -> None:
    task = Task("trial", 3, TrialConfig(K=4), ((0, 1), (2,)), "roc_auc")
    told = task.to_mapping()
    assert TrialConfig.recorded(told["config"]) == task.config
    del told["config"]
    assert told == {
        "groups": [[0, 1], [2]],
        "metric": "roc_auc",
        "with_weights": False,
        "sealed": False,
        "splits": None,
    }
    odd = replace(task, with_weights=True, sealed=True, splits="3x48/32/20").to_mapping()
    assert (odd["with_weights"], odd["sealed"], odd["splits"]) == (True, True, "3x48/32/20")


def test_the_winner_and_its_ties_are_trials_that_are_confirmed_and_no_control_is() -> None:
    trial = Task("trial", 3, TrialConfig(), ((0, 1),))
    assert not trial.confirms_trial
    assert (trial.metric, trial.attempt, trial.role) == ("accuracy", 1, "winner")
    confirms = {
        role: replace(trial, kind="confirmation", role=role).confirms_trial
        for role in ("winner", "tie", "default", "mlp", "fresh_splits")
    }
    assert [role for role, each in confirms.items() if each] == ["winner", "tie"]


def test_a_part_of_a_confirmation_is_found_under_the_whole_one_and_says_which_part_it_is() -> None:
    whole = Task("confirmation", 3, TrialConfig(), ((20, 21, 22),), splits="3x48/32/20")
    part = replace(whole, groups=((20, 21),), whole=(20, 21, 22))
    assert whole.piece == part.piece == (TrialConfig().config_id, (20, 21, 22), "3x48/32/20")
    assert whole.title == replace(whole, whole=(20, 21, 22)).title == "trial 3 on fresh seeds"
    assert part.title == "trial 3 on fresh seeds 20 to 21"
    assert replace(part, groups=((22,),)).title == "trial 3 on fresh seed 22"
    assert replace(part, name="MLP").title == "MLP, seeds 20 to 21"
    assert replace(part, name="MLP", groups=((22,),)).title == "MLP, seed 22"
    assert replace(whole, kind="trial").title == "trial 3"
