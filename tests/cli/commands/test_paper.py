"""The paper's tables and figures by command, at their smallest."""

import re
from pathlib import Path

import pytest

from tests.cli.running import Cli


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paper")


def test_a_table_is_searched_printed_and_then_read(folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    asked = ("paper", "table2", "--budget", "smoke", "--datasets", "texas", "cornell", "wisconsin")
    asked += ("--data-dir", str(real_data), "--methods", "appnp", "l2q")
    first = cli.run(*asked)
    assert first.returncode == 0, first.stderr
    lines = first.stdout.splitlines()
    assert lines[2] == "| | texas | cornell | wisconsin |"
    number = r"[\d.]+ ± (over )?[\d.]+ \[-?[\d.]+, [\d.]+\]"  # both intervals
    assert re.fullmatch(
        rf"\| l2q \| {number} \(84.56\) \| {number} \(-\) \| {number} \(84.7\) \|", lines[5]
    )
    assert "`cornell` is the corrected dataset" in first.stdout
    assert re.search(
        r"- texas: l2q against appnp .* points: (undecided|equiv|better|worse)", first.stdout
    )
    said = first.stderr.splitlines()
    assert said[0] == "6 searches to run; Ray starts .."
    ended = [line for line in said if line.startswith("[")]
    assert [line.split()[0] for line in ended] == [f"[{place}/6]" for place in range(1, 7)]
    assert ended[0].startswith("[1/6] paper-smoke-wisconsin")  # the largest graph first
    far = [line for line in said[1:] if line not in ended]  # on a slow machine
    assert all(re.match(r"l2p-search: \d of 6 searches ended; paper-smoke-", line) for line in far)
    second = cli.run(*asked)
    assert second.stdout == first.stdout
    assert second.stderr == ""


def test_a_table_of_unknown_methods_is_refused_in_one_line(folder: Path) -> None:
    found = Cli(folder).run("paper", "table2", "--methods", "gnc")
    assert found.returncode == 2
    assert found.stderr == "l2p-search: error: --methods gnc: is not in it; did you mean 'gcn'?\n"


def test_an_interrupted_table_goes_on_where_it_was(folder: Path, real_data: Path) -> None:
    import signal

    from tests.cli.running import wait_until

    cli = Cli(folder)
    asked = ("paper", "table1", "--budget", "quick", "--datasets", "cora", "--methods", "gcn")
    asked += ("--data-dir", str(real_data), "--no-tracking")
    process = cli.start(*asked)
    wait_until(lambda: cli.ended("paper-quick-cora-gcn") >= 1, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.splitlines()[-1].endswith("the same command goes on where this one was")
    kept = cli.trials("paper-quick-cora-gcn")
    assert sum(trial["status"] == "complete" for trial in kept) >= 1


@pytest.mark.parametrize(
    "figure",
    [
        "figure5",
        "figure6",  # of the same searches
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("figure3", "figure4", "figure7", "figure8")
        ),
    ],
)
def test_a_figure_is_drawn(figure: str, folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    data = ("--data-dir", str(real_data), "--datasets", "texas")
    found = cli.run("paper", figure, "--budget", "smoke", *data, "--out", figure, "--no-tracking")
    assert found.returncode == 0, found.stderr
    written = list((folder / figure).iterdir())
    assert {path.suffix for path in written} == {".png", ".svg"}
    assert all(path.stat().st_size > 5000 for path in written)


@pytest.mark.slow
def test_depths_are_drawn_and_printed(folder: Path, real_data: Path) -> None:
    cli = Cli(folder)
    data = ("--data-dir", str(real_data), "--datasets", "texas", "--methods", "gcn", "l2q")
    found = cli.run("paper", "table4", "--budget", "smoke", *data, "--no-tracking")
    assert found.returncode == 0, found.stderr
    assert "| l2q | " in found.stdout
    assert "not run" in found.stdout  # beyond the smoke budget's steps
    assert (folder / "figures" / "table4.png").exists()
