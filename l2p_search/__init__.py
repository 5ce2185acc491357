"""Search for how far messages should travel on a graph: L2P (KDD '21), tuned and told honestly.

    import l2p_search as l2p

    graph = l2p.load_graph("wisconsin")
    found = l2p.search(graph, trials=50, name="first")
    found.best.config, found.confirmed, found.profile
    found.export("best.yaml")

The names below are the library. They are imported when they are first used, so that importing
the package itself takes no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from l2p_search.caller import left_as_found

__version__ = "0.1.0"

if TYPE_CHECKING:
    from l2p_search.api.answering import Answer as Answer
    from l2p_search.api.answering import Effort as Effort
    from l2p_search.api.answering import answer as answer
    from l2p_search.api.comparing import Paired as Paired
    from l2p_search.api.comparing import compare as compare
    from l2p_search.api.fitting import fit as fit
    from l2p_search.api.found import Search as Search
    from l2p_search.api.inspecting import Inspection as Inspection
    from l2p_search.api.inspecting import inspect as inspect
    from l2p_search.api.opening import open_search as open_search
    from l2p_search.api.publishing import Published as Published
    from l2p_search.api.publishing import publish as publish
    from l2p_search.api.searches import search as search
    from l2p_search.config import TrialConfig as TrialConfig
    from l2p_search.data.graph import Graph as Graph
    from l2p_search.data.loading import load_graph as load_graph
    from l2p_search.errors import UserError as UserError
    from l2p_search.intervals import Interval as Interval
    from l2p_search.results import TrialResult as TrialResult
    from l2p_search.saved.trained_model import Model as Model
    from l2p_search.saved.trained_model import load_model as load_model
    from l2p_search.searching.space.search_space import SearchSpace as SearchSpace

_PUBLIC = {
    "Answer": "api.answering",
    "Effort": "api.answering",
    "Graph": "data.graph",
    "Inspection": "api.inspecting",
    "Interval": "intervals",
    "Model": "saved.trained_model",
    "Paired": "api.comparing",
    "Published": "api.publishing",
    "Search": "api.found",
    "SearchSpace": "searching.space.search_space",
    "TrialConfig": "config",
    "TrialResult": "results",
    "UserError": "errors",
    "answer": "api.answering",
    "compare": "api.comparing",
    "fit": "api.fitting",
    "inspect": "api.inspecting",
    "load_graph": "data.loading",
    "load_model": "saved.trained_model",
    "open_search": "api.opening",
    "publish": "api.publishing",
    "search": "api.searches",
}
"""Public name -> the module that has it."""

__all__ = [
    "Answer",
    "Effort",
    "Graph",
    "Inspection",
    "Interval",
    "Model",
    "Paired",
    "Published",
    "Search",
    "SearchSpace",
    "TrialConfig",
    "TrialResult",
    "UserError",
    "__version__",
    "answer",
    "compare",
    "fit",
    "inspect",
    "load_graph",
    "load_model",
    "open_search",
    "publish",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with left_as_found():  # some libraries change the environment when they are imported
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
