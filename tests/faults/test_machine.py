"""A machine that fails: memory, descriptors, disks, folders, clocks, cores, environments."""

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import l2p_search as l2p
from l2p_search.errors import SearchError, UserError
from l2p_search.searching.running.scratch import scratch_folder
from tests.api.in_process import SPACE, without_ray
from tests.cli.running import Cli
from tests.faults.conftest import Tried

_SEARCH = (
    *("--dataset", "demo", "--space", "space.yaml", "--trials", "2", "--confirm", "0"),
    *("--seeds", "2", "--no-tracking", "--concurrency", "1", "--name", "s"),
)


def _search(
    folder: Path, trials: int = 6, *, tracking: bool = False, **options: object
) -> l2p.Search:
    return l2p.search(
        "demo",
        space=SPACE,
        name="s",
        folder=folder,
        trials=trials,
        seeds=4,
        confirm=0,
        display="off",
        tracking=tracking,
        **options,  # type: ignore[arg-type]
    )


def test_a_disk_that_is_full_at_any_stage_loses_no_trial(
    mounted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    without_ray(monkeypatch)
    trials = 20
    whole = _search(mounted("size=10m"), trials=trials).directory / "journal.log"
    page = os.sysconf("SC_PAGE_SIZE")
    sizes = range(2 * page, whole.stat().st_size // page * page, page)
    tried("machine", "full disk at some stage of a search, then resumed", times=len(sizes))
    assert len(sizes) > 2
    for size in sizes:
        disk = mounted(f"size={size}")
        with pytest.raises(UserError, match="No space left on device"):
            _search(disk, trials=trials)
        os.system(f"mount -o remount,size=10m {disk}")
        found = _search(disk, resume=True, trials=trials)
        assert sorted(found.trials.index) == list(range(trials))
        assert len(set(found.trials["config_id"])) == trials


def test_a_file_that_does_not_fit_leaves_the_old_one(
    mounted: Callable[[str], Path], tried: Tried
) -> None:
    from l2p_search.api.writing import write_file

    tried("machine", "full disk while a file is written")
    path = mounted("size=16k") / "best.yaml"
    write_file(path, "old")
    with pytest.raises(UserError, match="No space left on device"):
        write_file(path, b"x" * 100_000)
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_is_read_only_is_one_line(
    mounted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    tried("machine", "read-only folder of searches")
    without_ray(monkeypatch)
    disk = mounted("size=1m,ro")
    with pytest.raises(SearchError, match="Read-only file system") as raised:
        _search(disk)
    assert "\n" not in str(raised.value)


def test_a_folder_that_vanishes_under_a_search_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    tried("machine", "folder removed while a search runs")
    from tests.searching.pretend import pretend_training

    def train(*args: object, **options: object) -> object:
        shutil.rmtree(tmp_path / "s")
        return pretend_training(*args, **options)  # type: ignore[arg-type]

    without_ray(monkeypatch, train)  # type: ignore[arg-type]
    with pytest.raises(SearchError) as raised:
        _search(tmp_path)
    assert "\n" not in str(raised.value)
    assert "cannot be written" in str(raised.value)


@pytest.mark.parametrize("tracking", [False, True])
def test_a_folder_that_is_renamed_under_a_search_is_one_line_and_nothing_is_lost(
    tracking: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    tried("machine", "folder renamed while a search runs, put back and resumed")
    from tests.searching.pretend import pretend_training

    monkeypatch.chdir(tmp_path)
    trained = itertools.count()

    def train(*args: object, **options: object) -> object:
        if next(trained) == 2:
            (tmp_path / "s").rename(tmp_path / "moved")
        return pretend_training(*args, **options)  # type: ignore[arg-type]

    without_ray(monkeypatch, train)  # type: ignore[arg-type]
    with pytest.raises(SearchError, match="cannot be written") as raised:
        _search(tmp_path, tracking=tracking)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "s").exists()
    (tmp_path / "moved").rename(tmp_path / "s")
    found = _search(tmp_path, resume=True, tracking=tracking)
    assert sorted(found.trials.index) == list(range(6))
    assert next(trained) == 7, "a trial that had ended was trained again"


def test_a_disk_that_is_full_just_when_the_summary_is_written_ends_no_search(
    mounted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    from l2p_search.searching.records import brief, journal

    without_ray(monkeypatch)
    disk, usual, failed = mounted("size=10m"), brief.remember, []

    def remember(path: Path, mapping: dict[str, object]) -> None:
        filler = disk / "filler"
        with open(filler, "wb", 0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        try:
            usual(path, mapping)
        except OSError as error:
            failed.append(error)
            raise
        finally:
            filler.unlink()

    monkeypatch.setattr(journal, "STEP", 1)  # a summary after every trial
    monkeypatch.setattr(brief, "remember", remember)
    found = _search(disk)
    tried("machine", "full disk just when brief.json is written", len(failed))
    assert len(failed) == 6
    assert sorted(found.trials.index) == list(range(6))
    assert [path.name for path in (disk / "s").iterdir() if path.name.startswith(".")] == []
    assert not (disk / "s" / "brief.json").exists()


@pytest.mark.parametrize("jump", [-1e6, 1e6, -3600.0])
def test_a_clock_that_jumps_changes_no_result(
    jump: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    tried("machine", "clock that jumps while a search runs")
    without_ray(monkeypatch)
    usual = _search(tmp_path / "usual")
    before, jumps = time.time, itertools.count()
    monkeypatch.setattr(time, "time", lambda: before() + jump * (next(jumps) % 3))
    found = _search(tmp_path / "jumped", time_budget="1h")
    columns = ["status", "config_id", "val_accuracy_mean"]
    assert found.trials[columns].equals(usual.trials[columns])


def test_a_small_place_for_temporary_files_is_passed_over(
    mounted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tried: Tried
) -> None:
    import tempfile

    tried("machine", "TMPDIR of 100 kB")
    disk = mounted("size=100k")
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    with scratch_folder() as folder:
        assert disk not in folder.parents


_OUT_OF_MEMORY = """
import json, resource
from l2p_search.config import TrialConfig
from l2p_search.data.loading import load_graph
from l2p_search.searching.running.worker import run_task
from l2p_search.training.fit import fit
graph = load_graph("demo")
config = TrialConfig(hidden=4096, epochs=1)
task = {"config": config.to_mapping(), "groups": [[*range(40)]], "metric": "accuracy"}
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300 * 2**20,) * 2)
run_task(task, graph, lambda *a, **k: fit(*a, memory_gb=1000.0, **k), print)
"""


def test_a_worker_that_runs_out_of_memory_reports_it_and_lives(tried: Tried) -> None:
    tried("machine", "RLIMIT_AS in a worker")
    found = subprocess.run(
        [sys.executable, "-c", _OUT_OF_MEMORY], capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stderr
    assert "'error': 'out of memory'" in found.stdout


@pytest.mark.faults
@pytest.mark.parametrize(
    ("what", "before"),
    {
        "no HOME": "unset HOME XDG_CACHE_HOME; ",
        "HOME that does not exist": "export HOME=/nonexistent XDG_CACHE_HOME=; ",
        "locale C": "export LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0; ",
        "locale without UTF-8": "export LC_ALL=C PYTHONIOENCODING=latin-1; ",
        "40 columns": "export COLUMNS=40; ",
        "one core": "taskset -c 0 ",
        "64 descriptors": "ulimit -n 64; ",
        "stderr closed": "exec 2>&-; ",
    }.items(),
)
def test_a_bare_environment_trains_or_says_why_not_in_one_line(
    what: str, before: str, tmp_path: Path, tried: Tried
) -> None:
    tried("machine", f"train and status with {what}")
    Cli(tmp_path)
    train = "train --dataset demo --seeds 1 --set epochs=3 --set patience=3"
    for command in (train, "datasets", "spaces"):
        found = subprocess.run(
            ["/bin/sh", "-c", f"{before}{sys.executable} -m l2p_search {command}"],
            cwd=tmp_path,
            capture_output=True,
            timeout=300,
        )
        said = found.stdout + found.stderr
        assert b"Traceback" not in said, said
        assert found.returncode == 0, said


@pytest.mark.faults
@pytest.mark.parametrize(
    ("what", "before", "code"),
    [
        ("64 descriptors", "ulimit -n 64; ", None),  # enough for some versions of Ray
        ("24 descriptors", "ulimit -n 24; ", 2),
        ("one core", "taskset -c 0 ", 0),
        ("TMPDIR of 200 characters", f"export TMPDIR=$PWD/{'n' * 200}; mkdir $TMPDIR; ", 0),
        ("/dev/shm of 1 MB", "mount -t tmpfs -o size=1m tmpfs /dev/shm || exit 77; ", 0),
    ],
)
def test_a_starved_machine_searches_or_says_why_not_in_one_line(
    what: str, before: str, code: int | None, tmp_path: Path, tried: Tried
) -> None:
    tried("machine", f"search with {what}")
    Cli(tmp_path)
    found = subprocess.run(
        [
            *(["unshare", "--mount"] if "mount" in before else []),
            *("/bin/sh", "-c", f"{before}{sys.executable} -m l2p_search {' '.join(_SEARCH)}"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
    )
    if found.returncode in (77, 1) and "mount" in before:
        pytest.skip("no mounts here")
    assert "Traceback" not in found.stderr
    assert found.returncode in ((0, 2) if code is None else (code,)), found.stderr
    if found.returncode:
        assert found.stderr.splitlines()[-1].startswith("l2p-search: error: ")
