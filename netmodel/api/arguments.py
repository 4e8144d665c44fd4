"""Arguments of questions, the same for functions and commands: text with units, ids, files."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cache, wraps
from inspect import Parameter, signature, unwrap
from itertools import product
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import netmodel.numeric as numeric
import netmodel.path as paths
import netmodel.published as published
import netmodel.records as records
import netmodel.transport as transport
from netmodel.ceilings import ByteLayer, Capacity
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, NetmodelError, UnitError
from netmodel.errors import UnknownRecordError as UnknownError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.framing.lengths import MAX_PACKET_BYTES
from netmodel.lazy_numpy import np
from netmodel.quantities import carries_unit, number_in_unit
from netmodel.records import files, lookup
from netmodel.text import meant_text, names_of_arguments, near_name
from netmodel.units import format_rate, parsing
from netmodel.units.columns import unit_of
from netmodel.units.prefixes import KILO

if TYPE_CHECKING:
    from datetime import timedelta
    from typing import Protocol

    from netmodel.consumption.cost import CpuCost
    from netmodel.path.stages import Distance
    from netmodel.planning import Flow
    from netmodel.records.paths import PathRecord
    from netmodel.records.workloads import Workload

    class Quantity(Protocol):
        """A quantity of another library, which converts itself."""

        def to(self, *arguments: Any, **named: Any) -> Any: ...


_Question = TypeVar("_Question", bound=Callable[..., Any])
Given = Mapping[str, Any]
"""Arguments by name, in base units; None is not given."""
Condition = str | int | float
Case = dict[str, Condition]
"""Conditions by their plain names."""

_IP_VERSION = 4
"""Most measured lines carry IPv4; tools use it where a host has both addresses."""
_UNITS = {"results": "bit/s", "flows": "bit/s", "mtu": "byte"}
"""Units of arguments and conditions whose names have none."""
_EXCLUDED = {
    "stack": ("ip", "transport", "timestamps", "vlan_tags"),
    "mtu_bytes": ("link_mtu_bytes",),
    **dict.fromkeys(("adapter", "adapters"), ("sender", "receiver")),
    "km": ("rtt_s",),
    "workload": ("request_bytes", "response_bytes"),
    "tolerance": ("min_ratio",),
}
"""Arguments that others say already."""
_HOSTS = ("client_host", "server_host")
_ENDS = ("adapter", "adapters", "sender", "receiver", "path", "capacity")
_RECORDS = {"path": "paths", "workload": "workloads"} | dict.fromkeys(_HOSTS, "hosts")
"""Kinds of the records that arguments name; others are adapters."""
MTUS = ("mtu_bytes", "link_mtu_bytes")
"""Arguments that give the largest packet: of the innermost interface, and of the outermost."""
OF_DISTANCE = ("km", "rtt_s", "window_bytes", "loss_ratio")
"""Arguments on what lies between two sites; several values of one are cases."""
_NEEDED: dict[str, tuple[str, ...]] = dict.fromkeys(_HOSTS, _ENDS)
_NEEDED |= {"cost_measured_with": ("client_cost", "server_cost"), "payload_bytes": ("workload",)}
"""Arguments without meaning where none of these is given, in a question that has one of them."""
_PARSERS: dict[str, Callable[[str], float]] = {"rate": parsing.parse_rate_bps}
_PARSERS |= {"km": parsing.parse_km, "count": parsing.parse_count}
_PARSERS |= {"size": parsing.parse_size_bytes, "time": parsing.parse_time_s}
_PARSERS |= {"frequency": parsing.parse_frequency_hz, "share": parsing.parse_share}
_PARSERS |= {"ratio": parsing.parse_ratio_or_percent}
"""Read text as a number in base units, by what it is."""


@dataclass(frozen=True)
class Kind:
    """
    Kind of an argument: how its value is read, and its placeholder in a command.

    Parameters
    ----------
    name : str
        What the value is, such as ``"rate"``, as help shows it; text that is a number is read by
        it, and with ``,...`` behind also several with commas between them.
    option : str, optional
        Name of the option, or a letter and its name, where it is not the argument without unit.
    repeats : bool
        Whether the option is repeated for several values.
    least : int, optional
        Smallest number that makes sense, where the question cannot tell.
    has_parts : bool
        Whether the number need not be whole, as counts and sizes are.
    arrays : bool
        Whether it may be an array.
    choices : tuple of str or int, optional
        All values that there are.
    made : callable, optional
        Makes another value than a number of what is given, and the same of what it made.
    wanted : str
        What it can make it of, for errors.
    """

    name: str
    option: str | None = None
    repeats: bool = False
    least: int | None = None
    has_parts: bool = False
    arrays: bool = False
    choices: tuple[str | int, ...] = ()
    made: Callable[[Any], Any] | None = None
    wanted: str = ""

    def number(self, name: str, given: Any) -> float:
        """Return a number in base units, from text with a unit or as it is."""
        parse = _PARSERS[self.name.removesuffix(",...")]
        if isinstance(given, str):
            with refusing(name, UnitError):
                given = parse(given)
        is_whole = parse in parsing.WHOLE and not self.has_parts
        number = (numeric.require_whole if is_whole else numeric.require_one)(name, given)
        if self.name == "share" and self.least is None:
            numeric.require_share(name, number)
        if self.least is not None:
            numeric.require_at_least(name, number, self.least, "")
        return number


def in_base_units(question: _Question) -> _Question:
    """Return the question, which gets arguments in base units that go together."""

    kinds = kinds_of(question)

    @wraps(question)
    def asked(*given: Any, **named: Any) -> Any:
        require_known(question.__name__, named, kinds)
        places = read_all(kinds, dict(zip(kinds, given, strict=False)))
        values = read_all(kinds, {name: x for name, x in named.items() if x is not None})
        require_fitting(places | values, kinds)
        return question(*places.values(), *given[len(places) :], **values)

    # as help and completion show it: also the keywords of other questions, and no kinds
    plain = [each.replace(annotation=each.empty) for each, _ in declared(question).values()]
    asked.__signature__ = signature(question).replace(parameters=plain)  # type: ignore[attr-defined]
    return asked  # type: ignore[return-value]


def require_known(question: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for a keyword that a question has not, with the one that may be meant."""
    if unknown := [name for name in given if name not in known]:
        name, stems = unknown[0], {without_unit(each): each for each in known}
        near = stems.get(near_name(without_unit(name), stems) or without_unit(name))
        meant = f"; did you mean {near}?" if near else ""
        raise TypeError(f"{question}() got an unexpected keyword argument {name!r}{meant}")


