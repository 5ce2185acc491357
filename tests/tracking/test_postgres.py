"""A team's server for real: MLflow on PostgreSQL, as mlflow/README.md has it."""

import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import pytest

from l2p_search.cli.main import main
from l2p_search.data.graph import Graph
from l2p_search.searching.records.settings import Goal
from tests.searching.pretend import searched
from tests.tracking.serving import free_port, wait_for_server

pytestmark = pytest.mark.slow
_BIN = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
_SERVER = Path(__file__).parents[2] / "mlflow" / "server.sh"
_TEAM = _SERVER.with_name("team.sh")


@pytest.fixture
def database() -> Iterator[str]:
    """A PostgreSQL of our own on the loopback address."""
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed")
    if _BIN is None or os.geteuid() != 0 or shutil.which("runuser") is None:
        pytest.skip("Debian's postgresql is not installed, or this is not root")
    folder = Path(
        subprocess.check_output(["mktemp", "-d", "/tmp/l2p-pg-XXXXXX"], text=True).strip()
    )
    shutil.chown(folder, "postgres")
    port = free_port()

    def as_postgres(*command: str) -> None:
        subprocess.run(
            ["runuser", "-u", "postgres", "--", *command],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    data = str(folder / "data")
    as_postgres(str(_BIN / "initdb"), "-D", data, "-A", "trust")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder}"
    as_postgres(
        str(_BIN / "pg_ctl"), "-D", data, "-o", options, "-w", "start", "-l", data + "/log"
    )
    as_postgres(str(_BIN / "createdb"), "-h", "127.0.0.1", "-p", str(port), "mlflow")
    yield f"postgresql+psycopg2://postgres@127.0.0.1:{port}/mlflow"
    as_postgres(str(_BIN / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[str]:
    """`mlflow/server.sh` on it, with passwords."""
    pytest.importorskip("flask_wtf", reason="mlflow[auth] is not installed")
    port = free_port()
    environment = {
        **os.environ,
        "PYTHON": sys.executable,
        "MLFLOW_BACKEND": database,
        "MLFLOW_ARTIFACTS": str(tmp_path / "artifacts"),
        "MLFLOW_PORT": str(port),
        "MLFLOW_FLASK_SERVER_SECRET_KEY": "a long random text for a test",
    }
    process = subprocess.Popen(
        ["sh", str(_SERVER)],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    base = f"http://127.0.0.1:{port}"
    wait_for_server(base)
    yield base
    os.killpg(process.pid, 15)
    process.wait(20)


def test_a_search_is_written_to_a_teams_server(
    server: str,
    tmp_path: Path,
    small_graph: Graph,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    searched(tmp_path / "searches" / "s", small_graph, Goal(trials=4, confirm=2)).close()
    assert main(["sync", "--tracking-uri", server]) == 2
    assert "it asks for a password; set MLFLOW_TRACKING_USERNAME" in capsys.readouterr().err
    monkeypatch.setenv("MLFLOW_TRACKING_USERNAME", "admin")
    monkeypatch.setenv("MLFLOW_TRACKING_PASSWORD", "change-me-before-the-first-start")
    assert main(["sync", "--tracking-uri", server]) == 0
    assert "s: 4 trials written, 0 were there" in capsys.readouterr().out
    assert main(["sync", "--tracking-uri", server]) == 0
    assert "s: 0 trials written, 4 were there" in capsys.readouterr().out
    assert list((tmp_path / "artifacts").rglob("profile.svg"))
    assert main(["ui", "--tracking-uri", server]) == 0
    assert f"{server}/#/experiments/" in capsys.readouterr().out


def test_one_command_makes_a_teams_server_and_ends_it(tmp_path: Path) -> None:
    """PostgreSQL, artifacts and a random password in one folder, whose name may have a space."""
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed")
    pytest.importorskip("flask_wtf", reason="mlflow[auth] is not installed")
    if _BIN is None or os.geteuid() != 0 or shutil.which("runuser") is None:
        pytest.skip("Debian's postgresql is not installed, or this is not root")
    parent = Path(
        subprocess.check_output(["mktemp", "-d", "/tmp/l2p-team-XXXXXX"], text=True).strip()
    )
    parent.chmod(0o711)  # PostgreSQL runs as a user of its own
    folder, port = parent / "of a team", free_port()
    passwords = []
    try:
        for _ in range(2):  # the same command starts it again
            process = subprocess.Popen(
                ["sh", str(_TEAM), str(folder)],
                cwd=tmp_path,
                env={**os.environ, "PYTHON": sys.executable, "MLFLOW_PORT": str(port)},
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(3)]
            assert said[1] == f"MLflow: http://127.0.0.1:{port} (Ctrl-C ends it)\n"
            assert said[2].endswith(f"the password is in {folder}/password\n")
            assert (folder / "password").stat().st_mode & 0o077 == 0
            passwords.append((folder / "password").read_text().strip())
            asked = f"http://127.0.0.1:{port}/api/2.0/mlflow/experiments/search?max_results=1"
            assert _status(asked, None) == 401
            assert _status(asked, f"admin:{passwords[-1]}") == 200
            process.terminate()
            assert process.wait(60) == 143
            process.stdout.close()
            assert not (folder / "database" / "postmaster.pid").exists()
        assert passwords[0] == passwords[1]
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _status(address: str, who: str | None) -> int:
    request = urllib.request.Request(address)
    if who is not None:
        request.add_header("Authorization", f"Basic {b64encode(who.encode()).decode()}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
