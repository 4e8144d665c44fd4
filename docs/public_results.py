"""
Public results beside what the package says of them, as a table.

As a Sphinx extension it writes `page` as MyST Markdown before the documents are read.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from written import write

import netmodel
from netmodel.checking.tolerance import HOST_CLOCK_RATIO, LINE_CLOCK_RATIO
from netmodel.framing.lengths import SILENT_BYTES
from netmodel.readers import Measurement
from netmodel.readers.measurement import Counted
from netmodel.records import dataset
from netmodel.units import BITS_PER_BYTE, format_rate, parse_rate_bps

TARGET = Path("reference/generated/public-results.inc")
DATA = Path(__file__).parents[1] / "tests" / "data" / "public-results"
_SIZES = ("mtu_bytes", "payload_bytes", "rdma_mtu_bytes")
_TEXTS = ("stack", "transport", "sender", "receiver")
_CLOCKS = 1 + LINE_CLOCK_RATIO + HOST_CLOCK_RATIO
"""A line and the clock of a host may be this much faster."""


class Judged(NamedTuple):
    """A result, its upper bound, and the verdict on it."""

    row: dict[str, str]
    measured_bps: float
    bound_bps: float
    verdict: Any

    @property
    def ratio(self) -> float:
        """Measured over the bound."""
        return self.measured_bps / self.bound_bps

    @property
    def is_within(self) -> bool:
        """True at or below the bound, within its digits and the tolerance of clocks."""
        half_bps = self.verdict.measurement.counted.half_width_bps or 0.0
        return self.measured_bps - half_bps <= self.bound_bps * _CLOCKS


def judged() -> Iterator[Judged]:
    """Yield every result with its bound and verdict."""
    table = dataset(DATA).tables["results"]
    names = [column.name for column in table.columns]
    for row in (dict(zip(names, cells, strict=True)) for cells in table.cells):
        given: dict[str, Any] = {name: row[name] for name in _TEXTS if row[name]}
        given |= {"line_rate_bps": row["line_rate"]} if row["line_rate"] else {}
        given |= {name: int(row[name]) for name in _SIZES if row[name]}
        given |= {"connections": int(row["connections"])} if row["connections"] else {}
        if row["capacity"]:
            given["capacity"] = row["capacity"].split(", ")
        (verdict,) = netmodel.check(_run(row), **given)
        run = verdict.measurement
        measured_bps = run.goodput_bps or run.counted.layer1_rate_bps
        if row["sender"]:
            bound_bps = float(netmodel.predict(**given).throughput_bps.value)
        else:
            bound_bps = verdict.limits.bounds_bps[1]
        yield Judged(row, measured_bps, bound_bps, verdict)


def _run(row: dict[str, str]) -> str | Measurement:
    """Return a rate as it was printed, or frames of their size as a measurement."""
    if not row["frame_bytes"]:
        return row["measured"]
    rate_fps = parse_rate_bps(row["measured"].replace("pps", "bit/s"))
    wire_bits = BITS_PER_BYTE * (int(row["frame_bytes"]) + SILENT_BYTES)
    frames = Counted(frame_rate_fps=rate_fps, layer1_rate_bps=rate_fps * wire_bits)
    return Measurement(source=row["id"], tool="rate", counted=frames)


def page() -> str:
    """Return how many results are below their bound, and a row for each."""
    found = [*judged()]
    within = sum(each.is_within for each in found)
    counts = Counter(str(each.verdict.word) for each in found)
    said = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    lines = [
        f"Of {len(found)} results, {within} are below their bound, and "
        f"{counts['impossible']} impossible: {said}.",
        "",
        "| Result | Date | Measured | At most | Ratio | Verdict |",
        "|---|---|--:|--:|--:|---|",
    ]
    for each in found:
        row, is_frames = each.row, bool(each.row["frame_bytes"])
        most = "the line" if is_frames and row["line_rate"] else format_rate(each.bound_bps, 4)
        ends = dict.fromkeys(filter(None, (row["sender"], row["receiver"])))
        between = " to ".join(f"`{end}`" for end in ends)
        what = "; ".join(filter(None, (between, row["condition"])))
        cells = [f"[{what}]({row['source']})", row["date"], row["measured"], most]
        cells += [f"{each.ratio:.4f}", each.verdict.word]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _write(app: Any) -> None:
    write(Path(app.srcdir) / TARGET, page())


def setup(app: Any) -> dict[str, bool]:
    """Write it before Sphinx looks for documents."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