def without_unit(name: str) -> str:
    """Return the name of an argument as options have it, whose values have a unit."""
    return re.sub("_(bps|bytes|s|hz|count)$", "", name.rstrip("_"))


@cache
def declared(question: Callable[..., object]) -> dict[str, tuple[Parameter, Kind]]:
    """
    Return each argument with its kind.

    Keywords are those of the function that their annotation has, without the names behind it.
    """
    own = dict[str, tuple[Parameter, Kind]]()
    for name, each in signature(unwrap(question)).parameters.items():
        parts = (each.annotation, *get_args(each.annotation))
        marks = [mark for part in parts for mark in getattr(part, "__metadata__", ())]
        if each.kind is each.VAR_KEYWORD and marks:
            taken, left_out = declared(marks[0]), {*own, *" ".join(marks[1:]).split()}
            return own | {key: taken[key] for key in taken if key not in left_out}
        choices = next((get_args(part) for part in parts if get_origin(part) is Literal), ())
        plain = Kind("choice" * bool(choices), choices=choices)
        plain = Kind("flag", choices=(True, False)) if bool in parts else plain
        own[name] = each, next((mark for mark in marks if isinstance(mark, Kind)), plain)
    return own


def kinds_of(question: Callable[..., object]) -> dict[str, Kind]:
    """Return the kind of each argument of a question."""
    return {name: kind for name, (_, kind) in declared(question).items()}


def read_all(kinds: Mapping[str, Kind], given: Given) -> dict[str, Any]:
    """Return all that is given, in base units."""
    return {name: read(name, value, kinds.get(name)) for name, value in given.items()}


