import random

import optuna
import pytest
from optuna.distributions import FloatDistribution, IntDistribution
from optuna.samplers import GPSampler, TPESampler
from optuna.trial import TrialState, create_trial

from l2p_search.searching.records.journal_file import quiet_optuna
from l2p_search.searching.running import samplers
from l2p_search.searching.running.samplers import fixed_sampler, learning_sampler, seed_of

_SPACE = {"lr": FloatDistribution(1e-3, 0.1, log=True), "K": IntDistribution(0, 5)}


def _study(count: int) -> optuna.Study:
    """Trials of which a few are pruned or failed; values rise to the middle and fall again."""
    with quiet_optuna():
        study = optuna.create_study(direction="maximize")
    draws = random.Random(0)
    for number in range(count):
        state = {3: TrialState.PRUNED, 5: TrialState.FAIL}.get(number % 10, TrialState.COMPLETE)
        value = -abs(number - count / 2) if state is TrialState.COMPLETE else None
        params = {"lr": draws.uniform(1e-3, 0.1), "K": draws.randrange(6)}
        study.add_trial(
            create_trial(
                state=state,
                value=value,
                params=params,
                distributions=_SPACE,
                intermediate_values={1: 0.5} if state is TrialState.PRUNED else {},
            )
        )
    return study


@pytest.mark.parametrize("kind", ["tpe", "gp"])
@pytest.mark.parametrize("count", [0, 4, 60])
@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_up_to_its_bound_the_history_changes_no_proposal(kind: str, count: int) -> None:
    plain = (
        GPSampler(seed=7, deterministic_objective=False)
        if kind == "gp"
        else TPESampler(seed=7, multivariate=True, constant_liar=True)
    )
    proposed = []
    for sampler in (plain, learning_sampler(kind, 7, _SPACE)):  # type: ignore[arg-type]
        study = _study(count)
        study.sampler = sampler
        for lr in (0.02, 0.05, 0.08)[: count // 4]:  # trials that run at the same time
            point = {"lr": lr, "K": 3}
            study.add_trial(
                create_trial(state=TrialState.RUNNING, params=point, distributions=_SPACE)
            )
        proposed.append(study.ask(_SPACE).params)
    assert proposed[0] == proposed[1]


def test_beyond_its_bound_it_is_the_best_the_latest_and_the_running_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(samplers, "_HISTORY", 20)
    monkeypatch.setattr(samplers, "_BEST", 5)
    study = _study(100)
    running = study.ask(_SPACE).number
    seen = [trial.number for trial in samplers._History(study)._get_trials()]
    learned = [
        t.number for t in study.get_trials() if t.state in (TrialState.COMPLETE, TrialState.PRUNED)
    ]
    best = {48, 49, 50, 51, 52}  # by their values
    assert seen == sorted({*best, *learned[-15:], running})


def test_what_is_fixed_is_proposed_and_the_rest_is_drawn() -> None:
    study = _study(0)
    study.sampler = fixed_sampler({"K": 4}, seed=1)
    first = study.ask(_SPACE).params
    study.sampler = fixed_sampler({"K": 4}, seed=2)
    second = study.ask(_SPACE).params
    assert (first["K"], second["K"]) == (4, 4)
    assert first["lr"] != second["lr"]


def test_a_seed_depends_on_all_its_parts() -> None:
    assert len({seed_of(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)}) == 8
    assert seed_of(1, 11) != seed_of(11, 1)


def test_tpe_draws_keys_together_and_avoids_what_runs_and_gp_knows_that_scores_are_noisy() -> None:
    tpe, gp = (learning_sampler(kind, 7, _SPACE)._inner for kind in ("tpe", "gp"))  # type: ignore
    assert (tpe._multivariate, tpe._constant_liar, gp._deterministic) == (True, True, False)


def test_keys_are_drawn_together_once_a_trial_has_ended_but_for_those_with_one_value() -> None:
    sampler = learning_sampler("tpe", 7, {**_SPACE, "hidden": IntDistribution(64, 64)})
    study = _study(0)
    running = study.ask(_SPACE)
    frozen = study.get_trials()[running.number]
    assert sampler.infer_relative_search_space(study, frozen) == {}
    study.tell(running, 1.0)
    assert set(sampler.infer_relative_search_space(study, frozen)) == {"lr", "K"}


def test_a_history_is_asked_for_trials_in_some_states() -> None:
    history = samplers._History(_study(20))
    assert len(history.get_trials(states=(TrialState.PRUNED,))) == 2
    assert len(history.get_trials()) == 18  # without those that failed
