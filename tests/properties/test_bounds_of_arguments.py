"""Every argument of every formula at its bounds and right beyond them."""

import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from at_once import all_at_once
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.errors import DomainError

Numbers = Mapping[str, float]

BOUNDS = tomllib.loads(
    Path(__file__).with_name("bounds_of_arguments.toml").read_text(encoding="utf-8")
)
LEAST: dict[str, list[str]] = BOUNDS["lowest"]
MOST: dict[str, list[str]] = BOUNDS["highest"]

TOGETHER: dict[str, tuple[str, Callable[[Numbers], float]]] = {
    "buffer_delay_ratio.mean_round_trip_s": (
        "at least",
        lambda given: given["baseline_round_trip_s"],
    ),
    "burst_loss_event_ratio.mean_burst_count": (
        "at least",
        lambda given: 1 / (1 - given["loss_ratio"]),
    ),
    "efficiency_ratio.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "payload_bytes.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "payload_rate_bps.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "required_line_rate_bps.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "udp_packet_count.mtu_bytes": (
        "at least",  # a fragment carries eight bytes, RFC 791
        lambda given: given["ip_header_bytes"] + given["fragment_header_bytes"] + 8,
    ),
    "udp_wire_bytes.mtu_bytes": (
        "at least",
        lambda given: given["ip_header_bytes"] + given["fragment_header_bytes"] + 8,
    ),
    "effective_core_count.busy_thread_count": ("at least", lambda given: given["busy_core_count"]),
}
"""Lowest value of arguments that depends on another argument."""

TOGETHER_MOST: dict[str, Callable[[Numbers], float]] = {
    "acknowledged_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "effective_core_count.busy_thread_count": lambda given: 2 * given["busy_core_count"],
    "layer_rate_bps.layer_bytes": lambda given: given["wire_bytes"],
    # the largest packet of IP fills 65535 byte; FCS, preamble and gap take 24 more
    "required_mtu_bytes.payload_rate_bps": lambda given: (
        given["line_rate_bps"]
        * (65535 - given["header_bytes"])
        / (65535 + given["link_header_bytes"] + 24)
    ),
    "pipelined_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "serial_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "tcp_efficiency_ratio.retransmitted_bytes": lambda given: given["sent_bytes"],
}
"""Highest value of arguments that depends on another argument; it is accepted."""

ARGUMENTS = [(formula, name) for formula in public_formulas() for name in formula.quantities]
each_argument = all_at_once(ARGUMENTS, lambda formula, name: f"{formula}-{name}")


def middle(formula: Formula) -> dict[str, Any]:
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    return chosen | {name: sum(DOMAINS[name]) / 2 for name in formula.quantities}


def bound_of(
    table: Mapping[str, list[str]], formula: Formula, name: str
) -> tuple[str, float] | None:
    """Relation and number that a table has for the argument of this formula, else of any."""
    for key in (f"{formula.function.__name__}.{name}", name):
        for bound, names in table.items():
            if key in names:
                relation, number = bound.rsplit(" ", 1)
                return relation, float(number)
    return None


UNITS = {"bps": " bit/s", "bytes": " byte", "s": " s", "hz": " Hz", "m": " m", "bits": " bit"}
"""Units that a message has, by the last word of an argument's name."""


def is_refused(formula: Formula, name: str, value: float) -> bool:
    """Whether a value of an argument is refused by its name, with others in the middle."""
    try:
        result = formula.function(**middle(formula) | {name: value})
    except DomainError as error:
        rule, _, got = str(error).partition("; got ")
        unit = UNITS.get(name.rpartition("_")[2], "")
        return rule.startswith(f"{name} must be ") and rule.endswith(unit) and bool(got)
    assert not math.isnan(result)
    return False


@each_argument
def test_the_lowest_value_is_accepted_and_none_below_it(formula: Formula, name: str) -> None:
    together = TOGETHER.get(f"{formula.function.__name__}.{name}")
    if together:
        relation, limit = together[0], together[1](middle(formula))
    else:
        bound = bound_of(LEAST, formula, name)
        assert bound is not None, "not in LEAST"
        relation, limit = bound
    assert is_refused(formula, name, limit) is (relation == "above")
    assert is_refused(formula, name, math.nextafter(limit, -math.inf))
    assert not is_refused(formula, name, limit + 1e-9 * max(limit, 1e-3))


@each_argument
def test_the_highest_value_is_accepted_and_none_above_it(formula: Formula, name: str) -> None:
    together = TOGETHER_MOST.get(f"{formula.function.__name__}.{name}")
    bound = ("at most", together(middle(formula))) if together else bound_of(MOST, formula, name)
    if bound is None:
        assert not is_refused(formula, name, 10 * DOMAINS[name][1])
        return
    relation, limit = bound
    assert is_refused(formula, name, limit) is (relation == "below")
    assert is_refused(formula, name, math.nextafter(limit, math.inf))
    assert not is_refused(formula, name, math.nextafter(limit, -math.inf))


def test_each_entry_is_that_of_an_argument() -> None:
    names = {name for _, name in ARGUMENTS}
    names |= {f"{formula.function.__name__}.{name}" for formula, name in ARGUMENTS}
    listed = [name for table in (LEAST, MOST) for entries in table.values() for name in entries]
    assert {*listed, *TOGETHER, *TOGETHER_MOST} <= names
