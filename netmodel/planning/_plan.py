"""What a demand needs on one kind of path: adapters by direction, CPUs by side."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from netmodel.consumption import Side
from netmodel.consumption.cost import CpuCost
from netmodel.estimates import Predicted
from netmodel.frames import frame_of, range_row
from netmodel.grades import Grade
from netmodel.html import definition_table
from netmodel.path._from_records import host_pool_name
from netmodel.path._settings import Setting, settings_text
from netmodel.path.distance import Distance
from netmodel.planning._answer import (
    answer_text,
    candidate_columns,
    need_columns,
    plain_number,
)
from netmodel.planning._carried import Carried
from netmodel.planning._flows import Flow
from netmodel.planning._resources import Headroom, largest, planned
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Listing, columns_html, columns_table, fitted
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.planning._demand import Demand

_CPU = "CPU"
"""Time basis of a host whose record does not say whether a CPU is a core or a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUse(Result):
    """
    How much of a stage a demand uses.

    Parameters
    ----------
    name : str
        That of the stage.
    is_of_adapters : bool
        Whether each adapter brings one.
    adapter_count : Predicted, optional
        Adapters that it needs, with the spares; None where they do not change it.
    use_ratio : Predicted, optional
        Share that is used of it with the adapters of the plan; None where no
        number of them is enough.
    after_failure_ratio : Predicted, optional
        The same while as many have failed as may fail.
    """

    name: str
    is_of_adapters: bool
    adapter_count: Predicted[float] | None
    use_ratio: Predicted[float] | None
    after_failure_ratio: Predicted[float] | None

    @property
    def uses(self) -> tuple[Predicted[float] | None, ...]:
        """Shares in use with all adapters, and after failures."""
        return self.use_ratio, self.after_failure_ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionNeed(Result):
    """
    Adapters that one direction of one side needs.

    Parameters
    ----------
    side : Side
        Whose adapters.
    direction : str
        ``"out"`` or ``"in"``, as seen from its host.
    binding : StageUse
        The stage that needs most of them.
    adapter_count : Predicted
        How many, with the spares; infinite where no number is enough.
    """

    side: Side
    direction: str
    binding: StageUse
    adapter_count: Predicted[float]

    json_keys = "side direction binding=binding.name adapter_count"


def scarcest(directions: Sequence[DirectionNeed], asked_side: Side | None) -> DirectionNeed:
    """Return the direction of a side, or of both, that needs and uses most adapters."""

    def need(direction: DirectionNeed) -> tuple[float, float]:
        use = direction.binding.use_ratio
        return planned(direction.adapter_count), 0.0 if use is None else planned(use)

    return max((each for each in directions if asked_side in (None, each.side)), key=need)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNeed(Result):
    """
    CPUs, or other servers, that the stages of a pool need.

    Parameters
    ----------
    name : str
        That of the pool.
    side : Side, optional
        Whose it is.
    is_cpu : bool
        Whether its time is CPU time.
    busy_count : Predicted
        Those that the demand keeps busy.
    needed_count : Predicted
        Whole ones of which no more than allowed is used.
    present_count : float, optional
        Those that the path has, the value to quote; None where that is not known.
    time_basis : str
        What one of them is: a thread, or a core with one busy thread.
    core_count : Predicted
        Whole cores for that, with what a second thread gains, and spare cores.
    cost : CpuCost, optional
        The cost that the demand was computed from; None where service times were.
    smt_gain : Predicted, optional
        Work of a core with two busy threads over that with one, where it counts.
    """

    name: str
    side: Side | None
    is_cpu: bool
    busy_count: Predicted[float]
    needed_count: Predicted[float]
    present_count: float | None
    time_basis: str
    core_count: Predicted[float]
    cost: CpuCost | None = None
    smt_gain: Predicted[float] | None = None

    json_keys = (
        "name side is_cpu busy_count needed_count present_count time_basis "
        "core_count=cpu_core_count cost=cost.given_text smt_gain"
    )

    @property
    def cpu_core_count(self) -> Predicted[float] | None:
        """Whole cores that are needed; None where its time is not CPU time."""
        return self.core_count if self.is_cpu else None

    @property
    def unit(self) -> str:
        """What is planned: cores, or CPUs where it is not known whether these are threads."""
        return _CPU if self.time_basis == _CPU else "core"

    @property
    def of_side(self) -> str:
        """Whose CPUs: the side of a host, else the name of the pool."""
        if self.side is not None and self.name == host_pool_name(self.side):
            return self.side.value
        return self.name


