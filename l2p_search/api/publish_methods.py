"""The paragraphs of methods and the reproducibility checklist, written from what was recorded."""

from collections.abc import Iterable, Sequence

from l2p_search.api.publish_entries import Entries, Entry
from l2p_search.api.publish_ledger import each_entry
from l2p_search.api.publish_verdicts import OverGraphs, Pair
from l2p_search.display.phrases import count, size_in_words
from l2p_search.metrics import title
from l2p_search.searching.records.settings import Race
from l2p_search.verdicts import RISK, points

_SAMPLERS = {
    "tpe": "the tree-structured Parzen estimator of Optuna",
    "gp": "the Gaussian process of Optuna",
    "random": "random sampling",
    "grid": "a walk over the whole grid in random order",
}


_RACES: dict[Race | None, str] = {
    None: "",
    "halving": ", stopped by successive halving on seeds unless in the best quarter at a rung",
    "paired": ", stopped when significantly worse than the best on paired seeds",
}


def methods_paragraphs(entries: Entries, pairs: Sequence[Pair], overall: OverGraphs) -> list[str]:
    """Say how the numbers came about, as plain text.

    Args:
        entries: What is published.
        pairs: The comparisons on single graphs.
        overall: The comparison over graphs.

    Returns:
        Paragraphs: data, search, selection, intervals and tests, versions and costs.
    """
    return [
        _data(entries),
        _search(entries),
        _selection(entries),
        _tests(entries, pairs, overall),
        _means(entries),
    ]


def checklist(entries: Entries, pairs: Sequence[Pair]) -> list[tuple[bool, str]]:
    """The reproducibility checklist: what the kit answers, and what only the author can.

    After Pineau et al. (2021), "Improving Reproducibility in Machine Learning Research".

    Args:
        entries: What is published.
        pairs: The comparisons on single graphs.

    Returns:
        Whether each is answered, and the answer or what is left to do.
    """
    every = [entry for _, _, entry in each_entry(entries)]
    trials, seeds = (
        sorted({len(e.search.outcome.records) for e in every}),
        sorted({e.search.settings.seeds for e in every}),
    )
    whole = len(entries.cells) == len(entries.rows) * len(entries.columns)
    known = all(_cpu(entry) is not None for entry in every)
    one = all(len(set(values)) == 1 for values in _versions(every).values())
    machines = _machines(every)
    equal = len(trials) == 1 and len(seeds) == 1
    fresh = sorted({len(column.seeds) for column in entries.columns})
    return [
        (True, "Ranges of all hyperparameters: table spaces."),
        (True, "How the best configuration was selected, and on what: methods."),
        (True, "Number of configurations tried, of seeds and of trainings: table budgets."),
        (equal, "Every method had the same number of trials and of seeds per trial: "
         + (f"{trials[0]} of {seeds[0]} seeds." if equal else "it had not; see table budgets.")),
        (whole, "Every method was searched on every graph"
         + ("." if whole else ": it was not; missing cells are marked.")),
        (True, f"Fresh seeds behind every number: {' or '.join(map(str, fresh))}; which ones is"
         " in provenance.json."),
        (all(entry.score.low is not None for entry in every),
         "Every score has an interval, and it is said of what."),
        (bool(pairs), "Comparisons are paired, adjusted for their number, and a verdict that the"
         " data do not support is called undecided" + ("." if pairs else ": there is none.")),
        (True, "Splits and content of every graph, by digest: provenance.json."),
        (known, "CPU time of every method: " + (f"table budgets; {_hours(every)} in all."
         if known else "some searches were recorded before it was measured.")),
        (bool(machines), "Computing infrastructure: "
         + (", ".join(machines) or "not recorded") + "."),
        (one, "All searches ran with the same versions"
         + (": " + _version_text(every) + "." if one else ": they did not; see methods.")),
        (True, "Every number can be traced to a line of a journal: provenance.json; l2p-search"
         " reproduce NAME:TRIAL trains it again."),
        (False, "Yours to do: publish the journals (the hash of each is in provenance.json) and"
         " say where the code is."),
        (False, "Yours to do: name the source and the licence of every graph."),
        (False, "Yours to do: say which of these searches were looked at before others were"
         " planned, and what else was tried."),
    ]  # fmt: skip


