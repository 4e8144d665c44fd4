"""
CPU time of z/VM guests at several MTUs and numbers of connections, from the tables of a client.

A stream in frames of payload m costs p/m + y per byte: two MTUs set the time of a frame, p, and of
a byte, y, and one MTU their sum. What a request costs beyond p and y of its response is the time of
the message that the client sends. Several streams that stop at a frame rate while line and CPUs
have room show the limit of the virtual switch.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from calibrated._digits import decimal, in_order, payload_text, points, printed_count, time_text
from netmodel.calibration import (
    Observed,
    feasible_set,
    fit,
    host_cost_model,
    line_cap,
)
from netmodel.calibration.models import LinearModel, with_fixed
from netmodel.calibration.named_models import frame_payloads
from netmodel.calibration.observations import line_speed_as_censored
from netmodel.calibration.sources import observed_from_dataset
from netmodel.consumption import busy_cpu_count
from netmodel.errors import ContradictionError
from netmodel.framing import tcp_stack
from netmodel.grades import Grade
from netmodel.records import dataset
from netmodel.records.tables import Table
from netmodel.records.values import Relation

TIMES = ("per_frame_s", "per_byte_s")
MESSAGE, RECEIVED = "sent.per_message_s", ("received.per_frame_s", "received.per_byte_s")
DATASET = dataset("zvm-layer2-layer3")
PARTS = {
    "guest": ("protocol-cpu", "emulation"),
    "hypervisor": ("hypervisor-cpu", "cp"),
}
"""Stages by name: their kind, and how columns of their CPU time begin."""
BUSY_RATIO = 0.5
"""Use of all CPUs from which on they may be the limit: one of two may then be always busy."""
Pairs: TypeAlias = list[tuple[float, float]]


class Measured(NamedTuple):
    """Rows of a path, with its tables, CPUs, and virtual CPUs of the guest."""

    path: str
    adapter: str
    layer: int
    tables: str
    cpu_count: int
    virtual_cpu_count: int

    @property
    def rows(self) -> Table:
        """Return its rows of the measured tables."""
        where = {"path": self.path, "adapter": self.adapter, "layer": self.layer}
        return DATASET.tables["measurements"].where(**where)

    def observed(self, workload: str, column: str) -> tuple[Observed, ...]:
        """Return figures that are not flagged, by MTU and number of connections."""
        rows = self.rows.where(workload=workload)
        conditions = ["mtu_bytes", "connection_count"]
        conditions += ["workload"] * (workload == "awm-rr")  # a full stream depends on no size
        return observed_from_dataset(DATASET, rows, [column], conditions=conditions).observed

    def costs(self, workload: str, part: str) -> tuple[Observed, ...]:
        """Return the CPU time of a part; none where the total is in doubt."""
        unit = "ms_per_mb" if workload == "awm-str" else "ms_per_transaction"
        totals = self.observed(workload, f"total_cpu_{unit}")
        if len(totals) < self.rows.where(workload=workload).row_count:
            return ()
        return self.observed(workload, f"{part}_cpu_{unit}")

    @property
    def rates(self) -> tuple[Observed, ...]:
        """Return the throughput of streams."""
        return self.observed("awm-str", "data_rate_mb_per_s")


PATHS = {
    f"{path}-layer{layer}-{speed}": Measured(path, f"osa-express2-{speed}", layer, *about)
    for path, speed, about in (
        ("zvm-vswitch", "1gbe", ("tables 5, 6 and 7", 2, 1)),
        ("zvm-direct-osa", "1gbe", ("tables 8, 9 and 10", 2, 1)),
        ("zvm-direct-osa", "10gbe", ("tables 11 and 12", 8, 3)),
    )
    for layer in (2, 3)
}


def documents() -> dict[str, dict[str, Any]]:
    """Return the calibrated tables of each path."""
    return {name: _document(measured) for name, measured in PATHS.items()}


def _document(measured: Measured) -> dict[str, Any]:
    stages = [_stage(measured, name) for name in PARTS]
    limit = _frame_limit(measured) if measured.path == "zvm-vswitch" else {}
    if limit:
        name = "virtual-switch"
        stages.append({"name": name, "kind": name, "side": "client", "capacity": limit})
    note = "dataset zvm-layer2-layer3: times that have the printed costs, with as many clients as"
    return {
        "defaults": {
            "source": "zvm",
            "locator": measured.tables,
            "grade": Grade.FITTED.value,
            "note": f"{note} connections",
        },
        "stages": stages,
    }


def _stage(measured: Measured, name: str) -> dict[str, Any]:
    """Return the stage of a part, with its times at each number of connections."""
    kind, part = PARTS[name]
    streams, requests = (measured.costs(load, part) for load in ("awm-str", "awm-rr"))
    stage: dict[str, Any] = {"name": name, "kind": kind, "side": "client", "incomplete": ["out"]}
    if name == "guest":
        stage["servers"] = {
            "value": measured.virtual_cpu_count,
            "unit": "1",
            "source": "zvm",
            "locator": f"{measured.tables}, footers",
            "grade": Grade.PUBLISHED.value,
            "note": "virtual CPUs of the guest",
        }
        if _busiest_single_stream(streams, measured.rates) > 1:
            stage["serial"] = False
    model, request_model = _stream_model(), _request_model()
    received, sent = [], []
    for count in sorted({int(cost.at["connection_count"]) for cost in streams}):
        printed, allowed = _frame_and_byte([x for x in streams if _count(x) == count], model)
        written = points([*printed, *allowed])
        of_count = {"connections": count, "vertices": written}
        received.append(of_count | printed_count(len(points(printed)), written))
        of_requests = [cost for cost in requests if _count(cost) == count]
        if of_requests:
            known = with_fixed(request_model, dict(zip(RECEIVED, printed[0], strict=True)))
            times_s = feasible_set(of_requests, known).parameters[MESSAGE]
            vertices = [{"per_message": time_text(each)} for each in times_s if each is not None]
            sent.append({"connections": count, "vertices": vertices, "printed_count": 1})
    to_client = [size for cost in streams for size in frame_payloads(model, cost.at).values()]
    payloads = [frame_payloads(request_model, cost.at) for cost in requests]
    sizes = [*to_client, *(each["received"] for each in payloads)]
    stage["in"] = {"known_payload": payload_text(sizes), "at": received}
    if sent:
        to_server = payload_text(each["sent"] for each in payloads)
        stage["out"] = {"known_payload": to_server, "at": sent}
    return stage


def _count(seen: Observed) -> int:
    return int(seen.at["connection_count"])


def _stream_model() -> LinearModel:
    """Return the cost of a stream without end: a time for each frame, and one for each byte."""
    return host_cost_model(TIMES)


def _request_model() -> LinearModel:
    """Return the cost of a message sent, and of one received like those of a stream."""
    return host_cost_model((MESSAGE, *RECEIVED))


def _frame_and_byte(costs: Sequence[Observed], model: LinearModel) -> tuple[Pairs, Pairs]:
    """
    Return times of a frame and of a byte: of figures as printed, and of all their rounding.

    Where no times give the figures at all MTUs: least squares, then with the same time at 0 what
    each figure alone allows.
    """
    try:
        allowed = feasible_set(costs, model)
    except ContradictionError:
        likeliest = fit([cost.as_printed() for cost in costs], model, noise="absolute")
        bounded = with_fixed(model, dict.fromkeys(likeliest.active_bounds, 0.0))
        names = [parameter.name for parameter in bounded.parameters]
        alone = []
        for cost in costs:
            for end in np.asarray(feasible_set([cost], bounded).vertices):
                free = dict(zip(names, map(float, end), strict=True))
                alone.append((free.get(TIMES[0], 0.0), free.get(TIMES[1], 0.0)))
        return [(likeliest.values[TIMES[0]], likeliest.values[TIMES[1]])], alone
    printed, every = (
        in_order((float(frame_s), float(byte_s)) for frame_s, byte_s in np.asarray(corners))
        for corners in (allowed.printed_vertices, allowed.vertices)
    )
    return printed, every


def _busiest_single_stream(costs: Sequence[Observed], rates: Sequence[Observed]) -> float:
    """Return the CPUs that one stream keeps busy at least, at the MTU where these are most."""
    alone = {cost.at["mtu_bytes"]: cost.low for cost in costs if _count(cost) == 1}
    single = [rate for rate in rates if _count(rate) == 1 and rate.at["mtu_bytes"] in alone]
    return max(float(busy_cpu_count(alone[each.at["mtu_bytes"]], each.low)) for each in single)


def _frame_limit(measured: Measured) -> dict[str, Any]:
    """Return the frame rate of several streams that neither line nor CPUs limit."""
    cap = line_cap(1e9)
    shared = [rate for rate in measured.rates if _count(rate) > 1]
    totals, guests = measured.costs("awm-str", "total"), measured.costs("awm-str", "emulation")
    below = []
    for rate in line_speed_as_censored(shared, cap):
        if rate.relation is Relation.CENSORED_ABOVE:
            continue
        use_ratio = max(
            float(busy_cpu_count(cost.high, rate.high)) / cpus
            for costs, cpus in ((totals, measured.cpu_count), (guests, measured.virtual_cpu_count))
            for cost in costs
            if all(cost.at[name] == rate.at[name] for name in ("mtu_bytes", "connection_count"))
        )
        if use_ratio < BUSY_RATIO:
            frame_bits = 8 * float(tcp_stack().payload_bytes(float(rate.at["mtu_bytes"])))
            below.append((rate, frame_bits, use_ratio))
    if not below:
        return {}
    counts = " and ".join(dict.fromkeys(f"{_count(rate)}" for rate, *_ in below))
    mtus = " and ".join(dict.fromkeys(f"{rate.at['mtu_bytes']:g}" for rate, *_ in below))
    line_use = max(rate.high / cap(rate.at) for rate, *_ in below)
    cpu_use = max(use_ratio for *_, use_ratio in below)
    return {
        "relation": Relation.RANGE.value,
        "low": decimal(min(rate.low / bits for rate, bits, _ in below)),
        "high": decimal(max(rate.high / bits for rate, bits, _ in below)),
        "unit": "pps",
        "grade": Grade.FITTED.value,
        "note": f"streams of {counts} connections at MTU {mtus}, which use {line_use:.0%} of the "
        f"line and {cpu_use:.0%} of the CPUs at most".replace("%", " %"),
    }
