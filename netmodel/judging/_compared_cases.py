"""Cases to compare, as a user writes them: ``adapter=... mtu=1500``, or values alone."""

import math
import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from netmodel._text import near_name, span_text
from netmodel.errors import ContradictionError, DomainError, UnknownRecordError
from netmodel.judging._compared_facts import (
    COUNT,
    DISTANCE,
    IMPLIED_BY_PATH,
    PATH,
    TRANSPORT,
    WORDS,
    Case,
    Value,
    published,
)
from netmodel.records import catalog
from netmodel.records._catalog import is_file
from netmodel.records._subjects import Configuration
from netmodel.units import format_time, parse_count, parse_rate_bps, parse_size_bytes
from netmodel.units._format import window_text
from netmodel.units._parse import parse_km, parse_share

SHORT_NAMES = {
    "mtu": "mtu_bytes",
    "connections": COUNT,
    "rps": "receive_packet_steering",
    "sender": "sender_adapter",
    "receiver": "receiver_adapter",
    "level": "hypervisor_level",
    "processor": "processor_type",
    "trunks": "trunk_count",
    "distance": "distance_km",
    "km": "distance_km",
    "window": "window_bytes",
    "loss": "loss_ratio",
    "protocol": "transport",
    "message": "message_bytes",
    "line": "line_rate",
    "large_send": "large_send",
    "largesend": "large_send",
    "tso": "large_send",
}
"""What the command line calls conditions of statements."""
_LONG_NAMES = {name: short for short, name in reversed(SHORT_NAMES.items())}
_SWITCHES = {"on": True, "off": False, "yes": True, "no": False}
_SWITCHED = frozenset({"receive_packet_steering", "large_send"})
_SIZES = frozenset({"mtu_bytes", "message_bytes", "window_bytes"})
_PRINTED = {"smcr": "smc-r", "smcd": "smc-d"}
"""Values of conditions that people write otherwise."""
_SPACE_BEFORE_KM = re.compile(r"(?<=\d)\s+km\b")
_COMMA_BEFORE_NAME = re.compile(r",\s*(?=[a-z][\w-]*=)")
"""As other options separate conditions."""
_LENGTH = re.compile(r"[\d.]+\s*km")
_COUNTS = frozenset({COUNT, "processor_count", "trunk_count"})
_KINDS = {
    "adapter": "adapters",
    "sender_adapter": "adapters",
    "receiver_adapter": "adapters",
    "host": "hosts",
    "link": "links",
    "path": "paths",
    "workload": "workloads",
}
"""Conditions whose values are ids of the catalog."""
KEYS = (
    *(
        name
        for name in Configuration.model_fields
        if name not in {"workloads", "table", "direction", "side"}
    ),
    *("window_bytes", "loss_ratio"),
)
"""Conditions that a case may name: side and direction are those of quantities. Windows and losses
are of no document, but predictions depend on them."""
_NONE_UNLESS_NAMED = frozenset({"window_bytes", "loss_ratio"})
"""Conditions of a variant that the baseline has only where it names them too."""
_ENDS = ("sender_adapter", "receiver_adapter")
_KM_DIGITS = 4
"""Of a distance in a sentence: 100 m of 100 km."""
_BETWEEN_PARTS = re.compile(r"[^a-z0-9]+")
_WORDS_OF_SWITCHES = {"on": ("yes", "on", "enabled"), "off": ("no", "off", "disabled")}
_WORDS_OF_SWITCHES |= {"yes": _WORDS_OF_SWITCHES["on"], "no": _WORDS_OF_SWITCHES["off"]}
"""How documents write that a setting is on or off."""
_SHOWN_NEAR = 4
"""Values with a word in common that one line has room for."""
_SHOWN_VALUES = 12
"""Values that an error names: more of them do not help to find the right one."""


def short_name(key: str) -> str:
    """What the command line calls a condition."""
    return _LONG_NAMES.get(key, key)


class RoundTripKm(float):
    """Kilometres of fibre of a round trip, which is what was given. [km]"""

    round_trip_s: float

    def __new__(cls, km: float, round_trip_s: float) -> "RoundTripKm":
        made = super().__new__(cls, km)
        made.round_trip_s = round_trip_s
        return made


