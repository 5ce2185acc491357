"""A model predicts as its seeds did when they were judged: saved, moved, loaded, and grown."""

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pandas
import pytest
import torch

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import DataError, ModelError
from l2p_search.hyperparameters import ALL
from l2p_search.saved.trained_model import Model, load_model
from l2p_search.training.fit import fit
from l2p_search.training.judging import Predicted

_NETWORKS: list[dict[str, Any]] = [
    *(
        {"backbone": name.removeprefix("l2p-")} if name.startswith("l2p-") else {"model": name}
        for name in sorted(ALL)
    ),
    {"algorithm": "em"},
    {"encoder": "linear", "posterior": "select"},
    {"scorer": "per_step", "classifier": "per_step", "skip": 0.2},
    {"model": "gcn", "norm": "batch", "residual": "linear", "head_layers": 2},
]
_QUICK = {"K": 2, "hidden": 8, "epochs": 3, "dropout": 0.2}


def _trained(graph: Graph, changes: dict[str, Any]) -> tuple[Model, list[Predicted]]:
    told: list[Predicted] = []
    config = TrialConfig.recorded({**_QUICK, **changes})
    return Model.of(graph, fit(graph, config, [0, 3, 4], on_seed=told.append)), told


@pytest.mark.parametrize("changes", _NETWORKS, ids=str)
def test_every_network_predicts_the_same_to_the_last_bit_after_save_move_and_load(
    changes: dict[str, Any], small_graph: Graph, tmp_path: Path
) -> None:
    model, told = _trained(small_graph, changes)
    model.save(tmp_path / "here")
    shutil.move(tmp_path / "here", tmp_path / "elsewhere")
    loaded = load_model(tmp_path / "elsewhere")
    assert loaded.config == model.config
    assert loaded.seeds == (0, 3, 4)
    for seed, judged in zip(loaded.seeds, told, strict=True):
        alone = loaded.read(small_graph, seed=seed)
        assert torch.equal(alone.p, judged.log_p.exp().double())
        if judged.q is not None:
            assert alone.q is not None
            assert torch.equal(alone.q, judged.q.double())
    assert torch.equal(loaded.predict_proba(small_graph), model.predict_proba(small_graph))


def test_the_ensemble_is_the_mean_probability_of_its_seeds(
    model: Model, small_graph: Graph
) -> None:
    each = [model.predict_proba(small_graph, seed=seed) for seed in (1, 4)]
    together = model.predict_proba(small_graph)
    torch.testing.assert_close(together, (each[0] + each[1]) / 2)
    assert torch.equal(model.predict(small_graph), together.argmax(dim=1))
    assert not torch.equal(each[0], each[1])
    torch.testing.assert_close(together.sum(dim=1), torch.ones(12, dtype=torch.float64))


def test_propagation_is_a_distribution_over_the_steps(model: Model, small_graph: Graph) -> None:
    q = model.propagation(small_graph)
    assert q.shape == (12, 4)
    torch.testing.assert_close(q.sum(dim=1), torch.ones(12, dtype=torch.float64))


def test_a_baseline_has_no_propagation(small_graph: Graph) -> None:
    model, _ = _trained(small_graph, {"model": "mlp"})
    assert model.read(small_graph).q is None
    with pytest.raises(ModelError, match="mlp learns no propagation steps"):
        model.propagation(small_graph)


def test_a_seed_that_it_has_not_is_refused(model: Model, small_graph: Graph) -> None:
    with pytest.raises(ModelError, match="seed: the model has no seed 0; it has 1, 4"):
        model.predict(small_graph, seed=0)


def test_labels_and_splits_of_the_graph_are_not_read(model: Model, small_graph: Graph) -> None:
    y = small_graph.y.roll(1)
    other = dataclasses.replace(small_graph, y=y, train=small_graph.val, val=small_graph.train)
    assert torch.equal(model.predict_proba(other), model.predict_proba(small_graph))


_INDUCTIVE = [
    changes
    for changes in _NETWORKS
    if changes.get("model") != "linkx" and "geomgcn" not in changes.get("model", "")
]


@pytest.mark.parametrize("changes", _INDUCTIVE, ids=str)
def test_a_graph_that_has_grown_is_predicted(
    changes: dict[str, Any], small_graph: Graph, grown: Graph
) -> None:
    model, _ = _trained(small_graph, changes)
    found = model.predict_proba(grown)
    assert found.shape == (14, 3)
    assert found.isfinite().all()


def test_a_node_far_from_what_is_new_is_predicted_as_before(
    small_graph: Graph, grown: Graph
) -> None:
    model, _ = _trained(small_graph, {"K": 2})
    before, after = model.predict_proba(small_graph), model.predict_proba(grown)
    # New edges touch nodes 0 and 11; two steps and their degrees reach three edges far.
    torch.testing.assert_close(after[8], before[8])
    assert not torch.allclose(after[0], before[0])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": "linkx"}, "LINKX has weights of every single node"),
        ({"model": "geomgcn-i"}, "Geom-GCN lays the whole graph out in a plane"),
    ],
    ids=str,
)
def test_a_model_of_one_graph_alone_refuses_a_grown_one(
    changes: dict[str, Any], said: str, small_graph: Graph, grown: Graph
) -> None:
    model, _ = _trained(small_graph, changes)
    with pytest.raises(DataError, match=f"grown: .*{said}") as raised:
        model.predict(grown)
    assert "\n" not in str(raised.value)


def test_predictions_are_a_table_with_ids_and_names(small_graph: Graph) -> None:
    about = dataclasses.replace(
        small_graph.about,
        node_ids=tuple(f"n{place}" for place in range(12)),
        class_names=("cat", "dog", "emu"),
    )
    named = dataclasses.replace(small_graph, about=about)
    model, _ = _trained(named, {})
    table = model.predictions(named)
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == [
        *("node", "class", "p(cat)", "p(dog)", "p(emu)"),
        *("expected_step", "q(0)", "q(1)", "q(2)"),
    ]
    assert table["node"].tolist() == list(about.node_ids or ())
    assert set(table["class"]) <= {"cat", "dog", "emu"}
    steps = table["q(1)"] + 2 * table["q(2)"]
    assert table["expected_step"].tolist() == pytest.approx(steps.tolist())


def test_a_result_without_weights_has_no_model(small_graph: Graph) -> None:
    result = fit(small_graph, TrialConfig.recorded(_QUICK), [0])
    recorded = dataclasses.replace(result, weights=None)
    with pytest.raises(ModelError, match="small: there is no model: no weights were kept"):
        Model.of(small_graph, recorded)


def test_a_dataset_is_named_instead_of_a_graph(tmp_path: Path) -> None:
    import l2p_search as l2p

    model = l2p.fit("demo", seeds=1, **_QUICK).model
    assert torch.equal(model.predict("demo"), model.predict(l2p.load_graph("demo")))
