"""The card says what the model is, what of, how good, and what it cannot do."""

import dataclasses

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.results import SeedResult, TrialResult
from l2p_search.saved.card import model_card
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.expected import Expected
from l2p_search.saved.trained_model import Model

_EVIDENCE = Evidence(
    metric="roc_auc", validation=81.25, test=80.5, low=78.0, high=83.0, profile=(0.75, 0.25),
    expected_step=0.25,
)  # fmt: skip


def _card(graph: Graph, evidence: Evidence = _EVIDENCE, **config: object) -> str:
    made = TrialConfig.recorded({"K": 1, **config})
    return model_card(made, (20, 21, 22), Expected.of(graph, made), evidence)


def test_it_names_data_digest_splits_metric_profile_and_how_to_load(small_graph: Graph) -> None:
    card = _card(small_graph)
    assert card.startswith("# l2q on `small`\n")
    for words in (
        "3 trained seeds (20 to 22)",
        "- Test ROC AUC: 80.50 ± 2.50 %, on 3 seeds.",
        "± is its 95 % interval for this graph, other seeds and splits",
        "- Its 95 % interval for other nodes of this kind: not recorded.",
        "- Validation ROC AUC: 81.25 %.",
        f"12 nodes, 2 splits, content hash `{small_graph.digest}`",
        "Over all nodes and seeds q(t) is 75 % on step 0 and 25 % on step 1",
        "![The probability of every propagation step](profile.svg)",
        "l2p.load_model(",
        "## Limits",
    ):
        assert words in card, words
    assert "Confirmed" not in card


def test_a_searchs_winner_says_that_fresh_seeds_confirmed_it(small_graph: Graph) -> None:
    confirmed = dataclasses.replace(_EVIDENCE, confirmed=True, search="first", trials=50)
    card = _card(small_graph, confirmed)
    assert "- Confirmed test ROC AUC: 80.50 ± 2.50 %, on 3 fresh seeds, which chose noth" in card
    assert "From the search `first`, the best of 50 trials by validation alone" in card


def test_an_interval_wider_than_the_scale_is_told_as_everywhere_else(small_graph: Graph) -> None:
    wide = dataclasses.replace(
        _EVIDENCE, low=-379.9, high=540.9, nodes_low=-379.9, nodes_high=540.9
    )
    card = _card(small_graph, wide)
    assert "- Test ROC AUC: 80.50 ± over 50 %, on 3 seeds." in card
    assert "(a split's seeds taken as one): too few seeds." in card
    assert "- Its 95 % interval for other nodes of this kind: too few seeds." in card
    assert "460" not in card


def test_one_seed_is_told_as_one_without_an_interval(small_graph: Graph) -> None:
    alone = dataclasses.replace(_EVIDENCE, low=None, high=None, confirmed=True)
    made = TrialConfig.recorded({"K": 1})
    card = model_card(made, (20,), Expected.of(small_graph, made), alone)
    assert "- Confirmed test ROC AUC: 80.50 %, on 1 fresh seed, which chose nothing." in card
    assert "±" not in card


def test_its_number_is_the_centre_of_its_interval_whichever_splits_the_seeds_are_on(
    small_graph: Graph,
) -> None:
    """Two seeds on split 0, one on split 1: every split counts once."""
    seeds = tuple(
        SeedResult(seed=seed, split=seed % 2, epochs=1, val=val, test=test)
        for seed, (val, test) in enumerate([(80.0, 70.0), (60.0, 50.0), (90.0, 74.0)])
    )
    result = TrialResult(
        config=TrialConfig(), dataset="small", data_digest="0", seeds=seeds, seconds=1.0
    )
    evidence = Evidence.of(result)
    assert (evidence.test, evidence.validation) == (61.0, 72.5)
    assert evidence.low is not None
    assert evidence.high is not None
    assert (evidence.low + evidence.high) / 2 == pytest.approx(61.0)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model": "linkx"}, "it predicts its own nodes alone"),
        ({"model": "geomgcn-s"}, "it predicts that graph alone"),
        ({"model": "gcn", "norm": "batch"}, "Batch normalisation takes its statistics from"),
    ],
    ids=str,
)
def test_limits_are_those_of_the_model(
    config: dict[str, object], said: str, small_graph: Graph
) -> None:
    assert said in _card(small_graph, **config)
    assert said not in _card(small_graph)


def test_a_baseline_has_no_profile(small_graph: Graph) -> None:
    without = dataclasses.replace(_EVIDENCE, profile=None, expected_step=None)
    assert "profile.svg" not in _card(small_graph, without, model="mlp")


def test_names_of_users_are_no_markup(small_graph: Graph) -> None:
    about = dataclasses.replace(small_graph.about, class_names=("a`b", "<b>", "x\n# y"))
    card = _card(dataclasses.replace(small_graph, about=about))
    assert "Classes: `a'b`, `<b>`, `x # y`." in card


def test_many_names_are_cut_short(small_graph: Graph) -> None:
    names = tuple(f"word{place}" for place in range(7))
    about = dataclasses.replace(small_graph.about, feature_names=names)
    graph = dataclasses.replace(small_graph, about=about)
    assert "Feature names: `word0`, `word1`" in _card(graph)


def test_the_card_says_which_table_mlflow_sends(model: Model) -> None:
    people = dataclasses.replace(model.expected, features=2, feature_names=("age", "income"))
    for expected, columns in (
        (model.expected, "`node` (an id), `features`, `neighbours`"),
        (people, "`node` (an id), a column per feature (`age`, `income`), `neighbours`"),
        (dataclasses.replace(people, scaling="made"), "`node` (an id), `neighbours`"),
    ):
        assert columns in model_card(model.config, model.seeds, expected, model.evidence)
    scaled = dataclasses.replace(people, scaling="row")
    assert "not scaled: the model" in model_card(model.config, (1,), scaled, model.evidence)
