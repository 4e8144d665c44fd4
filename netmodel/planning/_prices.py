"""What one more adapter, core or Gbit/s of line is worth to a plan: its shadow prices."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._numeric import ROUNDING_RATIO, Floats, require_one
from netmodel._text import few_names
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path._path import LINE_STAGES, Path
from netmodel.path._uncertain import quoted_of
from netmodel.planning._answer import resource_text
from netmodel.planning._demand import Demand
from netmodel.planning._loads import Kind, Loads, loads_of
from netmodel.planning._plan import Plan
from netmodel.planning.sizing import BestMix, best_mix
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import GIGA, WHOLE_PERCENT

_PART_RATIO = 0.01
"""A stage that is not bought in units is priced for one percent more capacity."""
ADAPTER_UNIT = "adapter at each side"
LINE_UNIT = "Gbit/s of each line"
PART_UNIT = "% of its capacity"
_DIGITS = 3
"""Significant digits of prices: one more than the costs of the field repeat to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowPrice:
    """
    What more of one resource of a plan is worth.

    Parameters
    ----------
    resource : str
        Stage, pool or limit.
    kind : Kind
        What it is to a planner.
    unit : str
        What is bought of it: an adapter at each side, a core, 1 Gbit/s of each line; one percent
        of what is not bought in units.
    price_ratio_per_unit : float
        By how much all volumes may grow for a little more of this resource alone, per unit, as a
        ratio to the planned volumes; 0 where it is not the bottleneck, or where another ties.
    loss_ratio_per_unit : float
        By how much they would have to shrink for a little less of it, per unit.
    whole_unit_ratio : float
        By how much they may grow with one whole unit more, computed anew. An adapter brings all
        its directions, and connections divide over one more.
    price_value_per_unit : float, optional
        What a little more of it earns, per unit, in the mix that is worth most beyond the planned
        volumes; None where no flow has a value, or the planned volumes do not fit.
    whole_unit_value : float, optional
        The same with one whole unit more.
    is_binding : bool
        Whether it is used up when all volumes grow as far as they may.
    slack_ratio : float
        Share of what may be used of it that is left then.
    tied_with : tuple of str
        Other resources that are used up at the same volumes.
    """

    resource: str
    kind: Kind
    unit: str
    price_ratio_per_unit: float
    loss_ratio_per_unit: float
    whole_unit_ratio: float
    price_value_per_unit: float | None
    whole_unit_value: float | None
    is_binding: bool
    slack_ratio: float
    tied_with: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "resource": self.resource,
            "kind": self.kind.value,
            "unit": self.unit,
            "price_ratio_per_unit": self.price_ratio_per_unit,
            "loss_ratio_per_unit": self.loss_ratio_per_unit,
            "whole_unit_ratio": self.whole_unit_ratio,
            "price_value_per_unit": self.price_value_per_unit,
            "whole_unit_value": self.whole_unit_value,
            "is_binding": self.is_binding,
            "slack_ratio": self.slack_ratio,
            "tied_with": list(self.tied_with),
        }

    @property
    def text(self) -> str:
        """In a line: what one more unit adds, or what is left of it."""
        if not self.is_binding:
            left = f"{WHOLE_PERCENT * self.slack_ratio:.{_DIGITS}g} %"
            return f"{resource_text(self.resource)}: more of it adds nothing, {left} is left"
        unit = self.unit if self.unit == PART_UNIT else f" {self.unit}"
        of = "" if self.kind is Kind.CORES else f"{resource_text(self.resource)}: "
        more = f"{of}1{unit} more adds"
        if not self.whole_unit_ratio:
            others = few_names([resource_text(name) for name in self.tied_with], "others")
            return f"{more} nothing alone: {others} just as scarce"
        gain = f"{WHOLE_PERCENT * self.whole_unit_ratio:.{_DIGITS}g} % to the volumes"
        earned = self.whole_unit_value
        return f"{more} {gain}" + ("" if earned is None else f", worth {earned:,.{_DIGITS}g}")