def _data(entries: Entries) -> str:
    graphs = []
    for column in entries.columns:
        kind = "one split" if column.splits == 1 else f"{column.splits} splits"
        graphs.append(f"{column.label} ({kind}, judged by {title(column.metric)})")
    return (
        f"We report {_several(entries.rows)} on {_several(graphs)}. A seed fixes the split (seed i"
        " takes split i modulo the number of splits), the initialisation, dropout and all other"
        " noise; the same seed means the same for every method, so that differences are paired."
    )


def _search(entries: Entries) -> str:
    sentences = ["Every method was searched on every graph by itself."]
    for row in entries.rows:
        inside = [entry for name, _, entry in each_entry(entries) if name == row]
        described = dict.fromkeys(_described(entry) for entry in inside)
        if len(described) == 1:
            sentences.append(f"{row}: {next(iter(described))}.")
            continue
        for entry in inside:
            sentences.append(f"{row} on {entry.fresh.dataset}: {_described(entry)}.")
    return " ".join(sentences)


def _described(entry: Entry) -> str:
    settings = entry.search.settings
    size = size_in_words(len(settings.space.dimensions), settings.size)
    words = (
        f"the space {settings.space.name} ({size}),"
        f" {count(len(entry.search.outcome.records), 'trial')} proposed by"
        f" {_SAMPLERS[settings.sampler]} with seed {settings.seed},"
        f" {count(settings.seeds, 'seed')} per trial"
    )
    return words + _RACES[settings.race]


def _selection(entries: Entries) -> str:
    every = [entry for _, _, entry in each_entry(entries)]
    stops = sorted({entry.best.config.stop_on for entry in every})
    words = (
        "Each training stops early and is judged at its best epoch by"
        f" {_several([stop.replace('_', ' ').replace('val ', 'validation ') for stop in stops])}."
        " The configuration with the highest mean validation score over the search's seeds was"
        " selected; no test score was read for it. It was then trained again on fresh seeds that"
        " selected nothing ("
    )
    spans = dict.fromkeys(
        f"seeds {min(column.seeds)} to {max(column.seeds)}" for column in entries.columns
    )
    words += f"{_several(spans)}), and these scores are reported."
    if all(entry.search.settings.sealed for entry in every):
        words += " Trials computed no test score at all (the searches were sealed)."
    looks = sum(entry.search.outcome.looks.total for entry in every)
    words += f" Trained seeds were scored on test nodes {looks:,} times in all."
    words += _validation_labels(entries)
    if any(column.splits > 1 for column in entries.columns):
        words += (
            " On graphs with several splits, test nodes of one split may be validation nodes of"
            " another and so have a say in the selection, as is usual on these graphs."
        )
    return words


def _validation_labels(entries: Entries) -> str:
    """Which methods learn from validation labels; the others stop and are selected by them."""
    phi, theta = [], []
    for name, _, entry in each_entry(entries):
        config = entry.best.config
        if config.model == "l2p" and config.level != "joint":
            phi.append(name)
        if config.extra_labels > 0.0:
            theta.append(name)
    words = ""
    if phi:
        words += (
            f" {_several(dict.fromkeys(phi))} {_learns(phi)} the distribution over propagation"
            " steps from validation labels."
        )
    if theta:
        words += f" {_several(dict.fromkeys(theta))} {_learns(theta)} weights from some of them."
    others = {name for name, _, _ in each_entry(entries)} - {*phi, *theta}
    if words and others:
        words += " The other methods use them for early stopping and selection only."
    return words


def _learns(names: Sequence[str]) -> str:
    return "learns" if len(set(names)) == 1 else "learn"


