"""The readers that take a file from a user, and good files to change: see `fuzzing`."""

import gzip
import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """A reader, and good files to begin with."""

    seeds: list[bytes]
    read: Callable[[bytes, Path], object]


def targets() -> dict[str, Callable[[], Target]]:
    """The readers by name; good files are made when one is asked for."""
    return {
        "space": _spaces,
        "config": _configs,
        "journal": _journals,
        "graph": _graphs,
        "model": _models,
    }


def _spaces() -> Target:
    from l2p_search.searching.space.space_file import read_space

    def read(content: bytes, folder: Path) -> object:
        (folder / "space.yaml").write_bytes(content)
        space = read_space(folder / "space.yaml")
        return space.size, space.dimensions

    spaces = Path(__file__).parents[2] / "search_spaces"
    return Target([path.read_bytes() for path in sorted(spaces.glob("*.yaml"))], read)


def _configs() -> Target:
    import yaml

    from l2p_search.config import TrialConfig

    def read(content: bytes, folder: Path) -> object:
        (folder / "config.yaml").write_bytes(content)
        return TrialConfig.from_file(folder / "config.yaml").config_id

    kinds = [TrialConfig(), TrialConfig(K=3, dropout=0.1, posterior="select")]
    return Target([yaml.safe_dump(each.to_mapping()).encode() for each in kinds], read)


def _journals() -> Target:
    from l2p_search.api.statuses import status_of
    from l2p_search.data.demo import demo_graph
    from l2p_search.searching.records.journal import Journal
    from l2p_search.searching.records.outcome import read_outcome
    from l2p_search.searching.records.settings import Goal
    from tests.searching.pretend import searched

    def read(content: bytes, folder: Path) -> object:
        (folder / "journal.log").write_bytes(content)
        journal = Journal.read(folder)
        found = read_outcome(journal)
        return found.to_mapping(), journal.span, status_of(folder)

    seeds = []
    with tempfile.TemporaryDirectory() as made:
        for race in (None, "halving", "paired"):
            journal = searched(
                Path(made) / str(race), demo_graph(), Goal(trials=3, confirm=2), race=race, seeds=6
            )
            journal.close()
            seeds.append((journal.directory / "journal.log").read_bytes())
    return Target(seeds, read)


_GRAPHS = {
    **{f"graph{ending}": {} for ending in (".npz", ".pt", ".graphml", ".gml")},
    **{
        f"nodes{ending}": {"edges": "good.csv"}
        for ending in (".csv", ".tsv", ".csv.gz", ".parquet")
    },
    **{f"edges{ending}": {"edges": ""} for ending in (".csv", ".txt", ".parquet")},
    "features.json": {"edges": "good.csv", "features": ""},
    "out1_node_feature_label.txt": {},
    "out1_graph_edges.txt": {},
    "geom_split_0.6_0.2_0.npz": {},
}
"""Files whose content is changed -> the files that are named beside the table of nodes; an empty
name is that of the file itself."""


def _graphs() -> Target:
    """The first byte says which file of `_GRAPHS` the others are put into."""
    from l2p_search.data.loading import load_graph

    good = _graph_files()

    def read(content: bytes, folder: Path) -> object:
        name = [*_GRAPHS][content[0] % len(_GRAPHS)] if content else "graph.npz"
        source, options = folder / name, {}
        if name.startswith(("out1_", "geom_")):
            source = folder
            for each in _GEOM_GCN:
                (folder / each).write_bytes(good[each])
        elif beside := _GRAPHS[name]:
            (folder / "good.csv").write_bytes(good["edges.csv"])
            options = {key: folder / (file or name) for key, file in beside.items()}
            if "" in beside.values():
                source = folder / "town.csv"
                source.write_bytes(good["nodes.csv"])
        (folder / name).write_bytes(content[1:])
        return load_graph(str(source), **options).describe()

    return Target([bytes([place]) + good[name] for place, name in enumerate(_GRAPHS)], read)


_GEOM_GCN = [*_GRAPHS][-3:]


