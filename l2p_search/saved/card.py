"""The model card: README.md of a saved model, for whoever finds the folder later."""

from l2p_search.config import TrialConfig
from l2p_search.intervals import Interval
from l2p_search.metrics import title
from l2p_search.saved.evidence import Evidence
from l2p_search.saved.expected import Expected
from l2p_search.saved.folder import FIGURE
from l2p_search.saved.served_columns import FEATURES, NEIGHBOURS, NODE, WEIGHTS, feature_columns
from l2p_search.step_shares import shares_in_words

_SCALINGS = {
    "row": "each node's divided by their sum",
    "standard": "standardised by the means and spreads of this graph, which are saved here",
    "none": "not scaled",
    "made": "made from the graph, which has none of its own",
    "": "as they came; how they were scaled is not known",
}
_MOST_NAMES = 12


def model_card(
    config: TrialConfig, seeds: tuple[int, ...], expected: Expected, evidence: Evidence
) -> str:
    """What the model is, what it learned from, how good it is, and what it cannot do.

    Args:
        config: How it was trained.
        seeds: The seeds that it is the ensemble of.
        expected: What it knows of its graph.
        evidence: What was measured of its seeds.

    Returns:
        Markdown.
    """
    name = _plain(expected.dataset)
    parts = [
        f"# {config.method} on {name}",
        f"A classifier of nodes: the mean probability of {len(seeds)} trained"
        f" seed{'s' * (len(seeds) != 1)} ({_ranges(seeds)}) of one configuration"
        f" (`config.yaml`, id {config.config_id}).",
        "## How good it is",
        _goodness(evidence, len(seeds)),
        "## What it learned from",
        _data(expected),
        *_profile(evidence),
        "## How to load it",
        _LOADING,
        *_served(expected),
        "## Limits",
        "\n".join(f"- {limit}" for limit in _limits(config, expected)),
    ]
    return "\n\n".join(parts) + "\n"


_LOADING = """    import l2p_search as l2p

    model = l2p.load_model("this/folder")           # torch and safetensors are all it needs
    model.predict_proba(graph)                      # [nodes, classes]; graph: a Graph of tensors
    model.predictions("nodes.csv")                  # a table; with pandas and the readers of files

or `l2p-search predict this/folder --dataset D --out predictions.csv`."""


def _served(expected: Expected) -> list[str]:
    """What MLflow sends to the model, where it serves it."""
    columns = feature_columns(expected)
    named = ", ".join(f"`{name}`" for name in columns if name == FEATURES)
    if columns and not named:
        named = f"a column per feature ({_listed(columns)})"
    given = f"`{NODE}` (an id), {named}, " if named else f"`{NODE}` (an id), "
    return [
        "## How MLflow serves it",
        f"The input is a table with a row per node: {given}`{NEIGHBOURS}` (a list of ids; an edge"
        f" needs to be named at one end only) and, where edges have weights, `{WEIGHTS}` (a list"
        " beside it)."
        + (
            " Features are as in the source, not scaled: the model does that."
            if expected.scaling in ("row", "standard")
            else ""
        )
        + " Lists may be JSON in text, as in a CSV file. A neighbour must have a row of its own:"
        " give a node with all that is within reach of its steps. The output is the table of"
        " `predictions`.",
    ]


def _goodness(evidence: Evidence, seeds: int) -> str:
    score = title(evidence.metric)
    here, elsewhere = evidence.interval, evidence.interval_over_nodes
    found = "unknown" if here is None else str(here)
    trained = f"seed{'s' * (seeds != 1)}"
    fresh = f"{seeds} {trained}"
    if evidence.confirmed:
        fresh = f"{seeds} fresh {trained}, which chose nothing"
    lines = [
        f"{'Confirmed test' if evidence.confirmed else 'Test'} {score}: {found} %, on {fresh}"
    ]
    if here is not None and here.low is not None:
        lines += [
            "± is its 95 % interval for this graph, other seeds and splits (a split's seeds taken"
            f" as one): {_percent(here)}",
            "Its 95 % interval for other nodes of this kind:"
            f" {'not recorded' if elsewhere is None else _percent(elsewhere)}",
        ]
    if evidence.validation is not None:
        lines.append(f"Validation {score}: {evidence.validation:.2f} %")
    if evidence.search is not None:
        trials = "" if evidence.trials is None else f", the best of {evidence.trials} trials"
        lines.append(f"From the search {_plain(evidence.search)}{trials} by validation alone")
    lines.append(
        "These are means over single seeds, each on nodes that it did not learn from. The"
        " ensemble of all seeds cannot be measured on its own graph: the test nodes of one split"
        " are training nodes of another"
    )
    return "\n".join(f"- {line}." for line in lines)


def _percent(interval: Interval) -> str:
    return interval.bounds() + " %" * (not interval.too_wide)


def _data(expected: Expected) -> str:
    names = expected.feature_names
    lines = [
        f"Graph: {_plain(expected.dataset)}, {expected.nodes:,} nodes, {expected.splits},"
        f" content hash `{expected.digest}`",
        f"Features: {expected.features:,}, {_SCALINGS[expected.scaling]}",
        f"Classes: {_listed(expected.classes)}",
    ]
    if names is not None:
        lines.insert(2, f"Feature names: {_listed(names)}")
    return "\n".join(f"- {line}." for line in lines)


def _profile(evidence: Evidence) -> list[str]:
    if evidence.profile is None:
        return []
    return [
        "## How far its nodes look",
        f"Over all nodes and seeds q(t) is {shares_in_words(evidence.profile)}.",
        f"![The probability of every propagation step]({FIGURE})",
    ]


def _limits(config: TrialConfig, expected: Expected) -> list[str]:
    limits = [
        "It predicts graphs with the same features in the same order and scaling, and refuses"
        " others. New nodes and edges are fine; new classes are not: train again.",
        "It predicts well what resembles its graph. Nothing here measures how well it does on a"
        " graph that has changed much.",
        "Probabilities are as the training left them; whether they are calibrated was not"
        " measured.",
    ]
    if expected.same_nodes is not None:
        limits.append("LINKX has weights of every single node: it predicts its own nodes alone.")
    if expected.same_edges is not None:
        limits.append("Geom-GCN lays out its own graph: it predicts that graph alone.")
    if config.norm == "batch" and config.why_unread("norm") is None:
        limits.append(
            "Batch normalisation takes its statistics from the graph that is predicted, so a"
            " node's prediction changes a little with all the others."
        )
    return limits


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(_plain(name) for name in names[:_MOST_NAMES])
    return f"{shown} and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else shown


def _plain(text: str) -> str:
    """A user's word as code in Markdown, so that nothing in it is taken for markup."""
    return "`" + " ".join(text.split()).replace("`", "'") + "`"


def _ranges(seeds: tuple[int, ...]) -> str:
    """Seeds in words: 0 to 19, or 3, 5, 8."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))
