from dataclasses import replace

from l2p_search.config import TrialConfig
from l2p_search.learned import Profiles
from l2p_search.report.page_profile import profile_beside, profile_groups
from tests.searching.records.made import result


def test_a_trial_without_a_profile_has_no_drawing() -> None:
    plain = result([80.0, 81.0], TrialConfig(model="mlp"))
    bare = replace(plain, seeds=tuple(replace(s, profile=None) for s in plain.seeds))
    assert profile_beside(bare) == []
    assert profile_groups(bare) == []


def test_the_spread_over_seeds_is_drawn_where_there_are_several() -> None:
    made = result([80.0, 81.0], TrialConfig(K=1))
    seeds = tuple(replace(s, profile=(0.5, 0.5)) for s in made.seeds)
    (drawn,) = profile_beside(replace(made, seeds=seeds))
    assert "standard deviation" in drawn.caption
    (alone,) = profile_beside(replace(made, seeds=seeds[:1]))
    assert "standard deviation" not in alone.caption
    assert 'class="spread"' not in alone.svg


def test_groups_by_degree_and_class_are_drawn_where_they_were_recorded() -> None:
    made = result([80.0, 81.0], TrialConfig(K=1))
    seeds = tuple(replace(s, profile=(0.5, 0.5)) for s in made.seeds)
    profiles = Profiles.from_mapping(
        {
            "by_degree": {"1-2": [0.4, 0.6]},
            "by_class": {"chess": [0.5, 0.5]},
            "node_steps": [],
            "settled": [],
        }
    )
    drawn = profile_groups(replace(made, seeds=seeds, profiles=profiles))
    assert [each.caption for each in drawn] == [
        "q(t) by degree, from 0 (dark) to 0.60 (bright)",
        "q(t) by class, from 0 (dark) to 0.50 (bright)",
    ]
    assert ">degree</text>" in drawn[0].svg
    assert "chess" in drawn[1].svg