def _graph_files() -> dict[str, bytes]:
    """A good file of each format, all of the same ring of twelve nodes."""
    import networkx
    import numpy as np
    import pandas
    import torch

    chance = np.random.default_rng(0)
    x, y = chance.random((12, 3)).astype("float32"), np.arange(12) % 3
    edges = np.stack([np.arange(12), (np.arange(12) + 1) % 12])
    tensors = {"x": torch.tensor(x), "edge_index": torch.tensor(edges), "y": torch.tensor(y)}
    graph = networkx.Graph(map(tuple, edges.T.tolist()))
    for node in graph:
        graph.nodes[node].update(y=f"c{y[node]}", a=float(x[node, 0]), b=float(x[node, 1]))
    nodes = pandas.DataFrame({"id": range(12), "a": x[:, 0], "b": x[:, 1], "label": y})
    pairs = pandas.DataFrame({"source": edges[0], "target": edges[1]})
    lines = [
        f"{i}\t{','.join(map(str, (row > 0.5).astype(int)))}\t{y[i]}" for i, row in enumerate(x)
    ]
    masks = [np.arange(12) % 4 == part for part in (0, 1, 2)]
    masks[0] |= np.arange(12) % 4 == 3
    names = ("train_mask", "val_mask", "test_mask")
    return {
        "graph.npz": _written(np.savez, x=x, edge_index=edges, y=y),
        "graph.pt": _written(lambda file: torch.save(tensors, file)),
        "graph.graphml": "\n".join(networkx.generate_graphml(graph)).encode(),
        "graph.gml": "\n".join(networkx.generate_gml(graph)).encode(),
        "nodes.csv": nodes.to_csv(index=False).encode(),
        "nodes.tsv": nodes.to_csv(index=False, sep="\t").encode(),
        "nodes.csv.gz": gzip.compress(nodes.to_csv(index=False).encode(), mtime=0),
        "nodes.parquet": _written(nodes.to_parquet),
        "edges.csv": pairs.to_csv(index=False).encode(),
        "edges.txt": b"# FromNodeId\tToNodeId\n"
        + pairs.to_csv(index=False, header=False, sep="\t").encode(),
        "edges.parquet": _written(pairs.to_parquet),
        "features.json": json.dumps({str(i): [i, (i * 7) % 5] for i in range(12)}).encode(),
        "out1_node_feature_label.txt": "\n".join(["node_id\tfeature\tlabel", *lines, ""]).encode(),
        "out1_graph_edges.txt": "\n".join(
            ["node_id\tnode_id", *(f"{a}\t{b}" for a, b in edges.T), ""]
        ).encode(),
        "geom_split_0.6_0.2_0.npz": _written(np.savez, **dict(zip(names, masks, strict=True))),
    }


def _written(write: Callable[..., object], **content: object) -> bytes:
    packed = io.BytesIO()
    write(packed, **content)
    return packed.getvalue()


def _models() -> Target:
    """The first byte says which file is put in the place of a good one; hashes are made to fit."""
    import l2p_search as l2p
    from l2p_search.data.demo import demo_graph
    from l2p_search.saved import folder as folders

    names = (folders.DESCRIPTION, folders.CONFIG, folders.WEIGHTS)
    graph = demo_graph()
    with tempfile.TemporaryDirectory() as made:
        place = Path(made) / "model"
        fitted = l2p.fit(graph, K=2, hidden=4, epochs=2, patience=2, seeds=1)
        assert fitted.model is not None
        fitted.model.save(place)
        good = {name: (place / name).read_bytes() for name in names}

    def read(content: bytes, folder: Path) -> object:
        files = dict(good)
        which = content[0] % len(names) if content else 0
        files[names[which]] = content[1:]
        try:
            description = json.loads(files[folders.DESCRIPTION])
        except (ValueError, RecursionError):
            description = None
        if isinstance(description, dict):
            bound = description.get("files")
            for name in names[1:] if isinstance(bound, dict) else ():
                if isinstance(bound.get(name), dict) and which:
                    bound[name] = {
                        "bytes": len(files[name]),
                        "sha256": folders._sha256(files[name]),
                    }
            description.pop("digest", None)
            description["digest"] = folders._digest(description)
            files[folders.DESCRIPTION] = json.dumps(description).encode()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        return l2p.load_model(folder).predict(graph)

    return Target([bytes([place]) + good[name] for place, name in enumerate(names)], read)
