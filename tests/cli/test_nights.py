"""The main job as a user runs it, and what can happen to it in a night."""

import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.cli.running import Cli, scores, wait_until

_SEARCH = (
    *("--dataset", "demo", "--space", "space.yaml", "--trials", "12", "--confirm", "3"),
    *("--confirm-ties", "0", "--no-controls", "--no-fresh-splits"),  # each a training more
    "--no-tracking",  # MLflow has tests of its own
)
_ONE = ("--concurrency", "1", "--no-tracking")


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    cli = Cli(tmp_path)
    yield cli
    cli.end()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A search that nothing happened to."""
    cli = Cli(tmp_path_factory.mktemp("whole"))
    found = cli.run(*_SEARCH, *_ONE, "--name", "whole")
    assert found.returncode == 0, found.stderr
    full = cli.run("status", "whole", "--full")
    assert "importance for validation accuracy" in full.stdout
    return cli


def test_trials_of_the_papers_space_on_demo(cli: Cli) -> None:
    process = cli.start("--dataset", "demo", "--trials", "9", "--seeds", "2", "--confirm", "2")
    # Between the last trial of the first worker and the first one of Ray's, none may run.
    wait_until(lambda: 1 <= cli.ended("demo-paper") < cli.proposed("demo-paper"), process)
    process.send_signal(signal.SIGSTOP)  # so that what is looked at does not go on meanwhile
    children = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    listening = {
        connection.laddr.ip
        for child in children
        for connection in child.net_connections()
        if connection.status == psutil.CONN_LISTEN
    }
    assert listening
    assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
    running = cli.trials("demo-paper")
    assert "running" in {trial["status"] for trial in running}
    status = cli.run("status", "demo-paper")
    assert f"running (process {process.pid})" in status.stdout
    process.send_signal(signal.SIGCONT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    for said in (
        "CONFIRMED TEST ACCURACY",
        "the paper's protocol",
        "how far nodes look",
        " -m l2p_search status demo-paper --full",
        " -m l2p_search predict searches/demo-paper/model --dataset demo",
        " -m l2p_search ui",
    ):
        assert said in out
    lines = err.splitlines()
    kept = "l2p-search: kept the winner's 2 fresh seeds in searches/demo-paper/model"
    assert (
        lines[0] == "l2p-search: searching demo: the space paper, 9 trials; torch and Ray start .."
    )
    told = ("[", "trial ", "confirming the best on fresh seeds: ", kept)
    # What takes long says on the way how far it is: "the winner with phi_share 0.5: 0 of 2 ..".
    within = (" (2 fresh seeds): ", " of 2 seeds done, epoch ")
    odd = [line for line in lines[1:] if not line.startswith(told)]
    assert all(any(words in line for words in within) for line in odd), err
    assert sum(line.startswith("[") for line in lines) == 9
    assert "demo-paper: 0 trials written, 9 were there" in cli.run("sync").stdout


def test_trials_are_a_list_of_objects_and_of_lines(whole: Cli) -> None:
    trials = whole.trials("whole")
    assert len(trials) == 12
    assert set(trials[0]) == {
        "number",
        "status",
        "config",
        "config_id",
        "val_accuracy_mean",
        "val_accuracy_std",
        "seeds",
        "seconds",
        "reason",
    }
    means = [trial["val_accuracy_mean"] for trial in trials]
    assert means == sorted(means, reverse=True)
    assert len(whole.trials("whole", "--top", "5")) == 5
    lines = whole.run("trials", "whole", "--csv").stdout.splitlines()
    assert lines[0].startswith("number,status,config_id,")
    assert len(lines) == 13
    assert "best" in whole.run("trials", "whole", "--top", "3").stdout
    assert "finished, 12 of 12 trials" in whole.run("status").stdout


def test_the_best_config_trains_to_the_numbers_of_the_search(whole: Cli) -> None:
    found = whole.run(
        *("train", "--dataset", "demo", "--config", "searches/whole/best.yaml"),
        "--json",
    )
    assert found.returncode == 0, found.stderr
    again = json.loads(found.stdout)["val_accuracy_mean"]
    assert again == whole.trials("whole")[0]["val_accuracy_mean"]


def test_a_search_killed_at_random_moments_and_resumed_ends_as_one_that_was_not(
    cli: Cli, whole: Cli
) -> None:
    chance = random.Random(time.time_ns())
    for kill_after in (0, 4, 8):
        process = cli.start(*_SEARCH, *_ONE, "--name", "killed", "--resume", "--quiet")
        wait_until(lambda after=kill_after: cli.ended("killed") >= after, process)  # type: ignore[misc]
        if (cli.folder / "searches" / "killed").exists() or kill_after:
            time.sleep(chance.uniform(0.0, 1.0))
        process.kill()
        process.communicate()
    before = scores(cli.trials("killed"))
    kept = {score for score in before if score[1] == "complete"}
    found = cli.run(*_SEARCH, *_ONE, "--name", "killed", "--resume", "--json")
    assert found.returncode == 0, found.stderr
    assert kept <= scores(cli.trials("killed")) == scores(whole.trials("whole"))
    confirmed = json.loads(found.stdout)["confirmed_test_accuracy"]["mean"]
    assert f"confirmed test accuracy: {confirmed:.2f}" in whole.run("status", "whole").stdout


def test_an_interrupt_ends_in_good_order_and_a_term_too_and_both_can_be_resumed(
    cli: Cli, whole: Cli
) -> None:
    process = cli.start(*_SEARCH, *_ONE, "--name", "s")
    wait_until(lambda: cli.ended("s") >= 3, process)
    time.sleep(0.15)  # into the next trial
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert " -m l2p_search --resume --name s" in err.splitlines()[-1]
    assert "Traceback" not in err
    # None is open only if the signal came between two trials.
    running = [trial for trial in cli.trials("s") if trial["status"] == "running"]
    assert len(running) <= 1
    assert ("interrupted and to run again: 1 trial" in err) == bool(running)
    assert all(
        t["reason"] == "interrupted; runs again when the search is resumed" for t in running
    )
    assert f"stopped, {cli.ended('s')} of 12 trials" in cli.run("status", "s").stdout

    process = cli.start("--resume", "--name", "s", *_ONE)
    wait_until(lambda: cli.ended("s") >= 6, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143

    assert cli.run("--resume", *_ONE).returncode == 0
    assert scores(cli.trials("s")) == scores(whole.trials("whole"))


def test_a_second_interrupt_stops_at_once(cli: Cli) -> None:
    process = cli.start(*_SEARCH, "--name", "s")
    wait_until(lambda: (cli.folder / "searches" / "s").exists(), process)
    time.sleep(1.0)  # Ray is starting: the first one has to wait for it
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; continue with: " in err
    assert " -m l2p_search --resume --name s" in err


def test_two_searches_in_one_directory_are_refused_and_in_two_both_run(
    cli: Cli, whole: Cli
) -> None:
    first = cli.start(*_SEARCH, "--name", "first", "--trials", "18")
    wait_until(lambda: cli.ended("first") >= 1, first)
    second = cli.start(*_SEARCH, *_ONE, "--name", "second")
    refused = cli.run("--resume", "--name", "first")
    assert refused.returncode == 2
    assert f"is being run by process {first.pid}" in refused.stderr
    for process in (first, second):
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert scores(cli.trials("second")) == scores(whole.trials("whole"))
    assert len(cli.trials("first")) == 18


def test_another_concurrency_gives_the_same_numbers_for_the_same_configuration(
    cli: Cli, whole: Cli
) -> None:
    found = cli.run(*_SEARCH, "--name", "two", "--concurrency", "2", "--sampler", "random")
    assert found.returncode == 0, found.stderr
    alone = {trial["config_id"]: trial for trial in whole.trials("whole")}
    shared = [trial for trial in cli.trials("two") if trial["config_id"] in alone]
    assert shared
    for trial in shared:
        assert trial["val_accuracy_mean"] == alone[trial["config_id"]]["val_accuracy_mean"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A file system of 40 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.system(f"mount -t tmpfs -o size=40k tmpfs {folder} 2>/dev/null") != 0:
        pytest.skip("a small tmpfs cannot be mounted here (it takes root)")
    yield folder  # type: ignore[misc]
    os.system(f"umount {folder}")


def test_a_full_disk_ends_with_a_clear_error_and_a_resumable_search(
    cli: Cli, whole: Cli, small_disk: Path
) -> None:
    search = (*_SEARCH, *_ONE, "--dir", str(small_disk))
    found = cli.run(*search, "--name", "s")
    assert found.returncode == 2
    last = found.stderr.splitlines()[-1]
    assert "No space left on device" in last
    assert "--resume" in last
    assert "Traceback" not in found.stderr
    kept = scores(cli.trials("s", "--dir", str(small_disk)))
    assert len(kept) >= 2
    os.system(f"mount -o remount,size=10m {small_disk}")
    found = cli.run(*search, "--name", "s", "--resume")
    assert found.returncode == 0, found.stderr
    assert scores(cli.trials("s", "--dir", str(small_disk))) == scores(whole.trials("whole"))


@pytest.mark.slow
def test_models_are_searched_with_the_same_budget(cli: Cli) -> None:
    budget = ("--trials", "2", "--seeds", "2", "--confirm", "2", "--sampler", "random")
    found = cli.run("--dataset", "demo", "--models", "appnp,mlp", *budget, "--quiet")
    assert found.returncode == 0, found.stderr
    assert "demo: test accuracy on 2 fresh seeds" in found.stdout
    for name, model in (("demo-appnp", "appnp"), ("demo-mlp", "mlp")):
        trials = cli.trials(name)
        assert len(trials) == 2
        assert {trial["config"]["model"] for trial in trials} == {model}
    report = cli.run("report", "--search", "demo-mlp")  # there is no profile to draw
    assert report.returncode == 0, report.stderr
    assert cli.run("export", "--search", "demo-mlp", "--format", "script").returncode == 2
