"""Damage to results of tools, and what is left to hold of what is read from them."""

import math
import re
from collections.abc import Iterator
from dataclasses import fields

from hypothesis import strategies as st

from netmodel.readers import CpuUse, Measurement

__all__ = ["require_sound", "with_changed_lines", "with_changed_text"]

ODD_FIGURES = [
    *("0", "1", "-1", "-1.00", "0.00", "00", "1.", ".5", "1e9", "nan", "-nan", "inf", "NaN", ""),
    *("9" * 18, "9" * 19, "9" * 400, "1" * 5000, "0." + "0" * 400 + "1", "1,5", "٣", "½", "0x10"),
    *("999999999999.99", "1000.00", "0.0001", "K", "G", "\0"),
]
FIGURE = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def with_changed_text(data: st.DataObject, raw: bytes) -> bytes:
    """The text cut off, doubled in part, or with something foreign in it."""
    start = data.draw(st.integers(0, len(raw)), label="start")
    end = data.draw(st.integers(start, min(len(raw), start + 40)), label="end")
    before, after = raw[:start], raw[end:]
    match data.draw(st.sampled_from(["cut", "lose", "double", "repeat", "digits", "recode"])):
        case "cut":
            return before
        case "double":
            return raw[:end] + raw[start:]
        case "repeat":
            return raw + b"\n" + raw
        case "digits":
            return before + b"1" * 5000 + after
        case "recode":
            return raw.decode().encode("utf-16")[: 2 * start]
    return before + data.draw(st.binary(max_size=4), label="foreign") + after


def numbers(record: Measurement | CpuUse) -> Iterator[tuple[str, float]]:
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield field.name, value


def require_sound(measurement: Measurement) -> None:
    for record in (measurement, *measurement.cpu):
        for name, number in numbers(record):
            assert math.isfinite(number), name
            assert number >= 0, name


def with_changed_lines(data: st.DataObject, raw: bytes) -> bytes:
    """Figures replaced or swapped, lines lost, doubled, swapped or cut, and foreign ones put in."""
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        change = data.draw(st.sampled_from(["figure", "figure", "swap", "lines"]))
        figures = list(FIGURE.finditer(raw))
        if change == "lines" or not figures:
            raw = _with_other_lines(data, raw)
            continue
        drawn = st.sampled_from(figures)
        first = data.draw(drawn, label="figure")
        if change == "figure":
            odd = data.draw(st.sampled_from(ODD_FIGURES), label="value").encode()
            raw = raw[: first.start()] + odd + raw[first.end() :]
        else:
            first, last = sorted((first, data.draw(drawn)), key=lambda found: found.start())
            between = raw[first.end() : last.start()]
            if first is not last:
                raw = raw[: first.start()] + last[0] + between + first[0] + raw[last.end() :]
    return raw


def _with_other_lines(data: st.DataObject, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    one, other = (data.draw(st.integers(0, len(lines) - 1), label="line") for _ in range(2))
    match data.draw(st.sampled_from(["drop", "double", "swap", "foreign", "cut"])):
        case "drop":
            del lines[one]
        case "double":
            lines.insert(other, lines[one])
        case "swap":
            lines[one], lines[other] = lines[other], lines[one]
        case "foreign":
            lines.insert(one, data.draw(st.binary(max_size=20), label="foreign"))
        case "cut":
            lines[one] = lines[one][: data.draw(st.integers(0, len(lines[one])), label="length")]
    return b"\n".join(lines)
