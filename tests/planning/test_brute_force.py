"""Random plans over plain lines against counting up adapters, without a formula of the library."""

import math
import random
from typing import Any

import pytest

import netmodel

LINES_BPS = {"ethernet-1gbe": 1e9, "ethernet-10gbe": 10e9, "ethernet-25gbe": 25e9}
MESSAGES = {"rr1c-200x1000": (200, 1000), "rr1c-200x30k": (200, 30720), "str-writex30k": (30720, 0)}
HEADERS_BYTES, WIRE_BYTES = 52, 38
"""IPv4 and TCP with timestamps; Ethernet header, check sequence, preamble and gap."""
REFUSED_ABOVE = 500
ROUNDING = 1 + 1e-12


def wire_bytes(message_bytes: int, mtu_bytes: int, is_stream: bool) -> float:
    """Bytes on the line of a message; those of a stream share frames."""
    frames = message_bytes / (mtu_bytes - HEADERS_BYTES)
    frames = frames if is_stream else math.ceil(frames)
    return message_bytes + frames * (HEADERS_BYTES + WIRE_BYTES)


def asked(chance: random.Random) -> tuple[dict[str, Any], list[tuple[str, float]]]:
    """Options of a plan, and its flows: a workload with transactions a second."""
    rates = (100, 3000, 40_000, 200_000)
    names = [chance.choice(sorted(MESSAGES)) for _ in range(chance.choice((1, 1, 2, 3)))]
    flows = [(name, chance.choice(rates) * chance.uniform(0.3, 1)) for name in names]
    options: dict[str, Any] = {
        "adapters": chance.choice(sorted(LINES_BPS)),
        "mtu_bytes": chance.choice((1500, 9000)),
        "connections": chance.choice((None, None, 1, 7, 50, 333)),
        "spares": chance.choice((0, 1, 2)),
        "max_utilisation": chance.choice((0.3, 0.7, 1)),
        "max_utilisation_after_failure": chance.choice((None, 0.9, 0.5)),
        "server_cost": chance.choice((None, 0.16, 0.3)),
    }
    return options, flows


def counted(options: dict[str, Any], flows: list[tuple[str, float]]) -> float:
    """The fewest adapters at each side, counted up from one; infinite for none."""
    line_bps, count, spares = (
        LINES_BPS[options["adapters"]],
        options["connections"],
        options["spares"],
    )
    most = options["max_utilisation"]
    after = options["max_utilisation_after_failure"] or most
    busy = [
        sum(
            tps * 8 * wire_bytes(MESSAGES[name][way], options["mtu_bytes"], name.startswith("str"))
            for name, tps in flows
            if MESSAGES[name][way]
        )
        / line_bps
        for way in (0, 1)
    ]

    def use(adapters: int) -> float:
        share = 1 / adapters if count is None else math.ceil(count / adapters) / count
        return max(busy) * share

    for adapters in range(spares + 1, REFUSED_ABOVE):
        left = max(adapters - spares, 1)
        if use(adapters) <= most * ROUNDING and use(left) <= after * ROUNDING:
            return adapters
    return math.inf


@pytest.mark.parametrize("seed", range(240))
def test_plans_are_those_that_are_counted_up(seed: int) -> None:
    options, flows = asked(random.Random(seed))
    cost = options["server_cost"]
    given = {**options, "server_cost": cost and f"{cost} cores/(Gbit/s)"}
    (plan,) = netmodel.plan([f"{tps!r}/s {name}" for name, tps in flows], **given)
    expected = counted(options, flows)
    assert plan.adapter_count.value == expected
    assert plan.holds is math.isfinite(expected)
    assert {counts.value for counts in plan.side_counts.values()} == {expected}
    if cost is not None:
        bits = sum(tps * 8 * sum(MESSAGES[name]) for name, tps in flows)
        cores = math.ceil(bits / 1e9 * cost / options["max_utilisation"] / ROUNDING)
        (need,) = plan.cpu_needs
        assert need.core_count.value == cores
