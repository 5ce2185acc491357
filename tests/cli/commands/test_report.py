from pathlib import Path

import pytest

from l2p_search.api.found import Search
from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import begin, searched


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_graph: Graph
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("L2P_SEARCH_DIR", raising=False)
    for name in ("early", "late"):
        searched(Path("searches") / name, small_graph, Goal(trials=2, confirm=2)).close()


def test_the_latest_search_is_written_into_its_own_folder(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report", "--no-tracking"]) == 0
    path = Path("searches/late/report.html")
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert "Search late" in path.read_text()
    assert not Path("mlflow").exists()


def test_a_named_one_is_written_where_one_says(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["report", "--search", "early", "--out", "deep/r.html", "--no-tracking"]
    assert main(asked) == 0
    assert capsys.readouterr().out == "wrote deep/r.html\n"
    assert "Search early" in Path("deep/r.html").read_text()


def test_mlflow_gets_a_copy_unless_it_is_told_not_to(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def report(self: Search, out: Path | None, **given: object) -> Path:
        asked.append(given)
        return Path("r.html")

    monkeypatch.setattr(Search, "report", report)
    main(["report", "--tracking-uri", "http://x"])
    main(["report", "--no-tracking"])
    assert asked == [
        {"tracking": True, "tracking_uri": "http://x"},
        {"tracking": False, "tracking_uri": None},
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--search", "lat"), "no search 'lat' in searches; did you mean 'late'?"),
        (("--search", "begun"), "search 'begun' has no complete trial yet; wait for one"),
        (("--out", "/dev/null/x"), "--out /dev/null/x: cannot be written"),
    ],
)
def test_what_cannot_be_reported_is_said_in_one_line(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "begun" in arguments:
        begin(Path("searches/begun")).close()
    assert main(["report", "--no-tracking", *arguments]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
