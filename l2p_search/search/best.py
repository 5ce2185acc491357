"""best.yaml: the winner as a file that `l2p-search train --config` takes."""

import json
from pathlib import Path

from l2p_search.errors import SearchError
from l2p_search.search.intervals import accuracy_of_validation
from l2p_search.search.outcome import Outcome
from l2p_search.text_file import write_text

_FILE = "best.yaml"


def write_best(directory: Path, outcome: Outcome) -> Path | None:
    """Write the best trial's complete config, with where it came from; None without a best."""
    best, settings = outcome.best, outcome.settings
    if best is None or best.result is None:
        return None
    lines = [
        f"# Search '{directory.name}': the best of {len(outcome.records)} configurations on"
        f" {settings.dataset},",
        f"# trial {best.number}, validation {accuracy_of_validation(best.result)} % over"
        f" {settings.seeds} seeds.",
    ]
    if outcome.confirmed is not None:
        lines.append(f"# Test accuracy on fresh seeds: {outcome.confirmed} %.")
    lines += [f"{key}: {json.dumps(value)}" for key, value in best.config.to_mapping().items()]
    path = directory / _FILE
    try:
        write_text(path, "\n".join(lines) + "\n")
    except OSError as error:
        raise SearchError(
            f"{path}: cannot be written ({error.strerror}); the trials are safe in the journal"
        ) from None
    return path