@dataclass(frozen=True, kw_only=True)
class Plan(Result):
    """
    What a demand needs on one kind of path, and what is used of it then.

    Parameters
    ----------
    flows : tuple of Flow
        The demand.
    client_adapter, server_adapter : str, optional
        Ids of the adapters; None where the path has none there.
    path : str, optional
        Id of the record of the path, where there is one.
    mtu_bytes : float
        Largest innermost packet. [byte]
    headroom : Headroom
        What may be used, and what may fail.
    adapter_count : Predicted
        Adapters at each side, or of the side that is asked for, with the spares, as a lower bound:
        the rates that they carry are upper bounds. Infinite where no number is enough.
    one_adapter : Carried
        What one adapter at each side carries, in full use.
    stages : tuple of StageUse
        Stages that the flows share, in the order of the path.
    directions : tuple of DirectionNeed
        Each direction of each side that carries something.
    pools : tuple of PoolNeed
        CPUs and other servers, as far as the path has service times for the flows.
    shortfalls : tuple of str
        Why the demand is not carried, regardless of the number of adapters.
    grade : Grade, optional
        The worst grade of all parameters.
    notes : tuple of str
        What the plan leaves out or rests on, most important first.
    settings : tuple of Setting
        What the adapters were measured with, such as offloads.
    distance : Distance, optional
        What lies between the sites.
    count_without_spares : Predicted
        Adapters at each side with the share that may be used while all work, without spares.
    count_by_bounds : Predicted
        The same by upper bounds of rates alone; fewer where connections are expected to reach the
        planned rate only over more adapters.
    adapters_available : int, optional
        Adapters at each side, or of the side that is asked for, that there are; None for any
        number.
    volume_bytes : float, optional
        Payload of a copy, of which the time is asked for. [byte]
    asked_side : Side, optional
        Whose adapters are counted, where the demand asks for one side; None for those of each.
    demand : Demand, optional
        What it was made from, with the records of all values; not compared, and not in JSON.

    Examples
    --------
    >>> import netmodel
    >>> (plan,) = netmodel.plan("40 Gbit/s", adapters="ethernet-25gbe", mtu_bytes=1500)
    >>> plan.chosen_count
    4
    """

    flows: tuple[Flow, ...]
    client_adapter: str | None
    server_adapter: str | None
    path: str | None
    mtu_bytes: float
    headroom: Headroom
    adapter_count: Predicted[float]
    count_without_spares: Predicted[float]
    count_by_bounds: Predicted[float]
    one_adapter: Carried
    stages: tuple[StageUse, ...]
    directions: tuple[DirectionNeed, ...]
    pools: tuple[PoolNeed, ...]
    shortfalls: tuple[str, ...]
    grade: Grade | None
    notes: tuple[str, ...]
    settings: tuple[Setting, ...] = ()
    distance: Distance | None = None
    adapters_available: int | None = None
    volume_bytes: float | None = None
    asked_side: Side | None = None
    demand: "Demand | None" = field(default=None, repr=False, compare=False)

    json_keys = (
        "client_adapter server_adapter path mtu_bytes distance answer holds one_adapter "
        "count_without_spares adapters_available chosen_count asked_side side_counts "
        "adapter_count binding max_utilisation_ratio=headroom.max_utilisation_ratio "
        "max_utilisation_after_failure_ratio=headroom.after_failure_ratio "
        "spare_count=headroom.spare_count directions stages pools flows copy_time_s shortfalls "
        "measured_with=settings grade notes"
    )

    @property
    def chosen_count(self) -> int | None:
        """Adapters at each side that are planned; None where no number is enough."""
        count = planned(self.adapter_count)
        return int(count) if math.isfinite(count) else None

    @property
    def copy_time_s(self) -> float | None:
        """Time of a copy at the planned rate of all flows, or at the one that they reach. [s]"""
        if self.volume_bytes is None or self.demand is None:
            return None
        limits = [
            self.demand.flow_limits(place, self.chosen_count or 1)
            for place in range(len(self.flows))
        ]
        slowed = max([1.0, *(planned(use) for each in limits for use in each.values())])
        rate_bps = sum(flow.payload_rate_bps for flow in self.flows) / slowed
        return BITS_PER_BYTE * self.volume_bytes / rate_bps

    @property
    def side_counts(self) -> dict[Side, Predicted[float]]:
        """Adapters that each side needs for what it sends and receives, with the spares."""
        needs = {
            side: [need.adapter_count for need in self.directions if need.side is side]
            for side in Side
        }
        return {side: largest(counts) for side, counts in needs.items() if counts}

    @property
    def where(self) -> str:
        """Whose adapters are counted, in words."""
        return "at each side" if self.asked_side is None else f"at the {self.asked_side.value}"

    @property
    def holds(self) -> bool:
        """Whether the demand is carried with the headroom."""
        return self.chosen_count is not None and not self.shortfalls

    @property
    def binding(self) -> str:
        """The stage that needs most adapters."""
        return self.scarcest.binding.name

    @property
    def equipment(self) -> str:
        """Ids of the adapters, client first, once where both are the same; and of the path."""
        ids = dict.fromkeys(filter(None, (self.client_adapter, self.server_adapter)))
        over = filter(None, (" to ".join(ids), self.path))
        return " over ".join(over)

    @property
    def text(self) -> str:
        """The decision in a sentence, and what is needed of each side."""
        return f"{self.answer}\n\n{columns_table(need_columns(self))}"

    def details(self) -> str:
        """Lines on what the plan rests on."""
        return "\n".join(map(": ".join, self._rows()))

    def __str__(self) -> str:
        notes = (f"note: {note}" for note in self.notes)
        return fitted("\n".join([self.text, "", self.details(), *notes]))

    def __repr__(self) -> str:
        return short_repr(self, f"{self.equipment}, MTU {self.mtu_bytes:g}: {self.answer}")

    def _repr_html_(self) -> str:
        notes = (("note", note) for note in self.notes)
        table = columns_html(self.answer, need_columns(self))
        return table + definition_table("", (*self._rows(), *notes))

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each stage: adapters that it needs, and the share of it in use.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {
                "stage": stage.name,
                "is_of_adapters": stage.is_of_adapters,
                **range_row("adapter_count", stage.adapter_count),
                **range_row("use_ratio", stage.use_ratio),
                **range_row("after_failure_ratio", stage.after_failure_ratio),
            }
            for stage in self.stages
        ]
        return frame_of(rows, "stage")

    @property
    def answer(self) -> str:
        """The decision in a sentence."""
        return answer_text([self])

    @property
    def cpu_needs(self) -> list[PoolNeed]:
        """Those of the sides, of which CPUs are planned."""
        return [pool for pool in self.pools if pool.is_cpu and pool.side is not None]

    @property
    def scarcest(self) -> DirectionNeed:
        """The direction that needs most adapters, and uses most of them."""
        return scarcest(self.directions, self.asked_side)

    def _cost_texts(self, cost: CpuCost) -> Iterator[str]:
        """The cost in both units, for each size of transactions."""
        sizes = {flow.name: flow.traffic.exchanged_bytes for flow in self.flows}
        if cost.case and len(self.flows) > 1:
            yield f"{cost.given_text}, for each flow by the printed ratio"
            return
        for name, exchanged_bytes in sizes.items():
            yield f"{cost.conversion_text(float(exchanged_bytes))}, of {name}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield from (("flow", str(flow)) for flow in self.flows)
        for pool in self.pools:
            if pool not in self.cpu_needs:
                needed, busy = planned(pool.needed_count), planned(pool.busy_count)
                noun = "CPUs" if pool.is_cpu else "servers"
                yield pool.name, f"{plain_number(needed)} {noun}, {plain_number(busy)} busy"
            if pool.cost is not None and pool.side is not None:
                yield f"{pool.side.value} cost", "; ".join(self._cost_texts(pool.cost))
        if self.grade is not None:
            yield "evidence", f"{self.grade.value}, the weakest of all parameters"
        if self.settings:
            yield "measured with", settings_text(self.settings)
        yield from (("not enough", text) for text in self.shortfalls)


