"""What the tables of z/VM show of one path in one layer: rates, costs, and what limits a stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from netmodel.calibration._observed import Conditions, Observed
from netmodel.calibration._sources._dataset import observed_from_dataset
from netmodel.calibration._sources._line_speed import line_cap, line_speed_as_censored
from netmodel.consumption import busy_cpu_count
from netmodel.framing import tcp_stack
from netmodel.records import Dataset, Relation, Table, dataset
from netmodel.units import BITS_PER_BYTE

__all__ = ["COUNT", "PARTS", "REQUESTS", "STREAM", "TOTAL", "FrameLimit", "Series", "series"]

COUNT = "connection_count"
STREAM, REQUESTS = "awm-str", "awm-rr"
TOTAL = "total"
PARTS = {"guest": "emulation", "hypervisor": "cp"}
"""Stages that take CPU time, and what the tables call the time of each."""

_DATASET = "zvm-layer2-layer3"
_DATA = {STREAM: "mb", REQUESTS: "transaction"}
_CONDITIONS = {STREAM: ("mtu_bytes", COUNT), REQUESTS: ("mtu_bytes", COUNT, "workload")}
"""A stream needs no more: the size of its writes is not known, and tells little."""
_BUSY_RATIO = 0.5
"""Use of CPUs from which on they may be what limits."""


class FrameLimit(NamedTuple):
    """
    Frames per second beyond which a path does not go, though line and CPUs have room.

    Parameters
    ----------
    low_fps, high_fps : float
        Least and most that the figures allow. [frame/s]
    line_use_ratio, cpu_use_ratio : float
        The most of the line, and of any CPUs, that was in use.
    observed : tuple of Observed
        The rates that show it.
    """

    low_fps: float
    high_fps: float
    line_use_ratio: float
    cpu_use_ratio: float
    observed: tuple[Observed, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """
    The rows of one path over one adapter in one layer.

    Parameters
    ----------
    source : Dataset
        Of the tables.
    path, adapter : str
        As the tables have them.
    layer : int
        2 or 3.
    """

    source: Dataset
    path: str
    adapter: str
    layer: int

    @property
    def rows(self) -> Table:
        """All of them."""
        every = self.source.tables["measurements"]
        return every.where(path=self.path, adapter=self.adapter, layer=self.layer)

    @property
    def tables(self) -> tuple[int, ...]:
        """Numbers of the tables that it stands in."""
        return tuple(sorted(map(int, set(self.rows.text("table")))))

    @property
    def line_rate_gbps(self) -> float:
        """MAC rate of its line. [Gbit/s]"""
        (rate,) = {float(rate) for rate in self.rows.numbers("link_rate_gbps")}
        return rate

    def cpu_count(self, column: str) -> int:
        """Its CPUs, as the lines below its tables print them."""
        footers = self.source.tables["footers"]
        found = {int(footers.where(table=one).numbers(column)[0]) for one in self.tables}
        (count,) = found
        return count

    def rates(self) -> tuple[Observed, ...]:
        """Throughput of its streams."""
        return self._observed("data_rate_mb_per_s", STREAM)

    def costs(self, part: str, workload: str) -> tuple[Observed, ...]:
        """CPU time of a part, or of all; nothing where a figure of all of it is flagged."""
        total = self._observed(self._column(TOTAL, workload), workload)
        if len(total) < self.rows.where(workload=workload).row_count:
            return ()
        return self._observed(self._column(part, workload), workload)

    def frame_limit(self) -> FrameLimit | None:
        """What several streams stop at while neither the line nor the CPUs are full."""
        cap = line_cap(self.line_rate_gbps * 1e9)
        several = [one for one in self.rates() if float(one.at[COUNT]) > 1]
        below = [
            one
            for one in line_speed_as_censored(several, cap)
            if one.relation is not Relation.CENSORED_ABOVE
            and max(self._cpu_uses(one)) < _BUSY_RATIO
        ]
        if not below:
            return None
        frame_bits = [BITS_PER_BYTE * _payload_bytes(one.at) for one in below]
        return FrameLimit(
            min(one.low / bits for one, bits in zip(below, frame_bits, strict=True)),
            max(one.high / bits for one, bits in zip(below, frame_bits, strict=True)),
            max(one.high / cap(one.at) for one in below),
            max(max(self._cpu_uses(one)) for one in below),
            tuple(below),
        )

    def most_busy_guest_cpus_of_one(self) -> float:
        """Virtual CPUs that one stream at least keeps busy, where it keeps most of them busy."""
        costs = {one.at["mtu_bytes"]: one for one in self._of_one("emulation")}
        rates = [one for one in self.rates() if one.at[COUNT] == 1]
        return max(float(busy_cpu_count(costs[one.at["mtu_bytes"]].low, one.low)) for one in rates)

    def _of_one(self, part: str) -> list[Observed]:
        return [one for one in self.costs(part, STREAM) if one.at[COUNT] == 1]

    def _cpu_uses(self, rate: Observed) -> Iterator[float]:
        """Shares of the virtual and of the real CPUs that are in use at a rate, at the most."""
        for part, column in (("emulation", "virtual_cpu_count"), (TOTAL, "cpu_count")):
            (cost,) = (one for one in self.costs(part, STREAM) if _is_at(one.at, rate.at))
            yield float(busy_cpu_count(cost.high, rate.high)) / self.cpu_count(column)

    def _column(self, part: str, workload: str) -> str:
        return f"{part}_cpu_ms_per_{_DATA[workload]}"

    def _observed(self, column: str, workload: str) -> tuple[Observed, ...]:
        rows = self.rows.where(workload=workload)
        conditions = _CONDITIONS[workload]
        return observed_from_dataset(self.source, rows, [column], conditions=conditions).observed


def series() -> list[Series]:
    """Every path in every layer, in the order of the tables."""
    source = dataset(_DATASET)
    rows = source.tables["measurements"].rows()
    told = dict.fromkeys((row["path"], row["adapter"], int(row["layer"])) for row in rows)
    return [Series(source, *one) for one in told]


def _payload_bytes(at: Conditions) -> float:
    return float(tcp_stack().payload_bytes(float(at["mtu_bytes"])))


def _is_at(one: Conditions, other: Conditions) -> bool:
    return all(one[name] == other[name] for name in _CONDITIONS[STREAM])
