import itertools
from pathlib import Path
from typing import Any

import pytest
import torch
from matplotlib.image import imread

from l2p_search import defaults
from l2p_search.api import looking
from l2p_search.cli.main import main


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The seeds that would have been trained."""
    asked: list[list[int]] = []

    def node_posterior(
        graph: Any, config: Any, seeds: Any, node: int, **options: object
    ) -> torch.Tensor:
        asked.append(list(seeds))
        return torch.tensor([0.25, 0.25, 0.5])

    monkeypatch.setattr(looking, "node_posterior", node_posterior)
    return asked


def test_a_node_is_drawn_with_its_surroundings(
    seeds: list[list[int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["node", "--dataset", "demo", "--node", "5", "--seeds", "1"]) == 0
    assert seeds == [[0]]
    assert capsys.readouterr().out.splitlines() == [
        "demo, default configuration: node 5 puts 25 % on step 0, 25 % on step 1 and"
        " 50 % on step 2",
        "wrote figures/demo-node-5.png",
        "wrote figures/demo-node-5.svg",
    ]
    assert imread("figures/demo-node-5.png").std() > 0.05
    assert not Path("mlflow").exists()  # there is no search whose run would get a copy


def test_seeds_and_folder_have_defaults(seeds: list[list[int]]) -> None:
    assert main(["node", "--dataset", "demo", "--node", "0", "--out", "drawn"]) == 0
    assert seeds == [list(range(defaults.NODE_SEEDS))]
    assert Path("drawn/demo-node-0.svg").exists()


def test_a_node_that_is_not_there_is_refused(
    seeds: list[list[int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["node", "--dataset", "demo", "--node", "320"]) == 2
    said = capsys.readouterr().err
    assert said == ("l2p-search: error: --node 320: demo has 320 nodes; give one of 0 to 319\n")
    assert seeds == []


@pytest.mark.parametrize("node", ["-1", "five", "1.5"])
def test_what_is_no_node_is_refused(
    node: str, seeds: list[list[int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["node", "--dataset", "demo", f"--node={node}"]) == 2
    said = capsys.readouterr().err
    assert said == f"l2p-search: error: --node {node}: must be a whole number of at least 0\n"
    assert seeds == []


def test_a_node_of_an_own_graph_is_named_by_its_id(
    seeds: list[list[int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [f"p {place:03d}" for place in range(30)]
    rows = [f"{person},{place % 2},{place % 7}" for place, person in enumerate(people)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,label,age", *rows]))
    pairs = [f"{a},{b}" for a, b in itertools.pairwise(people)]
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *pairs]))
    own = ["node", "--dataset", "nodes.csv", "--edges", "edges.csv", "--node"]
    assert main([*own, "p 007"]) == 0
    told, *wrote = capsys.readouterr().out.splitlines()
    assert told.startswith(f"{tmp_path.name}, default configuration: node p 007 puts")
    assert wrote == [
        f"wrote figures/{tmp_path.name}-node-p 007.png",
        f"wrote figures/{tmp_path.name}-node-p 007.svg",
    ]
    assert main([*own, "q 007"]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"l2p-search: error: --node q 007: {tmp_path.name} has no such node;"
        " did you mean 'p 007'?\n"
    )
