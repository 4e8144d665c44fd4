"""
Which published CPU ratios follow from counts of messages, frames and bytes.

    python benchmarks/cpu_ratios.py docs/reference/cpu-ratios.csv

The CPU time of a transaction on a host is a sum of demands: a time per message, per frame sent and
received, and per byte, those of messages and frames of each adapter's driver and the same with any
number of connections. Every printed ratio of two costs bounds them linearly. A mixed-integer
program finds the demands that keep as many printed ratios as there can be; linear programs the
range that the other kept ratios leave of each.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from netmodel.consumption import Side
from netmodel.framing import tcp_stack
from netmodel.judging._compared import interval_text
from netmodel.judging._compared_facts import COUNT, PATH, SIDE, Case, Fact, published
from netmodel.path import workload_traffic
from netmodel.records import workload

COLUMNS = (
    *("document", "statement", "locator", "printed", "case", "printed_ratio"),
    *("equal_demands", "kept", "others_leave", "follows", "needed"),
)
MOST_TIME = 100.0
"""Largest demand, where the smallest transaction takes 1: a bound for the integer program."""
_TINY = 1e-7
"""Tolerance of the solver."""

Demands = Mapping[str, float]
"""How often each demand is needed, by its name."""


class Ratio(NamedTuple):
    """A printed ratio of two sums of demands."""

    fact: Fact
    side: str
    subject: Demands
    baseline: Demands

    @property
    def has_same_counts(self) -> bool:
        """Whether both cases need the same counts: with equal drivers nothing changes."""
        plain = [
            Counter({name.partition(" of ")[0]: n for name, n in each.items()})
            for each in (self.subject, self.baseline)
        ]
        return plain[0] == plain[1]


def demands_of(case: Case, side: str) -> Demands | None:
    """Messages, frames and bytes of a transaction on the host of a side; None if not known."""
    name, mtu_bytes = case.get("workload"), case.get("mtu_bytes")
    if not isinstance(name, str) or not isinstance(mtu_bytes, int) or PATH in case:
        return None
    record = workload(name)
    if any(
        low != high for low, high in (record.request_bytes_bounds, record.response_bytes_bounds)
    ):
        return None
    traffic, stack = workload_traffic(record), tcp_stack()
    is_sender = side == record.sender.value
    card = case.get("adapter") or case.get(f"{'sender' if is_sender else 'receiver'}_adapter")
    if card is None or case.get("receive_packet_steering"):
        return None
    sizes = [float(traffic.request_bytes), float(traffic.response_bytes)]
    out_bytes, in_bytes = sizes if side == Side.CLIENT.value else sizes[::-1]

    def frames(size: float) -> float:
        if not size:
            return 0.0
        if traffic.shares_segments and not traffic.waits:
            return size / float(stack.payload_bytes(mtu_bytes))
        return float(stack.message_frame_count(size, mtu_bytes))

    found = {
        f"message out of {card}": float(out_bytes > 0),
        f"message in of {card}": float(in_bytes > 0),
        f"frame out of {card}": frames(out_bytes),
        f"frame in of {card}": frames(in_bytes),
        "byte out": out_bytes,
        "byte in": in_bytes,
    }
    return {key: number for key, number in found.items() if number}


def ratios() -> Iterator[Ratio]:
    """Printed ratios of CPU cost per data between adapters or MTUs, on each side."""
    for fact in published().facts:
        if fact.quantity != "cpu_consumption" or fact.statement is None or not fact.has_ratio:
            continue
        if "receive_packet_steering" in fact.subject:
            continue
        named = fact.subject.get(SIDE)
        for side in [str(named)] if named else [each.value for each in Side]:
            cases = [demands_of(case, side) for case in (fact.subject, fact.baseline)]
            if cases[0] is not None and cases[1] is not None:
                yield Ratio(fact, side, cases[0], cases[1])


def rows_of(found: Sequence[Ratio], names: Sequence[str]) -> list[list[tuple[np.ndarray, Ratio]]]:
    """Rows a with a x <= 0 of each ratio: not above its high end, not below its low end."""
    result = []
    for each in found:
        subject, baseline = (
            np.array([case.get(name, 0.0) for name in names])
            for case in (each.subject, each.baseline)
        )
        rows = []
        if each.fact.high < inf:
            rows.append((subject - each.fact.high * baseline, each))
        if each.fact.low > 0:
            rows.append((each.fact.low * baseline - subject, each))
        result.append(rows)
    return result


def kept(found: Sequence[Ratio], names: Sequence[str], scale: np.ndarray) -> list[bool]:
    """Which ratios one set of demands keeps, as many as there can be."""
    rows = [
        (row, place) for place, several in enumerate(rows_of(found, names)) for row, _ in several
    ]
    count = len(names)
    matrix = np.zeros((len(rows) + 1, count + len(found)))
    for line, (row, place) in enumerate(rows):
        matrix[line, :count] = row / scale
        matrix[line, count + place] = -MOST_TIME * np.abs(row / scale).sum()
    # the cheapest transaction of the first baseline takes 1
    first = found[0].baseline
    matrix[-1, :count] = [
        first.get(name, 0.0) / part for name, part in zip(names, scale, strict=True)
    ]
    high = np.zeros(len(rows) + 1)
    high[-1] = 1
    low = np.full(len(rows) + 1, -inf)
    low[-1] = 1
    answer = milp(
        np.concatenate([np.zeros(count), np.ones(len(found))]),
        constraints=LinearConstraint(matrix, low, high),
        integrality=np.concatenate([np.zeros(count), np.ones(len(found))]),
        bounds=Bounds(0, np.concatenate([np.full(count, MOST_TIME), np.ones(len(found))])),
        options={"time_limit": 60},
    )
    return [bool(value < 0.5) for value in answer.x[count:]]


def range_left(
    about: Ratio, others: Sequence[Ratio], names: Sequence[str], scale: np.ndarray
) -> tuple[float, float]:
    """Smallest and largest ratio that the other ratios leave, by two linear programs."""
    matrix = np.array([row / scale for several in rows_of(others, names) for row, _ in several])
    cost, base = (
        np.array([case.get(name, 0.0) for name in names]) / scale
        for case in (about.subject, about.baseline)
    )
    ends = []
    for sign in (1, -1):
        # a quotient of linear forms, with its denominator kept at 1 (Charnes and Cooper)
        answer = linprog(
            sign * cost, A_ub=matrix, b_ub=np.zeros(len(matrix)), A_eq=base[None], b_eq=[1.0]
        )
        ends.append(sign * float(answer.fun) if answer.status == 0 else (0.0 if sign > 0 else inf))
    return ends[0], ends[1]


def lines() -> list[dict[str, str]]:
    """A line for each statement, number of connections and side."""
    found = list(ratios())
    names = sorted({name for each in found for case in each[2:] for name in case})
    # demands of about one size: a byte is needed a thousand times as often as a message
    scale = np.array(
        [max(max(e.subject.get(n, 0), e.baseline.get(n, 0)) for e in found) for n in names]
    )
    is_kept = kept(found, names, scale)
    result = []
    for place, each in enumerate(found):
        fact = each.fact
        others = [
            other for spot, other in enumerate(found) if is_kept[spot] and other.fact.id != fact.id
        ]
        low, high = range_left(each, others, names, scale)
        inside = low >= fact.low * (1 - _TINY) and high <= fact.high * (1 + _TINY)
        by_counts = each.has_same_counts and fact.low <= 1 <= fact.high
        is_mtu = fact.subject.get("adapter") == fact.baseline.get("adapter")
        follows = "counts alone" if by_counts and is_mtu else "other ratios" if inside else ""
        result.append(
            {
                "document": fact.source,
                "statement": fact.id,
                "locator": fact.locator,
                "printed": fact.printed,
                "case": _case(each),
                "printed_ratio": interval_text(fact.low, fact.high),
                "equal_demands": "yes" if by_counts else "",
                "kept": "yes" if is_kept[place] else "",
                "others_leave": interval_text(low, high),
                "follows": follows,
                "needed": "" if follows else _needed(is_kept[place]),
            }
        )
    return result


def _case(each: Ratio) -> str:
    subject = each.fact.subject
    count = subject.get(COUNT)
    at = f", {count} connections" if count else ""
    return f"{subject['workload']}, MTU {subject['mtu_bytes']}{at}, {each.side}"


def _needed(is_kept: bool) -> str:
    """What would reproduce a ratio that does not follow."""
    if is_kept:
        return "one CPU cost of each driver: the other ratios leave a wider range"
    return "demands that fall or rise with connections (interrupts, wake-ups), by driver"


def main() -> None:
    """Write the file, and print counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    given = parser.parse_args()
    found = lines()
    if given.file is not None:
        with given.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(found)
    print(f"{len(found)} ratios, {sum(bool(one['kept']) for one in found)} kept by one set")
    print(Counter(one["follows"] or one["needed"] for one in found))


if __name__ == "__main__":
    sys.exit(main())
