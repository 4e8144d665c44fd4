"""Arguments of questions, the same for functions and commands: text with units, ids, files."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from inspect import Parameter, signature, unwrap
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, get_args, get_origin

from netmodel.api.kinds import Kind
from netmodel.ceilings import ByteLayer, Capacity
from netmodel.errors import ContradictionError, DomainError, NetmodelError, UnitError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.framing.lengths import MAX_PACKET_BYTES
from netmodel.lazy_numpy import np
from netmodel.numeric import require_at_least, require_at_most, require_one, require_whole
from netmodel.quantities import carries_unit, number_in_unit
from netmodel.text import meant_text, names_of_arguments, near_name
from netmodel.units.columns import unit_of
from netmodel.units.parsing import WHOLE, split_list
from netmodel.units.prefixes import KILO

if TYPE_CHECKING:
    from netmodel.consumption.cost import CpuCost
    from netmodel.path import SpecifiedPath, Traffic
    from netmodel.path.stages import Distance
    from netmodel.records.paths import PathRecord

Given = Mapping[str, Any]
"""Arguments by name, in base units; None is not given."""
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

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
}
"""Arguments that others say already."""
_HOSTS = ("client_host", "server_host")
_ENDS = ("adapter", "adapters", "sender", "receiver", "path", "capacity")
_RECORDS = {"path": "paths", "workload": "workloads"} | dict.fromkeys(_HOSTS, "hosts")
"""Kinds of the records that arguments name; others are adapters."""
OF_DISTANCE = ("km", "rtt_s", "window_bytes", "loss_ratio")
"""Arguments on what lies between two sites; several values of one are cases."""
_NEEDED: dict[str, tuple[str, ...]] = dict.fromkeys(_HOSTS, _ENDS)
_NEEDED |= {"cost_measured_with": ("client_cost", "server_cost"), "payload_bytes": ("workload",)}
"""Arguments without meaning where none of these is given, in a question that has one of them."""


def in_base_units(question: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Return the question, which gets arguments in base units that go together."""

    @wraps(question)
    def asked(*given: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        kinds = kinds_of(question)
        require_known(question.__name__, named, kinds)
        places = read_all(kinds, dict(zip(kinds, given, strict=False)))
        values = read_all(kinds, {name: x for name, x in named.items() if x is not None})
        require_fitting(places | values, kinds)
        return question(*places.values(), *given[len(places) :], **values)  # type: ignore[arg-type]

    # as help and completion show it: also the keywords of other questions, and no kinds
    plain = [each.replace(annotation=each.empty) for each, _ in declared(question).values()]
    asked.__signature__ = signature(question).replace(parameters=plain)  # type: ignore[attr-defined]
    return asked


def require_known(question: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise TypeError for a keyword that a question has not, with the one that may be meant."""
    if unknown := [name for name in given if name not in known]:
        name, stems = unknown[0], {without_unit(each): each for each in known}
        near = stems.get(near_name(without_unit(name), stems) or name)
        meant = f"; did you mean {near}?" if near else ""
        raise TypeError(f"{question}() got an unexpected keyword argument {name!r}{meant}")


def without_unit(name: str) -> str:
    """Return the name of an argument as options have it, whose values have a unit."""
    return re.sub("_(bps|bytes|s|hz)$", "", name.rstrip("_"))


@cache
def declared(question: Callable[..., object]) -> dict[str, tuple[Parameter, Kind]]:
    """
    Return each argument with its kind.

    Keywords are those of the function that their annotation has, without the names behind it.
    """
    own, taken = dict[str, tuple[Parameter, Kind]](), dict[str, tuple[Parameter, Kind]]()
    for name, each in signature(unwrap(question)).parameters.items():
        parts = (each.annotation, *get_args(each.annotation))
        marks = [mark for part in parts for mark in getattr(part, "__metadata__", ())]
        if each.kind is each.VAR_KEYWORD and marks:
            function, left_out = marks[0], " ".join(marks[1:]).split()
            taken = {key: of for key, of in declared(function).items() if key not in left_out}
            continue
        choices = next((get_args(part) for part in parts if get_origin(part) is Literal), ())
        plain = Kind("choice" * bool(choices), choices=choices)
        plain = Kind("flag", choices=(True, False)) if bool in parts else plain
        own[name] = each, next((mark for mark in marks if isinstance(mark, Kind)), plain)
    return own | {name: each for name, each in taken.items() if name not in own}


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
    if kind.parse is None:
        return given
    if isinstance(given, str) and kind.several == "lists":
        with refusing(name, UnitError):
            parts = split_list(given, is_whole=kind.parse in WHOLE)
        values = tuple(dict.fromkeys(_number(name, each, kind) for each in parts))
        return values[0] if len(values) == 1 else values
    if is_several(given) and (kind.repeats or kind.several):
        return given if hasattr(given, "ndim") else [_number(name, each, kind) for each in given]
    return _number(name, given, kind)


def _number(name: str, given: Any, kind: Kind) -> float:
    if isinstance(given, str) and kind.parse is not None:
        with refusing(name, UnitError):
            given = kind.parse(given)
    number = require_whole(name, given) if kind.is_whole else require_one(name, given)
    return number if kind.least is None else require_at_least(name, number, kind.least, "")


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
    return [
        {**given, **dict(zip(several, values, strict=True))}
        for values in product(*several.values())
    ]


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
    """Errors of these kinds say which argument they are of."""
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
            raise ArgumentsError(f"give {{{name}}} or {{{both[0]}}}, not both")
    for name, others in _NEEDED.items():
        some = [f"{{{other}}}" for other in others if other in known]
        if some and name in present and present.isdisjoint(others):
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
    from netmodel.records import record

    if not isinstance(value, str | os.PathLike):
        wanted = "an id of the catalog, a .toml file or a record"
        raise DomainError(f"{name} must be {wanted}; got {type(value).__name__}")
    return getattr(path, kind, {}).get(os.fspath(value)) or record(value, kind)


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
    for name in ("mtu_bytes", "link_mtu_bytes"):
        if given.get(name) is not None:
            mtu = require_at_most(name, given[name], MAX_PACKET_BYTES, "byte")
            return mtu if stack is None or name == "mtu_bytes" else stack.mtu_bytes(mtu)
    return None


def path_between(given: Given, capacities: "tuple[Capacity, ...]" = ()) -> "SpecifiedPath | None":
    """Return the path with its adapters and hosts; None where no end and no path is given."""
    path = given_record("path", given)
    both = given_record("adapter", given, path)
    sender, receiver = (both or given_record(x, given, path) for x in ("sender", "receiver"))
    if not (sender or receiver or path or capacities):
        return None
    from netmodel.path import SpecifiedPath

    if path is None and not (sender and receiver) and (sender or receiver or not capacities):
        raise ArgumentsError("give both {sender} and {receiver}, or {path}")
    parts = {name: given_record(name, given, path) for name in _HOSTS}
    parts |= {"line_rate_bps": given.get("line_rate_bps"), "capacities": capacities}
    return SpecifiedPath(sender, receiver, path, **parts)


def capacities_of(given: Given) -> tuple[Capacity, ...]:
    """Return each capacity, and a rate cap as one."""
    found = [*(given.get("capacity") or ())]
    if given.get("rate_cap_bps") is not None:
        with refusing("rate_cap_bps", DomainError):
            found.insert(0, Capacity(given["rate_cap_bps"], ByteLayer.PAYLOAD))
    return tuple(found)


def specified_path(given: Given) -> "SpecifiedPath":
    """Return the path, which must be given, with its costs and what lies between the sites."""
    found = path_between(given, capacities_of(given))
    if found is None:
        one = "{adapters}" if "adapters" in given else "{adapter}"
        raise ArgumentsError(f"give {one}, or {{sender}} and {{receiver}}, or {{path}}")
    return replace(with_costs(found, given), distance=distance_of(given))


def with_costs(path: "SpecifiedPath", given: Given) -> "SpecifiedPath":
    """Return the path with CPU costs; hosts of a side with cost have no CPU times besides."""
    costs, case = dict[str, Any](), given.get("cost_measured_with") or {}
    for name, machine in (("client_cost", "client_host"), ("server_cost", "server_host")):
        if (text := given.get(name)) is None:
            continue
        if (host := getattr(path, machine)) is not None and host.has_cpu_times:
            problem = f"give {{{name}}} or {{{machine}}}, not both: {host.id} has CPU times"
            raise ArgumentsError(problem)
        costs[name] = cost_of(name, text, tuple(case.items()))
    return replace(path, **costs) if costs else path


def cost_of(name: str, given: Any, case: tuple[tuple[str, Any], ...] = ()) -> "CpuCost":
    """Return a CPU cost, as it is or from its text."""
    from netmodel.consumption.cost import CpuCost, parse_cpu_cost

    with refusing(name, UnitError, DomainError):
        return given if isinstance(given, CpuCost) else parse_cpu_cost(given, case=case)


def distance_of(given: Given) -> "Distance | None":
    """Return what lies between the sites; None where nothing is given. Sequences give arrays."""
    from netmodel.path.stages import Distance
    from netmodel.transport import propagation_round_trip_s

    values = {name: x for name in (*OF_DISTANCE, "protocol") if (x := given.get(name)) is not None}
    if not values:
        return None
    several = {name: np.asarray(x, float) for name, x in values.items() if is_several(x)}
    known: dict[str, Any] = {**values, **several}
    if "km" in known:
        known["distance_km"] = known.pop("km")
        known["rtt_s"] = propagation_round_trip_s(known["distance_km"] * KILO)
    return Distance(round_trip_s=known.pop("rtt_s", None), **known)


def require_suiting(path: "SpecifiedPath", traffic: "Traffic", mtu: Any) -> None:
    """Ask for an MTU; refuse a window or loss without a round trip, and CPU times not of SMC-R."""
    from netmodel.path.over_distance import round_trip_terms

    between, composed = path.distance, path.path_of(traffic)
    if between is not None:
        if not round_trip_terms(composed) and between.round_trip_s is None:
            limits = {"window_bytes": between.window_bytes, "loss_ratio": between.loss_ratio}
            refuse("{name} limits a rate over a round trip: give {km} or {rtt_s}", **limits)
        timed = {pool.name for pool in composed.pools if pool.is_cpu and pool.cost is None}
        for stage in composed.stages if between.protocol != "tcp" else ():
            if stage.pool in timed:
                problem = f"CPU times of {stage.name} are of TCP, not of SMC-R: give "
                remedy = "adapters alone, or its cost as {client_cost} and {server_cost}"
                raise ArgumentsError(problem + remedy)
    if mtu is None:
        raise ArgumentsError("give {mtu_bytes}: the path has none of its own")
