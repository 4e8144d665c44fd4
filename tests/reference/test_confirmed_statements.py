"""What documents print and formulas or the model of a path give: figures, ratios and words."""

import tomllib
from bisect import bisect_left
from collections.abc import Callable
from math import inf
from pathlib import Path as File
from typing import Any

import pytest

from netmodel import transport, tuning
from netmodel.ceilings import line_ceiling
from netmodel.concurrency import steering_cpu_time_s
from netmodel.framing import Hop, PathMtu
from netmodel.path import Path, SpecifiedPath, predict_path, workload_traffic
from netmodel.path.from_records import wire_stages
from netmodel.records import adapter, workload

SLACK = 1e-9
"""More than floats are rounded by."""
IDS = {"6S": "osa-express6s-10gbe", "7S": "osa-express7s-25gbe", "RoCE": "roce-express2.1-25gbe"}
WORDS = {
    "higher": (1 + 1e-6, inf),
    "lower": (0.0, 1 - 1e-6),
    "same": (0.95, 1.05),
    "line speed": (1 - SLACK, inf),
}
"""Ratios that words leave: "the same" is within 5 %, as "about" is."""


def of_line(of: str, mtu: int, rate: float = 1e9) -> float:
    return float(getattr(line_ceiling(rate, mtu), of))


def frame_count(size: int, mtu: int) -> float:
    return line_ceiling(1e9, mtu).message(size).frame_count


def of_hops(of: str, sender: int, hops: list[int], silent: bool = False) -> float:
    def outcome(mtus: list[int]) -> Any:
        named = (
            Hop(f"hop {place}", mtu, sends_too_big=not silent) for place, mtu in enumerate(mtus)
        )
        return PathMtu(named).outcome(sender)

    if of == "packet":
        return outcome(hops).packet_bytes
    if of == "carried":
        return outcome(hops).fate != "stalls"
    possible = range(576, sender + 1)  # what every host takes, to what the sender uses
    is_through = [outcome([*hops[:-1], last]).fate == "passes" for last in possible]
    return possible[bisect_left(is_through, True)]


def gbps(of: str, load: str, mtu: int, line: bool = False) -> tuple[float, float]:
    card = adapter(IDS[of])
    path = (
        Path(stages=wire_stages(card.line_rate_bps)) if line else SpecifiedPath(card, card).path()
    )
    rate = predict_path(path, workload_traffic(workload(load)), mtu).throughput_bps
    return float(rate.low) / 1e9, float(rate.high) / 1e9


def of_path(row: dict[str, Any]) -> list[float]:
    found, of, over = [], row["of"], row.get("over")
    for load, mtu in row["cases"]:
        other = gbps(
            over if over in IDS else of, load, over if over == 1500 else mtu, over == "line"
        )
        low, high = gbps(of, load, mtu)
        found += [low / other[1], high / other[0]] if over else [low, high]
    return found


def of_formula(row: dict[str, Any]) -> list[float]:
    formula = getattr(tuning if hasattr(tuning, row["name"]) else transport, row["name"])
    return [float(formula(row["of"], *row["more"]) / formula(row["over"], *row["more"]))]


COMPUTED: dict[str, Callable[[dict[str, Any]], list[float]]] = {
    "frame": lambda row: [p.bytes for p in line_ceiling(1e9, 1500).parts if p.name == row["part"]],
    "line": lambda row: [of_line(row["of"], row["mtu"], row["rate"])],
    "lines": lambda row: [of_line(row["of"], row["mtu"]) / of_line(row["of"], row["over"])],
    "frames": lambda row: [frame_count(size, row["mtu"]) for size in row["bytes"]],
    "frame_ratio": lambda row: [
        frame_count(size, row["mtu"]) / frame_count(size, row["over"]) for size in row["bytes"]
    ],
    "pages": lambda row: [float(tuning.pages_per_packet_count(row["bytes"]))],
    "hops": lambda row: [
        of_hops(row["of"], row["sender"], row["hops"], row.get("silent", False)) / row["over"]
    ],
    "path": of_path,
    # every frame pays for the hash, its part of an interrupt, and another CPU's backlog
    "steering": lambda row: [1 + float(steering_cpu_time_s(0.2, 1.2, 4, 0.5)) / row["frame_us"]],
    "formula": of_formula,
}
ROWS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    File(__file__).with_name("confirmed.toml").read_text("utf-8")
)
CASES = {row["id"]: (COMPUTED[kind], row) for kind, rows in ROWS.items() for row in rows}


@pytest.mark.parametrize("name", CASES)
def test_a_formula_gives_what_a_document_prints(name: str) -> None:
    computed, row = CASES[name]
    found, printed = computed(row), row["printed"]
    low, high = WORDS[printed] if isinstance(printed, str) else printed
    ends = min(found) * (1 + SLACK), max(found) * (1 - SLACK)
    # a figure that is more precise than what is computed only has to be possible
    first, last = ends[::-1] if row.get("allows") else ends
    assert low <= first
    assert last <= high


def test_the_table_has_every_such_statement() -> None:
    """Of 687 claims in five documents 63 are given by a formula that they are no input of."""
    assert len(CASES) == sum(map(len, ROWS.values())) == 63
