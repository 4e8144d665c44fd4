"""Service times of adapters, from the limits and full lines that documents print."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calibrated._digits import hull, payload_text, points, printed_count
from netmodel.calibration import (
    Observed,
    adapter_model,
    feasible_set,
    line_cap,
)
from netmodel.calibration.named_models import frame_payloads
from netmodel.calibration.sources import observed_from_dataset
from netmodel.grades import Grade
from netmodel.published import Row, listing
from netmodel.records import adapter, dataset
from netmodel.records.values import Relation

TIMES = ("per_frame_s", "per_byte_s")
GBIT = 1e9
ABOUT = 0.95
"""A full line that another printed figure contradicts by 0.4 % is taken as within 5 %."""

ROWS = {
    "osa-express7s-25gbe": {
        "in": (
            *("osa7s-limit-streaming-slide-21", "osa7s-inbound-limit-slide-33"),
            *("osa7s-inbound-limit-slide-34", "osa7s-inbound-limit-slide-47"),
            "osa7s-line-speed-streaming-mtu-9000",
        ),
        "out": (
            *("osa7s-outbound-limit-slide-34", "osa7s-outbound-limit-slide-35"),
            *("osa7s-outbound-limit-slide-47", "osa7s-line-speed-streaming-mtu-9000"),
        ),
    },
    # no limit is published: one generation later gains more than 45 %, which bounds it from above
    "osa-express6s-10gbe": {
        "in": (
            *("osa7s-limit-streaming-slide-21", "osa7s-inbound-limit-slide-33"),
            *("osa7s-inbound-limit-slide-34", "osa7s-inbound-limit-slide-47"),
            *("osa7s-against-osa6s-streaming", "osa6s-line-speed-streaming-mtu-9000"),
            "osa6s-line-speed-rr30k-mtu-1500",
        ),
        "out": ("osa6s-line-speed-streaming-mtu-9000", "osa6s-line-speed-rr30k-mtu-1500"),
    },
    "roce-express2.1-25gbe": {
        direction: (
            *("roce-line-speed-streaming-mtu-1500", "roce-line-speed-streaming-mtu-9000"),
            f"roce-line-speed-{direction}-slide-31",
        )
        for direction in ("in", "out")
    },
}
"""Ids of the printed rows of each adapter and direction."""
WITHIN_5_PERCENT = "osa6s-line-speed-rr30k-mtu-1500"
TABLES = {"osa-express2-1gbe": (9, 10), "osa-express2-10gbe": (12,)}
"""Tables of streams at whatever limit: the adapter carries at least their rates."""
WHOLE_MB = 2**20 * 8 / 2
"""Half a unit of table 12, whose rates are whole numbers: the printed .0 is no digit. [bit/s]"""
HOW = "vertices of the feasible set, first of figures as printed, then of their rounding"


def documents() -> dict[str, dict[str, Any]]:
    """Return the calibrated tables of each adapter."""
    found = {name: _of_rows(name, ids) for name, ids in ROWS.items()}
    return found | {name: _of_tables(name, tables) for name, tables in TABLES.items()}


def _of_rows(name: str, directions: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    known = {row.id: row for row in listing() if row.document == "adapter"}
    document = {}
    for direction, ids in directions.items():
        rows = [known[each] for each in ids]
        seen = [_observed(row, "server" if direction == "in" else "client") for row in rows]
        slides = sorted({int(n) for row in rows for n in re.findall(r"slide (\d+)", row.place)})
        notes = [HOW]
        if WITHIN_5_PERCENT in ids:
            notes.insert(
                0,
                "line speed for responses at MTU 1500 is taken as within 5 %: taken "
                "exactly it contradicts a gain above 45 %, by 0.42 % of each figure",
            )
        if "osa7s-against-osa6s-streaming" in ids:
            notes.insert(
                0,
                "assumed: the receiving side limits streams at MTU 1500, as the "
                "document reports of OSA-Express7S",
            )
        document[direction] = _times(name, seen) | {
            "source": "adapter",
            "locator": f"slides {', '.join(map(str, slides))}",
            "grade": (Grade.FITTED if notes == [HOW] else Grade.ASSUMED).value,
            "note": "; ".join(notes),
        }
    return document


def _of_tables(name: str, tables: tuple[int, ...]) -> dict[str, Any]:
    source = dataset("zvm-layer2-layer3")
    seen = []
    for table in tables:
        rows = source.tables["measurements"].where(table=table)
        for each in observed_from_dataset(
            source, rows, ["data_rate_mb_per_s"], conditions=["adapter", "mtu_bytes"]
        ).observed:
            assert each.value is not None
            low = each.value - WHOLE_MB if table == 12 else each.low
            seen.append(_at_least(each, low))
    place = "table 12" if tables == (12,) else "tables 9 and 10"
    note = f"the source does not say what limited the streams; {HOW}"
    times = _times(name, seen) | {"source": "zvm", "locator": f"{place}, all rates"}
    other = "assumed: the server sends through an adapter of the same kind; the tables are of the"
    return {
        "in": times | {"grade": Grade.FITTED.value, "note": note},
        "out": times | {"grade": Grade.ASSUMED.value, "note": f"{other} client; {note}"},
    }


def _observed(row: Row, end: str) -> Observed:
    """Return what a row says of the adapter that it names, else of the one at this end."""
    card = str((row.of.get("adapter") or row.of[end])[0])
    at: dict[str, Any] = {"adapter": card, "mtu_bytes": row.of["mtu"][0]}
    at |= {"workload": row.of["workload"][0]} if "workload" in row.of else {}
    baseline = {**at, "adapter": str(row.against["client"][0])} if row.against else None
    low, high = row.interval
    scale = 1.0 if row.against else GBIT
    if row.relation == "line":
        scale = line_cap(adapter(card).line_rate_bps)(at)
        low, high = 1.0, math.inf
    elif row.relation == "up_to":
        high += row.rounding  # a rounded figure may be exceeded by half of its last digit
    seen = Observed(
        quantity="throughput_bps",
        at=at,
        low=low * scale,
        high=high * scale,
        value=None if row.relation == "line" or row.against else (row.high or 0) * scale,
        relation={
            "line": Relation.CENSORED_ABOVE,
            "equal": Relation.EQUAL,
            "about": Relation.ABOUT,
            "up_to": Relation.UP_TO,
            "at_least": Relation.AT_LEAST,
        }[row.relation],
        baseline=baseline,
        place=row.id,
        is_published=True,
    )
    return replace(seen, low=ABOUT * seen.low) if row.id == WITHIN_5_PERCENT else seen


def _at_least(seen: Observed, low: float) -> Observed:
    return replace(seen, low=low, high=math.inf, value=None, relation=Relation.CENSORED_ABOVE)


def _times(name: str, seen: Sequence[Observed]) -> dict[str, Any]:
    """Return points of times per frame and byte that are possible together."""
    names = dict.fromkeys([name, *(str(at["adapter"]) for x in seen for at in x.all_conditions)])
    model = adapter_model({each: adapter(each).line_rate_bps for each in names}, by="adapter")
    allowed = feasible_set(seen, model)
    places = [[*allowed.parameters].index(f"{name}.{time}") for time in TIMES]
    vertices = hull(np.asarray(allowed.vertices)[:, places])
    if (0.0, 0.0) in vertices:  # lower bounds of rates alone: no figure is taken as printed
        printed: list[tuple[float, float]] = []
        vertices = vertices[::-1]
    else:
        printed = hull(np.asarray(allowed.printed_vertices)[:, places])
    written = points([*printed, *vertices])
    payloads = [
        payload
        for each in seen
        for at in each.all_conditions
        if at["adapter"] == name
        for payload in frame_payloads(model, at).values()
    ]
    return {
        "vertices": written,
        **printed_count(len(points(printed)) or len(written), written),
        "known_payload": payload_text(payloads),
    }
