"""
Time that TCP and SMC-R spend on a request at both ends of a fibre, from their printed ratios.

The 10 connections of the runs share a line of 10 Gbit/s, which SMC-R fills with messages of 32 KiB
over 10 km. The 100 km have DWDM, whose delay is not reported: it is calibrated, from none to a
tenth of the round trip of the fibre. Without a delay the figures of 32 KiB at 10 and 100 km exclude
each other by 0.3 %, since the line leaves SMC-R no shorter time at 10 km.
"""

from typing import Any

import numpy as np

from calibrated._digits import decimal
from netmodel.calibration import Observed, feasible_set
from netmodel.calibration.models import FreeParameter, demand_model, with_fixed
from netmodel.framing import parse_stack
from netmodel.published import Row, listing
from netmodel.records import adapter, workload
from netmodel.records.values import Relation
from netmodel.transport import propagation_round_trip_s

DIGITS = 6
"""Predictions keep five of these."""
US_PER_S = 1e6
CONNECTIONS = 10
EQUIPMENT_KM, EQUIPMENT_MOST_US = 100, 100.0
"""Length of the fibre with DWDM, and the longest delay of its equipment, there and back."""
PROTOCOLS: dict[str, dict[str, Any]] = {
    "tcp": {
        "transport": "tcp",
        "adapter": "osa-express5s-10gbe",
        "stack": "ipv4/tcp+timestamps",
        "mtu_bytes": 1492,
        "note": "the largest gains are over the slower of two configurations: MTU 1492, no large "
        "send",
    },
    "smc-r": {
        "transport": "smcr",
        "adapter": "roce-express-10gbe",
        "stack": "rocev1/smcr",
        "mtu_bytes": 1500,
        "note": "RDMA MTU of 1024 byte, the default of the adapter; not reported",
    },
}
PARAMETERS = ("fixed_us", "per_frame_us", "per_byte_us")
QUANTITY = "transaction_rate_tps"


def documents() -> dict[str, dict[str, Any]]:
    """Return the record of both protocols."""
    rows = [row for row in listing(["smc-r"]) if "-rr-" in row.id and row.low is not None]
    cases: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for row in rows:
        case = (str(row.of["workload"][0]), int(row.of["km"][0]))
        cases.setdefault(case, []).append(_rate_ratio(row))
    sizes = sorted({_size_bytes(name) for name, _ in cases})
    columns = [f"{name}.{each}" for name in PROTOCOLS for each in PARAMETERS]
    delay = f"equipment_{EQUIPMENT_KM}km_us"
    free = (
        *(FreeParameter(name, "us") for name in columns),
        FreeParameter(delay, "us", high=EQUIPMENT_MOST_US),
        FreeParameter("known_us", "us"),
    )
    model = with_fixed(demand_model(QUANTITY, free, _amounts, cap=_line_rate), {"known_us": 1.0})
    seen = [
        Observed(
            quantity=QUANTITY,
            at=_conditions(*case, "smc-r"),
            low=min(low for low, _ in ratios),
            high=max(high for _, high in ratios),
            relation=Relation.RANGE,
            baseline=_conditions(*case, "tcp"),
            place=f"{case[0]} over {case[1]} km",
            is_published=True,
        )
        for case, ratios in cases.items()
    ]
    corners = np.asarray(feasible_set(seen, model).vertices).tolist()
    record = {
        "title": "TCP and SMC-R requests over fibre between hosts with two CPUs each",
        "host": "zec12-2cpu",
        "baseline": "tcp",
        "connection_counts": [CONNECTIONS],
        "message_low_bytes": sizes[0],
        "message_high_bytes": sizes[-1],
        "equipment_km": [EQUIPMENT_KM],
        "columns": [*columns, delay],
        "corners": [[decimal(time_us, DIGITS) for time_us in corner] for corner in corners],
        "protocols": PROTOCOLS,
    }
    return {"smcr-distance": record}


def _rate_ratio(row: Row) -> tuple[float, float]:
    """Return the transaction rate of SMC-R over that of TCP, by the printed digits."""
    assert row.low is not None
    low, high = row.low - row.rounding, row.low + row.rounding
    return (1 / high, 1 / low) if row.quantity == "transaction_time" else (low, high)


def _size_bytes(name: str) -> int:
    load = workload(name)
    assert load.request_bytes == load.response_bytes
    return int(load.request_bytes)


def _conditions(name: str, km: int, protocol: str) -> dict[str, float | str | bool]:
    return {"protocol": protocol, "distance_km": km, "size_bytes": _size_bytes(name)}


def _amounts(at: Any) -> list[float]:
    """Return how much of each time a transaction takes; the last one is known, in µs."""
    known = PROTOCOLS[at["protocol"]]
    stack = parse_stack(known["stack"])
    frames = float(stack.message_frame_count(at["size_bytes"], known["mtu_bytes"]))
    own = [1.0, 2 * frames, 2.0 * at["size_bytes"]]
    none = [0.0] * len(own)
    times = own + none if at["protocol"] == "tcp" else none + own
    trip_s = float(propagation_round_trip_s(at["distance_km"] * 1e3))
    known_us = (2 * _wire_s(at) + trip_s) * US_PER_S
    return [*times, float(at["distance_km"] == EQUIPMENT_KM), known_us]


def _line_rate(at: Any) -> float:
    """Return the rate at which the line carries a message of each connection, per µs."""
    return 1 / (CONNECTIONS * _wire_s(at) * US_PER_S)


def _wire_s(at: Any) -> float:
    """Return the time of the frames of a message on the line."""
    known = PROTOCOLS[at["protocol"]]
    wire = parse_stack(known["stack"]).message_wire_bytes(at["size_bytes"], known["mtu_bytes"])
    return 8 * float(wire) / adapter(known["adapter"]).line_rate_bps
