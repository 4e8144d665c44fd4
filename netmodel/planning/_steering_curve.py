"""What receive packet steering (RPS) changes with the number of connections, from runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from netmodel._display import short_repr
from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._html import definition_table
from netmodel._numeric import Floats, of_plain_numbers
from netmodel._numpy import np
from netmodel._terminal import fitted
from netmodel._text import text_table
from netmodel.errors import DomainError
from netmodel.path._recorded_exchange import of_run, recorded_exchange, spread
from netmodel.records import Relation, Statement, statements
from netmodel.records._steering import steering_record
from netmodel.records._subjects import Change, QuantityKind

_LAST_COUNT = 1000
"""Connections up to which a gain is looked for: four times the most that was measured."""
_COUNTS_PER_DECADE = 20
"""Of the grid that finds where a gain begins: 12 % apart, and interpolated between."""
_QUANTITIES = {
    QuantityKind.TRANSACTION_TIME: "time",
    QuantityKind.CPU_CONSUMPTION: "CPU cost",
}
_WORDS = {Change.LESS: "lower", Change.SAME: "unchanged", Change.MORE: "higher", None: "compared"}
"""Of changes without a figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringChange:
    """
    What RPS changes with one number of connections: ratios with it over without.

    Parameters
    ----------
    connection_count : int
        Connections, each with one transaction at a time.
    time, cost : Estimate
        Of the expected transaction time and CPU cost, with the spread of the parameters.
    time_of_run, cost_of_run : Estimate
        The same of one run, which scatters besides.
    busy_cpus, steered_busy_cpus : Estimate
        CPUs of one host that are busy without RPS and with it.
    measured : tuple of str
        What published runs with and without RPS print for this case.
    """

    connection_count: int
    time: Estimate
    cost: Estimate
    time_of_run: Estimate
    cost_of_run: Estimate
    busy_cpus: Estimate
    steered_busy_cpus: Estimate
    measured: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Whether transactions become faster and cheaper, within the spread of the parameters."""
        return f"{_word(self.time, 'faster', 'slower')}, {_word(self.cost, 'cheaper', 'costlier')}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "connection_count": self.connection_count,
            "verdict": self.verdict,
            "transaction_time_ratio": _interval(self.time, self.time_of_run),
            "cpu_cost_ratio": _interval(self.cost, self.cost_of_run),
            "busy_cpus": self.busy_cpus.to_dict(),
            "steered_busy_cpus": self.steered_busy_cpus.to_dict(),
            "measured": list(self.measured),
        }


@dataclass(frozen=True, kw_only=True)
class SteeringCurve:
    """
    What RPS changes over connections, on hosts and adapters like those that were measured.

    Parameters
    ----------
    adapter, workload : str
        Their ids.
    queue_count, cpu_count, steered_count : int
        Receive queues, CPUs of each host, and how many of them RPS steers to.
    changes : tuple of SteeringChange
        One for each number of connections.
    faster_from, cheaper_from : Estimate
        Connections from which transactions are faster, or cheaper, with RPS; infinite where it
        does not happen up to 1000.
    measured_counts : tuple of int
        Connections of the runs that the model is calibrated from.
    measured_cpu_count : int
        CPUs of their hosts, all of which RPS steered to.
    """

    adapter: str
    workload: str
    queue_count: int
    cpu_count: int
    steered_count: int
    changes: tuple[SteeringChange, ...]
    faster_from: Estimate
    cheaper_from: Estimate
    measured_counts: tuple[int, ...]
    measured_cpu_count: int

    @property
    def answer(self) -> str:
        """When RPS pays, in a sentence."""
        start = self.faster_from
        if not np.isfinite(start.low):
            return f"RPS makes no transaction faster up to {_LAST_COUNT} connections"
        cheaper = self.cheaper_from
        cost = (
            f"; CPU time per transaction falls from about {_counts(cheaper)} connections on"
            if np.isfinite(cheaper.low)
            else ""
        )
        if not np.isfinite(start.value):
            # of all values that the calibration leaves, only some make them faster at all
            may = f"RPS may make transactions faster from {start.low:.0f} connections on"
            return f"{may}, or nowhere up to {_LAST_COUNT}{cost}"
        return f"RPS pays from about {_counts(start)} connections on: transactions are faster{cost}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures rest on, the most important first."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        yield (
            f"ratios with RPS over without, {100 * LEVEL_RATIO:g} % intervals; calibrated from "
            "published figures"
        )
        counts = self.measured_counts
        asked = [change.connection_count for change in self.changes]
        if min(asked) < counts[0] or max(asked) > counts[-1]:
            yield f"extrapolation: measured with {counts[0]} to {counts[-1]} connections"
        if {self.cpu_count, self.steered_count} != {self.measured_cpu_count}:
            yield f"extrapolation: measured with RPS to all of {self.measured_cpu_count} CPUs"
        yield "the MTU of the published runs is not reported"
        yield "for hosts and kernels like the measured ones: measure yours with and without RPS"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units; null where RPS never gains."""
        return {
            "adapter": self.adapter,
            "workload": self.workload,
            "queue_count": self.queue_count,
            "cpu_count": self.cpu_count,
            "steered_cpu_count": self.steered_count,
            "answer": self.answer,
            "faster_from_connections": self.faster_from.known(),
            "cheaper_from_connections": self.cheaper_from.known(),
            "changes": [change.to_dict() for change in self.changes],
            "notes": list(self.notes),
        }

    @property
    def table(self) -> str:
        """The changes as columns, then what was measured of them."""
        rows = [
            (
                str(change.connection_count),
                _percent(change.time),
                _percent(change.cost),
                change.verdict,
            )
            for change in self.changes
        ]
        measured = [
            (str(change.connection_count), "; ".join(change.measured))
            for change in self.changes
            if change.measured
        ]
        tables = [text_table([("connections", "time", "CPU cost", "with RPS"), *rows], [0])]
        if measured:
            tables.append(text_table([("connections", "measured"), *measured], [0]))
        return "\n\n".join(tables)

    def __str__(self) -> str:
        return fitted(
            "\n".join([self.answer, "", self.table, *(f"note: {each}" for each in self.notes)])
        )

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        rows = [
            (
                f"{change.connection_count} connections",
                f"time {_percent(change.time)}, CPU cost {_percent(change.cost)}",
            )
            for change in self.changes
        ]
        return definition_table(self.answer, (*rows, *(("note", note) for note in self.notes)))


