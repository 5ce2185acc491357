"""From raw files to tensors, by PyTorch Geometric's own dataset classes.

They write a `processed/` folder beside the raw one and may download: both happen in a
temporary folder, never in the user's.
"""

import contextlib
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from torch import Tensor

from l2p_search.data.about import About
from l2p_search.data.catalogue import Dataset
from l2p_search.data.graph import Graph, row_normalised, undirected
from l2p_search.data.raw_files import verify
from l2p_search.errors import DataError, either


def parse(dataset: Dataset, raw: Path) -> Graph:
    """The graph of verified raw files, which are copied before they are read."""
    with tempfile.TemporaryDirectory(prefix=f"l2p-search-{dataset.name}-") as folder:
        copied = Path(folder) / dataset.folder / "raw"
        copied.mkdir(parents=True)
        for name in dataset.checksums:
            shutil.copyfile(raw / name, copied / name)
        return _load(dataset, Path(folder))


def download(dataset: Dataset, wanted: Path) -> Graph:
    """The graph of files that PyTorch Geometric downloads; they are verified before use."""
    if dataset.name == "cornell-legacy":
        raise _not_found(dataset, wanted, "they are no longer published")
    # PyTorch Geometric downloads some files by urllib (OSError) and some by aiohttp.
    from aiohttp import ClientError

    with tempfile.TemporaryDirectory(prefix=f"l2p-search-{dataset.name}-") as folder:
        try:
            return _load(dataset, Path(folder))
        except (OSError, ClientError) as error:
            raise _not_found(dataset, wanted, f"the download failed: {_short(error)}") from None


def _load(dataset: Dataset, root: Path) -> Graph:
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        data = _pyg_dataset(dataset, root)[0]
    return Graph(
        name=dataset.name,
        x=row_normalised(data.x),
        edges=undirected(data.edge_index, data.num_nodes),
        y=data.y,
        train=_splits_first(data.train_mask),
        val=_splits_first(data.val_mask),
        test=_splits_first(data.test_mask),
        about=about_published(dataset.name),
    )


def about_published(name: str) -> About:
    """What is known of a published graph: its features are row-scaled, its splits as published."""
    return About(source=name, scaling="row", split_rule="given")


def _pyg_dataset(dataset: Dataset, root: Path) -> Any:
    """PyG's class for the dataset, made to verify its raw files before it parses them."""
    from torch_geometric import datasets

    parent = root / Path(dataset.folder).parent
    if dataset.kind == "homophily":
        base, arguments = datasets.Planetoid, {"root": str(root), "name": dataset.folder}
    elif dataset.name == "actor":
        base, arguments = datasets.Actor, {"root": str(root / dataset.folder)}
    else:
        base, arguments = datasets.WebKB, {"root": str(parent), "name": Path(dataset.folder).name}

    class Verified(base):  # type: ignore[misc, valid-type]
        def process(self) -> None:
            verify(dataset, Path(self.raw_dir))
            super().process()

    return Verified(**arguments)


def _splits_first(mask: Tensor) -> Tensor:
    """One mask [N] or one a column [N, P] -> [P, N]."""
    return mask.t().reshape(-1, mask.shape[0]).contiguous()


def _not_found(dataset: Dataset, wanted: Path, why: str) -> DataError:
    names = sorted(dataset.checksums)
    listed = ", ".join(names) if len(names) <= 4 else f"{names[0]} .. {names[-1]}"
    return DataError(
        f"{dataset.name}: no raw files, and {why}; put its {len(names)} files ({listed}) into"
        f" {wanted}, or try the built-in graph: {either('source', '--dataset')} demo"
    )


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:100] or type(error).__name__