def shadow_prices(
    demand: Demand,
    plan: Plan,
    *,
    values: Sequence[float | None] = (),
    adapter_count: int | None = None,
    core_counts: Mapping[Side, float] | None = None,
) -> tuple[ShadowPrice, ...]:
    r"""
    What one more unit of each resource of a plan adds to the volumes, and what it earns.

    Parameters
    ----------
    demand : Demand
        With the flows at their planned rates.
    plan : Plan
        Of this demand.
    values : sequence of float or None
        What one transaction/s of each flow is worth; none where nothing is worth anything.
    adapter_count : int, optional
        Adapters at each side; those of the plan when left out.
    core_counts : mapping of Side to float, optional
        Cores of a side; where left out those that the path has, else those of the plan.

    Returns
    -------
    prices : tuple of ShadowPrice
        The resource that limits first, then by what is left.

    Raises
    ------
    DomainError
        If no number of adapters is enough and none is given, or the numbers of values and flows
        differ.

    Notes
    -----
    The fixed mix may grow to

    .. math:: \lambda^* = \min_r \frac{C_r}{L_r}

    with the load :math:`L_r` of the planned volumes and what may be used, :math:`C_r`: while all
    work, and after as many have failed as may fail. More of the only resource :math:`r` that
    binds adds :math:`\lambda^* / n_r` per unit of its :math:`n_r` units; of one that does not
    bind, nothing. Where two tie, more of one alone adds nothing, and less of it takes away as
    much. With values the mix is free beyond the planned volumes: see
    :func:`netmodel.planning.sizing.best_mix`.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the bottleneck.

    G. B. Dantzig, "Linear programming and extensions", Princeton (1963), chapter 12.
    """
    count = plan.chosen_count if adapter_count is None else adapter_count
    loads = loads_of(demand, plan, adapter_count=count, core_counts=core_counts)
    assert count is not None  # else there are no loads
    if values and len(values) != len(demand.flows):
        raise DomainError(f"give a value for each of {len(demand.flows)} flows; got {len(values)}")
    rows = _rows(loads, demand, plan)
    more_adapters = _rows(
        loads_of(demand, plan, adapter_count=count + 1, core_counts=core_counts), demand, plan
    )
    # (1) the fixed mix: lambda* = min C_r / L_r, and which resources tie for it
    most = min(row.scale_ratio for row in rows)
    ties = [row for row in rows if row.scale_ratio <= most * (1 + ROUNDING_RATIO)]
    # (2) the mix that is worth most; only volumes that fit can be given more
    worth = np.array([0.0 if each is None else float(each) for each in values])
    earned = None
    if worth.any() and most >= 1 - ROUNDING_RATIO:
        worth = worth * [flow.transaction_rate_tps for flow in demand.flows]
        earned = _mix(rows, worth)
    prices = []
    for place, row in enumerate(rows):
        # (3) one unit of it alone, marginally, and what is bought with one whole unit
        full = [each for each in row.states if each.scale_ratio <= most * (1 + ROUNDING_RATIO)]
        gains = [each.scale_ratio * each.grows_ratio for each in full]
        losses = [each.scale_ratio * each.shrinks_ratio for each in full]
        is_tied = any(row is other for other in ties)
        others = more_adapters
        if row.unit != ADAPTER_UNIT:
            others = [*rows[:place], row.grown, *rows[place + 1 :]]
        prices.append(
            ShadowPrice(
                resource=row.name,
                kind=row.kind,
                unit=row.unit,
                price_ratio_per_unit=min(gains) if len(ties) == 1 and row is ties[0] else 0.0,
                loss_ratio_per_unit=max(losses, default=0.0),
                whole_unit_ratio=_but_for_rounding(
                    min(each.scale_ratio for each in others) - most, most
                ),
                price_value_per_unit=None if earned is None else _price_of(rows, place, earned),
                whole_unit_value=None
                if earned is None
                else _but_for_rounding(_mix(others, worth).value - earned.value, earned.value),
                is_binding=is_tied,
                slack_ratio=_but_for_rounding(1 - most / row.scale_ratio, 1.0),
                tied_with=tuple(other.name for other in ties if is_tied and other is not row),
            )
        )
    return tuple(sorted(prices, key=lambda each: each.slack_ratio))


def _but_for_rounding(gain: float, whole: float) -> float:
    """A gain over what there is; 0 where it is the rounding of that."""
    return gain if gain > ROUNDING_RATIO * whole else 0.0


