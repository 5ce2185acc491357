"""Writing what a command was asked to write."""

from pathlib import Path

from l2p_search.errors import UserError
from l2p_search.text_file import write_text


def write_output(path: Path, text: str) -> None:
    """Write a file and say so, or say in one line why it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except OSError as error:
        raise UserError(
            f"--out {path}: cannot be written ({error.strerror}); choose another"
        ) from None
    print(f"wrote {path}")
