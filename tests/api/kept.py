"""A pretended search that has kept a really trained model of its best configuration."""

from pathlib import Path
from typing import Any

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.saved.trained_model import Model
from l2p_search.searching.records.journal import Journal
from l2p_search.searching.records.outcome import read_outcome
from l2p_search.searching.records.settings import Goal
from l2p_search.searching.running.keeping import FOLDER
from l2p_search.training.fit import fit
from tests.searching.pretend import searched

QUICK = TrialConfig(hidden=4, epochs=2)
"""What the configurations of such a search have in common, so that training takes no time."""


def search_with_model(folder: Path, graph: Graph, **goal: Any) -> Journal:
    """Four pretended trials; the best one's two fresh seeds are trained and kept."""
    aim = Goal(**{"trials": 4, "confirm": 2, **goal})
    journal = searched(folder, graph, aim, data_digest=graph.digest, base=QUICK, seeds=3)
    keep_best(journal, graph)
    journal.close()
    return Journal.read(folder)


def keep_best(journal: Journal, graph: Graph) -> Model:
    """Train the best configuration on fresh seeds, and keep that as the search's model."""
    outcome = read_outcome(journal)
    assert outcome.best is not None
    trained = fit(graph, outcome.best.config, [3, 4])
    model = Model.of(
        graph,
        trained,
        confirmed=True,
        search=journal.directory.name,
        trials=len(outcome.records),
    )
    model.save(journal.directory / FOLDER)
    return model