@of_plain_numbers
def steering_over_connections(
    adapter: str,
    workload: str,
    connection_counts: Sequence[int],
    steered_count: int | None = None,
    cpu_count: int | None = None,
) -> SteeringCurve:
    """
    What RPS changes over connections between hosts and adapters like those of published runs.

    Parameters
    ----------
    adapter : str
        Id of the adapter of both hosts, with published runs with and without RPS.
    workload : str
        Id of the workload.
    connection_counts : sequence of int
        Connections, each with one transaction at a time.
    steered_count : int, optional
        CPUs that RPS steers to; all of a host when left out.
    cpu_count : int, optional
        CPUs (threads) of each host; those of the measured hosts when left out.

    Returns
    -------
    curve : SteeringCurve
        The changes with their intervals, and from how many connections RPS gains.

    Raises
    ------
    UnknownRecordError
        If no such runs are known of the adapter with the workload; names what there is.
    DomainError
        If a count is not a whole number from 1 on, or more CPUs are steered to than a host has.

    Notes
    -----
    The model is a closed network of both hosts: CPUs of the receive queues, CPUs that a hash
    chooses under RPS, and all CPUs as a pool. Its parameters are a set of samples, which refits to
    scattering figures made; intervals are the ends of 95 % of the samples.

    Examples
    --------
    >>> curve = steering_over_connections("osa-express7s-25gbe", "rr1c-200x1000", [1, 250])
    >>> [change.verdict for change in curve.changes][-1]
    'faster, cheaper'
    """
    record = steering_record(workload, adapter)
    counts = tuple(dict.fromkeys(connection_counts))
    if not counts or any(count != int(count) or count < 1 for count in counts):
        raise DomainError(f"connection_counts must be whole numbers from 1 on; got {counts}")
    cpu_count = record.cpu_count if cpu_count is None else cpu_count
    steered_count = cpu_count if steered_count is None else steered_count
    asked = recorded_exchange(record, adapter, counts, cpu_count, steered_count)
    scatter = float(record.scatter_ratio)
    measured = [
        each
        for each in statements()
        if each.subject.adapter == adapter
        and workload in each.subject.all_workloads
        and each.subject.receive_packet_steering is True
        and each.baseline is not None
        and each.quantity in _QUANTITIES
    ]
    changes = []
    for place, count in enumerate(counts):
        time, cost = spread(asked.time_ratio[place]), spread(asked.cost_ratio[place])
        changes.append(
            SteeringChange(
                connection_count=count,
                time=time,
                cost=cost,
                time_of_run=of_run(time, scatter),
                cost_of_run=of_run(cost, scatter),
                busy_cpus=spread(asked.busy_cpus[place]),
                steered_busy_cpus=spread(asked.steered_busy_cpus[place]),
                measured=tuple(_printed(measured, count)),
            )
        )
    decades = np.log10(_LAST_COUNT)
    grid = np.unique(np.logspace(0, decades, int(decades * _COUNTS_PER_DECADE) + 1).round())
    curve = recorded_exchange(record, adapter, tuple(map(int, grid)), cpu_count, steered_count)
    return SteeringCurve(
        adapter=adapter,
        workload=workload,
        queue_count=record.queue_counts[adapter],
        cpu_count=cpu_count,
        steered_count=steered_count,
        changes=tuple(changes),
        faster_from=spread(_gains_from(grid, curve.time_ratio)),
        cheaper_from=spread(_gains_from(grid, curve.cost_ratio)),
        measured_counts=record.connection_counts,
        measured_cpu_count=record.cpu_count,
    )