def _tests(entries: Entries, pairs: Sequence[Pair], overall: OverGraphs) -> str:
    words = (
        "± is the half width of the 95 % interval of the mean by Student's t: seeds of one split"
        " are averaged first and splits are counted; on a graph with one split seeds are counted."
        " It covers other seeds and splits of this graph. Intervals for other nodes of this kind,"
        " by seeds or splits crossed with nodes, stand beside it where nodes were recorded."
    )
    if any(len(entries.of(column)) > 1 for column in entries.columns):
        words += (
            " Methods that cannot be told from the best of a graph are found by Hsu's multiple"
            " comparisons with the best at 5 %, paired by split."
        )
    if pairs:
        words += (
            f" Every method is compared with {pairs[0].reference} by paired t-tests, and by two"
            f" one-sided tests for equivalence within {points(pairs[0].judged.margin)}, both"
            " adjusted by Holm's method over all comparisons of the table."
        )
    ranks = overall.ranks
    if ranks.critical_difference is not None and ranks.friedman_p is not None:
        words += (
            f" Friedman's test of equal ranks over {count(len(ranks.graphs), 'graph')} (exact on"
            f" few graphs, else by Iman and Davenport's F) has {_p(ranks.friedman_p)}"
        )
        if ranks.friedman_p <= RISK:
            words += (
                f"; Nemenyi's critical difference at 5 % is {ranks.critical_difference:.2f} ranks."
            )
        else:
            words += ", so that ranks tell no method from another."
        tested = [f"{each.second} against {each.first} {_p(each.p)}" for each in overall.pairs]
        words += (
            f" Wilcoxon signed-rank tests over graphs, by Holm: {', '.join(tested)}; so few graphs"
            f" can give no p below {min(each.least_p for each in overall.pairs):.3f}."
        )
    elif overall.reason:
        words += f" No test over graphs was made: {overall.reason}."
    for repeated, graph in overall.repeats.items():
        words += f" {repeated} has the features and labels of {graph} and is not counted again."
    return words


def _means(entries: Entries) -> str:
    every = [entry for _, _, entry in each_entry(entries)]
    machines = _machines(every)
    return (
        f"Software: {_version_text(every)}."
        f" Hardware: {', '.join(machines) or 'not recorded'}."
        f" All trials and confirmations took {_hours(every)}."
    )


def _hours(every: Sequence[Entry]) -> str:
    spent = [_cpu(entry) for entry in every]
    known = [each for each in spent if each is not None]
    if len(known) < len(spent):
        hours = sum(entry.spent.seconds for entry in every) / 3600
        return f"{hours:.3g} hours by the clock (CPU time was not recorded for all of them)"
    return f"{sum(known) / 3600:.3g} CPU hours"


def _cpu(entry: Entry) -> float | None:
    """The CPU time of all that a search has trained."""
    trials, after = entry.spent.cpu_seconds, entry.spent.after
    return None if trials is None or after is None else trials + after


def _versions(every: Sequence[Entry]) -> dict[str, list[str]]:
    """Package -> its version in each invocation of each search."""
    found: dict[str, list[str]] = {}
    for entry in every:
        for invocation in entry.search.journal.invocations:
            for package, version in invocation.get("versions", {}).items():
                found.setdefault(str(package), []).append(str(version))
    return found


def _version_text(every: Sequence[Entry]) -> str:
    named = [
        f"{package} {' and '.join(dict.fromkeys(versions))}"
        for package, versions in _versions(every).items()
    ]
    return ", ".join(named) or "versions were not recorded"


def _machines(every: Sequence[Entry]) -> list[str]:
    found = []
    for entry in every:
        for invocation in entry.search.journal.invocations:
            machine = invocation.get("machine", {})
            if "cpu" in machine:
                threads = int(machine.get("threads", 1))
                device = invocation.get("device", "cpu")
                found.append(
                    f"{machine['cpu']} ({count(threads, 'thread')} per trial, device {device})"
                )
    return list(dict.fromkeys(found))


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _several(words: Iterable[str]) -> str:
    """a, b and c."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