def distance_text(value: Value) -> str:
    """A distance as it was given: in km, or as its round trip."""
    if isinstance(value, RoundTripKm):
        return f"round trip {format_time(value.round_trip_s, _KM_DIGITS)}"
    return f"{value:.{_KM_DIGITS}g} km"


def word(value: Value) -> str:
    """A value as the command line takes it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, frozenset):
        return min(value, key=lambda name: (len(name), name))
    return f"{value:g}" if isinstance(value, float) else _PRINTED.get(str(value), str(value))


def case_text(case: Case) -> str:
    """A case in the grammar of the command line."""
    return " ".join(f"{short_name(key)}={quoted(word(value))}" for key, value in case.items())


def quoted(text: str) -> str:
    """A value with quotes where it has blanks."""
    return f"'{text}'" if set(text) & set(" '") else text


@dataclass(frozen=True)
class Vocabulary:
    """Values of each condition that documents and the catalog name."""

    values: Mapping[str, frozenset[str]]

    def keys_of(self, text: str) -> list[str]:
        """Conditions that have a value, the one whose values are ids first."""
        return [key for key in KEYS if text in self.values.get(key, ())]


def vocabulary() -> Vocabulary:
    """Values of the bundled and registered documents and records."""
    values: dict[str, set[str]] = defaultdict(set)
    known = catalog()
    for key, kind in _KINDS.items():
        values[key] |= set(known.get(kind, ()))
    for case in published().cases():
        for key, value in case.items():
            values[key] |= value if isinstance(value, frozenset) else {word(value)}
    return Vocabulary({key: frozenset(names) for key, names in values.items()})


def parse_case(text: str) -> dict[str, Value]:
    """
    A case from text.

    Parameters
    ----------
    text : str
        Conditions with blanks or commas between them: ``name=value``, or a value alone where it
        is an id or a word of a document. Words that only one value has stand for it (``5.1``).
        Quotes keep blanks: ``'setting=buffers increased'``.

    Returns
    -------
    case : dict
        Values by the names that subjects of statements have.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones, and those that there are.
    ContradictionError
        If a condition is given twice.
    UnitError
        If a number is none.

    Examples
    --------
    >>> parse_case("osa-express7s-25gbe mtu=9000 rps=on")
    {'adapter': 'osa-express7s-25gbe', 'mtu_bytes': 9000, 'receive_packet_steering': True}
    """
    try:
        plain = _COMMA_BEFORE_NAME.sub(" ", _SPACE_BEFORE_KM.sub("km", text))
        tokens = shlex.split(plain)
    except ValueError as error:
        raise DomainError(f"case {text!r}: {str(error).lower()}") from None
    known = vocabulary()
    case: dict[str, Value] = {}
    for token in tokens:
        key, value = _condition(token, known)
        if case.setdefault(key, value) != value:
            raise ContradictionError(f"case {text!r}: {short_name(key)} is given twice")
    return case


def given_case(given: str | Mapping[str, object]) -> dict[str, Value]:
    """A case from text, or from conditions by their names."""
    return parse_case(given) if isinstance(given, str) else checked_case(given)


def checked_case(given: Mapping[str, object]) -> dict[str, Value]:
    """A case from conditions by their names, in base units or as text."""
    known = vocabulary()
    return dict(_condition(f"{name}={_as_text(value)}", known) for name, value in given.items())


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _condition(token: str, known: Vocabulary) -> tuple[str, Value]:
    # (1) a value alone, such as an id; it may hold "=" itself
    token = _PRINTED.get(token.lower(), token)
    if _LENGTH.fullmatch(token):
        return "distance_km", _value("distance_km", token, known)
    keys = known.keys_of(token)
    if keys:
        return keys[0], _value(keys[0], token, known)
    name, has_value, text = token.partition("=")
    if not has_value:
        all_values = sorted({value for values in known.values.values() for value in values})
        whole = _only_with(token, all_values)
        if whole is not None:
            return _condition(whole, known)
        near = near_name(token, all_values)
        some = _containing(token, all_values)
        advice = (
            f"did you mean {near!r}?"
            if near
            else f"did you mean {some}?"
            if some
            else "write name=value, with a name such as adapter, path, layer, mtu, connections, rps"
        )
        raise UnknownRecordError(f"no adapter, path or other value is called {token!r}; {advice}")
    # (2) by the name of the condition
    key = SHORT_NAMES.get(name.replace("-", "_"), name.replace("-", "_"))
    if key not in KEYS:
        all_values = sorted({value for values in known.values.values() for value in values})
        # a setting as people switch it: documents write yes or no
        for switch in _WORDS_OF_SWITCHES.get(text.lower(), ()):
            whole = _only_with(f"{name} {switch}", (each for each in all_values if "=" in each))
            if whole is not None:
                return _condition(whole, known)
        some = _containing(name, all_values)
        if some:
            raise UnknownRecordError(f"no condition is called {name!r}; did you mean {some}?")
        names = [short_name(each) for each in KEYS]
        near = near_name(name, names)
        hint = f"; did you mean {near!r}?" if near else ""
        raise UnknownRecordError(
            f"no condition is called {name!r}{hint}; known are {', '.join(names)}"
        )
    return key, _value(key, text, known)


def _value(key: str, text: str, known: Vocabulary) -> Value:
    if key in _SWITCHED:
        if text.lower() not in _SWITCHES:
            raise DomainError(f"{short_name(key)} is on or off; got {text!r}")
        return _SWITCHES[text.lower()]
    if key in _SIZES | _COUNTS:
        number = int(parse_size_bytes(text) if key in _SIZES else parse_count(text))
        if number < 1:
            raise DomainError(f"{short_name(key)} must be at least 1; got {text!r}")
        return number
    if key == "layer" and text.isdigit():
        return int(text)
    if key == "distance_km":
        return parse_km(text)
    if key == "loss_ratio":
        return parse_share(text)
    if key == "line_rate":
        rate_bps = parse_rate_bps(text)
        same = (each for each in known.values[key] if parse_rate_bps(each) == rate_bps)
        return next(same, text)
    if key == "workload" and is_file(text):
        return text
    values = known.values.get(key, frozenset())
    text = _PRINTED.get(text.lower(), text)
    text = text if text in values else _only_with(text, values) or text
    if text not in values:
        near = near_name(text, values)
        hint = f"; did you mean {near!r}?" if near else ""
        some_of = _containing(text, values)
        if not near and some_of:
            noun = short_name(key).replace("_", " ")
            raise UnknownRecordError(f"no {noun} is called {text!r}; did you mean {some_of}?")
        some = sorted(values)[:_SHOWN_VALUES]
        more = ", ..." if len(values) > len(some) else ""
        raise UnknownRecordError(
            f"no {short_name(key).replace('_', ' ')} is called {text!r}{hint}; "
            f"known are {', '.join(some)}{more}"
        )
    return next((each for each, printed in _PRINTED.items() if printed == text), text)


def _parts(text: str) -> list[str]:
    return [part for part in _BETWEEN_PARTS.split(text.lower()) if part]


def _only_with(text: str, values: Iterable[str]) -> str | None:
    """The only value with all these words, in their order, such as 5.1.0 for 5.1."""
    wanted = _parts(text)
    found = []
    for value in values:
        rest = iter(_parts(value))
        if wanted and all(part in rest for part in wanted):
            found.append(value)
    return found[0] if len(found) == 1 else None


def _containing(text: str, values: Iterable[str]) -> str:
    """The shortest values that contain a text, for an error; empty where none does."""
    low = text.lower()
    own = [value for value in values if low in value.lower()]
    whole = [value for value in own if any(part.startswith(low) for part in _parts(value))]
    found = sorted(whole or own, key=lambda value: (len(value), value))
    more = ", ..." if len(found) > _SHOWN_NEAR else ""
    return ", ".join(map(quoted, found[:_SHOWN_NEAR])) + more


def completed(baseline: Case, variant: Case, common: Case) -> tuple[Case, Case]:
    """
    Both cases whole: what one side does not name is that of the other.

    Words of a document, such as a setting, stay with the side that names them. Where nothing
    would differ then, the variant has only its own conditions.

    Raises
    ------
    DomainError
        If the cases do not differ.
    ContradictionError
        If both sides have a condition that the question as a whole has too.
    """
    own = [_with_ends(each) for each in (baseline, variant)]
    for case in own:
        for key, value in case.items():
            if common.get(key, value) != value:
                name = short_name(key)
                raise ContradictionError(
                    f"{name} is given with a case and for all cases: leave out one of them"
                )
    kept = {key: value for key, value in own[0].items() if key not in WORDS}
    whole = _merged(_merged(dict(common), kept), own[1])
    if _merged(whole, own[0]) == whole:
        whole = _merged(dict(common), own[1])
    start = {
        key: value
        for key, value in whole.items()
        if key not in _NONE_UNLESS_NAMED or key in own[0] or key in common
    }
    is_open = PATH in whole and PATH not in own[0]
    if is_open and any(key in IMPLIED_BY_PATH and key not in own[1] for key in own[0]):
        # a layer or adapter of its own is that of another path
        only_of_baseline = (own[0].keys() - own[1].keys()) & IMPLIED_BY_PATH
        whole = {key: each for key, each in whole.items() if key not in only_of_baseline}
        start.pop(PATH, None)
    cases = _merged(start, own[0]), whole
    if cases[0] == cases[1]:
        raise DomainError("the variant does not differ from the baseline")
    return cases


def _merged(case: Case, more: Case) -> dict[str, Value]:
    """A case with conditions of another one, whose adapters replace those of the first."""
    result = dict(case)
    if "adapter" in more:
        for end in _ENDS:
            result.pop(end, None)
    if any(end in more for end in _ENDS) and "adapter" in result:
        both = result.pop("adapter")
        result |= dict.fromkeys(_ENDS, both)
    return _with_ends({**result, **more})


def _with_ends(case: Case) -> dict[str, Value]:
    """One name for the adapter of both ends."""
    result = dict(case)
    ends = [result.get(end) for end in _ENDS]
    if ends[0] is not None and ends[0] == ends[1]:
        for end in _ENDS:
            del result[end]
        result["adapter"] = ends[0]
    return result


def differing(one: Case, other: Case) -> frozenset[str]:
    """Conditions in which two cases differ; paths do if they share no name."""
    return frozenset(
        key for key in {**one, **other} if not is_same(key, one.get(key), other.get(key))
    )


def is_same(key: str, one: Value | None, other: Value | None) -> bool:
    """Whether two values of a condition are the same."""
    if key == PATH and one is not None and other is not None:
        return bool(_names(one) & _names(other))
    return one == other


def _names(value: Value) -> frozenset[str]:
    return value if isinstance(value, frozenset) else frozenset({str(value)})


def listed_differences(one: Case, other: Case, keys: Iterable[str]) -> str:
    """How the first case differs from the second, in words."""
    texts = []
    for key in sorted(keys):
        values = [case.get(key) for case in (one, other)]
        have = ["not named" if value is None else word(value) for value in values]
        texts.append(f"{short_name(key)} {have[0]} instead of {have[1]}")
    return ", ".join(texts)


def words_of(case: Case) -> str:
    """Conditions for a sentence: names of equipment stand for themselves."""
    plain = {"adapter", PATH, "workload", "setting", "tool", "interface", TRANSPORT}
    return ", ".join(
        distance_text(value)
        if key == DISTANCE
        else f"window {window_text(float(str(value)))}"
        if key == "window_bytes"
        else Path(str(value)).stem
        if key == "workload"
        else word(value)
        if key in plain
        else f"{short_name(key)} {word(value)}"
        for key, value in case.items()
    )


def interval_text(low: float, high: float) -> str:
    """A ratio with open ends, in three digits."""
    if math.isnan(low) or (low <= 0 and high == math.inf):
        return ""
    if high == math.inf:
        return f">= {low:.3g}"
    if low <= 0:
        return f"<= {high:.3g}"
    return span_text(f"{low:.3g}", f"{high:.3g}")
