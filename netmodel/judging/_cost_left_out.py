"""Each printed CPU ratio against what all others leave of it, and what it would need."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple

from netmodel._estimates import Estimate
from netmodel._text import listed
from netmodel.judging._compared_facts import published
from netmodel.judging._cost_model import (
    CostRatio,
    CostSet,
    Demand,
    Work,
    can_hold,
    cost_ratios,
    is_identified,
    kept_of,
)

_NEEDS = {
    "streamed writes": "streamed writes whose cost changes with connections (batches, blocking)",
    "frames": "frames whose cost falls with connections (interrupts, aggregation)",
    "bytes": "bytes whose cost changes with connections (caches, buffers)",
    "sides": "client and server with demands of their own",
}
"""What a ratio may need beyond the model, by the part that would change, the smallest first."""
_ROUNDING = 1e-6
"""Of the ends of a range: ten times the tolerance of the solver."""
LOAD = "cost that rises or falls with the load itself, such as near the rate of a line"


class LeftOutRatio(NamedTuple):
    """
    A printed ratio, and what the ratios of other cases leave of it.

    Parameters
    ----------
    ratio : CostRatio
        As printed.
    is_kept : bool
        Whether the demands that keep as many ratios as possible keep it.
    predicted : Estimate
        What ratios of other cases leave of it; the two sides of a case are left out together.
    needs : str
        For a ratio that is not kept: the smallest change of the model with which it would be,
        all that are kept included.
    """

    ratio: CostRatio
    is_kept: bool
    predicted: Estimate
    needs: str

    @property
    def has_figure(self) -> bool:
        """Whether both ends are printed."""
        return 0 < self.ratio.fact.low <= self.ratio.fact.high < inf

    @property
    def is_identified(self) -> bool:
        """Whether the other ratios say something of it."""
        return is_identified(self.predicted)

    @property
    def is_inside(self) -> bool:
        """Whether what is printed and what is predicted have ratios in common."""
        fact = self.ratio.fact
        is_near = self.predicted.low <= fact.high and fact.low <= self.predicted.high
        return is_near and self.ratio.can_be_kept

    @property
    def missed_ratio(self) -> float:
        """How far what is printed is beyond what is predicted; 1 where it is inside."""
        fact = self.ratio.fact
        return max(1.0, self.predicted.low / fact.high, fact.low / self.predicted.high)

    @property
    def follows(self) -> bool:
        """Whether all that the others leave is as printed."""
        fact = self.ratio.fact
        low, high = fact.low * (1 - _ROUNDING), fact.high * (1 + _ROUNDING)
        return low <= self.predicted.low and self.predicted.high <= high


def left_out_costs(ratios: Sequence[CostRatio] | None = None) -> Iterator[LeftOutRatio]:
    """Each of the printed CPU ratios, predicted without its case; which are kept anew each time."""
    ratios = tuple(cost_ratios(published().facts)) if ratios is None else tuple(ratios)
    whole = kept_of(ratios)
    kept = {id(each) for each in whole.ratios}
    sets: dict[object, CostSet] = {}
    for each in ratios:
        if each.case not in sets:
            sets[each.case] = kept_of([other for other in ratios if other.case != each.case])
        predicted = sets[each.case].ratio(each.subject, each.baseline)
        is_kept = id(each) in kept
        yield LeftOutRatio(each, is_kept, predicted, "" if is_kept else _needed(whole, each))


def _needed(whole: CostSet, ratio: CostRatio) -> str:
    """The smallest change of the model with which a ratio would be kept."""
    if ratio.is_of_equal_work:
        return LOAD
    parts = tuple(_NEEDS)
    for names in [*((part,) for part in parts), parts[:3], parts]:
        if can_hold([_with(names, each) for each in (*whole.ratios, ratio)]):
            return _NEEDS[names[0]] if len(names) == 1 else f"all of: {listed(names)}"
    return LOAD


def _with(names: Sequence[str], ratio: CostRatio) -> CostRatio:
    """The ratio with some demands that change with connections, or are those of a side."""

    def of(demand: Demand) -> Demand:
        kind = demand.kind.split()[-1]
        of_streams = demand.kind == "streamed message"
        changes = (
            ("streamed writes" in names and of_streams)
            or ("frames" in names and kind == "frame")
            or ("bytes" in names and kind == "byte")
        )
        if changes and not demand.connection_count:
            demand = demand._replace(connection_count=ratio.connection_count)
        if "sides" in names:
            demand = demand._replace(adapter=f"{demand.adapter} of the {ratio.side}")
        return demand

    def works(work: Work) -> Work:
        return {of(demand): number for demand, number in work.items()}

    return ratio._replace(subject=works(ratio.subject), baseline=works(ratio.baseline))
