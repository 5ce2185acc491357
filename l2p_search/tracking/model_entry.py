"""What is written to MLflow for a trained model, as plain values."""

from dataclasses import dataclass, field
from pathlib import Path

from l2p_search.saved.trained_model import Model

CANDIDATE, CHAMPION = "candidate", "champion"
_REFUSED = {ord(sign): "-" for sign in "/:.%\"'"}
"""Characters that a logged model's name may not have."""


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """The model that a search has kept, which becomes a logged model of the search's run.

    Args:
        uid: Identifies the model: of which search, and with which weights. The same one is
            written once.
        folder: The folder of the saved model.
        model: What is in it.
        name: What it is called among the models of its run.
        tags: Of the logged model, and of its version in the registry.
        metrics: How good it is, in percent.
        description: Markdown for its page.
        registered: The name in the registry under which it becomes a version; None for none.
        aliases: Of that version.
    """

    uid: str
    folder: Path
    model: Model
    name: str
    tags: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)
    description: str = ""
    registered: str | None = None
    aliases: tuple[str, ...] = (CANDIDATE,)

    @property
    def logged_name(self) -> str:
        """The name with other characters for those that MLflow refuses."""
        return self.name.translate(_REFUSED)

    @property
    def megabytes(self) -> float:
        """How much is sent."""
        return sum(path.stat().st_size for path in self.folder.iterdir()) / 1e6
