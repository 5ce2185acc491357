"""The metrics that a configuration can be judged by: their keys, and their names for people.

All of them are told in percent, and more is better. A key, such as `roc_auc`, is part of the name
of every number that is kept (`val_roc_auc_mean` in JSON, tables and MLflow). How a metric is
computed stands in `training.scoring`.
"""

from typing import Literal, get_args

Metric = Literal["accuracy", "balanced_accuracy", "macro_f1", "roc_auc", "average_precision"]
"""What predictions are judged by:

- `accuracy`: the share of nodes whose most probable class is right.
- `balanced_accuracy`: the mean over the classes of that share.
- `macro_f1`: the mean over the classes of F1, the harmonic mean of precision and recall.
- `roc_auc`: the probability that a node of a class is ranked above a node of no such class.
- `average_precision`: the mean precision over the ranks of the nodes of a class.
"""

METRICS: tuple[Metric, ...] = get_args(Metric)
"""All of them, the usual one first."""

MetricChoice = Metric | Literal["auto"]
"""What a caller may ask for; `auto` leaves it to the graph (`data.kinds.default_metric`)."""

_TITLES: dict[Metric, str] = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "macro_f1": "macro F1",
    "roc_auc": "ROC AUC",
    "average_precision": "average precision",
}


def title(metric: Metric) -> str:
    """The name of a metric for people.

    Args:
        metric: Its key.

    Returns:
        Its name, as it stands within a sentence.

    Example:
        >>> title("roc_auc"), title("macro_f1")
        ('ROC AUC', 'macro F1')
    """
    return _TITLES[metric]


def briefly(part: str, metric: Metric) -> str:
    """What a number is of, in few words: accuracy, the usual metric, is not named.

    Args:
        part: The nodes that it was measured on, such as "validation" or "test".
        metric: What it was measured by.

    Returns:
        The words in front of the number.

    Example:
        >>> briefly("validation", "accuracy"), briefly("validation", "roc_auc")
        ('validation', 'validation ROC AUC')
    """
    return part if metric == "accuracy" else f"{part} {title(metric)}"
