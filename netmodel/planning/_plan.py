"""What a demand needs on one kind of path: adapters by direction, CPUs by side."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from netmodel._display import short_repr
from netmodel._estimates import Predicted
from netmodel._frame import frame_of, range_row
from netmodel._grades import Grade
from netmodel._html import bar, definition_table, row_table
from netmodel._numeric import require_plain
from netmodel._terminal import fitted
from netmodel._text import fixed_percent, percent_text, text_table
from netmodel.consumption import Side
from netmodel.consumption._cost import CpuCost
from netmodel.path._distance import Distance
from netmodel.path._from_records import host_pool_name
from netmodel.path._settings import Setting, settings_text
from netmodel.planning._answer import (
    BUSY_DIGITS,
    CARRIED_DIGITS,
    answer_text,
    busy_number,
    counts_range_text,
    plain_number,
)
from netmodel.planning._carried import Carried
from netmodel.planning._expected_load import ExpectedLoad
from netmodel.planning._flows import Flow
from netmodel.planning._resources import Corner, Headroom, Spreading, largest

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.planning._demand import Demand

_HEADS = ("side", "direction", "bottleneck", "adapters", "range", "in use", "after failure")
_NUMBERS = frozenset({"adapters", "in use", "after failure"})
"""Columns of numbers, aligned on the right."""
_CPU_HEADS = (
    *("CPUs of", "needed", "range", "busy", "busy range", "time of", "use", "spare", "SMT gain"),
    "present",
)
_CPU_NUMBERS = frozenset({"needed", "busy", "use", "spare", "present"})
"""Columns of numbers, aligned on the right."""
_CPU = "CPU"
"""Time basis of a host whose record does not say whether a CPU is a core or a thread."""


_OF_THE_EVIDENCE = {*(f"{side.value} cost" for side in Side), "evidence", "measured with"}
"""Rows about where the figures of a plan come from."""
_SIZED_FOR = {
    Corner.WORST: "worst case within the parameter uncertainty",
    Corner.VALUE: "published figures as printed, where they leave most to carry",
    Corner.BEST: "best case within the parameter uncertainty",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StageUse:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "is_of_adapters": self.is_of_adapters,
            "adapter_count": _known(self.adapter_count),
            "use_ratio": _known(self.use_ratio),
            "after_failure_ratio": _known(self.after_failure_ratio),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectionNeed:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "side": self.side.value,
            "direction": self.direction,
            "binding": self.binding.name,
            "adapter_count": self.adapter_count.to_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolNeed:
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "side": self.side and self.side.value,
            "is_cpu": self.is_cpu,
            "busy_count": self.busy_count.to_dict(),
            "needed_count": self.needed_count.to_dict(),
            "present_count": self.present_count,
            "time_basis": self.time_basis,
            "core_count": self.core_count.to_dict() if self.is_cpu else None,
            "cost": self.cost and self.cost.given_text,
            "smt_gain": self.smt_gain and self.smt_gain.to_dict(),
        }

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
class Plan:
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
    corner : Corner
        Which of all values that parameters may have it is made for.
    spreading : Spreading
        How connections come to use several adapters.
    adapter_count : Predicted
        Adapters at each side, or of the side that is asked for, with the spares, as a lower bound:
        the rates that they carry are upper bounds. Infinite where no number is enough.
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
    deciding_note_count : int
        Notes, from the first on, that change the decision: texts have all of them.
    expected : ExpectedLoad, optional
        Time of a transaction and highest rate that are expected of a flow that is alone on the
        path; None where the bounds stand alone, or several flows meet.
    settings : tuple of Setting
        What the adapters were measured with, such as offloads.
    distance : Distance, optional
        What lies between the sites.
    count_without_spares : Predicted, optional
        Adapters at each side with the share that may be used while all work, without spares.
    count_by_bounds : Predicted, optional
        The same by upper bounds of rates alone; fewer where connections are expected to reach the
        planned rate only over more adapters.
    carried : tuple of Carried
        What one adapter carries, and what those that are available do.
    adapters_available : int, optional
        Adapters at each side, or of the side that is asked for, that there are; None for any
        number.
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
    corner: Corner
    spreading: Spreading
    adapter_count: Predicted[float]
    stages: tuple[StageUse, ...]
    directions: tuple[DirectionNeed, ...]
    pools: tuple[PoolNeed, ...]
    shortfalls: tuple[str, ...]
    grade: Grade | None
    notes: tuple[str, ...]
    deciding_note_count: int = 0
    expected: ExpectedLoad | None = None
    settings: tuple[Setting, ...] = ()
    distance: Distance | None = None
    count_without_spares: Predicted[float] | None = None
    count_by_bounds: Predicted[float] | None = None
    carried: tuple[Carried, ...] = ()
    adapters_available: int | None = None
    asked_side: Side | None = None
    demand: "Demand | None" = field(default=None, repr=False, compare=False)

    @property
    def one_adapter(self) -> Carried | None:
        """What one adapter at each side carries, in full use."""
        return self.carries(1)

    def carries(self, adapter_count: int) -> Carried | None:
        """
        What adapters at each side carry, in full use.

        Known of one, of those that are available, and of those that are left after failures.
        """
        require_plain(adapter_count=adapter_count)
        return next((each for each in self.carried if each.adapter_count == adapter_count), None)

    @property
    def chosen_count(self) -> int | None:
        """Adapters at each side at the corner of the plan; None where no number is enough."""
        count = self.corner.of(self.adapter_count)
        return int(count) if math.isfinite(count) else None

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
    def is_short_of_adapters(self) -> bool:
        """Whether fewer are available than are needed."""
        count, available = self.chosen_count, self.adapters_available
        return count is not None and available is not None and count > available

    @property
    def binding(self) -> str:
        """The stage that needs most adapters."""
        return self._scarcest.binding.name

    @property
    def binding_row(self) -> tuple[str, ...]:
        """Texts of that: side, direction, stage, adapters, their range, shares in use."""
        return self._row(self._scarcest)

    @property
    def equipment(self) -> str:
        """Ids of the adapters, client first, once where both are the same; and of the path."""
        ids = dict.fromkeys(filter(None, (self.client_adapter, self.server_adapter)))
        over = filter(None, (" to ".join(ids), self.path))
        return " over ".join(over)

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel plan``."""
        return {
            "client_adapter": self.client_adapter,
            "server_adapter": self.server_adapter,
            "path": self.path,
            "mtu_bytes": self.mtu_bytes,
            "distance": self.distance and self.distance.to_dict(),
            "answer": self.answer,
            "holds": self.holds,
            "one_adapter": self.one_adapter and self.one_adapter.to_dict(),
            "count_without_spares": _known(self.count_without_spares),
            "adapters_available": self.adapters_available,
            "chosen_count": self.chosen_count,
            "asked_side": self.asked_side and self.asked_side.value,
            "side_counts": {
                side.value: counts.to_dict() for side, counts in self.side_counts.items()
            },
            "adapter_count": self.adapter_count.to_dict(),
            "binding": self.binding,
            "corner": self.corner.value,
            "spreading": self.spreading.value,
            "max_utilisation_ratio": self.headroom.max_utilisation_ratio,
            "max_utilisation_after_failure_ratio": self.headroom.after_failure_ratio,
            "spare_count": self.headroom.spare_count,
            "spare_core_count": self.headroom.spare_core_count,
            "directions": [need.to_dict() for need in self.directions],
            "stages": [stage.to_dict() for stage in self.stages],
            "pools": [pool.to_dict() for pool in self.pools],
            "flows": [flow.to_dict() for flow in self.flows],
            "expected": self.expected and self.expected.to_dict(),
            "shortfalls": list(self.shortfalls),
            "measured_with": [each.to_dict() for each in self.settings],
            "grade": self.grade and self.grade.value,
            "notes": list(self.notes),
        }

    @property
    def text(self) -> str:
        """All of the plan for people, but for its notes."""
        return f"{self.answer}\n\n{self.details()}"

    def details(self, is_verbose: bool = True) -> str:
        """Tables and lines below the answer; what rests on what only if verbose."""
        heads, needs = self._table
        numbers = [place for place, head in enumerate(heads) if head in _NUMBERS]
        tables = [text_table([heads, *needs], right_aligned=numbers), ""]
        cpus = self._cpu_table
        if cpus:
            numbers = [place for place, head in enumerate(cpus[0]) if head in _CPU_NUMBERS]
            tables = [text_table(cpus, right_aligned=numbers), "", *tables]
        rows = [
            ": ".join(row) for row in self._rows() if is_verbose or row[0] not in _OF_THE_EVIDENCE
        ]
        return "\n".join([*tables, *rows])

    def __str__(self) -> str:
        return fitted("\n".join([self.text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, f"{self.equipment}, MTU {self.mtu_bytes:g}: {self.answer}")

    def _repr_html_(self) -> str:
        stages = [
            (
                stage.name,
                *(
                    bar(None if use is None else self.corner.of(use))
                    for use in (stage.use_ratio, stage.after_failure_ratio)
                ),
            )
            for stage in self.stages
        ]
        heads, *cpus = self._cpu_table or [()]
        notes = (("note", note) for note in self.notes)
        return (
            row_table(self.answer, *self._table)
            + row_table("Stages", ("stage", "in use", "after failure"), stages)
            + (row_table("CPUs", heads, cpus) if cpus else "")
            + definition_table("", (*self._rows(), *notes))
        )

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
    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Heads, and a row for each direction, without columns that are empty."""
        needs = [self._row(need) for need in self.directions]
        used = [place for place in range(len(_HEADS)) if any(row[place] for row in needs)]
        heads, *rows = ([row[place] for place in used] for row in (_HEADS, *needs))
        return heads, rows

    @property
    def answer(self) -> str:
        """Whether one adapter carries the demand, or those available do; how many are needed."""
        return answer_text(self)

    @property
    def cpu_needs(self) -> list[PoolNeed]:
        """Those of the sides, of which CPUs are planned."""
        return [pool for pool in self.pools if pool.is_cpu and pool.side is not None]

    @property
    def _cpu_table(self) -> list[tuple[str, ...]]:
        """Heads and a row of each side: CPUs with their range, headroom, spares and SMT."""
        rows = []
        for pool in self.cpu_needs:
            cores = self.corner.of(pool.core_count)
            gain = pool.smt_gain
            rows.append(
                (
                    pool.of_side,
                    f"{pool.core_count.bound.sign}{plain_number(cores)}",
                    counts_range_text(pool.core_count),
                    plain_number(busy_number(pool)),
                    counts_range_text(pool.busy_count, BUSY_DIGITS),
                    f"{pool.time_basis}s",
                    percent_text(self.headroom.max_utilisation_ratio, CARRIED_DIGITS),
                    plain_number(self.headroom.spare_core_count),
                    "" if gain is None else counts_range_text(gain) or plain_number(gain.value),
                    "" if pool.present_count is None else plain_number(pool.present_count),
                )
            )
        if not rows:
            return []
        table = [_CPU_HEADS, *rows]
        used = [place for place in range(len(_CPU_HEADS)) if any(row[place] for row in rows)]
        return [tuple(row[place] for place in used) for row in table]

    @property
    def _scarcest(self) -> DirectionNeed:
        def need(direction: DirectionNeed) -> tuple[float, float]:
            use = direction.binding.use_ratio
            count = self.corner.of(direction.adapter_count)
            return count, 0.0 if use is None else self.corner.of(use)

        asked = [each for each in self.directions if self.asked_side in (None, each.side)]
        return max(asked, key=need)

    def _row(self, need: DirectionNeed) -> tuple[str, ...]:
        shares = (need.binding.use_ratio, need.binding.after_failure_ratio)
        uses = (
            "" if share is None else f">= {fixed_percent(self.corner.of(share), 1)}"
            for share in shares
        )
        return (
            *(need.side.value, need.direction, need.binding.name),
            bound_text(self.corner.of(need.adapter_count)),
            counts_range_text(need.adapter_count),
            *uses,
        )

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
        yield "sized for", _SIZED_FOR[self.corner]
        for pool in self.pools:
            needed, busy = self.corner.of(pool.needed_count), self.corner.of(pool.busy_count)
            noun = f"CPU{'s' * (needed != 1)} ({pool.time_basis} time)"
            noun = noun if pool.is_cpu else f"server{'s' * (needed != 1)}"
            present = "" if pool.present_count is None else f", {pool.present_count:g} present"
            text = f"{plain_number(needed)} {noun} needed, {plain_number(busy)} busy{present}"
            if pool not in self.cpu_needs:
                yield pool.name, text
            if pool.cost is not None and pool.side is not None:
                yield f"{pool.side.value} cost", "; ".join(self._cost_texts(pool.cost))
        if self.expected is not None:
            yield "expected", str(self.expected)
        if self.grade is not None:
            yield "evidence", f"{self.grade.value}, the weakest of all parameters"
        if self.settings:
            yield "measured with", settings_text(self.settings)
        yield from (("not enough", text) for text in self.shortfalls)


def bound_text(count: float) -> str:
    """A number of adapters as a lower bound."""
    return f">= {plain_number(count)}" if math.isfinite(count) else "none"


def _known(estimate: Predicted[float] | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_dict()