def _gains_from(grid: Floats, ratios: Floats) -> Floats:
    """Connections from which the ratio stays below 1, for each sample; infinite if never."""
    starts = []
    for ratio in ratios.T:
        losses = np.flatnonzero(ratio >= 1)
        if losses.size == 0:
            starts.append(float(grid[0]))
        elif losses[-1] == len(grid) - 1:
            starts.append(np.inf)
        else:
            last = int(losses[-1])
            share = (ratio[last] - 1) / (ratio[last] - ratio[last + 1])
            starts.append(float(grid[last] * (grid[last + 1] / grid[last]) ** share))
    return np.array(starts)


def _printed(measured: Sequence[Statement], count: int) -> Iterator[str]:
    """What statements print with this number of connections, each figure once."""
    here = [each for each in measured if each.subject.connection_counts == (count,)]
    for quantity, name in _QUANTITIES.items():
        about = [each for each in here if each.quantity is quantity]
        figures = [each for each in about if each.value is not None] or about
        sides: dict[str, list[str]] = {}
        for each in figures:
            sides.setdefault(_change(each), []).extend(
                [each.subject.side] if each.subject.side else []
            )
        texts = [text if len(of) != 1 else f"{text} ({of[0]})" for text, of in sides.items()]
        if texts:
            yield f"{name} {', '.join(texts)}"


def _change(about: Statement) -> str:
    if about.value is None or about.change is None:
        return _WORDS[about.change]
    sign = "-" if about.change is Change.LESS else "+"
    return f"{'about ' if about.relation is Relation.ABOUT else ''}{sign}{about.value} {about.unit}"


def _word(ratio: Estimate, less: str, more: str) -> str:
    if ratio.high < 1:
        return less
    if ratio.low < 1:
        return f"may be {less if ratio.value < 1 else more}"
    return more if ratio.low > 1 else f"not {less}"


def _interval(expected: Estimate, run: Estimate) -> dict[str, float]:
    ends = {"new_run_low": run.low, "new_run_high": run.high}
    return {**expected.to_dict(), **ends}


def _percent(ratio: Estimate) -> str:
    value, low, high = (f"{100 * (each - 1):+.0f}" for each in ratio)
    return f"{value} % ({low} to {high})"


def _counts(estimate: Estimate) -> str:
    last = f"{estimate.high:.0f}" if np.isfinite(estimate.high) else f"over {_LAST_COUNT}"
    value = f"{estimate.value:.0f}" if np.isfinite(estimate.value) else f"over {_LAST_COUNT}"
    return f"{value} ({estimate.low:.0f} to {last})"
