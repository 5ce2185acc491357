"""load_graph: anything that holds a graph in, a checked Graph out."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from l2p_search.caller import left_as_found
from l2p_search.data.catalogue import BENCHMARKS, DATASETS
from l2p_search.data.graph import Graph
from l2p_search.data.ingest import ingest
from l2p_search.data.own_names import own_name
from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.files import is_like_a_path, is_there, read_path, refuse_options
from l2p_search.data.sources.frames import read_frames
from l2p_search.data.sources.imported import call_function, is_function, read_imported
from l2p_search.data.sources.named import is_known, load_named
from l2p_search.data.sources.networkx_graphs import read_networkx
from l2p_search.data.sources.ogb_datasets import read_ogb
from l2p_search.data.sources.pyg import read_data
from l2p_search.data.sources.sparse_matrices import read_matrix
from l2p_search.data.sources.table import quoted
from l2p_search.errors import DataError, did_you_mean


@left_as_found()
def load_graph(
    source: Any,
    data_dir: Path | str | None = None,
    *,
    edges: Any = None,
    label: Any = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    source_column: str | None = None,
    target_column: str | None = None,
    features: Any = None,
    split: str | None = None,
    weight: str | None = None,
    splits: str | None = None,
    scale: str = "auto",
    name: str | None = None,
    to_predict: bool = False,
) -> Graph:
    """Load a graph from whatever holds it; `describe()` tells what was understood.

    Args:
        source: One of

            - a dataset's name: "cora", "wisconsin", "minesweeper", "demo" ..;
            - a file: PyG's Data (.pt), numpy's arrays (.npz), tables (.csv, .parquet, with
              `edges`), GraphML, GML; or a folder of tables or of Geom-GCN's text files;
            - "pyg:Amazon:Photo", "pyg:WikiCS", any dataset of torch_geometric.datasets;
              "ogb:ogbn-arxiv"; "package.module:function" for a function that returns a graph;
            - an object: PyG's Data, a networkx graph, a pandas DataFrame of nodes (with one of
              `edges`), a scipy matrix or a numpy array [N, N] (with `label`), a Graph.
        data_dir: The folder to look for files of named datasets in first.
        edges: The table of edges, when `source` is the table of nodes; or a file with two whole
            numbers per line, as SNAP publishes graphs; a DataFrame when `source` is one.
        label: The column, attribute or array of the classes; an array [N] for a matrix.
        id: The column that identifies nodes.
        source_column: The first column of the edge table that names nodes.
        target_column: The second one.
        features: Columns or attributes to use as features, or a JSON file of lists; an array
            [N, F] for a matrix.
        split: The column with the values train, val and test.
        weight: The column or attribute with the weights of edges.
        splits: A rule to make splits by, such as "10x48/32/20", instead of those of the source.
        scale: "auto", "row", "standard" or "none".
        name: What the graph is called, in titles and folders.
        to_predict: Whether it is only to be predicted by a `Model`: its nodes need no labels, and
            it cannot be trained on.

    Returns:
        The graph: undirected, checked, with scaled features and splits.

    Raises:
        DataError: One line that names the source, what is wrong with it and what to do.

    Example:
        >>> load_graph("demo")
        Graph('demo', nodes=320, edges=975, features=160, classes=4, splits=10)
        >>> graph = load_graph("pyg:KarateClub", splits="5x50/25/25", name="karate")
        >>> graph.num_nodes, graph.num_edges, graph.num_splits
        (34, 78, 5)
    """
    given = {
        "edges": edges,
        "label": label,
        "id": id,
        "source_column": source_column,
        "target_column": target_column,
        "features": str(features) if isinstance(features, Path) else features,
        "split": split,
        "weight": weight,
    }
    graph = _load(
        source, data_dir, given, splits=splits, scale=scale, name=name, to_predict=to_predict
    )
    if not isinstance(source, str | Path):
        return graph
    request = _request(source, {**given, "splits": splits, "scale": scale, "name": name})
    return replace(graph, about=replace(graph.about, request=request))


def _request(source: str | Path, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments as a journal can keep them: paths from the root, defaults left out."""
    request: dict[str, Any] = {"source": _absolute(source)}
    for key, value in given.items():
        if value is not None and (key, value) != ("scale", "auto"):
            path = key in ("edges", "features") or isinstance(value, Path)
            request[key] = _absolute(value) if path else value
    return request


def _absolute(given: Any) -> Any:
    """A path that exists, from the root; anything else as it is."""
    if not isinstance(given, str | Path):
        return given
    path = Path(given).expanduser()
    known = isinstance(given, str) and is_known(given)
    return str(path.absolute()) if is_there(path) and not known else str(given)


