"""A program of its own: load a model, predict tensors, with torch and safetensors alone.

python alone.py MODEL TENSORS OUT        with only these two installed
python alone.py MODEL TENSORS OUT --block    where others are: they cannot be imported
"""

import importlib.abc
import sys
from importlib.metadata import packages_distributions

_ALLOWED = {"torch", "safetensors", "l2p-search"}
_OF_TORCH = {"typing_extensions", "sympy", "mpmath", "networkx", "jinja2", "markupsafe"}
_OF_TORCH |= {"filelock", "fsspec", "setuptools"}


class _Block(importlib.abc.MetaPathFinder):
    """Everything that another package brought is as if it were not there."""

    def __init__(self) -> None:
        self._blocked = {
            name
            for name, owners in packages_distributions().items()
            if not {owner.lower() for owner in owners} & (_ALLOWED | _OF_TORCH)
        }

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse what is blocked; leave the rest to the other finders."""
        if name.partition(".")[0] in self._blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def main(model_folder: str, tensors: str, out: str) -> None:
    """Predict a graph of the tensors x and edges, and write p and q."""
    import torch
    from safetensors.torch import load_file

    torch.set_num_threads(1)
    import l2p_search as l2p

    given = load_file(tensors)
    model = l2p.load_model(model_folder)
    graph = l2p.Graph.unlabelled(given["x"], given["edges"], scaling="row")
    found = {"p": model.predict_proba(graph)}
    if model.config.model == "l2p":
        found["q"] = model.propagation(graph)
    # Without numpy safetensors cannot write; text of hexadecimal digits keeps every bit.
    with open(out, "w") as file:
        for name, values in found.items():
            file.write(name + " " + " ".join(value.hex() for value in values.flatten().tolist()))
            file.write("\n")
    print("imported:", *sorted({name.partition(".")[0] for name in sys.modules}))


if __name__ == "__main__":
    if "--block" in sys.argv:
        sys.meta_path.insert(0, _Block())
    main(*sys.argv[1:4])
