"""Writing what a command was asked to write."""

from pathlib import Path
from typing import TYPE_CHECKING

from l2p_search.errors import UserError
from l2p_search.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def write_output(path: Path, content: str | bytes) -> None:
    """Write a file and say so, or say in one line why it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise UserError(
            f"--out {path}: cannot be written ({error.strerror}); choose another"
        ) from None
    print(f"wrote {path}")


def write_figure(stem: Path, figure: "Figure") -> dict[str, bytes]:
    """Write a figure as PNG and as SVG; the files by their names."""
    from l2p_search.report.drawing import rendered

    files = {
        f"{stem.name}.png": rendered(figure, "png", dpi=150),
        f"{stem.name}.svg": rendered(figure, "svg"),
    }
    for name, content in files.items():
        write_output(stem.with_name(name), content)
    return files