class Plans(Listing[Plan]):
    """
    Plans of one demand, the best first; shown as a table of candidates.

    Examples
    --------
    >>> import netmodel
    >>> netmodel.plan("18 Gbit/s in", adapters="osa-express7s-25gbe", mtu_bytes=1500).answer
    '3 adapters (2 + 1 spare): OSA-Express7S receives at most 13.4 Gbit/s at MTU 1500.'
    """

    __slots__ = ()

    @property
    def best(self) -> Plan:
        """The first."""
        return self[0]

    @property
    def holds(self) -> bool:
        """Whether a candidate carries the demand."""
        return self.best.holds

    @property
    def answer(self) -> str:
        """The decision in a sentence."""
        return answer_text(self)

    @property
    def columns(self) -> list[Column]:
        """A row for each candidate; of a single one what each side needs."""
        return candidate_columns(self) if len(self) > 1 else need_columns(self.best)

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the best."""
        return self.best.notes

    def blocks(self, is_verbose: bool = False) -> list[str]:
        """The answer and the table; and what the best rests on."""
        details = "\n".join([self.best.details(), *map(str, self.best.settings)])
        table = columns_table(self.columns, is_verbose)
        return [self.answer, table, *([details] if is_verbose else [])]

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each candidate.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        rows = [
            {
                "candidate": each.equipment,
                "mtu_bytes": each.mtu_bytes,
                "holds": each.holds,
                **range_row("adapter_count", each.adapter_count),
                **{
                    f"{pool.side.value}_core_count": planned(pool.core_count)
                    for pool in each.cpu_needs
                    if pool.side is not None
                },
            }
            for each in self
        ]
        return frame_of(rows, "candidate")