def read(name: str, given: Any, kind: Kind | None) -> Any:
    """Return the value of an argument in base units; read text and quantities by its kind."""
    if isinstance(given, Mapping):
        given = {key: read(str(key), value, None) for key, value in given.items()}
    elif carries_unit(given) or getattr(given, "free_symbols", None):  # of which no result is made
        unit = "µs/Gbit" if name.endswith("_cost") else _UNITS.get(name) or unit_of(name) or "1"
        given = number_in_unit(name, given, unit)
        given = f"{given!r} {unit}" if name.endswith("_cost") else given
    if given is None or kind is None:
        return given
    if kind.made is not None:
        try:
            with refusing(name, UnitError, DomainError):
                return kind.made(given)
        except (AttributeError, TypeError):  # neither text nor what is made of it
            raise DomainError(f"{name} must be {kind.wanted}; got {given!r}") from None
    if kind.choices:
        value = getattr(given, "value", given)
        if value not in kind.choices:
            meant = meant_text(str(value), map(str, kind.choices))
            some = " or ".join(map(repr, kind.choices))
            raise DomainError(f"{name} must be {some}; got {value!r}{meant}")
        return kind.choices[kind.choices.index(value)]
    of, has_commas, _ = kind.name.partition(",")
    if of not in _PARSERS:
        return given
    if isinstance(given, str) and has_commas:
        with refusing(name, UnitError):
            parts = parsing.split_list(given, is_whole=_PARSERS[of] in parsing.WHOLE)
        values = tuple(dict.fromkeys(kind.number(name, each) for each in parts))
        return values[0] if len(values) == 1 else values
    if is_several(given) and (kind.repeats or kind.arrays or has_commas):
        return given if hasattr(given, "ndim") else [kind.number(name, each) for each in given]
    return kind.number(name, given)


def is_several(given: object) -> bool:
    """Return whether a value is a sequence or an array; numpy is not loaded to find out."""
    return isinstance(given, list | tuple | range) or bool(getattr(given, "ndim", 0))


def listed_values(given: Any) -> Sequence[Any]:
    """Return what is given as a sequence: one thing alone is the only item."""
    given = given.tolist() if hasattr(given, "tolist") else given
    is_one = isinstance(given, str | os.PathLike) or hasattr(given, "id")  # records iterate too
    return (given,) if is_one or not isinstance(given, Iterable) else tuple(given)


