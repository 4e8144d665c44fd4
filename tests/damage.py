"""Damage to files, which readers must answer with a result or a ParseError, and nothing else."""

import gzip
import json
import math
import re
import resource
import signal
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from netmodel.errors import ParseError

__all__ = [
    "answer",
    "damaged",
    "require_answered",
    "require_sound",
    "with_each_number_replaced",
    "within_limits",
]

Place = tuple[str | int, ...]

LONGEST_S = 2.0
MOST_BYTES = 200 * 10**6
DEEPEST = 50_000
LONGEST_KEY = 5000
NESTED = "nested here"
GZIP_MARK = b"\x1f\x8b"
MAY_PASS_ONE = {"lost_ratio"}

odd_numbers = st.one_of(
    st.sampled_from([-1, 0, 1, 1.5, -0.0, 5e-324, 1e-308, 1e308, 10**18, 10**308, 10**400]),
    st.sampled_from([math.nan, math.inf, -math.inf]),
    st.integers(),
    st.floats(),
    st.floats(1e-6, 1e6),
)
odd_values: st.SearchStrategy[Any] = odd_numbers | st.one_of(
    st.sampled_from([None, True, False, [], {}, "", "0", "NaN", "\ud800", "\0", NESTED]),
    st.sampled_from(["tcp", "UDP", "SCTP", "::1", "10.0.0.1", "::ffff:1.2.3.4", "iperf 3"]),
    st.text(max_size=5),
    st.lists(st.integers() | st.none(), max_size=3),
)

ODD_NUMBERS = [
    *("0", "1", "-1", "-1.00", "0.00", "00", "1.", ".5", ".", "1e9", "1e400", "", "1,5", "100.01"),
    *("nan", "-nan", "NaN", "inf", "9" * 18, "9" * 19, "9" * 400, "1" * LONGEST_KEY, str(2**64)),
    *("0." + "0" * 400 + "1", "999999999999.99", "1000.00", "0.0001", "0x10", "٣", "½"),
]
ODD_WORDS = [
    *(
        "",
        "=",
        "-",
        ":",
        ";",
        "# ",
        "K",
        "G",
        "all",
        "CPU",
        "IFACE",
        "Average:",
        "RESTART",
        "[...]",
    ),
    *("cpu99999999999", "12:61:00", "11:00:00 PM", "Unknown!", "\x1b[", "\0", "\n", "\t", "\n\n"),
]
ODD_IN_A_PLACE = 7
"""Prime to the 30 odd numbers: other ones at the same place of the next file, all in the end."""
odd_words = st.sampled_from(ODD_NUMBERS) | st.sampled_from(ODD_WORDS) | st.text(max_size=5)
FIGURE = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
PIECES = re.compile(r"([\s=;,:/()\[\]]+)")


def damaged(data: st.DataObject, raw: bytes, seldom_read: Set[str] = frozenset()) -> bytes:
    """What a tool wrote, after a change inside or, less often, of the text as a whole."""
    if raw.startswith(GZIP_MARK):
        return _with_changed_package(data, raw, seldom_read)
    is_json = raw.lstrip()[:1] in {b"{", b"["} and _is_whole_json(raw)
    kind = data.draw(st.sampled_from(["inside", "inside", "inside", "whole"]), label="kind")
    if kind == "whole":
        return _with_changed_text(data, raw)
    if is_json:
        return _with_changed_values(data, raw, seldom_read)
    return _with_changed_lines(data, raw)


def with_each_number_replaced(raw: bytes) -> Iterator[bytes]:
    """The text with odd numbers in place of each of its own: the next few of all, in turn."""
    text = raw.decode()
    odd = cycle(ODD_NUMBERS)
    for number in re.finditer(r"[0-9.]+", text):
        for value in islice(odd, ODD_IN_A_PLACE):
            yield (text[: number.start()] + value + text[number.end() :]).encode()


