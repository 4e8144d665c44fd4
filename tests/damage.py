"""Damage to what tools wrote: values of other kinds, keys lost, text cut, doubled or foreign."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

__all__ = ["damaged", "with_changed_text", "with_changed_values", "with_changed_words"]

SELDOM_READ = {"intervals", "streams"}

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

ODD_WORDS = [
    *("", "-1", "0", "nan", "-nan", "inf", "1e400", "1,5", "100.01", "1" * 5000, str(2**64)),
    *("all", "CPU", "IFACE", "cpu99999999999", "Average:", "RESTART", "12:61:00", "11:00:00 PM"),
    *("٣", "\0", "\n", "\t", ":", ";", "[...]", "# ", "Unknown!", "\n\n"),
]
odd_words = st.sampled_from(ODD_WORDS) | st.text(max_size=5)


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


def with_changed_values(data: st.DataObject, raw: bytes) -> bytes:
    """Values replaced, keys lost and list items doubled, mostly where the reader looks."""
    whole = json_values(raw)
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        everywhere = list(places(whole))
        often_read = [place for place in everywhere if not SELDOM_READ & set(place)]
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


def with_changed_words(data: st.DataObject, raw: bytes) -> bytes:
    """Words of a table replaced, lost, doubled or swapped, and lines lost or doubled."""
    pieces = re.split(r"([\s;:]+)", raw.decode())
    for _ in range(data.draw(st.integers(1, 3), label="changes")):
        place = data.draw(st.integers(0, len(pieces) - 1), label="place")
        match data.draw(st.sampled_from(["replace", "replace", "lose", "double", "swap"])):
            case "replace":
                pieces[place] = data.draw(odd_words, label="word")
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
