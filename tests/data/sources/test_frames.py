import numpy as np
import pandas as pd
import pytest

import l2p_search as l2p
from l2p_search.data.loading import load_graph
from l2p_search.errors import DataError

_N = 30


def _nodes() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "id": [f"n{place}" for place in range(_N)],
            "age": rng.normal(size=_N),
            "town": pd.Categorical(["a", "b", "c"] * 10),
            "club": ["go", "chess"] * 15,
        }
    )


def _edges() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "source": [f"n{place}" for place in range(_N - 1)],
            "target": [f"n{place + 1}" for place in range(_N - 1)],
            "weight": np.arange(1.0, _N),
        }
    )


def test_frames_give_the_graph_of_their_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("frames")
    _nodes().to_csv(folder / "nodes.csv", index=False)
    _edges().to_csv(folder / "edges.csv", index=False)
    of_files = load_graph(folder, label="club")
    of_frames = load_graph(_nodes(), edges=_edges(), label="club")
    assert of_frames.digest == of_files.digest
    assert of_frames.weights is not None
    assert of_frames.about.feature_names == ("age", "town=a", "town=b", "town=c")


def test_an_index_holds_the_ids_and_a_shuffled_one_harms_nothing() -> None:
    wanted = load_graph(_nodes(), edges=_edges(), label="club")
    named = _nodes().set_index("id")
    unnamed = named.rename_axis(None)
    for nodes in (named, unnamed):
        assert load_graph(nodes, edges=_edges(), label="club").digest == wanted.digest
    part = _edges()[["source", "target"]].rename(columns={"source": "who", "target": "whom"})
    shuffled = part.sample(frac=1, random_state=0)
    found = load_graph(_nodes().iloc[::-1], edges=shuffled, label="club")
    assert (found.num_nodes, found.num_edges) == (_N, _N - 1)


def test_what_takes_a_graph_takes_frames() -> None:
    graph = l2p.load_graph(_nodes(), edges=_edges(), label="club", splits="2x50/25/25")
    assert l2p.fit(graph, seeds=2, epochs=2).val_mean >= 0


@pytest.mark.parametrize(
    ("nodes", "edges", "says"),
    [
        (_nodes(), None, "the DataFrame of nodes: its edges are missing; give them as a DataFr"),
        (_nodes(), "edges.csv", "the DataFrame of nodes: its edges are a str"),
        (_nodes().iloc[:0], _edges(), "the DataFrame of nodes: has no rows"),
        (_nodes().drop(columns="club"), _edges(), "the DataFrame of nodes: has no column 'club'"),
        (_nodes(), _edges().assign(target="x"), "row 0, column 'target': 'x' is no id in"),
        (_nodes().assign(id="same"), _edges(), "row 1, column 'id': the id 'same' is also in"),
    ],
)
def test_a_bad_frame_is_one_line(nodes: pd.DataFrame, edges: object, says: str) -> None:
    with pytest.raises(DataError) as caught:
        load_graph(nodes, edges=edges, label="club")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_values_of_several_kinds_are_read_as_text() -> None:
    nodes = _nodes().assign(club=[1, "go"] * 15)
    graph = load_graph(nodes, edges=_edges(), label="club")
    assert graph.about.class_names == ("1", "go")
