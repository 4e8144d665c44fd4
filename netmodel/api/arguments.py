"""Arguments of questions, the same for functions and commands: text with units, ids, files."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import Enum
from functools import cache, wraps
from inspect import signature
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_args

from netmodel.api.kinds import File, Kind
from netmodel.consumption import Side
from netmodel.errors import (
    ContradictionError,
    DomainError,
    NetmodelError,
    UnitError,
    UnknownRecordError,
)
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, require_at_least, require_one, require_whole
from netmodel.quantities import carries_unit, number_in_unit
from netmodel.reading import is_file
from netmodel.text import listed, meant_text
from netmodel.units import format_rate, parse_ratio
from netmodel.units.columns import unit_of
from netmodel.units.parsing import WHOLE, split_list
from netmodel.units.prefixes import KILO

if TYPE_CHECKING:
    from netmodel.consumption.cost import CpuCost
    from netmodel.path import Path, SpecifiedPath
    from netmodel.path.distance import Distance
    from netmodel.records import Adapter, Host, PathRecord, Workload

_Choice = TypeVar("_Choice", bound=Enum)
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

_MOST_CASES = 1000
"""Values of a range: more than pixels of a plot are a step that was mistyped."""
_TYPED_DIGITS = 15
"""Of a value in a range: as many as any decimal number keeps as a float64."""
_IP_VERSION = 4
"""Most measured lines carry IPv4; tools use it where a host has both addresses."""


_UNITS = {
    "results": "bit/s",
    "flows": "bit/s",
    "client_cost": "µs/Gbit",
    "server_cost": "µs/Gbit",
    "mtu": "byte",
    "link_mtu": "byte",
}
"""Units of arguments and conditions whose names have none."""


def in_base_units(question: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """The question, which gets numbers in base units of text and of quantities."""

    @wraps(question)
    def asked(*given: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        kinds = kinds_of(question)
        first = (read(name, value, kinds[name]) for name, value in zip(kinds, given, strict=False))
        rest = given[len(kinds) :]
        return question(*first, *rest, **read_all(kinds, named))  # type: ignore[arg-type]

    return asked


@cache
def kinds_of(question: Callable[..., object]) -> dict[str, Kind | None]:
    """Kind of each argument of a question; None of those that are no numbers."""
    kinds: dict[str, Kind | None] = {}
    for name, each in signature(question).parameters.items():
        parts = (each.annotation, *get_args(each.annotation))
        declared = [more for part in parts for more in getattr(part, "__metadata__", ())]
        if each.kind is each.VAR_KEYWORD:
            kinds |= kinds_of(declared[0]) if declared else {}
        else:
            kinds[name] = next((k for k in declared if isinstance(k, Kind) and k.parse), None)
    return kinds


def read_all(kinds: Mapping[str, Kind | None], given: Mapping[str, Any]) -> dict[str, Any]:
    """All that is given, in base units."""
    return {name: read(name, value, kinds.get(name)) for name, value in given.items()}


def read(name: str, given: Any, kind: Kind | None) -> Any:
    """Return the value of an argument in base units; read text and quantities by its kind."""
    given = _in_base_unit(name, given)
    if given is None or kind is None or kind.parse is None:
        return given
    if isinstance(given, str) and kind.several == "lists":
        values = [_number(name, each, kind) for each in series(name, given, kind)]
        return values[0] if len(values) == 1 else values
    if is_several(given) and (kind.repeats or kind.several):
        is_array = hasattr(given, "ndim")
        return given if is_array else [_number(name, each, kind) for each in given]
    return _number(name, given, kind)


def _in_base_unit(name: str, given: Any) -> Any:
    """Return the value of an argument with quantities converted to base units."""
    if isinstance(given, Mapping):
        return {key: _in_base_unit(str(key), value) for key, value in given.items()}
    if not carries_unit(given):
        return given
    value = number_in_unit(name, given, _UNITS.get(name) or unit_of(name) or "1")
    return f"{value!r} µs/Gbit" if name.endswith("_cost") else value


def _number(name: str, given: Any, kind: Kind) -> float:
    if isinstance(given, str) and kind.parse is not None:
        with refusing(name, UnitError):
            given = kind.parse(given)
    return require_whole(name, given) if kind.is_whole else require_one(name, given)


class ArgumentsError(ContradictionError):
    """
    Arguments that exclude each other, or one that is missing.

    Parameters
    ----------
    problem : str
        With the names of arguments in braces: keywords in Python, options in a command.
    **values
        What else stands in braces.
    """

    def __init__(self, problem: str, /, **values: object) -> None:
        self._problem, self._values = problem, values
        super().__init__(self.naming({}))

    def naming(self, names: Mapping[str, str]) -> str:
        """The problem, with arguments by these names; others keep that of their keyword."""
        return self._problem.format_map(_Names({**names, **self._values}))


class WrongTextError(ArgumentsError, UnitError):
    """The text of an argument is not what it should be."""


class WrongValueError(ArgumentsError, DomainError):
    """The value of an argument cannot be, or one that the others need is missing."""


class _Names(dict[str, object]):
    """A name that is not among them stands for itself."""

    def __missing__(self, name: str) -> str:
        return name


@contextmanager
def refusing(name: str, *kinds: type[NetmodelError]) -> Iterator[None]:
    """Errors of these kinds say which argument they are of."""
    try:
        yield
    except kinds as error:
        is_value = WrongValueError if isinstance(error, DomainError) else ArgumentsError
        own = WrongTextError if isinstance(error, UnitError) else is_value
        raise own(f"{{{name}}}: {{reason}}", reason=error) from error


def refuse(problem: str, **given: object) -> None:
    """Refuse the first argument that is given; the problem has ``{name}`` for it."""
    for name in (name for name, each in given.items() if each is not None):
        raise ArgumentsError(problem.replace("{name}", f"{{{name}}}"))


def not_both(why: str = "", **given: object) -> None:
    """Refuse the second of two arguments that exclude each other."""
    if all(each is not None for each in given.values()):
        names = " or ".join(f"{{{name}}}" for name in given)
        raise ArgumentsError(f"give {names}, not both{why}")


def require_least(name: str, given: Any, least: int = 1) -> Any:
    """Return a whole number from this up; None stays None."""
    if given is not None and given < least:
        problem = f"{{{name}}} must be at least {{least}}; got {{given}}"
        raise WrongValueError(problem, least=least, given=given)
    return given


def choice(name: str, given: object, kinds: type[_Choice]) -> _Choice:
    """A member of an Enum, by its value."""
    if not isinstance(given, kinds):
        require_among(name, given, [each.value for each in kinds])
    return kinds(given)


def require_among(name: str, given: object, known: Sequence[object]) -> None:
    """Refuse a value that is none of these; None is not given."""
    if given in (None, *known):
        return
    raise WrongValueError(
        f"{{{name}}} must be {{known}}; got {{given!r}}{{meant}}",
        known=" or ".join(map(repr, known)),
        given=given,
        meant=meant_text(str(given), map(str, known)),
    )


def rate_text(name: str, given: Any) -> Any:
    """A rate that is a number as text that reads back to the same; others as they are."""
    if not isinstance(given, Real) or isinstance(given, bool):
        return given
    return format_rate(require_at_least(name, require_one(name, float(given)), 0, "bit/s"))


def ip_mtu(mtu_bytes: Any, name: str = "mtu_bytes") -> int:
    """An MTU that IP packets can have. [byte]"""
    from netmodel.ceilings import MAX_PACKET_BYTES

    if mtu_bytes > MAX_PACKET_BYTES:
        raise WrongValueError(
            f"{{{name}}} must be at most {{most:,}} byte, as IP packets are; got {{mtu:,}}",
            most=MAX_PACKET_BYTES,
            mtu=mtu_bytes,
        )
    return int(mtu_bytes)


# Builders: each makes one thing of the arguments that say it, which are in base units


def specified_stack(
    stack: Stack | str | None,
    ip: Any = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: Any = None,
) -> Stack | None:
    """The stack where it is given as such; it excludes its parts."""
    require_among("transport", transport, ("tcp", "udp"))
    if transport == "udp" and timestamps is not None:
        raise ArgumentsError("{timestamps} is an option of TCP; UDP has none")
    if stack is None:
        return None
    parts = {"ip": ip, "transport": transport, "timestamps": timestamps, "vlan_tags": vlan_tags}
    refuse("{stack} names all headers; leave out {name}", **parts)
    return parse_stack(stack) if isinstance(stack, str) else stack


def stack_of(
    stack: Stack | str | None,
    ip: Any = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: Any = None,
    protocol: str | None = None,
) -> Stack:
    """Headers of each frame; TCP over IPv4 over Ethernet with timestamps by default."""
    given = specified_stack(stack, ip, transport, timestamps, vlan_tags)
    tags = vlan_tags or 0
    if protocol == "smc-r":
        from netmodel.path.distance import SMCR_STACK

        if given is not None and "smcr" not in given.protocols:
            raise ArgumentsError(
                "{stack} has no smcr layer: leave it out with {protocol} smc-r, or end it so"
            )
        parts = {"transport": transport, "timestamps": timestamps, "ip": ip}
        refuse("leave out {name}: {protocol} smc-r sets the headers", **parts)
        ethernet, _, inner = SMCR_STACK.partition("/")
        return given or parse_stack("/".join([ethernet, *["vlan"] * tags, inner]))
    if given is not None:
        return given
    ip_version = _IP_VERSION if ip is None else int(ip)
    if transport == "udp":
        return udp_stack(ip_version=ip_version, vlan_tags=tags)
    return tcp_stack(ip_version=ip_version, timestamps=timestamps is not False, vlan_tags=tags)


def inner_mtu(mtu_bytes: Any, link_mtu_bytes: Any, stack: Stack | None) -> Any:
    """The innermost MTU, from whichever is given; without a stack they are equal. [byte]"""
    not_both(mtu_bytes=mtu_bytes, link_mtu_bytes=link_mtu_bytes)
    if link_mtu_bytes is None:
        return mtu_bytes
    return link_mtu_bytes if stack is None else stack.mtu_bytes(link_mtu_bytes)


def is_several(given: object) -> bool:
    """Whether a value is a sequence or an array; numpy is not loaded to find out."""
    return isinstance(given, list | tuple | range) or bool(getattr(given, "ndim", 0))


def path_between(
    adapter: "Adapter | File | None" = None,
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    line_rate_bps: Any = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
) -> "SpecifiedPath | None":
    """The path with its adapters and hosts; None where neither adapters nor a path are given."""
    for end in (sender, receiver):
        if adapter is not None and end not in (None, adapter):
            raise ArgumentsError("give {adapter}, or {sender} and {receiver}, not both")
    sender = adapter if sender is None else sender
    receiver = adapter if receiver is None else receiver
    given_hosts = {"client_host": client_host, "server_host": server_host}
    if sender is None and receiver is None and path is None:
        ends = "{adapter}, {sender} and {receiver}, or {path}"
        refuse(f"{{name}} is for a path: give {ends}", **given_hosts)
        return None
    if path is None and (sender is None or receiver is None):
        raise ArgumentsError("give both {sender} and {receiver}, or {path}")
    from netmodel.path import SpecifiedPath

    of_path = record("path", path)
    adapters, hosts = ({}, {}) if of_path is None else (of_path.adapters, of_path.hosts)
    return SpecifiedPath(
        record("sender", sender, adapters),
        record("receiver", receiver, adapters),
        of_path,
        line_rate_bps,
        record("client_host", client_host, hosts),
        record("server_host", server_host, hosts),
    )


def require_path(specified: "SpecifiedPath | None") -> "SpecifiedPath":
    """The path; adapters or a path must be given."""
    if specified is None:
        raise ArgumentsError("give {adapter}, or {sender} and {receiver}, or {path}")
    return specified


def with_costs(
    specified: "SpecifiedPath",
    client_cost: str | None = None,
    server_cost: str | None = None,
    cpu_frequency_hz: Any = None,
    cpu_time_basis: str | None = None,
    smt_gain: Any = None,
    cost_measured_with: "str | Mapping[str, object] | None" = None,
) -> "SpecifiedPath":
    """The path with CPU cost as one figure; hosts of a side with cost have no CPU times besides."""
    from netmodel.consumption.cost import CPU_TIME_BASES, MOST_SMT_GAIN_RATIO

    costs = {"client_cost": client_cost, "server_cost": server_cost}
    if client_cost is None and server_cost is None:
        refuse(
            "{name} is for a CPU cost: give {client_cost} or {server_cost}",
            cpu_frequency_hz=cpu_frequency_hz,
            cpu_time_basis=cpu_time_basis,
            smt_gain=smt_gain,
            cost_measured_with=cost_measured_with,
        )
        return specified
    if cpu_frequency_hz is not None and "cycles" not in f"{client_cost}{server_cost}":
        raise ArgumentsError("leave out {cpu_frequency_hz}: only a cost in cycles/byte needs it")
    if smt_gain is not None and not 1 <= smt_gain <= MOST_SMT_GAIN_RATIO:
        raise WrongValueError("{smt_gain} must be from 1 to 2; got {gain:g}", gain=smt_gain)
    if smt_gain is not None and cpu_time_basis == "thread":
        problem = "{smt_gain} is for core time: leave it out with {cpu_time_basis} thread"
        raise ArgumentsError(problem)
    require_among("cpu_time_basis", cpu_time_basis, CPU_TIME_BASES)
    hosts = {"client_cost": specified.client_host, "server_cost": specified.server_host}
    for name, host in hosts.items():
        if host is not None and costs[name] is not None and host.has_cpu_times:
            machine = name.replace("cost", "host")
            problem = f"give {{{name}}} or {{{machine}}}, not both: {{host_id}} has CPU times"
            raise ArgumentsError(problem, host_id=host.id)
    details = (cpu_frequency_hz, cpu_time_basis, smt_gain or 1.0, _case_of(cost_measured_with))
    client, server = (_cpu_cost(name, cost, *details) for name, cost in costs.items())
    return replace(specified, client_cost=client, server_cost=server)


def _cpu_cost(
    name: str,
    given: str | None,
    clock_hz: float | None,
    time_basis: str | None,
    gain_ratio: float,
    case: tuple[tuple[str, str | float], ...],
) -> "CpuCost | None":
    from netmodel.consumption.cost import parse_cpu_cost

    if given is None:
        return None
    if "cycles/byte" in str(given) and clock_hz is None:
        problem = f"{{{name}}}: {{text!r}} needs the clock of the CPU: give {{cpu_frequency_hz}}"
        raise WrongTextError(problem, text=given)
    with refusing(name, UnitError, DomainError):
        return parse_cpu_cost(
            given,
            cpu_frequency_hz=clock_hz,
            time_basis=time_basis,
            smt_gain_ratio=gain_ratio,
            case=case,
        )


def _case_of(given: "str | Mapping[str, object] | None") -> tuple[tuple[str, str | float], ...]:
    """Conditions under which costs were measured."""
    from netmodel.api.cases import given_case

    if given is None:
        return ()
    with refusing("cost_measured_with", UnitError, DomainError):
        case = given_case(given)
    if not case:
        raise WrongValueError("{cost_measured_with} names no condition: give one such as mtu=1500")
    return tuple(case.items())


def distance_of(
    km: Any = None,
    rtt_s: Any = None,
    equipment_s: Any = None,
    window_bytes: Any = None,
    loss_ratio: Any = None,
    protocol: str | None = None,
) -> "Distance | None":
    """What lies between the sites; None where nothing is given. Sequences give arrays."""
    from netmodel.path.distance import Distance, Protocol
    from netmodel.transport import propagation_round_trip_s

    if all(given is None for given in (km, rtt_s, equipment_s, window_bytes, loss_ratio, protocol)):
        return None
    not_both(": a distance makes a round trip", km=km, rtt_s=rtt_s)
    if equipment_s is not None and km is None:
        raise ArgumentsError("{equipment_s} is for a distance: give {km}")
    distance_m, trip_s, window, loss = (
        np.asarray(each, float) if is_several(each) else each
        for each in (km, rtt_s, window_bytes, loss_ratio)
    )
    try:
        if distance_m is not None:
            distance_m = distance_m * KILO
            trip_s = propagation_round_trip_s(distance_m, equipment_time_s=equipment_s or 0)
        of_protocol = choice("protocol", protocol or "tcp", Protocol)
        return Distance(
            round_trip_s=trip_s,
            window_bytes=window,
            loss_ratio=loss,
            protocol=of_protocol,
            distance_m=distance_m,
        )
    except WrongValueError:
        raise
    except DomainError as error:
        raise WrongValueError("{reason}", reason=error) from error


def require_suiting(between: "Distance | None", path: "Path") -> None:
    """Refuse a window or loss without a round trip, and CPU times that are not of SMC-R."""
    from netmodel.path.distance import Protocol, round_trip_terms

    if between is None:
        return
    if not round_trip_terms(path) and between.round_trip_s is None:
        refuse(
            "{name} limits a rate over a round trip: give {km} or {rtt_s}",
            window_bytes=between.window_bytes,
            loss_ratio=between.loss_ratio,
        )
    if between.protocol is not Protocol.TCP:
        pools = {pool.name for pool in path.pools if pool.is_cpu and pool.cost is None}
        for stage in path.stages:
            if stage.pool in pools:
                raise ArgumentsError(
                    "CPU times of {stage} are of TCP, not of SMC-R: give adapters alone, or "
                    "its cost as {client_cost} and {server_cost}",
                    stage=stage.name,
                )


def cases_of(given: Mapping[str, Any], names: Iterable[str]) -> list[dict[str, Any]]:
    """The arguments of each combination of the values that these have."""
    several = {name: listed_values(given[name]) for name in names if given.get(name) is not None}
    return [
        {**given, **dict(zip(several, values, strict=True))}
        for values in product(*several.values())
    ]


def series(name: str, given: str, kind: Kind) -> Sequence[float]:
    """Numbers of a text with commas between, or ``FIRST..LAST:STEP`` or ``..LAST:xFACTOR``."""
    with refusing(name, UnitError):
        parts = split_list(given, is_whole=kind.parse in WHOLE)
    values = (each for part in parts for each in _range(name, part, kind))
    return tuple(dict.fromkeys(values))


def _range(name: str, text: str, kind: Kind) -> Iterator[float]:
    """Values from one to another in steps or by a factor; of a single value that alone."""
    ends, has_step, step_text = text.partition(":")
    first_text, has_last, last_text = ends.partition("..")
    if not has_last:
        yield _number(name, text, kind)
        return
    first, last = (_number(name, each, kind) for each in (first_text, last_text))
    is_factor = step_text.startswith("x")
    if not has_step:
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} needs a step, as {{text}}:10, or a factor, as {{text}}:x2",
            text=text,
        )
    step = parse_ratio(step_text[1:]) if is_factor else _number(name, step_text, kind)
    if last < first or (step <= 1 or first <= 0 if is_factor else step <= 0):
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} must run upwards, by a step above 0 or a factor above 1",
            text=text,
        )
    count = math.log(last / first, step) if is_factor else (last - first) / step
    if count > _MOST_CASES:
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} has over {{most:,}} values: give a larger step",
            text=text,
            most=_MOST_CASES,
        )
    for place in range(math.floor(count * (1 + ROUNDING_RATIO) + ROUNDING_RATIO) + 1):
        each = first * step**place if is_factor else first + place * step
        # 0.3 in place of 0.30000000000000004, as it would be typed
        yield min(float(f"{each:.{_TYPED_DIGITS}g}"), last)


def require_own_mtu(path: "Path", arguments: str) -> None:
    """Ask for the MTU, by the arguments that give it, where no stage of the path has one."""
    from netmodel.published import listing

    if all(stage.mtu_bytes is None for stage in path.stages):
        mtus: set[object] = set()
        with suppress(UnknownRecordError):
            mtus = {
                mtu
                for row in listing([path.name.partition(":")[0]])
                for mtu in row.of.get("mtu", ())
            }
        known = f"; documents print figures at {listed(sorted(map(str, mtus)))}" if mtus else ""
        raise ArgumentsError(f"give {arguments}: no stage of the path has an MTU{known}")


def size_notes(workload: "Workload") -> list[str]:
    """Return the size that is taken of messages of which only a range is known."""
    sent, received = workload.request_bytes_bounds, workload.response_bytes_bounds
    low, high = sent if workload.sender is Side.CLIENT else received
    if low == high:
        return []
    return [f"messages of {workload.id} are {low:,} to {high:,} byte: the larger size is taken"]


def listed_values(given: Any) -> Sequence[Any]:
    """What is given, as a sequence: one thing alone is the only item."""
    given = given.tolist() if hasattr(given, "tolist") else given
    is_record = hasattr(given, "id")  # records iterate over their fields
    if isinstance(given, Iterable) and not is_record and not isinstance(given, str | os.PathLike):
        return tuple(given)
    return (given,)


_RECORDS = {
    "path": ("PathRecord", "path_record"),
    "workload": ("Workload", "workload"),
    **dict.fromkeys(("sender", "receiver"), ("Adapter", "adapter")),
    **dict.fromkeys(("client_host", "server_host"), ("Host", "host")),
}
"""Class of the record that an argument is, and the function that looks it up."""


def record(name: str, given: Any, own: Mapping[str, Any] | None = None) -> Any:
    """A record: as it is, from a ``.toml`` file, or by its id in the path or the catalog."""
    if given is None:
        return None
    import netmodel.records  # which loads a kind when it is asked for

    kind, lookup = (getattr(netmodel.records, each) for each in _RECORDS[name])
    if isinstance(given, kind):
        return given
    if not isinstance(given, str | os.PathLike):
        wanted = f"an id of the catalog, a .toml file or {kind.__name__}"
        raise DomainError(f"{name} must be {wanted}; got {type(given).__name__}")
    text = os.fspath(given)
    if own and text in own:
        return own[text]
    if is_file(text) and not text.endswith(".toml"):
        raise UnknownRecordError(f"{text}: the name of a record file ends in .toml")
    return lookup(text)


def given_workload(given: "Workload | File | None") -> "Workload":
    """A workload, from its id or file."""
    if given is None:
        raise ArgumentsError("give {workload}, or leave out {payload_bytes}")
    found: Workload = record("workload", given)
    return found
