"""Damage to files that readers must answer with measurements or a ParseError, and nothing else."""

import json
import math
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import fields
from typing import Any

from hypothesis import strategies as st

from netmodel.errors import ParseError
from netmodel.readers import CpuUse, Measurement

__all__ = [
    "damaged",
    "require_answered",
    "require_sound",
    "with_changed_lines",
    "with_changed_rows",
    "with_changed_text",
    "with_changed_values",
    "with_changed_words",
    "with_each_number_replaced",
]

Place = tuple[str | int, ...]

odd_numbers = st.one_of(
    st.sampled_from([-1, 0, 1, 1.5, -0.0, 5e-324, 1e-308, 1e308, 10**18, 10**308, 10**400]),
    st.sampled_from([math.nan, math.inf, -math.inf]),
    st.integers(),
    st.floats(),
    st.floats(1e-6, 1e6),
)
odd_values: st.SearchStrategy[Any] = odd_numbers | st.one_of(
    st.sampled_from([None, True, False, [], {}, "", "0", "NaN", "\ud800", "\0"]),
    st.sampled_from(["tcp", "UDP", "SCTP", "::1", "10.0.0.1", "::ffff:1.2.3.4", "iperf 3"]),
    st.text(max_size=5),
    st.lists(st.integers() | st.none(), max_size=3),
)


def places(value: Any, outside: Place = ()) -> Iterator[Place]:
    """Where something stands in a JSON value, by the keys that lead there."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*outside, key)
        if isinstance(member, dict | list):
            yield from places(member, (*outside, key))


def json_values(raw: bytes) -> list[Any]:
    """The one value of a document, or those of the lines of a stream."""
    text = raw.decode()
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def with_changed_values(
    data: st.DataObject, raw: bytes, seldom_read: Set[str] = frozenset()
) -> bytes:
    """Values replaced, keys lost and list items doubled, mostly where the reader looks."""
    whole = json_values(raw)
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        everywhere = list(places(whole))
        often_read = [place for place in everywhere if not seldom_read & set(place)]
        if not everywhere:
            break
        drawn = st.sampled_from(often_read or everywhere) | st.sampled_from(everywhere)
        *outer, key = data.draw(drawn, label="place")
        parent = whole
        for name in outer:
            parent = parent[name]
        change = data.draw(st.sampled_from(["replace", "replace", "drop", "double"]))
        if change == "replace":
            parent[key] = data.draw(odd_values, label="value")
        elif change == "double" and isinstance(parent, list):
            parent.append(parent[key])
        else:
            del parent[key]
    return b"\n".join(json.dumps(value).encode() for value in whole)


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


ODD_NUMBERS = ["0", "0.000", "-1", "nan", "inf", "1e400", "9" * 15, "9" * 400, "\u0661", "", "."]
ODD_WORDS = ["nan", "-1", "inf", "1e400", "9" * 400, "0", "0.0", "", "\u0661", "=", "\x1b[", "\0"]


def with_changed_lines(data: st.DataObject, raw: bytes) -> bytes:
    """Numbers replaced, mostly, and other words; lines lost, doubled or moved."""
    text = raw.decode()
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        if not text:
            break
        change = data.draw(st.sampled_from([_with_changed_number, _with_changed_line]))
        text = change(data, text)
    return text.encode()


def with_each_number_replaced(raw: bytes) -> Iterator[bytes]:
    """The text, once for each of its numbers and each odd number in its place."""
    text = raw.decode()
    for number in re.finditer(r"[0-9.]+", text):
        for value in ODD_NUMBERS:
            yield (text[: number.start()] + value + text[number.end() :]).encode()


def _with_changed_number(data: st.DataObject, text: str) -> str:
    numbers = list(re.finditer(r"[0-9.]+", text))
    if not numbers:
        return text
    number = data.draw(st.sampled_from(numbers), label="number")
    value = data.draw(st.sampled_from(ODD_NUMBERS), label="value")
    return text[: number.start()] + value + text[number.end() :]


def _with_changed_line(data: st.DataObject, text: str) -> str:
    lines = text.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1), label="line")
    match data.draw(st.sampled_from(["word", "word", "word", "drop", "double", "move"])):
        case "drop":
            del lines[place]
        case "double":
            lines.insert(place, lines[place])
        case "move":
            lines.insert(data.draw(st.integers(0, len(lines) - 1)), lines.pop(place))
        case "word":
            lines[place] = _with_changed_word(data, lines[place])
    return "".join(lines)


def _with_changed_word(data: st.DataObject, line: str) -> str:
    words = re.split(r"([ =;,:/()\[\]]+)", line)
    place = data.draw(st.integers(0, len(words) - 1), label="word")
    words[place] = data.draw(st.sampled_from(ODD_WORDS) | st.text(max_size=4), label="value")
    return "".join(words).replace("\ud800", "")


def require_answered(
    read: Callable[[bytes], tuple[Measurement, ...]], raw: bytes, name: str = "<bytes>"
) -> None:
    """Sound measurements, or a ParseError that names the source."""
    try:
        measurements = read(raw)
    except ParseError as error:
        assert str(error).startswith(f"{name}: ")  # noqa: PT017
    else:
        assert measurements
        for measurement in measurements:
            require_sound(measurement)


ODD_FIGURES = [
    *("0", "1", "-1", "-1.00", "0.00", "00", "1.", ".5", "1e9", "nan", "-nan", "inf", "NaN", ""),
    *("9" * 18, "9" * 19, "9" * 400, "1" * 5000, "0." + "0" * 400 + "1", "1,5", "٣", "½", "0x10"),
    *("999999999999.99", "1000.00", "0.0001", "K", "G", "\0"),
]
FIGURE = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


def with_changed_rows(data: st.DataObject, raw: bytes) -> bytes:
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


ODD_CELLS = [
    *("", "-1", "0", "nan", "-nan", "inf", "1e400", "1,5", "100.01", "1" * 5000, str(2**64)),
    *("all", "CPU", "IFACE", "cpu99999999999", "Average:", "RESTART", "12:61:00", "11:00:00 PM"),
    *("٣", "\0", "\n", "\t", ":", ";", "[...]", "# ", "Unknown!", "\n\n"),
]
odd_cells = st.sampled_from(ODD_CELLS) | st.text(max_size=5)


def with_changed_words(data: st.DataObject, raw: bytes) -> bytes:
    """Words of a table replaced, lost, doubled or swapped, and lines lost or doubled."""
    pieces = re.split(r"([\s;:]+)", raw.decode())
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        place = data.draw(st.integers(0, len(pieces) - 1), label="place")
        match data.draw(st.sampled_from(["replace", "replace", "lose", "double", "swap"])):
            case "replace":
                pieces[place] = data.draw(odd_cells, label="word")
            case "lose":
                pieces[place] = ""
            case "double":
                pieces.insert(place, pieces[place])
            case "swap":
                other = data.draw(st.integers(0, len(pieces) - 1), label="other")
                pieces[place], pieces[other] = pieces[other], pieces[place]
    return "".join(pieces).encode("utf-8", "surrogatepass")


def damaged(data: st.DataObject, raw: bytes, is_json: bool) -> bytes:
    """What a tool wrote, after a change of values or, less often, of the text."""
    inside = with_changed_values if is_json else with_changed_words
    return data.draw(st.sampled_from([inside] * 3 + [with_changed_text]))(data, raw)
