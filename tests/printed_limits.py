"""Printed limits of the OSA-Express7S: two figures at MTU 1500, and a full line at MTU 9000."""

import math

from netmodel.calibration import Observed, line_cap
from netmodel.records.values import Relation

LIMITS_GBPS = {"in": (13.35, 13.4, 13.45), "out": (20.45, 20.5, 20.55)}
"""Within the rounding of the figures that slides 29 and 35 print."""


def osa7s_streams() -> list[Observed]:
    """Return what streams of 30 KiB writes were printed to reach, in and out."""
    seen = []
    for direction, (low, value, high) in LIMITS_GBPS.items():
        at = {"direction": direction, "workload": "str-writex30k"}
        full_bps = line_cap(25e9)({**at, "mtu_bytes": 9000})
        seen += [
            Observed(
                quantity="throughput_bps",
                at={**at, "mtu_bytes": mtu_bytes},
                low=low_bps,
                high=high_bps,
                value=value_bps,
                relation=relation,
                is_published=True,
            )
            for mtu_bytes, low_bps, value_bps, high_bps, relation in (
                (1500, low * 1e9, value * 1e9, high * 1e9, Relation.EQUAL),
                (9000, full_bps, full_bps, math.inf, Relation.CENSORED_ABOVE),
            )
        ]
    return seen
