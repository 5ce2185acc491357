"""Geom-GCN's text files with their splits as a RawGraph.

The format of Pei et al., "Geom-GCN: Geometric Graph Convolutional Networks", ICLR 2020
(https://arxiv.org/abs/2002.05287), in which Texas, Wisconsin, Cornell, Actor, Chameleon and
Squirrel are published.
"""

import re
import zipfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from l2p_search.data.raw import RawGraph
from l2p_search.data.sources.table import quoted
from l2p_search.data.sources.whole_input import read_text
from l2p_search.errors import DataError

NODES = "out1_node_feature_label.txt"
EDGES = "out1_graph_edges.txt"
LAYOUT = ("raw", "geom_gcn")
"""Folders that PyG lays the files into: these are no names of graphs."""
_SPLIT = re.compile(r"(.+)_split_[\d.]+_[\d.]+_(\d+)\.npz")
_MASKS = ("train_mask", "val_mask", "test_mask")
_NODE = re.compile(r"\d{1,18}\t\d*(,\d+)*\t-?\d{1,18}")
_EDGE = re.compile(r"\d+\t\d+")
_AMOUNT = re.compile(r"feature_amount:(\d+)")
_MOST_FEATURES = 1_000_000

Masks = tuple[np.ndarray, np.ndarray, np.ndarray]


def read_geom_gcn(folder: Path, *, with_masks: bool = True) -> RawGraph:
    r"""The graph in a folder of Geom-GCN's files.

    Args:
        folder: It holds out1_node_feature_label.txt, out1_graph_edges.txt and, if there are
            splits, NAME_split_0.6_0.2_0.npz, ... The features of a node are a list of 0 and 1,
            or, as in Actor, the numbers of the features that it has.
        with_masks: Whether to read the files of splits.

    Returns:
        The graph, nodes in the order of their ids, which are 0..N-1. `x` is sparse [N, F].

    Raises:
        DataError: A file is missing, a line is none of the format, or masks do not fit.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as name:
        ...     nodes = "node_id\tfeature\tlabel\n1\t0,1\t3\n0\t1,1\t2\n"
        ...     _ = (Path(name) / NODES).write_text(nodes)
        ...     _ = (Path(name) / EDGES).write_text("node_id\tnode_id\n0\t1\n")
        ...     graph = read_geom_gcn(Path(name))
        >>> graph.labels.tolist(), graph.x.toarray().tolist(), graph.edges.tolist()
        ([2, 3], [[1.0, 1.0], [0.0, 1.0]], [[0], [1]])
    """
    header, lines = _lines(folder / NODES, _NODE, "id, features and label with tabs between them")
    cells = [line.split("\t") for line in lines]
    size = len(cells)
    ids = _ids(folder / NODES, [cell[0] for cell in cells])
    order = np.argsort(ids)
    x, how = _features(folder / NODES, header, [cells[row][1] for row in order], order)
    splits, split_name = _split_files(folder)
    masks = _masks(splits, size) if with_masks else None
    notes = [how]
    if splits and not with_masks:
        notes.append(f"{len(splits)} splits were not read")
    elif masks is None:
        notes.append("no splits were found")
    else:
        notes.append(f"{len(masks[0])} splits were found")
    return RawGraph(
        name=split_name or _own_name(folder),
        source=str(folder),
        num_nodes=size,
        edges=_edges(folder / EDGES, size),
        labels=np.array([int(cells[row][2]) for row in order], dtype=np.int64),
        x=x,
        label_name="label",
        masks=masks,
        notes=tuple(notes),
    )


def _lines(path: Path, form: re.Pattern[str], what: str) -> tuple[str, list[str]]:
    """The first line, and the lines after it, each of which has the form."""
    header, *lines = read_text(path).splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise DataError(f"{path}: has a header and no rows; check how it was written")
    for number, line in enumerate(lines, start=2):
        if not form.fullmatch(line):
            raise DataError(f"{path}, line {number}: {quoted(line)} is not {what}; correct it")
    return header, lines


def _ids(path: Path, texts: list[str]) -> np.ndarray:
    """The ids of the nodes, after a check that they are 0..N-1 in some order."""
    first: dict[int, int] = {}
    for row, text in enumerate(texts):
        node = int(text)
        if node >= len(texts):
            raise DataError(
                f"{path}, line {row + 2}: the id {node} is out of range; {len(texts):,} nodes are"
                f" numbered 0 to {len(texts) - 1}"
            )
        if node in first:
            raise DataError(
                f"{path}, line {row + 2}: the id {node} is also in line {first[node] + 2}; keep"
                " one of both"
            )
        first[node] = row
    return np.array(list(first), dtype=np.int64)


