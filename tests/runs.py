"""Runs of iperf3 to test with: as the tool wrote them, with changed values, and made up."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from netmodel.checking import Gate, SpecifiedLine, Verdict, check
from netmodel.checking.tolerance import DERIVED
from netmodel.readers import Direction, Measurement, read_result

__all__ = [
    "EVEN_CEILING_BPS",
    "EVEN_LINE",
    "GONE",
    "SAMPLES",
    "changed",
    "check_file",
    "content",
    "document",
    "having",
    "reported",
    "run",
    "sample",
    "values_of",
    "with_values",
]

SAMPLES = Path(__file__).parent / "readers" / "samples" / "iperf3"
PARTS = ("traffic", "tcp", "counted", "file")
"""Parts of a measurement, whose values no other part has."""
GONE = object()
"""Stands for a value that is to be left out."""
EVEN_LINE = SpecifiedLine(1538e6, mtu_bytes=1500)
EVEN_CEILING_BPS = 1448e6
"""What the line carries of TCP over IPv4 with timestamps: 1448 of the 1538 bytes of each frame."""


def check_file(
    path: Path, line: SpecifiedLine, gate: Gate = DERIVED, format_name: str | None = None
) -> list[Verdict]:
    """Verdicts on each direction of a file; raises what a run contradicts."""
    return [check(run, line, gate) for run in read_result(path, format_name)]


def sample(name: str) -> Path:
    return SAMPLES / name


def document(name: str) -> dict[str, Any]:
    return json.loads(sample(name).read_text(encoding="utf-8"))


def content(value: Any) -> bytes:
    return json.dumps(value).encode()


def changed(name: str, changes: dict[str, Any]) -> bytes:
    """A sample with other values at dotted paths; without those that become GONE."""
    return content(with_values(document(name), changes))


def with_values(whole: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A document with other values at dotted paths; without those that become GONE."""
    whole = copy.deepcopy(whole)
    for path, value in changes.items():
        *outer, last = path.split(".")
        place = whole
        for key in outer:
            place = place[key]
        if value is GONE:
            del place[last]
        else:
            place[last] = value
    return whole


def run(goodput_bps: float | None = EVEN_CEILING_BPS, **reported: Any) -> Measurement:
    """A run of TCP over IPv4 of which nothing else is known than what is reported."""
    usual: dict[str, Any] = {"tool_version": "3.21", "protocol": "tcp", "ip_version": 4}
    usual["direction"] = Direction.CLIENT_TO_SERVER
    empty = Measurement(source="run.json", tool="iperf3", goodput_bps=goodput_bps)
    return having(empty, **(usual | reported))


def having(run: Measurement, **values: Any) -> Measurement:
    """The run with other values, each in the part of it that has its name."""
    for name in PARTS:
        part = getattr(run, name)
        own = {each: values.pop(each) for each in part.__slots__ if each in values}
        values[name] = replace(part, **own)
    return replace(run, **values)


def values_of(run: Measurement) -> dict[str, Any]:
    """All values of a run and its parts, by name."""
    places = (run, *(getattr(run, name) for name in PARTS))
    return {x: getattr(place, x) for place in places for x in place.__slots__ if x not in PARTS}


def reported(measurement: Measurement) -> dict[str, Any]:
    """What a file reports of a run: all fields with a value, beside tool and file."""
    empty = values_of(Measurement(source=measurement.source, tool=measurement.tool))
    values = values_of(measurement)
    del values["raw_text"], values["sha256"]
    return {name: each for name, each in values.items() if each != empty[name]}
