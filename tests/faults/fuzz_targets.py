"""The readers that take a file from a user, and good files to change: see `fuzzing`."""

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
        return read_outcome(journal).to_mapping(), status_of(folder)

    seeds = []
    with tempfile.TemporaryDirectory() as made:
        for race in (None, "halving", "paired"):
            journal = searched(
                Path(made) / str(race), demo_graph(), Goal(trials=3, confirm=2), race=race, seeds=6
            )
            journal.close()
            seeds.append((journal.directory / "journal.log").read_bytes())
    return Target(seeds, read)


_ENDINGS = (".npz", ".pt", ".csv", ".graphml", ".gml", ".parquet", ".csv.gz", ".json")


def _graphs() -> Target:
    """The first byte says what a file ends in; a .csv has its edges after an empty line."""
    import networkx
    import numpy as np
    import torch

    from l2p_search.data.loading import load_graph

    def read(content: bytes, folder: Path) -> object:
        ending = _ENDINGS[content[0] % len(_ENDINGS)] if content else ".npz"
        path, options = folder / f"graph{ending}", {}
        nodes = content[1:]
        if ending == ".csv":
            nodes, _, edges = nodes.partition(b"\n\n")
            (folder / "edges.csv").write_bytes(edges)
            options = {"edges": folder / "edges.csv"}
        path.write_bytes(nodes)
        return load_graph(str(path), **options).describe()  # type: ignore[arg-type]

    chance = np.random.default_rng(0)
    x, y = chance.random((12, 3)).astype("float32"), np.arange(12) % 3
    edges = np.stack([np.arange(12), (np.arange(12) + 1) % 12])
    made: list[tuple[str, bytes]] = []
    for arrays in (
        {"x": x, "edge_index": edges, "y": y},
        {"node_features": x, "edges": edges.T, "node_labels": y},
    ):
        packed = io.BytesIO()
        np.savez(packed, **arrays)
        made.append((".npz", packed.getvalue()))
    packed = io.BytesIO()
    torch.save(
        {"x": torch.tensor(x), "edge_index": torch.tensor(edges), "y": torch.tensor(y)}, packed
    )
    made.append((".pt", packed.getvalue()))
    graph = networkx.Graph(map(tuple, edges.T.tolist()))
    for node in graph:
        graph.nodes[node].update(y=f"c{y[node]}", a=float(x[node, 0]), b=float(x[node, 1]))
    made.append((".graphml", "\n".join(networkx.generate_graphml(graph)).encode()))
    made.append((".gml", "\n".join(networkx.generate_gml(graph)).encode()))
    rows = "".join(f"{i},{a:.3f},{b:.3f},c{y[i]}\n" for i, (a, b, _) in enumerate(x))
    pairs = "".join(f"{a},{b}\n" for a, b in edges.T)
    made.append((".csv", f"id,a,b,label\n{rows}\nsource,target\n{pairs}".encode()))
    return Target([bytes([_ENDINGS.index(end)]) + content for end, content in made], read)


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
