from pathlib import Path

from l2p_search.api.publish_entries import collected
from l2p_search.api.publish_ledger import Ledger, each_entry, fresh_source, trials_source
from l2p_search.data.graph import Graph
from tests.api.publishable import made


def test_a_number_is_kept_as_it_is_printed_and_whole() -> None:
    ledger = Ledger()
    ledger.add("scores", "L2Q", "a", "85.6 ± 2.9", {"mean": 85.59}, [{"line": 7}])
    assert ledger.numbers == [
        {
            "where": "scores", "row": "L2Q", "column": "a", "shown": "85.6 ± 2.9", "mean": 85.59,
            "sources": [{"line": 7}],
        }
    ]  # fmt: skip


def test_sources_name_journal_line_trial_and_seeds(tmp_path: Path, small_graph: Graph) -> None:
    found = collected([made(tmp_path, small_graph, "l2q", "a")])
    ((row, column, entry),) = each_entry(found)
    assert (row, column.label) == ("L2Q", "a")
    source = fresh_source(entry)
    assert source["journal"] == str(tmp_path / "a-l2q" / "journal.log")
    assert source["trial"] == entry.best.number
    assert source["seeds"] == list(range(5, 15))
    line = (tmp_path / "a-l2q" / "journal.log").read_text().splitlines()[source["line"] - 1]
    assert f'"seed":{source["seeds"]}'.replace(" ", "") in line
    assert sorted(trials_source(entry)["lines"]) == [0, 1, 2]
