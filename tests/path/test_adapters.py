"""Adapters without service times are no slower than their line, and say so."""

import math
from decimal import Decimal
from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.path import Times
from netmodel.path.from_records import adapter_stages
from netmodel.records import Adapter

SOURCED = {"source": "notes", "locator": "page 1", "grade": "measured"}
LIMIT = {"quantity": "payload_rate", "mtu_bytes": 1500, "value": Decimal("13.4")}


def inward(*seen: dict[str, Any], kind: str = "own") -> Times:
    line_rate = {"value": 25, "unit": "Gbit/s", **SOURCED}
    rows = [{"direction": "in", "unit": "Gbit/s", **SOURCED, **row} for row in seen]
    card = Adapter(id="mine", title="mine", kind=kind, line_rate=line_rate, observations=rows)
    return adapter_stages(card, Side.SERVER)[1].to_server


@pytest.mark.parametrize(
    ("seen", "known"),
    [
        ((), "no limit known"),
        (({**LIMIT, "direction": "out"},), "no limit known"),
        ((LIMIT,), "observed limits are not calibrated"),
    ],
)
def test_what_is_not_known_is_no_slower_than_the_line(
    seen: tuple[dict[str, Any], ...], known: str
) -> None:
    times, note = inward(*seen), f"{known}: assumed no slower than its line"
    assert not times.named
    assert times.validity == (math.inf, math.inf, note)


def test_plain_ethernet_takes_no_time() -> None:
    assert inward(kind="ethernet") == Times()
