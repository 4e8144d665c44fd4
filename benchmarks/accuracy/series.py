"""The 16 series of throughput and CPU cost over connections."""

from enum import Enum
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from netmodel.calibration import Observed
from netmodel.framing import tcp_stack
from netmodel.records import Table, dataset
from netmodel.units import BITS_PER_BYTE

Floats: TypeAlias = NDArray[np.float64]

COUNT, RATE = "connection_count", "rate"
SCENARIOS = range(5, 13)
"""Tables of the document that have series over connections."""
LAYERS = (3, 2)
REQUESTS = "awm-rr"
BITS_PER_MIB = BITS_PER_BYTE * 2**20
"""The document's MB: its flat rates reach the line only with 2^20 byte."""


class Quantity(Enum):
    """What is predicted, by the word of its columns."""

    THROUGHPUT = "throughput"
    TOTAL = "total"
    EMULATION = "emulation"
    CP = "cp"


COSTS = (Quantity.TOTAL, Quantity.EMULATION, Quantity.CP)
QUANTITIES = (Quantity.THROUGHPUT, *COSTS)


class Series(NamedTuple):
    """
    Figures of a quantity over connections, with the conditions that all of them share.

    `observed` has the condition ``connection_count``, and for a CPU cost also ``rate``, the
    measured throughput of the same run. `line_rate_bps` is the payload that the line carries,
    `flagged` the numbers of connections whose figure the audit flags.
    """

    scenario: int
    layer: int
    quantity: Quantity
    workload: str
    path: str
    mtu_bytes: float
    line_rate_bps: float
    observed: tuple[Observed, ...]
    flagged: frozenset[int]

    @property
    def is_requests(self) -> bool:
        """Whether connections wait for an answer; streams do not."""
        return self.workload == REQUESTS

    @property
    def counts(self) -> Floats:
        """Numbers of connections."""
        return np.array([float(each.at[COUNT]) for each in self.observed])

    @property
    def figures(self) -> Floats:
        """The figures, in the order of the numbers."""
        return np.array([each.low for each in self.observed])

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from any other series or part of one."""
        return (self.quantity, self.scenario, self.layer, *self.counts, *self.figures)

    def without(self, place: int) -> "Series":
        """The same without one of its figures."""
        return self._replace(observed=(*self.observed[:place], *self.observed[place + 1 :]))


@cache
def series_of(quantity: Quantity) -> tuple[Series, ...]:
    """The 16 series of a quantity."""
    table = dataset("zvm-layer2-layer3").tables["measurements"]
    return tuple(
        _series(quantity, scenario, layer, table.where(table=scenario, layer=layer))
        for scenario in SCENARIOS
        for layer in LAYERS
    )


def _series(quantity: Quantity, scenario: int, layer: int, rows: Table) -> Series:
    first = next(iter(rows.rows()))
    is_requests = first["workload"] == REQUESTS
    # (1) the measured rate, which is what is predicted or a condition of the cost
    column = "transaction_rate_tps" if is_requests else "data_rate_mb_per_s"
    counts = rows.numbers(COUNT)
    rates = np.asarray(rows.numbers(column), float) * (1.0 if is_requests else BITS_PER_MIB)
    figures = rates
    if quantity is not Quantity.THROUGHPUT:
        column = f"{quantity.value}_cpu_ms_per_{'transaction' if is_requests else 'mb'}"
        figures = np.asarray(rows.numbers(column), float)
    observed = tuple(
        Observed(
            quantity=quantity.value,
            at={COUNT: float(count)}
            | ({} if quantity is Quantity.THROUGHPUT else {RATE: float(rate)}),
            low=float(figure),
            high=float(figure),
            value=float(figure),
            place=f"table {scenario}, layer {layer}, {int(count)} connections",
        )
        for count, rate, figure in zip(counts, rates, figures, strict=True)
    )
    # (2) which figures the audit flags, and what the line carries
    flagged_rows = {
        int(flag.row)
        for flag in dataset("zvm-layer2-layer3").flags
        if flag.file == "measurements.csv" and flag.column == column
    }
    mtu_bytes = float(first["mtu_bytes"])
    stack = tcp_stack()
    payload_ratio = float(stack.payload_bytes(mtu_bytes)) / float(stack.wire_bytes(mtu_bytes))
    return Series(
        scenario,
        layer,
        quantity,
        str(first["workload"]),
        str(first["path"]),
        mtu_bytes,
        float(first["link_rate_gbps"]) * 1e9 * payload_ratio,
        observed,
        frozenset(
            int(count)
            for count, row in zip(counts, rows.row_numbers, strict=True)
            if row in flagged_rows
        ),
    )
