import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from l2p_search.config import TrialConfig
from l2p_search.data.graph import Graph
from l2p_search.errors import UserError, in_shell
from l2p_search.metrics import Metric
from l2p_search.paper.paper_tables import TABLES, best_results
from l2p_search.published import STEPS, TABLE_1, TABLE_2, TABLE_4
from l2p_search.results import TrialResult
from tests.paper.pretended import Asked, failing, training

_NUMBER = r"[\d.]+ ± (over )?[\d.]+"


def _rows(text: str) -> list[list[str]]:
    """The cells of the rows of Markdown tables."""
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]


def _cells(text: str) -> dict[str, list[str]]:
    """The rows of the first table by their first cell; its head has an empty one."""
    return {first: cells for first, *cells in _rows(text.split("\nGiven to each")[0])}


def test_every_cell_has_our_number_and_the_papers(asked: Asked) -> None:
    text = TABLES["table2"](asked.request(["texas", "actor"], ["appnp", "l2q"])).text
    cells = _cells(text)
    assert cells[""] == ["texas", "actor"]
    for method in ("appnp", "l2q"):
        for dataset, cell in zip(("texas", "actor"), cells[method], strict=True):
            theirs = re.escape(str(TABLE_2[method][dataset]))
            assert re.fullmatch(rf"{_NUMBER} \({theirs}\)", cell)
    assert "on 2 fresh seeds" in text
    assert "Budget smoke: the best on validation of 1 trial of 2 seeds" in text


def test_our_number_is_that_of_the_best_on_fresh_seeds(asked: Asked) -> None:
    request = asked.request(["texas"], ["l2q"])
    found = best_results(request, [("l2q", "texas")])["l2q", "texas"]
    assert [seed.seed for seed in found.seeds] == [2, 3]  # two were searched with
    cell = _cells(TABLES["table2"](request).text)["l2q"][0]
    assert cell.startswith(f"{found.test_mean:.2f} ± ")
    assert asked.started == [1]  # the table reads what was searched before


def test_a_table_is_whole_unless_something_is_chosen(asked: Asked) -> None:
    text = TABLES["table1"](asked.request()).text
    assert list(_cells(text)) == ["", *TABLE_1]
    assert _cells(text)[""] == ["cora", "citeseer", "pubmed"]
    assert asked.started == [3 * len(TABLE_1)]  # all on the same workers


def test_the_corrected_cornell_stands_beside_the_papers_and_has_no_number_of_it(
    asked: Asked,
) -> None:
    text = TABLES["table2"](asked.request(methods=["l2q"])).text
    head = _cells(text)[""]
    assert head.index("cornell") == head.index("cornell-legacy") + 1
    assert _cells(text)["l2q"][head.index("cornell")].endswith("(-)")
    assert _cells(text)["l2q"][head.index("cornell-legacy")].endswith("(81.08)")
    assert "`cornell` is the corrected dataset" in text
    assert "corrected" not in TABLES["table2"](asked.request(["texas"], ["l2q"])).text


def test_l2p_is_compared_with_its_backbone_seed_by_seed(asked: Asked) -> None:
    text = TABLES["table2"](asked.request(["texas"], ["appnp", "l2q", "gcn"])).text
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    (line,) = lines  # l2q on appnp; no L2P on GCN was asked for
    assert re.fullmatch(
        r"- texas: l2q against appnp -?[\d.]+ ± [\d.]+ points:"
        r" (better|worse|equivalent|undecided).*",
        line,
    )
    assert "adjusted by Holm for 1 comparison" in text
    assert "paired" not in TABLES["table2"](asked.request(["texas"], ["l2q"])).text


def test_mlp_stands_beside_l2p_on_heterophilous_graphs_and_has_no_number_of_the_paper(
    asked: Asked,
) -> None:
    text = TABLES["table2"](asked.request(["texas", "actor"], ["l2q", "mlp"])).text
    assert all(re.fullmatch(rf"{_NUMBER} \(-\)", cell) for cell in _cells(text)["mlp"])
    assert "The paper's table has no row mlp." in text
    assert re.search(r"- texas: l2q against mlp .* points: ", text)
    with pytest.raises(UserError, match="mlp: is not in it"):
        TABLES["table1"](asked.request(methods=["mlp"]))


def test_a_table_says_what_every_method_was_given(asked: Asked) -> None:
    text = TABLES["table2"](asked.request(["texas", "actor"], ["l2q", "mlp"])).text
    below = text[text.index("Given to each method") :]
    rows = {row[0]: row[1:] for row in _rows(below)}
    assert rows["l2q"][:3] == ["2", "24", "4"]  # a trial of two seeds on either graph
    assert rows["mlp"][:3] == ["2", "20", "4"]


def test_a_method_that_fails_is_told_and_holds_up_no_other(
    tmp_path: Path, small_graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(
        graph: Graph, config: TrialConfig, seeds: Sequence[int], *, metric: Metric
    ) -> TrialResult:
        return (failing if config.model == "gcn" else training)(graph, config, seeds)

    asked = Asked(tmp_path, small_graph, monkeypatch, train)
    cells = _cells(TABLES["table2"](asked.request(["texas"], ["gcn", "l2q"])).text)
    assert cells["gcn"] == ["failed (52.16)"]
    assert re.fullmatch(rf"{_NUMBER} \(84.56\)", cells["l2q"][0])


@pytest.mark.parametrize(
    ("datasets", "methods", "says"),
    [
        (None, ["gnc"], "--methods gnc: is not in it; did you mean 'gcn'?"),
        (["texsa"], None, "--datasets texsa: is not in it; did you mean 'texas'?"),
        (["cora"], None, "--datasets cora: is not in it;"),  # it is in table 1
    ],
)
def test_what_the_table_does_not_have_is_refused_before_anything_runs(
    datasets: list[str] | None, methods: list[str] | None, says: str, asked: Asked
) -> None:
    with pytest.raises(UserError) as raised:
        TABLES["table2"](asked.request(datasets, methods))
    assert in_shell(raised.value.message).startswith(says)
    assert asked.started == []


@pytest.mark.parametrize("method", sorted(TABLE_4))
def test_depths_are_of_the_best_configuration_at_every_k_of_the_budget(
    method: str, asked: Asked, tmp_path: Path
) -> None:
    made = TABLES["table4"](asked.request(methods=[method]))
    cells = _cells(made.text)
    assert cells[""] == [str(steps) for steps in STEPS]
    assert "accuracy on cora" in made.text
    for steps, cell in zip(STEPS, cells[method], strict=True):
        ours, _, theirs = cell.partition(" (")
        assert theirs == f"{TABLE_4[method].get(steps, '-')})"
        assert (ours == "not run") == (steps > 4)  # smoke goes up to four
    assert set(made.files) == {"table4.png", "table4.svg"}
    assert asked.started == [1, 1]  # the search, and then the depths
    assert (tmp_path / f"paper-smoke-cora-{method}-depth").is_dir()


def test_depths_are_of_one_dataset(asked: Asked) -> None:
    with pytest.raises(UserError) as raised:
        TABLES["table4"](asked.request(["cora", "texas"]))
    assert in_shell(raised.value.message) == "--datasets cora texas: table 4 is of one; name one"
    made = TABLES["table4"](asked.request(["texas"], ["l2q"]))
    assert "accuracy on texas" in made.text
