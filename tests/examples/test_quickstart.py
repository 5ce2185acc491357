"""The examples, run as a user runs them."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

_EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_program_runs_and_leaves_what_it_says(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, str(_EXAMPLES / "quickstart.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert found.returncode == 0, found.stderr
    assert "CONFIRMED TEST ACCURACY" in found.stdout
    assert "demo-appnp" in found.stdout
    for left in ("report.html", "best.yaml", "searches/first", "mlflow/mlflow.db"):
        assert (tmp_path / left).exists(), left


def test_the_notebook_runs_from_top_to_bottom_and_shows_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(_EXAMPLES / "quickstart.ipynb", as_version=4)
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    searched = next(cell for cell in notebook.cells if "l2p.search(graph, trials=8" in cell.source)
    shown = [output for output in searched.outputs if output.output_type == "display_data"]
    assert "8/8 trials" in shown[0]["data"]["text/html"]
    assert (tmp_path / "report.html").exists()


def test_the_notebook_is_committed_without_outputs() -> None:
    notebook = nbformat.read(_EXAMPLES / "quickstart.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
