"""A model's parts become files and come back, also where torch and safetensors are alone."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save, save_file

from l2p_search.config import TrialConfig
from l2p_search.data.demo import demo_graph
from l2p_search.data.graph import Graph
from l2p_search.errors import ModelError
from l2p_search.saved.folder import read_folder, write_folder
from l2p_search.saved.storing import read_model
from l2p_search.saved.trained_model import Model
from l2p_search.training.fit import fit

_ROOT = Path(__file__).parents[2]
_OTHERS = {"numpy", "scipy", "yaml", "pandas", "ray", "optuna", "mlflow", "torch_geometric"}


def _predicted_alone(
    python: str | Path, folder: Path, changes: dict[str, object], *flags: str
) -> tuple[str, list[str], list[str]]:
    """What the program imported; what it predicted; what the model predicts here."""
    program = Path(__file__).with_name("alone.py")
    paths = [folder / name for name in ("moved", "graph.safetensors", "out.txt")]
    graph = demo_graph()
    config = TrialConfig.recorded({"K": 3, "hidden": 8, "epochs": 4, **changes})
    model = Model.of(graph, fit(graph, config, [0, 1]))
    model.save(folder / "made")
    (folder / "made").rename(folder / "moved")
    save_file({"x": graph.x, "edges": graph.edges}, folder / "graph.safetensors")
    ended = subprocess.run(
        [python, program, *paths, *flags],
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            "OMP_NUM_THREADS": "1",
            **({"PYTHONPATH": str(_ROOT)} if python == sys.executable else {}),
        },
    )
    assert ended.returncode == 0, ended.stderr
    read = model.read(graph)
    here = {"p": read.p} if read.q is None else {"p": read.p, "q": read.q}
    wanted = [
        " ".join([name, *(value.hex() for value in values.flatten().tolist())])
        for name, values in here.items()
    ]
    return ended.stdout, (folder / "out.txt").read_text().splitlines(), wanted


@pytest.mark.parametrize("changes", [{}, {"model": "linkx"}, {"backbone": "gat"}], ids=str)
def test_a_moved_model_predicts_to_the_last_bit_where_no_other_library_can_be_imported(
    changes: dict[str, object], tmp_path: Path
) -> None:
    imported, found, wanted = _predicted_alone(sys.executable, tmp_path, changes, "--block")
    assert found == wanted
    assert not _OTHERS & set(imported.split())


@pytest.mark.slow
def test_a_moved_model_predicts_to_the_last_bit_in_a_fresh_environment(tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    pinned = {
        name: f"{name}=={version(name).partition('+')[0]}" for name in ("torch", "safetensors")
    }
    quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([python, *quiet, *pinned.values()], check=True)
    subprocess.run([python, *quiet, "--no-deps", _ROOT], check=True)
    _, found, wanted = _predicted_alone(python, tmp_path, {})
    assert found == wanted


def _tampered(folder: Path, model: Model, change: dict[str, torch.Tensor | None]) -> Path:
    """A model whose weights were changed, and whose hashes fit again."""
    model.save(folder)
    description, files = read_folder(folder)
    tensors = {**load(files["weights.safetensors"]), **change}
    kept = {name: value for name, value in tensors.items() if value is not None}
    del description["format"], description["files"]
    write_folder(folder, description, {**files, "weights.safetensors": save(kept)})
    return folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"theta.W_1": torch.full((2, 7, 4), torch.nan)}, "theta.W_1 has values that are not fin"),
        ({"theta.W_1": torch.ones(2, 8, 4)}, "theta.W_1 is [2, 8, 4] of float32, but the config"),
        ({"theta.W_1": torch.ones(3, 7, 4)}, "theta.W_1 is [3, 7, 4] of float32 for 2 seeds"),
        ({"theta.W_1": torch.ones(2, 7, 4).int()}, "theta.W_1 is [2, 7, 4] of int32 for 2 seeds"),
        ({"theta.b_1": None}, "theta.b_1 is missing"),
        ({"theta.W_9": torch.ones(2, 1)}, "theta.W_9 is no parameter of the configuration"),
        ({"moment": torch.ones(2, 1)}, "a tensor is called 'moment'"),
    ],
    ids=str,
)
def test_weights_that_are_not_those_of_the_configuration_are_refused(
    change: dict[str, torch.Tensor | None], said: str, model: Model, tmp_path: Path
) -> None:
    folder = _tampered(tmp_path / "kept", model, change)
    with pytest.raises(ModelError) as raised:
        read_model(folder)
    line = str(raised.value)
    assert line.startswith(f"{folder}/weights.safetensors: {said}")
    assert "\n" not in line


def test_what_is_no_safetensors_file_is_refused_though_its_hash_fits(
    model: Model, tmp_path: Path
) -> None:
    model.save(tmp_path / "kept")
    description, files = read_folder(tmp_path / "kept")
    del description["format"], description["files"]
    files["weights.safetensors"] = files["weights.safetensors"][:-8]
    write_folder(tmp_path / "kept", description, files)
    with pytest.raises(ModelError, match=r"weights\.safetensors: .*; copy the model again"):
        read_model(tmp_path / "kept")


def test_the_configuration_of_a_model_is_trained_again(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "kept")
    assert TrialConfig.from_file(tmp_path / "kept" / "config.yaml") == model.config


def test_all_parts_come_back(model: Model, small_graph: Graph, tmp_path: Path) -> None:
    model.save(tmp_path / "kept")
    config, weights, expected, evidence = read_model(tmp_path / "kept")
    assert (config, expected, evidence) == (model.config, model.expected, model.evidence)
    assert weights.seeds == model.seeds
    assert expected.digest == small_graph.digest