def _load(
    source: Any,
    data_dir: Path | str | None,
    given: dict[str, Any],
    *,
    splits: str | None,
    scale: str,
    name: str | None,
    to_predict: bool,
) -> Graph:
    options = {key: value for key, value in given.items() if value is not None}
    if isinstance(source, str) and is_known(source):
        refuse_options(source, options, ())
        graph = load_named(source, _folder(data_dir), splits=splits, scale=scale)
        return graph if name is None else replace(graph, name=name)
    if isinstance(source, str) and is_function(source) and not is_there(Path(source)):
        made = call_function(source)
        if made is None:
            raise DataError(f"{source}: it returned nothing; let it return the graph")
        called = name or source.rpartition(":")[2]
        try:
            return load_graph(
                made,
                data_dir,
                **given,
                splits=splits,
                scale=scale,
                name=called,
                to_predict=to_predict,
            )
        except DataError as error:
            raise DataError(f"{source}: {error.message}") from None
    if isinstance(source, Graph):
        if source.num_labelled == 0 and not to_predict:
            raise DataError(
                f"{source.name}: no node has a label, so it can be predicted but not learned"
                " from; use Graph.build with the classes of some nodes"
            )
        refuse_options(source.name, options, ())
        if scale != "auto":
            raise DataError(
                f"{source.name}: a Graph has its scaling already; give scale to what builds it"
            )
        graph = source if splits is None else source.with_splits(splits)
        return graph if name is None else replace(graph, name=name)
    raw = _read(source, options, splits is None and not to_predict, name, labelled=not to_predict)
    if name is None and isinstance(source, str | Path):
        raw = _after_its_folder(raw, Path(source).expanduser())
    if name is not None:
        raw = replace(raw, name=name)
    elif is_known(raw.name):  # a file may be called cora.csv and hold anything
        raw = replace(raw, name=f"own-{raw.name}")
    return ingest(raw, splits=splits, scale=scale, to_predict=to_predict)


def _after_its_folder(raw: RawGraph, path: Path) -> RawGraph:
    """The graph of a file such as nodes.csv, which says nothing of it, under its folder's name."""
    by_file = raw.name == path.name.split(".")[0] and is_there(path) and path.is_file()
    return replace(raw, name=own_name(path)) if by_file else raw


def _read(
    source: Any, options: dict[str, Any], with_masks: bool, name: str | None, *, labelled: bool
) -> RawGraph:
    if isinstance(source, str) and source.startswith("ogb:"):
        refuse_options(source, options, ())
        return read_ogb(source, with_masks=with_masks)
    if isinstance(source, str) and source.startswith("pyg:"):
        refuse_options(source, options, ("label", "features", "weight"))
        return read_imported(source, **options, with_masks=with_masks)
    if isinstance(source, str | Path):
        if isinstance(source, str) and not is_like_a_path(source):
            known = [*DATASETS, *BENCHMARKS]
            raise DataError(
                f"unknown dataset {quoted(source)}; {did_you_mean(source, known)}"
                " (or give the path of a file)"
            )
        return read_path(Path(source).expanduser(), options, with_masks, labelled=labelled)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return read_frames(source, **options, name=name, with_masks=with_masks, labelled=labelled)
    networkx = sys.modules.get("networkx")
    if networkx is not None and isinstance(source, networkx.Graph):
        refuse_options("the networkx graph", options, ("label", "features", "split", "weight"))
        return read_networkx(source, **options, name=name, with_masks=with_masks)
    if issparse(source) or (isinstance(source, np.ndarray) and "label" in options):
        refuse_options("the scipy matrix", options, ("label", "features"))
        label, features = options.get("label"), options.get("features")
        return read_matrix(source, labels=label, features=features, name=name or "matrix")
    geometric = sys.modules.get("torch_geometric.data")
    if geometric is not None and isinstance(source, geometric.Dataset):
        if len(source) != 1:
            raise DataError(f"the dataset: {len(source)} graphs; give one of them")
        source = source[0]
    if hasattr(source, "to_dict") or (isinstance(source, Mapping) and "edge_index" in source):
        refuse_options("the Data object", options, ("label", "features", "weight"))
        return read_data(source, **options, name=name or "data", with_masks=with_masks)
    raise DataError(
        f"a {type(source).__name__} is no graph; give a dataset's name, a path, PyG's Data, a"
        " networkx graph, DataFrames or a scipy matrix, or use Graph.build for arrays"
    )


def _folder(data_dir: Path | str | None) -> Path | None:
    return None if data_dir is None else Path(data_dir)