@contextmanager
def within_limits(longest_s: float = LONGEST_S, most_bytes: int = MOST_BYTES) -> Iterator[None]:
    """CPU time and room in memory, beyond which what runs inside fails."""
    used_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    most_bytes += used_pages * resource.getpagesize()
    handler = signal.signal(signal.SIGPROF, _stop)
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, before[1]))
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGPROF, handler)


def answer(read: Callable[[bytes], Any], raw: bytes, name: str = "<bytes>") -> Any:
    """Something sound within the limits; None for a ParseError that names the source, and a key."""
    try:
        with within_limits():
            result = read(raw)
    except ParseError as error:
        assert str(error).startswith(f"{name}: ")  # noqa: PT017
        assert len(str(error)) < LONGEST_KEY + 600  # noqa: PT017
        return None
    require_sound(result)
    return result


def require_answered(read: Callable[[bytes], tuple[Any, ...]], raw: bytes) -> None:
    """Sound measurements, or a ParseError that names the source."""
    result = answer(read, raw)
    assert result is None or len(result)


def require_sound(result: Any) -> None:
    """No number is negative or none; no share is above all."""
    for name, number in numbers(result):
        assert math.isfinite(number), name
        assert number >= 0 or name == "end_s", name  # by a clock, on the day before the first
        assert not name.endswith("_ratio") or name in MAY_PASS_ONE or number <= 1, name


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a result, with the name of its field."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value
    elif is_dataclass(value):
        for field in fields(value):
            yield from numbers(getattr(value, field.name), field.name)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from numbers(item, f"{name} {key}")
    elif isinstance(value, tuple):
        for item in value:
            yield from numbers(item, name)


def _stop(signum: int, frame: object) -> None:
    raise AssertionError("took longer than is allowed")


