"""Datasets by name: the paper's seven, `demo`, and benchmarks that came later."""

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

from l2p_search.data.cache import read_cached, write_cached
from l2p_search.data.catalogue import BENCHMARKS, DATASETS, Benchmark, Dataset, find_dataset
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.data.ingest import ingest
from l2p_search.data.parsing import about_published, download, parse
from l2p_search.data.raw import RawGraph
from l2p_search.data.raw_files import (
    cache_folder,
    data_folders,
    find_raw,
    temporary_beside,
    verify,
)
from l2p_search.data.sources.imported import read_imported
from l2p_search.data.sources.npz import read_npz
from l2p_search.errors import DataError, argument

_FORMAT = 1
"""Raised when what a parsed graph holds changes; older caches are then made anew."""

_HOME = "https://raw.githubusercontent.com/yandex-research/heterophilous-graphs/main/data"
_SECONDS = 30


def is_known(name: str) -> bool:
    """Whether a dataset has that name, in any case."""
    return name.lower() in DATASETS or name.lower() in BENCHMARKS


def load_named(
    name: str, data_dir: Path | None = None, *, splits: str | None = None, scale: str = "auto"
) -> Graph:
    """The dataset of that name, from files that are checked, the cache, or a download.

    Args:
        name: A name of the catalogue, in any case.
        data_dir: The folder to look for files in first.
        splits: A rule to make splits by, instead of the published ones.
        scale: How to scale features; the paper's graphs have row sums only.

    Returns:
        The graph.

    Raises:
        DataError: The name is unknown, or files are missing, changed or cannot be had.
    """
    benchmark = BENCHMARKS.get(name.lower())
    if benchmark is not None:
        raw = _read_benchmark(benchmark, data_dir, with_masks=splits is None)
        return ingest(raw, splits=splits, scale=scale)
    dataset = find_dataset(name)
    if scale not in ("auto", "row"):
        raise DataError(
            f"{dataset.name}: its features have row sums of 1, as the benchmark has them, so"
            f" scale '{scale}' is not possible; load it by pyg:CLASS:NAME to scale it otherwise"
        )
    graph = _of_the_paper(dataset, data_dir)
    return graph if splits is None else graph.with_splits(splits)


def _of_the_paper(dataset: Dataset, data_dir: Path | None) -> Graph:
    if dataset.name == "demo":
        return demo_graph()
    raw = find_raw(dataset, data_dir)
    if raw is not None:
        verify(dataset, raw)
    cached = cache_folder() / f"{dataset.name}-{_FORMAT}.npz"
    graph = read_cached(dataset.name, cached, about_published(dataset.name))
    if graph is None:
        if raw is not None:
            graph = parse(dataset, raw)
        else:
            graph = download(dataset, data_folders(data_dir)[0] / dataset.folder / "raw")
        write_cached(graph, cached)
    return graph


def _read_benchmark(benchmark: Benchmark, data_dir: Path | None, with_masks: bool) -> RawGraph:
    if not benchmark.file:
        return read_imported(
            f"pyg:{benchmark.imported}", name=benchmark.name, with_masks=with_masks
        )
    path = _found(benchmark, data_dir) or _downloaded(benchmark, data_folders(data_dir)[0])
    if benchmark.sha256 is not None:
        _verify(benchmark, path)
    raw = read_npz(path, name=benchmark.name, with_masks=with_masks)
    if benchmark.sha256 is not None:
        return raw
    note = "its file is read as it is, as no checksum of the published one is known here"
    return replace(raw, notes=(*raw.notes, note))


def _found(benchmark: Benchmark, data_dir: Path | None) -> Path | None:
    if data_dir is not None and not data_dir.is_dir():
        raise DataError(f"{argument('data_dir')} {data_dir}: no such folder; check the path")
    for folder in (*data_folders(data_dir), cache_folder()):
        for path in (folder / benchmark.file, folder / "own" / benchmark.file):
            if path.is_file():
                return path
    return None


def _verify(benchmark: Benchmark, path: Path) -> None:
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(
            f"{benchmark.name}: {path} cannot be read ({error.strerror}); check its permissions"
        ) from None
    if found != benchmark.sha256:
        raise DataError(
            f"{benchmark.name}: {path} is not the published file (its SHA-256 is {found[:12]}..,"
            f" not {(benchmark.sha256 or '')[:12]}..): replace it, or give its path to read it as"
            " a graph of your own"
        )


def _downloaded(benchmark: Benchmark, wanted: Path) -> Path:
    """The file in the cache folder, fetched from its authors; a file cut short leaves nothing."""
    url, target = f"{_HOME}/{benchmark.file}", cache_folder() / benchmark.file
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            content = answer.read()
    except (OSError, http.client.HTTPException) as error:
        said = getattr(error, "reason", None) or error
        raise DataError(
            f"{benchmark.name}: no {benchmark.file}, and the download failed: {said}; put the file"
            f" of {_HOME} into {wanted}"
        ) from None
    if benchmark.sha256 is not None:
        found = hashlib.sha256(content).hexdigest()
        if found != benchmark.sha256:
            raise DataError(
                f"{benchmark.name}: {url} is not the published file (its SHA-256 is"
                f" {found[:12]}..); try again later"
            )
    with temporary_beside(target) as folder:
        part = folder / benchmark.file
        part.write_bytes(content)
        os.replace(part, target)
    return target
