"""A summary that has all there can be."""

from dataclasses import replace

from l2p_search.display.summary import Summary
from l2p_search.held import Against, HeldAgainst, LabelAccess
from l2p_search.intervals import Interval
from l2p_search.other_nodes import Estimate
from l2p_search.results import TrialResult
from l2p_search.verdicts import Judged, verdict_on
from tests.searching.records.made import result

_DIFFERENCE = Interval(-1.0, -3.0, 1.0, 10)


def everything(summary: Summary) -> Summary:
    """A summary that has all there can be."""
    other: TrialResult = result((81.0, 82.0))
    mlp = Against("mlp", "MLP", other, _DIFFERENCE, _DIFFERENCE, judged=verdict_on(_DIFFERENCE))
    default = replace(mlp, role="default", name="the default configuration", trial=3)
    labels = LabelAccess(
        share=0.5,
        optimism=Interval(0.7, 0.1, 1.3, 10),
        test=Estimate(Interval(80.0, 79.0, 81.0, 10), Interval(80.0, 78.0, 82.0, 10)),
        control="APPNP on the same labels",
        control_test=Estimate(Interval(70.0, 69.0, 71.0, 10), None),
        difference=Estimate(Interval(10.0, 9.0, 11.0, 10), Interval(10.0, 8.0, 12.0, 10)),
        judged=Judged("better"),
    )
    held = HeldAgainst(
        (default, mlp), fresh_splits=other, rule="20x48/32/20", own_share=0.2, labels=labels
    )
    return replace(
        summary,
        elsewhere=Interval(80.0, 76.0, 84.0, 10),
        luck=Estimate(Interval(80.0, 77.0, 83.0, 10), Interval(80.0, 75.0, 85.0, 10)),
        nested=Estimate(Interval(81.0, 80.0, 82.0, 10), Interval(81.0, 78.0, 84.0, 10)),
        overtuning=Interval(0.4, -0.1, 0.9, 10),
        paper="85.20 % (l2q)",
        held=held,
        confirmations={**summary.confirmations, 99: other},
    )
