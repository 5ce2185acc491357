"""A model that was downloaded from MLflow: its folder is inside of that of MLflow."""

import os
from pathlib import Path

from l2p_search.saved.folder import DESCRIPTION


def model_within(folder: Path) -> Path:
    """The folder of a model, wherever a download has put it.

    Args:
        folder: A model's own folder, or one of MLflow with a model in it.

    Returns:
        The model's own folder; the given one where there is none in it.
    """
    if os.path.isfile(folder / "MLmodel"):  # Path would raise where a name is too long
        found = sorted(folder.glob(f"data/*/{DESCRIPTION}"))
        if len(found) == 1:
            return found[0].parent
    return folder
