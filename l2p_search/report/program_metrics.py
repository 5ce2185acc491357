"""The parts of an exported program that measure: accuracy by itself, the rest by scikit-learn."""

from l2p_search.config import TrialConfig
from l2p_search.metrics import Metric, briefly

_PREDICTED = '''def score(y, logits):
    """{of}"""
    return {function}(y, logits.argmax(dim=1){further})


'''
_RANKED = '''def score(y, logits):
    """Of class 1 of two; of more, the mean over the classes of each against the others."""
    if logits.shape[1] == 2:
        return {function}(y, logits[:, 1] - logits[:, 0])
    p = F.softmax(logits, dim=1)
    each = [{function}(y == label, p[:, label]) for label in y.unique()]
    return statistics.fmean(each)


'''
_FUNCTIONS: dict[Metric, str] = {
    "balanced_accuracy": "balanced_accuracy_score",
    "macro_f1": "f1_score",
    "roc_auc": "roc_auc_score",
    "average_precision": "average_precision_score",
}
_SCORES: dict[Metric, str] = {
    "balanced_accuracy": _PREDICTED.format(
        of="The mean over the classes of the share of their nodes that is right.",
        function=_FUNCTIONS["balanced_accuracy"],
        further="",
    ),
    "macro_f1": _PREDICTED.format(
        of="The mean over the classes of F1.",
        function=_FUNCTIONS["macro_f1"],
        further=', average="macro", zero_division=0.0',
    ),
    "roc_auc": _RANKED.format(function=_FUNCTIONS["roc_auc"]),
    "average_precision": _RANKED.format(function=_FUNCTIONS["average_precision"]),
}
_ACCURACY = """\
        hits = logits.argmax(dim=1) == y
        val_accuracy, test_accuracy = (100 * hits[m].double().mean().item() for m in (val, test))
"""
_OTHER = """\
        val_score, test_score = (100 * score(y[m], logits[m]) for m in (val, test))
"""


def metric_parts(metric: Metric, config: TrialConfig) -> dict[str, str]:
    """The parts of the program's frame that depend on the metric.

    Args:
        metric: What the program prints of every seed, and may stop by.
        config: Its `stop_on` says which epoch is the best.

    Returns:
        Name of the part -> text.
    """
    plain = metric == "accuracy"
    name = "accuracy" if plain else "score"
    by_loss = config.stop_on == "val_loss"
    return {
        "validation": briefly("validation", metric),
        "tested": briefly("test", metric),
        "needs": "torch and torch-geometric"
        if plain
        else "torch, torch-geometric and scikit-learn",
        "sklearn": "" if plain else f"from sklearn.metrics import {_FUNCTIONS[metric]}\n",
        "score": "" if plain else _SCORES[metric],
        "returned": "accuracies" if plain else "scores",
        "measure": _ACCURACY if plain else _OTHER,
        "result": f"(val_{name}, test_{name})",
        "standing": "-val_loss" if by_loss else f"(val_{name}, -val_loss)",
    }