def _places(value: Any, outside: Place = ()) -> Iterator[Place]:
    """Where something stands in a JSON value, by the keys that lead there."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        yield (*outside, key)
        if isinstance(member, dict | list):
            yield from _places(member, (*outside, key))


def _is_whole_json(raw: bytes) -> bool:
    """Not so text that begins with a bracket, and a document that a tool did not end."""
    try:
        return bool(_json_values(raw))
    except json.JSONDecodeError:
        return False


def _json_values(raw: bytes) -> list[Any]:
    """The one value of a document, or those that stand one behind the other."""
    text = raw.decode().strip()
    values = []
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        values.append(value)
        text = text[end:].lstrip()
    return values


def _with_changed_values(data: st.DataObject, raw: bytes, seldom_read: Set[str]) -> bytes:
    """Values replaced or nested, keys lost and added, items doubled, mostly where they are read."""
    whole = _json_values(raw)
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        everywhere = list(_places(whole))
        often_read = [place for place in everywhere if not seldom_read & set(place)]
        if not everywhere:
            break
        drawn = st.sampled_from(often_read or everywhere) | st.sampled_from(everywhere)
        *outer, key = data.draw(drawn, label="place")
        parent = whole
        for name in outer:
            parent = parent[name]
        change = data.draw(st.sampled_from(["replace", "replace", "drop", "double", "add"]))
        if change == "replace":
            parent[key] = data.draw(odd_values, label="value")
        elif change == "add" and isinstance(parent, dict):
            parent[data.draw(st.text(max_size=5), label="key")] = data.draw(odd_values)
        elif change in {"double", "add"} and isinstance(parent, list):
            parent.append(parent[key])
        else:
            del parent[key]
    text = "\n".join(json.dumps(value) for value in whole)
    depth = data.draw(st.sampled_from([10, 900, DEEPEST]), label="depth") if NESTED in text else 0
    return text.replace(f'"{NESTED}"', "[" * depth + "]" * depth).encode()


def _with_changed_text(data: st.DataObject, raw: bytes) -> bytes:
    """The text cut off, doubled in part, of another encoding, or with something foreign in it."""
    start = data.draw(st.integers(0, len(raw)), label="start")
    end = data.draw(st.integers(start, min(len(raw), start + 40)), label="end")
    before, within, after = raw[:start], raw[start:end], raw[end:]
    change = ["cut", "lose", "double", "repeat", "digits", "recode", "deep", "long"]
    match data.draw(st.sampled_from(change), label="text"):
        case "cut":
            return before
        case "double":
            return raw[:end] + raw[start:]
        case "repeat":
            return raw + b"\n" + raw
        case "digits":
            return before + b"1" * LONGEST_KEY + after
        case "recode":
            encoding = data.draw(st.sampled_from(["utf-16", "utf-32-be", "utf-8-sig", "cp500"]))
            return raw.decode().encode(encoding, "replace")[: 2 * start or None]
        case "deep":
            return before + data.draw(st.sampled_from([b"[", b'{"a":', b"("])) * DEEPEST + after
        case "long":
            return before + within * data.draw(st.sampled_from([100, 5000])) + after
    return before + data.draw(st.binary(max_size=4), label="foreign") + after


def _with_changed_lines(data: st.DataObject, raw: bytes) -> bytes:
    """Figures and words replaced, lost, doubled or swapped; lines lost, moved, cut or put in."""
    text = raw.decode()
    changes = [_with_changed_figure, _with_changed_figure, _with_changed_word, _with_moved_lines]
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        if text:
            text = data.draw(st.sampled_from(changes), label="change")(data, text)
    return text.encode("utf-8", "surrogatepass")


def _with_changed_figure(data: st.DataObject, text: str) -> str:
    figures = list(FIGURE.finditer(text))
    if not figures:
        return text
    drawn = st.sampled_from(figures)
    first, last = sorted((data.draw(drawn), data.draw(drawn)), key=lambda result: result.start())
    if first is last or data.draw(st.booleans(), label="replace"):
        odd = data.draw(st.sampled_from(ODD_NUMBERS), label="value")
        return text[: first.start()] + odd + text[first.end() :]
    between = text[first.end() : last.start()]
    return text[: first.start()] + last[0] + between + first[0] + text[last.end() :]


def _with_changed_word(data: st.DataObject, text: str) -> str:
    pieces = PIECES.split(text)
    place = data.draw(st.integers(0, len(pieces) - 1), label="word")
    match data.draw(st.sampled_from(["replace", "replace", "lose", "double", "swap"])):
        case "replace":
            pieces[place] = data.draw(odd_words, label="value")
        case "lose":
            pieces[place] = ""
        case "double":
            pieces.insert(place, pieces[place])
        case "swap":
            other = data.draw(st.integers(0, len(pieces) - 1), label="other")
            pieces[place], pieces[other] = pieces[other], pieces[place]
    return "".join(pieces)


def _with_moved_lines(data: st.DataObject, text: str) -> str:
    lines = text.split("\n")
    first, other = (data.draw(st.integers(0, len(lines) - 1), label="line") for _ in range(2))
    match data.draw(st.sampled_from(["drop", "double", "swap", "foreign", "cut"])):
        case "drop":
            del lines[first]
        case "double":
            lines.insert(other, lines[first])
        case "swap":
            lines[first], lines[other] = lines[other], lines[first]
        case "foreign":
            lines.insert(first, data.draw(st.text(max_size=20), label="foreign"))
        case "cut":
            lines[first] = lines[first][
                : data.draw(st.integers(0, len(lines[first])), label="length")
            ]
    return "\n".join(lines)


def _with_changed_package(data: st.DataObject, raw: bytes, seldom_read: Set[str]) -> bytes:
    """What is packed changed, and packed again or not; or a byte of the package, or it is cut."""
    match data.draw(st.sampled_from(["plain", "packed", "package"]), label="package"):
        case "plain":
            return damaged(data, gzip.decompress(raw), seldom_read)
        case "packed":
            return gzip.compress(damaged(data, gzip.decompress(raw), seldom_read), mtime=0)
    packed = bytearray(raw)
    packed[data.draw(st.integers(2, len(packed) - 1))] = data.draw(st.integers(0, 255))
    return bytes(packed[: data.draw(st.integers(2, len(packed)))])