class _State(NamedTuple):
    """
    What the planned volumes use of a resource, while all work or after failures.

    Parameters
    ----------
    use_ratios : numpy.ndarray
        Share that each flow uses, all together what is planned.
    limit_ratio : float
        Share that may be used.
    grows_ratio, shrinks_ratio : float
        By how much one unit more raises that, and one less lowers it, as ratios.
    """

    use_ratios: Floats
    limit_ratio: float
    grows_ratio: float
    shrinks_ratio: float

    @property
    def scale_ratio(self) -> float:
        """By which factor the volumes may grow, C_r / L_r."""
        return self.limit_ratio / float(self.use_ratios.sum())


class _Row(NamedTuple):
    """A resource that the flows use, and how it is bought."""

    name: str
    kind: Kind
    unit: str
    states: tuple[_State, ...]

    @property
    def scale_ratio(self) -> float:
        """By which factor the volumes may grow in all states."""
        return min(state.scale_ratio for state in self.states)

    @property
    def grown(self) -> "_Row":
        """With one unit more."""
        return self._replace(
            states=tuple(
                state._replace(limit_ratio=state.limit_ratio * (1 + state.grows_ratio))
                for state in self.states
            )
        )


def _rows(loads: Loads, demand: Demand, plan: Plan) -> list[_Row]:
    """Each resource that something is used of, in the case that the plan is made for."""
    cpus = {pool.name: f"{pool.of_side} {pool.unit}" for pool in plan.pools if pool.is_cpu}
    rows = []
    for load in loads.resources:
        lost = 0
        step = 1.0
        if load.name in LINE_STAGES:
            unit = LINE_UNIT
            step = GIGA / _line_rate_bps(demand.path, load.name) * load.unit_count
        elif load.kind is Kind.ADAPTER:
            unit, lost = ADAPTER_UNIT, plan.headroom.spare_count
        elif load.kind is Kind.CORES:
            unit, lost = cpus[load.name], plan.headroom.spare_core_count
        else:
            unit, step = PART_UNIT, _PART_RATIO
        # a faster line adds its capacity before and after a failure; a failed unit has none
        units = (load.unit_count, load.unit_count if unit == LINE_UNIT else load.unit_count - lost)
        case = load.case_of(plan.corner)
        states = []
        for is_after, count in enumerate(units):
            table = load.after_failure_flow_use_ratios if is_after else load.flow_use_ratios
            row, total = table[case], float(load.uses(after_failure=bool(is_after))[case])
            if total > 0 and count > 0:
                limit = load.after_failure_limit_ratio if is_after else load.limit_ratio
                # flows whose loads at the same times are known use less than their sum
                share = step / count
                states.append(_State(row * (total / row.sum()), limit, share, share))
        # where one state leaves less to every flow, the other says nothing; where both leave the
        # same, the first gains less from a unit more, and the other loses more with one less
        takes = [state.use_ratios / state.limit_ratio for state in states]
        if len(states) == len(units) and (takes[1] <= takes[0] * (1 + ROUNDING_RATIO)).all():
            is_same = (takes[0] <= takes[1] * (1 + ROUNDING_RATIO)).all()
            losing = states[1] if is_same else states[0]
            states = [states[0]._replace(shrinks_ratio=losing.shrinks_ratio)]
        elif len(states) == len(units) and (takes[0] <= takes[1]).all():
            states = states[1:]
        if states:
            rows.append(_Row(load.name, load.kind, unit, tuple(states)))
    return rows


def _line_rate_bps(path: Path, name: str) -> float:
    """MAC rate of a direction of the line. [bit/s]"""
    line = next(stage for stage in path.stages if stage.name == name)
    times = (line.to_server, line.to_client)
    per_byte_s = next(each.per_byte_s for each in times if each.named)
    return BITS_PER_BYTE / require_one("per_byte_s", quoted_of(per_byte_s))


def _mix(rows: Sequence[_Row], worth: Floats) -> BestMix:
    """The mix that is worth most, in multiples of the planned volumes and not below them."""
    states = [state for row in rows for state in row.states]
    limits = np.array([state.limit_ratio for state in states])
    table = np.array([state.use_ratios for state in states])
    # the rounding of a plan that fits exactly
    limits = np.maximum(limits, table.sum(axis=1))
    return best_mix(limits, table, worth, 1.0)


def _price_of(rows: Sequence[_Row], place: int, earned: BestMix) -> float:
    """What a little more of a resource earns, per unit."""
    before = sum(len(row.states) for row in rows[:place])
    return sum(
        float(earned.gain_prices[before + number]) * state.limit_ratio * state.grows_ratio
        for number, state in enumerate(rows[place].states)
    )