def cases_of(given: Given, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the arguments of each combination of the values that these have."""
    several = {name: listed_values(given[name]) for name in names if given.get(name) is not None}
    if empty := [name for name, values in several.items() if not values]:
        raise DomainError(named(f"{{{empty[0]}}} has no value"))
    return [{**given, **dict(zip(several, x, strict=True))} for x in product(*several.values())]


# ---- what is refused


def named(problem: str) -> str:
    """Return a text with names of arguments in braces as its reader gives them."""
    names = names_of_arguments.get()
    return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[1]), problem)


class ArgumentsError(ContradictionError):
    """
    Arguments that exclude each other, or one that is missing.

    Parameters
    ----------
    problem : str
        With the names of arguments in braces.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(named(problem))


class NoLimitError(ArgumentsError):
    """Neither a line rate nor what has one is given, nor a rate cap."""


@contextmanager
def refusing(name: str, *kinds: type[NetmodelError]) -> Iterator[None]:
    """Make errors of these kinds name their argument."""
    try:
        yield
    except ArgumentsError:
        raise
    except kinds as error:
        known = (kind for kind in (UnitError, DomainError) if isinstance(error, kind))
        raise next(known, ArgumentsError)(named(f"{{{name}}}: {error}")) from error


def require_fitting(given: Given, known: Collection[str]) -> None:
    """Refuse arguments that exclude or need each other; `known` are all that there are."""
    present = {name for name, x in given.items() if x is not None and (not is_several(x) or len(x))}
    for name, others in _EXCLUDED.items():
        if name in present and (both := [other for other in others if other in present]):
            over = "; over IPv6 a stack is such as wireguard-ipv6" if both[0] == "ip" else ""
            raise ArgumentsError(f"give {{{name}}} or {{{both[0]}}}, not both{over}")
    for name, others in _NEEDED.items():
        some = [f"{{{other}}}" for other in others if other in known] if name in present else []
        if some and present.isdisjoint(others):
            raise ArgumentsError(f"{{{name}}} needs {' or '.join(some)}")
    if given.get("transport") == "udp" and "timestamps" in present:
        raise ArgumentsError("{timestamps} is an option of TCP; UDP has none")


def refuse(problem: str, **given: object) -> None:
    """Refuse the first argument that is given; the problem has ``{name}`` for it."""
    if present := [name for name, each in given.items() if each is not None]:
        raise ArgumentsError(problem.replace("{name}", f"{{{present[0]}}}"))


# ---- things that several arguments say


def given_record(name: str, given: Given, path: "PathRecord | None" = None) -> Any:
    """Return a record: as it is, by its id among those of a path, of the catalog, or a file."""
    value, kind = given.get(name), _RECORDS.get(name, "adapters")
    if value is None or hasattr(value, "id"):
        return value
    if not isinstance(value, str | os.PathLike):
        wanted = "an id of the catalog, a .toml file or a record"
        raise DomainError(f"{name} must be {wanted}; got {type(value).__name__}")
    return getattr(path, kind, {}).get(os.fspath(value)) or records.record(value, kind)


def stack_of(given: Given) -> Stack:
    """Return headers of each frame; TCP over IPv4 over Ethernet with timestamps by default."""
    own = {"ip_version": given.get("ip") or _IP_VERSION, "vlan_tags": given.get("vlan_tags") or 0}
    if given.get("protocol") == "smc-r":
        from netmodel.path.stages import SMCR_STACK

        parts = {name: given.get(name) for name in ("stack", "transport", "timestamps", "ip")}
        refuse("leave out {name}: {protocol} smc-r sets the headers", **parts)
        return parse_stack(SMCR_STACK.replace("/", "/vlan" * own["vlan_tags"] + "/", 1))
    if isinstance(stack := given.get("stack"), Stack):
        return stack
    if given.get("transport") == "udp":
        return udp_stack(**own)
    return tcp_stack(timestamps=given.get("timestamps") is not False, **own)


def inner_mtu(given: Given, stack: Stack | None) -> Any:
    """Return the innermost MTU, from whichever is given; without a stack they are equal. [byte]"""
    for name in MTUS:
        if given.get(name) is not None:
            mtu = numeric.require_at_most(name, given[name], MAX_PACKET_BYTES, "byte")
            return mtu if stack is None or name == "mtu_bytes" else stack.mtu_bytes(mtu)
    return None


def path_between(given: Given, capacities: Any = ()) -> "paths.SpecifiedPath | None":
    """Return the path with its adapters and hosts; None where no end and no path is given."""
    path = given_record("path", given)
    both = given_record("adapter", given, path)
    sender, receiver = (both or given_record(x, given, path) for x in ("sender", "receiver"))
    if path is None and (sender is None) != (receiver is None):
        raise ArgumentsError("give both {sender} and {receiver}, or {path}")
    if not (sender or path or capacities):
        return None
    parts = {name: given_record(name, given, path) for name in _HOSTS}
    parts |= {"line_rate_bps": given.get("line_rate_bps"), "capacities": capacities}
    return paths.SpecifiedPath(sender, receiver, path, **parts)


def capacities_of(given: Given) -> tuple[Capacity, ...]:
    """Return each capacity, and a rate cap as one."""
    found = [*(given.get("capacity") or ())]
    if given.get("rate_cap_bps") is not None:
        with refusing("rate_cap_bps", DomainError):
            found.insert(0, Capacity(given["rate_cap_bps"], ByteLayer.PAYLOAD))
    return tuple(found)


def specified_path(given: Given) -> "paths.SpecifiedPath":
    """Return the path, which must be given, with its costs and what lies between the sites."""
    if (found := path_between(given, capacities_of(given))) is None:
        one = "{adapters}" if "adapters" in given else "{adapter}"
        listed = "a plain line is an adapter ethernet-<Gbit/s>gbe (catalog list adapters)"
        raise ArgumentsError(f"give {one}, or {{sender}} and {{receiver}}, or {{path}}; {listed}")
    return with_costs(replace(found, distance=x) if (x := distance_of(given)) else found, given)


def with_costs(path: "paths.SpecifiedPath", given: Given) -> "paths.SpecifiedPath":
    """Return the path with CPU costs; hosts of a side with cost have no CPU times besides."""
    costs, case = dict[str, Any](), given.get("cost_measured_with") or {}
    for name, machine in (("client_cost", "client_host"), ("server_cost", "server_host")):
        if (cost := given.get(name)) is None:
            continue
        if (host := getattr(path, machine)) is not None and host.has_cpu_times:
            raise ArgumentsError(f"give {{{name}}} or {{{machine}}}: {host.id} has CPU times")
        costs[name] = replace(cost, case=tuple(case.items()) or cost.case)
    return replace(path, **costs) if costs else path


def distance_of(given: Given) -> "Distance | None":
    """Return the distance between the sites; None where nothing is given. Sequences give arrays."""
    from netmodel.path.stages import Distance

    values = {name: x for name in (*OF_DISTANCE, "protocol") if (x := given.get(name)) is not None}
    known = values | {k: np.asarray(x, float) for k, x in values.items() if is_several(x)}
    if "km" in known:
        known["distance_km"] = known.pop("km")
        known["rtt_s"] = transport.propagation_round_trip_s(known["distance_km"] * KILO)
    return Distance(round_trip_s=known.pop("rtt_s", None), **known) if known else None


def require_suiting(path: "paths.SpecifiedPath", traffic: "paths.Traffic", mtu: Any) -> None:
    """Ask for an MTU; refuse a window or loss without a round trip, and CPU times not of SMC-R."""
    from netmodel.path.over_distance import round_trip_terms

    between, composed = path.distance, path.path(traffic.sender)
    if between is not None:
        if not round_trip_terms(composed) and between.round_trip_s is None:
            limits = {"window_bytes": between.window_bytes, "loss_ratio": between.loss_ratio}
            refuse("{name} limits a rate over a round trip: give {km} or {rtt_s}", **limits)
        timed = {pool.name for pool in composed.pools if pool.cost is None}
        for stage in composed.stages if between.protocol != "tcp" else ():
            if stage.pool in timed:
                problem = f"CPU times of {stage.name} are of TCP, not of SMC-R: give "
                remedy = "adapters alone, or its cost as {client_cost} and {server_cost}"
                raise ArgumentsError(problem + remedy)
    if mtu is None:
        raise ArgumentsError("give {mtu_bytes}: the path has none of its own")


# ---- cases as users write them, ``adapter=ID mtu=9000`` or an id, and values by name

_NUMBERS = dict.fromkeys(("connections", "trunks", "buffer_count", "txqueuelen", "layer"), "count")
_NUMBERS |= dict.fromkeys(("mtu", "window", "message", "tcp_sendspace", "tcp_recvspace"), "size")
_CONDITIONS = {"km": Kind("km", least=0), "loss": Kind("share")}
_CONDITIONS |= {name: Kind(of, least=1) for name, of in _NUMBERS.items()}
"""Conditions in numbers: any value may be asked for, not only those that documents print."""
_KINDS = dict.fromkeys(("adapter", "client", "server"), "adapters")
_KINDS |= {"path": "paths", "workload": "workloads"}
"""Conditions whose values are ids of the catalog or files, and their kind."""
_SWITCHES = ({"on", "yes", "true"}, {"off", "no", "false"})


def named_values(given: Any) -> dict[str, Any]:
    """Return a mapping, or that of texts such as ``mtu_bytes=1500,direction=in``."""
    if not given or isinstance(given, Mapping):
        return {str(name): each for name, each in (given or {}).items()}
    values: dict[str, Any] = {}
    for part in (given if isinstance(given, str) else ",".join(given)).split(","):
        name, _, value = (each.strip() for each in part.partition("="))
        if not (name and value):
            problem = "write name=value, such as mtu_bytes=4000; commas between several"
            raise UnitError(f"{part!r}: {problem}")
        if name in values:
            raise UnitError(f"{name} is given twice")
        values[name] = value
        with suppress(ValueError):  # a word that is no number
            if isfinite(number := float(value)):
                is_whole = number.is_integer() and abs(number) < numeric.EXACT_INTEGER
                values[name] = int(number) if is_whole else number
    return values


def given_case(given: str | Mapping[str, object]) -> Case:
    """
    Return the conditions of a case by their plain names.

    Parameters
    ----------
    given : str or mapping
        Text with blanks or commas between conditions, ``name=value`` or a value alone where only
        one condition has it (an id, ``smc-r``), quotes around blanks; or values by name.

    Returns
    -------
    case : dict
        Numbers as such, other values as documents or the catalog write them.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones, and some that are.
    ContradictionError
        If a condition is given twice.
    DomainError, UnitError
        If a number is none, or below 1 where it counts.

    Examples
    --------
    >>> given_case("osa-express7s-25gbe mtu=9000 rps=yes")
    {'adapter': 'osa-express7s-25gbe', 'mtu': 9000, 'rps': 'on'}
    """
    import shlex

    if isinstance(given, Mapping):
        tokens = [f"{name}={each}" for name, each in given.items() if each is not None]
    else:
        try:
            tokens = shlex.split(given.replace(", ", " "))
        except ValueError as error:
            raise DomainError(f"case {given!r}: {str(error).lower()}") from None
        if not tokens:
            raise DomainError("it names no condition: give an id, or one such as mtu=9000")
    known = {name: {*files.catalog_files(kind)} for name, kind in _KINDS.items()}
    known |= {name: set() for name in (*_CONDITIONS, "rps", "protocol")}
    for row in published.listing():
        for name, values in (*row.of.items(), *row.against.items()):
            known.setdefault(name, set()).update(map(str, values))
    case = Case()
    for token in tokens:
        name, value = _condition(token, known)
        if case.setdefault(name, value) != value:
            raise ContradictionError(f"{name} is given twice: {case[name]} and {value}")
    return case


def _condition(token: str, known: Mapping[str, set[str]]) -> tuple[str, Condition]:
    """Return name and value of one condition."""
    words = {name: {*map(str.lower, x)} for name, x in known.items() if name not in _CONDITIONS}
    name, has_value, text = token.partition("=")
    # with a colon a machine type of a cloud
    names = ["adapter"] if ":" in name else [x for x, own in words.items() if token.lower() in own]
    if len(names) == 1 or names[:1] == ["adapter"]:
        return names[0], _value(names[0], token, known[names[0]])
    if names:
        raise UnknownError(f"{token!r} may be of {' or '.join(names)}: write name={token}")
    if not has_value:
        form = "write name=value, with a name such as adapter, path, layer, mtu, connections, rps"
        meant = files.meant_ids(token, set().union(*words.values()), form)
        raise UnknownError(f"unknown adapter, path or other value {token!r}; {meant}")
    name = name.strip().lower().replace("-", "_")
    name = name if name in known else re.sub("_(bytes|ratio)$", "", name)
    if name not in known:
        raise files.unknown_record("condition", name, known)
    return name, _value(name, text.strip(), known[name])


def _value(name: str, text: str, values: set[str]) -> Condition:
    """Return the value of a condition: a number, an id, a file, or a word of a document."""
    if name in _CONDITIONS and (text not in values or text[:1].isdecimal()):
        number = _CONDITIONS[name].number(name, text)
        return int(number) if float(number).is_integer() else number
    is_id = name in _KINDS and (":" in text or lookup.is_file(text))
    if text in values or (is_id and records.record(text, _KINDS[name]).id):
        return text
    flat = text.lower().replace(" ", "")
    same = next((switch for switch in _SWITCHES if flat in switch), {flat})
    if found := [value for value in values if value.lower().replace(" ", "") in same]:
        return min(found)
    raise files.unknown_record(name.replace("_", " "), text, values)


# ---- what else is made of text


def _stack(given: Stack | str) -> Stack:
    """Return headers as such, or read from their text."""
    return given if isinstance(given, Stack) else parse_stack(given)


def _cost(given: "CpuCost | str") -> "CpuCost":
    """Return a CPU cost as such, or read from its text."""
    from netmodel.consumption.cost import CpuCost, parse_cpu_cost

    return given if isinstance(given, CpuCost) else parse_cpu_cost(given)


def _zone(given: str | tzinfo) -> tzinfo:
    """Return a zone by its name in the tz database, or by its offset."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if isinstance(given, tzinfo):
        return given
    with suppress(ValueError):
        return datetime.strptime(given.removeprefix("UTC"), "%z").tzinfo or UTC
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(given)
    raise DomainError(f"{given!r} is not a time zone like Europe/Berlin, +02:00, UTC")


def rate_text(name: str, given: Any) -> Any:
    """Return a rate that is a number as text that reads back to the same; others as they are."""
    if not isinstance(given, Real) or isinstance(given, bool):
        return given
    rate_bps = numeric.require_one(name, float(given))
    return format_rate(numeric.require_at_least(name, rate_bps, 0, "bit/s"))


def _capacities(given: Any) -> tuple[Capacity, ...]:
    """Return each capacity, as such or from its text or its bit rate."""
    texts = [rate_text("capacity", each) for each in listed_values(given)]
    return tuple(x if isinstance(x, Capacity) else Capacity.parse(x) for x in texts)


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return names in small letters with underscores, from text with commas or several of them."""
    names = (given if isinstance(given, str) else ",".join(given)).lower().replace("-", "_")
    return tuple(filter(None, map(str.strip, names.split(","))))


def _cpus(given: str | Iterable[int]) -> frozenset[int]:
    """Return numbers of CPUs, as such or from text such as 0,2-5."""
    from netmodel.tuning import parse_cpu_list

    return frozenset(parse_cpu_list(given) if isinstance(given, str) else given)


Number: TypeAlias = "float | str | timedelta | Quantity"
Numbers: TypeAlias = "Number | Sequence[float]"
Whole: TypeAlias = "int | str | Quantity"
"""In base units, or text with a unit, or a quantity: questions get the first of all of them."""
File = str | os.PathLike[str]
Rate = Annotated["Number", Kind("rate")]
Size = Annotated["Whole", Kind("size")]
Volume = Annotated["Whole", Kind("size", least=1)]
Sizes = Annotated["Whole | Sequence[Whole]", Kind("size", repeats=True)]
Mtu = Annotated["Whole", Kind("size", arrays=True)]
Window = Annotated["Number", Kind("size", has_parts=True)]
Windows = Annotated["Numbers", Kind("size,...", has_parts=True)]
Count = Annotated["Whole", Kind("count", least=0)]
Positive = Annotated["Whole", Kind("count", least=1)]
Counts = Annotated["Whole | Sequence[int]", Kind("count,...", least=1)]
Time = Annotated["Number", Kind("time")]
Times = Annotated["Numbers", Kind("time,...")]
Ratio = Annotated["Number", Kind("share", least=0)]
Noise = Annotated["Number", Kind("share", "noise", least=0)]
Share = Annotated["Number", Kind("share")]
Losses = Annotated["Numbers", Kind("share,...", "loss")]
Kilometres = Annotated["Numbers", Kind("km,...", least=0)]
_COST = Kind("cost", made=_cost, wanted="text such as '35 µs/transaction'")
Cost = Annotated["CpuCost | str", _COST]
_CASE = Kind("case", made=given_case, wanted="text such as 'mtu=9000', or a mapping")
Conditions = Annotated[str | Mapping[str, object], _CASE]
Headers = Annotated[Stack | str, Kind("layer/...", "stack link", made=_stack)]
AnAdapter = Annotated["records.Adapter | File", Kind("id|file")]
Adapters = Annotated["AnAdapter | Sequence[AnAdapter]", Kind("id|file", "adapter", repeats=True)]
AHost = Annotated["records.Host | File", Kind("id|file")]
APath = Annotated["PathRecord | File", Kind("id|file")]
AWorkload = Annotated["Workload | File", Kind("id|file")]
AnyTraffic = Annotated["Workload | paths.Traffic | File", Kind("id|file")]
InputFile = Annotated[File, Kind("file")]
Folder = Annotated[File, Kind("path", "o output")]
Flows = Annotated["Number | Flow | Iterable[Number | Flow]", Kind("demand", "flow", repeats=True)]
_CAPACITY = Kind("capacity", repeats=True, made=_capacities, wanted="a rate or a Capacity")
Capacities = Annotated["Number | Capacity | Sequence[Number | Capacity]", _CAPACITY]
ASide = Literal["client", "server"] | Side
HostName = Annotated[str, Kind("host name")]
InterfaceName = Annotated[str, Kind("interface")]
FormatName = Annotated[str, Kind("format", "format")]
_NAMES = Kind("name,...", made=_names, wanted="names with commas between")
Names = Annotated[str | Iterable[str], _NAMES]
Columns = Annotated[str | Sequence[str], Kind("name", repeats=True)]
Zone = Annotated[str | tzinfo, Kind("zone", made=_zone, wanted="text")]
CpuNumbers = Annotated[str | Iterable[int], Kind("list", made=_cpus, wanted="CPUs")]
_VALUES = Kind("name=value,...", repeats=True, made=named_values, wanted="name=value, or a mapping")
NamedValues = Annotated["Mapping[str, float | str | bool] | str | Iterable[str] | None", _VALUES]
