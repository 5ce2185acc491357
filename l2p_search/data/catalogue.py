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


@dataclass(frozen=True)
class Benchmark:
    """A named graph that is not of the paper; its kind is found from its training labels.

    Attributes:
        name: What it is called.
        file: Its .npz file, of Platonov et al. 2023 (https://arxiv.org/abs/2302.11640).
        sha256: That of the published file, where it is known.
        imported: Its class and name in torch_geometric.datasets, if it has no such file.
    """

    name: str
    file: str = ""
    sha256: str | None = None
    imported: str = ""


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("roman-empire", "roman_empire.npz"),
        Benchmark("amazon-ratings", "amazon_ratings.npz"),
        Benchmark(
            "minesweeper",
            "minesweeper.npz",
            "e664c8dacf1e8ac466c2c09ed4b237bd2c5541f47a6eae9c6092cb87f16412b3",
        ),
        Benchmark(
            "tolokers",
            "tolokers.npz",
            "dacf3ac94cec53d03cd2adb5255c08b33dee1656c33ca8164a464bd9450a1667",
        ),
        Benchmark("questions", "questions.npz"),
        Benchmark(
            "chameleon-filtered",
            "chameleon_filtered.npz",
            "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
        ),
        Benchmark("squirrel-filtered", "squirrel_filtered.npz"),
        # With nodes that are duplicates of others, in training and in test alike.
        Benchmark("chameleon", imported="WikipediaNetwork:chameleon"),
        Benchmark("squirrel", imported="WikipediaNetwork:squirrel"),
    )
}


def find_dataset(name: str) -> Dataset:
    """The paper's dataset of that name, in any case, or an error with the nearest name."""
    found = DATASETS.get(name.lower())
    if found is None:
        known = [*DATASETS, *BENCHMARKS]
        raise DataError(f"unknown dataset '{name}'; {did_you_mean(name, known)}")
    return found


@cache
def _checksums() -> dict[str, str]:
    lines = files("l2p_search.data").joinpath("SHA256SUMS").read_text().splitlines()
    pairs = (line.split(maxsplit=1) for line in lines)
    return {path: digest for digest, path in pairs}
