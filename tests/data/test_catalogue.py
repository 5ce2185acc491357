from pathlib import Path

import pytest

from l2p_search.data.catalogue import BENCHMARKS, DATASETS, find_dataset
from l2p_search.errors import DataError


def test_names_are_known_in_any_case_and_misspelt_ones_get_the_nearest() -> None:
    assert find_dataset("Cora").name == "cora"
    with pytest.raises(DataError, match="unknown dataset 'wisconson'; did you mean 'wisconsin'"):
        find_dataset("wisconson")
    with pytest.raises(DataError, match="unknown dataset 'tolkers'; did you mean 'tolokers'"):
        find_dataset("tolkers")


def test_every_dataset_but_demo_has_checksums_of_its_files() -> None:
    for dataset in DATASETS.values():
        assert bool(dataset.checksums) == (dataset.name != "demo")
        for name, digest in dataset.checksums.items():
            assert "/" not in name
            assert len(digest) == 64


def test_the_seven_graphs_of_the_paper_have_its_figures() -> None:
    assert sum(dataset.paper is not None for dataset in DATASETS.values()) == 7


def test_no_name_is_given_twice() -> None:
    assert not set(DATASETS) & set(BENCHMARKS)
    assert all(name == benchmark.name for name, benchmark in BENCHMARKS.items())


def test_a_benchmark_has_a_file_or_is_imported() -> None:
    for benchmark in BENCHMARKS.values():
        assert bool(benchmark.file) != bool(benchmark.imported)


def test_checksums_of_benchmarks_are_those_of_the_published_files(own_data: Path) -> None:
    import hashlib

    for benchmark in BENCHMARKS.values():
        path = own_data / benchmark.file
        if benchmark.file and path.exists():
            assert hashlib.sha256(path.read_bytes()).hexdigest() == benchmark.sha256
