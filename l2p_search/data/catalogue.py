"""The datasets by name: their files, the paper's figures for them, and their kind."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from l2p_search.errors import DataError, did_you_mean

Kind = Literal["homophily", "heterophily"]


@dataclass(frozen=True)
class PaperFigures:
    """What the paper prints of a dataset: its statistics."""

    classes: int
    nodes: int
    edges: int
    features: int


@dataclass(frozen=True)
class Dataset:
    """A named dataset. `folder` is where a data folder keeps its `raw/` files."""

    name: str
    kind: Kind
    folder: str
    paper: PaperFigures | None = None

    @property
    def checksums(self) -> dict[str, str]:
        """SHA-256 of every raw file, by its name."""
        prefix = f"{self.folder}/raw/"
        return {
            path.removeprefix(prefix): digest
            for path, digest in _checksums().items()
            if path.startswith(prefix)
        }


_CORNELL = PaperFigures(5, 183, 295, 1703)

DATASETS: dict[str, Dataset] = {
    dataset.name: dataset
    for dataset in (
        Dataset("cora", "homophily", "Cora", PaperFigures(7, 2708, 5429, 1433)),
        Dataset("citeseer", "homophily", "CiteSeer", PaperFigures(6, 3327, 4732, 3703)),
        Dataset("pubmed", "homophily", "PubMed", PaperFigures(3, 19717, 44338, 500)),
        Dataset("actor", "heterophily", "Actor", PaperFigures(5, 7600, 26659, 932)),
        Dataset("texas", "heterophily", "WebKB/texas", PaperFigures(5, 183, 309, 1703)),
        Dataset(
            "wisconsin",
            "heterophily",
            "WebKB/wisconsin",
            PaperFigures(5, 251, 499, 1703),
        ),
        # The corrected files; the paper was measured on the legacy ones and compares to those.
        Dataset("cornell", "heterophily", "WebKB/cornell"),
        # Until July 2022 the public files carried Texas's features and labels on Cornell's edges.
        Dataset("cornell-legacy", "heterophily", "WebKB-legacy/cornell", _CORNELL),
        Dataset("demo", "heterophily", ""),
    )
}


def find_dataset(name: str) -> Dataset:
    """The dataset of that name, in any case, or an error with the nearest one."""
    found = DATASETS.get(name.lower())
    if found is None:
        raise DataError(f"unknown dataset '{name}'; {did_you_mean(name, DATASETS)}")
    return found


@cache
def _checksums() -> dict[str, str]:
    lines = files("l2p_search.data").joinpath("SHA256SUMS").read_text().splitlines()
    pairs = (line.split(maxsplit=1) for line in lines)
    return {path: digest for digest, path in pairs}
