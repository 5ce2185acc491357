"""Which reader a path is for, by what the file holds and else by its suffix."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.archives import opened
from l2p_search.data.sources.geom_gcn import EDGES, LAYOUT, read_geom_gcn
from l2p_search.data.sources.networkx_graphs import read_graph_file
from l2p_search.data.sources.npz import read_npz
from l2p_search.data.sources.pyg import read_pt
from l2p_search.data.sources.tables import read_tables
from l2p_search.data.sources.whole_input import nearest_file
from l2p_search.errors import DataError

_TABLES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".csv.gz", ".tsv.gz")
_MARKUP = (".graphml", ".gml", ".graphml.gz", ".gml.gz")
_TORCH = (".pt", ".pth")
_FORMATS = ".pt, .npz, .csv, .parquet, .graphml, .gml, or a folder with tables or Geom-GCN's files"

Reader = Callable[[Path, dict[str, Any], bool], RawGraph]


def is_like_a_path(text: str) -> bool:
    """Whether a text is the path of something, or looks like one that is not there."""
    suffixes = (*_TABLES, *_MARKUP, *_TORCH, ".npz", ".pkl", ".pickle", ".json", ".txt", ".mtx")
    if text.startswith(("~", ".")) or os.sep in text or text.lower().endswith(suffixes):
        return True
    return bool(text) and is_there(Path(text))


def is_there(path: Path) -> bool:
    """Whether a path exists; no path has a name that is too long or a zero byte in it."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def read_path(
    path: Path, options: dict[str, Any], with_masks: bool = True, *, labelled: bool = True
) -> RawGraph:
    """Read a graph from a file or a folder.

    Args:
        path: The file or folder.
        options: What the user names: `label`, `edges` and others, as in `load_graph`.
        with_masks: Whether to read the source's own splits.
        labelled: Whether a table without classes is refused.

    Returns:
        What `ingest` reads.

    Raises:
        DataError: It does not exist, no reader knows it, or an option is not for its format.
    """
    if not is_there(path):
        raise DataError(f"{path}: no such file or folder; {nearest_file(path)}")
    if not (path.is_file() or path.is_dir()):
        raise DataError(f"{path}: is a device or a pipe; name a file or a folder")
    reader = _reader(path, with_edges="edges" in options)
    if reader is _tables and not labelled:
        options = {**options, "labelled": False}
    return reader(path, options, with_masks)


def refuse_options(source: str, options: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    """Refuse options that mean nothing for this kind of source.

    Raises:
        DataError: It names the first of them.
    """
    for option in options:
        if option not in allowed:
            takes = f"; it takes {', '.join(allowed)}" if allowed else ""
            raise DataError(f"{source}: '{option}' means nothing for such a graph{takes}")


def _reader(path: Path, *, with_edges: bool) -> Reader:
    if path.is_dir():
        return _folder_reader(path)
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); check it") from None
    if not start:
        raise DataError(f"{path}: the file is empty; check it")
    name = path.name.lower()
    if start.startswith(b"PK\x03\x04"):
        with opened(path) as archive:
            members = archive.namelist()
        if any(member.endswith(".npy") for member in members):
            return _npz
        if any(member.endswith("data.pkl") for member in members):
            return _torch
    if start.startswith(b"PAR1") or name.endswith(_TABLES):
        return _tables
    if name.endswith(_MARKUP) or start.lstrip().startswith((b"<graphml", b"graph [")):
        return _markup
    if name.endswith(".npz"):
        return _npz
    if name.endswith(_TORCH):
        return _torch
    if name.endswith((".pkl", ".pickle")):
        raise DataError(
            f"{path}: a pickle is not opened, as that runs what it says; save the graph by"
            " torch.save(data.to_dict(), path) or numpy.savez"
        )
    if with_edges:  # nodes.txt beside a table of edges is a table too
        return _tables
    raise DataError(f"{path}: no graph in a known format; give {_FORMATS}")


def _folder_reader(folder: Path) -> Reader:
    if (folder / "processed").is_dir() and _processed(folder):
        return _torch_folder
    if any((folder / at / EDGES).is_file() for at in ("", "raw")):
        return _geom_gcn
    return _tables


def _npz(path: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    refuse_options(str(path), options, ("label", "features", "weight"))
    return read_npz(path, **options, with_masks=with_masks)


def _torch(path: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    refuse_options(str(path), options, ("label", "features", "weight"))
    return read_pt(path, **options, with_masks=with_masks)


def _torch_folder(folder: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    refuse_options(str(folder), options, ("label", "features", "weight"))
    found = _processed(folder)
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise DataError(f"{folder / 'processed'}: has {names}; name the file of the graph")
    return read_pt(found[0], **options, name=folder.resolve().name, with_masks=with_masks)


def _processed(folder: Path) -> list[Path]:
    """The files of an InMemoryDataset's folder that may hold its graph."""
    found = sorted((folder / "processed").glob("*.pt"))
    usual = [path for path in found if path.name == "data.pt"]
    return usual or [path for path in found if not path.name.startswith("pre_")]


def _geom_gcn(folder: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    refuse_options(str(folder), options, ())
    at = folder if (folder / EDGES).is_file() else folder / "raw"  # as PyG lays them down
    raw = read_geom_gcn(at, with_masks=with_masks)
    name = folder.resolve().name
    return raw if name in LAYOUT else replace(raw, name=name)


def _tables(path: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    renamed = {"source_column": "source", "target_column": "target"}
    given = {renamed.get(option, option): value for option, value in options.items()}
    if "edges" in given:
        given["edges"] = Path(given["edges"]).expanduser()
    return read_tables(path, **given, with_masks=with_masks)


def _markup(path: Path, options: dict[str, Any], with_masks: bool) -> RawGraph:
    refuse_options(str(path), options, ("label", "features", "split", "weight"))
    return read_graph_file(path, **options, with_masks=with_masks)