def _features(
    path: Path, header: str, texts: list[str], order: np.ndarray
) -> tuple[csr_array, str]:
    """The features [N, F]: 1 where a node has one. And how they were written."""
    lengths = np.array([text.count(",") + 1 if text else 0 for text in texts])
    values = np.array([value for text in texts if text for value in text.split(",")], dtype=object)
    longest = max(map(len, values), default=0)
    if longest > 9 or longest == 0:
        what = "there are no features" if longest == 0 else f"a feature has {longest} digits"
        raise DataError(f"{path}: {what}; give lists of 0 and 1, or the numbers of features")
    numbers = values.astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    if numbers.max() <= 1 and lengths.max() > 2:  # no list of two different numbers is as long
        usual = int(np.bincount(lengths).argmax())
        other = lengths != usual
        if other.any():
            place = int(other.argmax())
            raise DataError(
                f"{path}, line {order[place] + 2}: has {lengths[place]} features where most lines"
                f" have {usual}; give each node as many"
            )
    if (lengths == lengths[0]).all() and lengths[0] > 1 and numbers.max() <= 1:
        dense = numbers.reshape(len(texts), -1)
        return csr_array(dense.astype(np.float32)), f"features are {dense.shape[1]:,} of 0 or 1"
    stated = _AMOUNT.search(header)
    count = int(numbers.max()) + 1
    if count > _MOST_FEATURES:
        place = int(np.searchsorted(starts, int(numbers.argmax()), side="right")) - 1
        raise DataError(
            f"{path}, line {order[place] + 2}: the feature number {count - 1} is absurdly high;"
            " number features from 0 on"
        )
    # Actor states 931 features and uses the numbers 0 to 931.
    count = max(count, min(int(stated[1]), _MOST_FEATURES) if stated else 0)
    x = csr_array((np.ones(len(numbers), np.float32), numbers, starts), shape=(len(texts), count))
    x.sum_duplicates()
    x.data[:] = 1.0  # a number that a line has twice is still one feature
    return x, f"features are lists of numbers below {count:,}"


def _edges(path: Path, size: int) -> np.ndarray:
    """The edges as they stand: [2, E]."""
    _, lines = _lines(path, _EDGE, "two ids with a tab between them")
    pairs = [line.split("\t") for line in lines]
    for number, pair in enumerate(pairs, start=2):
        for node in pair:
            if len(node) > 18 or int(node) >= size:
                raise DataError(
                    f"{path}, line {number}: the id {quoted(node)} is out of range; {size:,} nodes"
                    f" are numbered 0 to {size - 1}"
                )
    return np.ascontiguousarray(np.array(pairs, dtype=np.int64).T)


def _own_name(folder: Path) -> str:
    """The folder's name; of PyG's .../wisconsin/raw that is wisconsin."""
    path = folder.resolve()
    while path.name in LAYOUT and path.parent.name:
        path = path.parent
    return path.name


def _split_files(folder: Path) -> tuple[list[Path], str | None]:
    """The files of the splits in the order of their numbers, and the graph that they name."""
    found = _splits_in(folder)
    if not found:
        # In Geom-GCN's repository, new_data/texas has its splits in splits/texas_split_0.6_...
        resolved, name = folder.resolve(), _own_name(folder)
        for beside in (resolved, resolved.parent, resolved.parent.parent):
            found = found or [split for split in _splits_in(beside / "splits") if split[1] == name]
    names = {name for _, name, _ in found}
    if len(names) > 1:
        raise DataError(
            f"{folder}: has splits of {' and '.join(sorted(names))}; keep those of this graph"
        )
    return [path for *_, path in sorted(found)], names.pop() if names else None


def _splits_in(folder: Path) -> list[tuple[int, str, Path]]:
    """The number of each split in a folder, the graph that its file names, and the file."""
    try:
        named = [(_SPLIT.fullmatch(path.name), path) for path in folder.iterdir()]
    except OSError:
        return []
    return [(int(match[2]), match[1], path) for match, path in named if match]


def _masks(paths: list[Path], size: int) -> Masks | None:
    """Train, validation and test, each [P, N], in the order of the files."""
    if not paths:
        return None
    read = [_split(path, size) for path in paths]
    train, val, test = (np.stack(masks) for masks in zip(*read, strict=True))
    return train, val, test


def _split(path: Path, size: int) -> list[np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {info.filename: info.file_size for info in archive.infolist()}
        # A mask is not larger than this; an archive can unpack to any size.
        if any(sizes.get(f"{mask}.npy", 0) > 8 * size + 1024 for mask in _MASKS):
            raise DataError(
                f"{path}: its masks are not of {size:,} nodes; use those of this graph"
            )
        with np.load(path, allow_pickle=False) as arrays:
            masks = [np.asarray(arrays[mask]) for mask in _MASKS]
    except KeyError:
        raise DataError(f"{path}: lacks one of {', '.join(_MASKS)}; use Geom-GCN's file") from None
    except (OSError, ValueError, zipfile.BadZipFile, EOFError):
        raise DataError(f"{path}: is no npz file of masks; use Geom-GCN's file") from None
    for mask in masks:
        if mask.shape != (size,) or mask.dtype.kind not in "biuf":
            raise DataError(
                f"{path}: a mask has shape {list(mask.shape)} and type {mask.dtype}; give one"
                f" value for each of {size:,} nodes"
            )
    return [mask.astype(bool) for mask in masks]
