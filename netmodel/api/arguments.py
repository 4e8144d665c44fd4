"""Arguments of questions, the same for functions and commands: text with units, ids, files."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import wraps
from inspect import signature
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    require_at_least,
    require_one,
    require_whole,
)
from netmodel._numpy import np
from netmodel._quantities import NO_QUANTITIES, carries_unit, number_in_unit
from netmodel._reading import is_file
from netmodel._text import meant_text
from netmodel.api._kinds import File, Number, Whole
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.estimates import ABOUT_RATIO
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.units import (
    format_rate,
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)
from netmodel.units._parse import (
    WHOLE,
    parse_km,
    parse_ratio_or_percent,
    parse_share,
    split_list,
)
from netmodel.units._prefixes import GIGA, KILO

if TYPE_CHECKING:
    from netmodel.consumption.cost import CpuCost
    from netmodel.path import Path, SpecifiedPath, Traffic
    from netmodel.path.distance import Distance
    from netmodel.records import Adapter, Host, PathRecord, Workload

_Record = TypeVar("_Record")
_Choice = TypeVar("_Choice", bound=Enum)
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

_PARSERS: Mapping[str, Callable[[str], float]] = {
    "km": parse_km,
    "factor": parse_ratio,
    "bps": parse_rate_bps,
    "bytes": parse_size_bytes,
    "s": parse_time_s,
    "m": parse_length_m,
    "fps": parse_ratio,
    "tps": parse_ratio,
    "bits": parse_ratio,
    "gbit": parse_ratio,
    "gain": parse_ratio,
    "hz": parse_frequency_hz,
    "ratio": parse_ratio_or_percent,
    "tolerance": parse_ratio_or_percent,
    "count": parse_count,
    "connections": parse_count,
    "loss_ratio": parse_share,
    "ack": parse_count,
    "tags": parse_count,
    "ip": parse_count,
    "cpus": parse_count,
    "spares": parse_count,
    "until": parse_share,
    "utilisation": parse_share,
    "failure": parse_share,
    "available": parse_count,
    "cores": parse_count,
    "generation": parse_count,
    "lanes": parse_count,
}
"""Parser of an argument, by its name or the last word of it, which is its unit."""
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
    """The question, which also takes quantities of other libraries and converts them."""
    names = tuple(signature(question).parameters)

    @wraps(question)
    def asked(*given: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        if NO_QUANTITIES.issuperset(map(type, (*given, *named.values()))):
            return question(*given, **named)
        first = (_in_base_unit(name, value) for name, value in zip(names, given, strict=False))
        others = {name: _in_base_unit(name, value) for name, value in named.items()}
        return question(*first, *given[len(names) :], **others)  # type: ignore[arg-type]

    return asked


def _in_base_unit(name: str, given: Any) -> Any:
    """What is given to an argument, with numbers in base units in place of quantities."""
    if isinstance(given, Mapping):
        return {key: _in_base_unit(str(key), value) for key, value in given.items()}
    if not carries_unit(given):
        return given
    value = number_in_unit(name, given, _UNITS.get(name))
    return f"{value!r} µs/Gbit" if name.endswith("_cost") else value


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


def parser_of(name: str) -> Callable[[str], float] | None:
    """What reads the text of an argument; None where that is no number with a unit."""
    return _PARSERS.get(name) or _PARSERS.get(name.rpartition("_")[2])


def number(name: str, given: Number) -> float:
    """A number in base units; text is read in the unit that the name of the argument ends in."""
    if isinstance(given, str):
        try:
            return cast("Callable[[str], float]", parser_of(name))(given)
        except UnitError as error:
            raise WrongTextError(f"{{{name}}}: {{reason}}", reason=error) from error
    return require_one(name, cast("float", given))  # `in_base_units` has converted a quantity


def choice(name: str, given: object, kinds: type[_Choice]) -> _Choice:
    """A member of an Enum, by its value."""
    try:
        return kinds(given)
    except ValueError:
        values = " or ".join(repr(each.value) for each in kinds)
        raise WrongValueError(
            "{" + name + "} must be {values}; got {given!r}{meant}",
            values=values,
            given=given,
            meant=meant_text(str(given), (str(each.value) for each in kinds)),
        ) from None


def optional_number(name: str, given: Number | None) -> float | None:
    """The same; None stays None."""
    return None if given is None else number(name, given)


def is_number(given: object) -> bool:
    """Whether an argument that may be text or an object is a number."""
    return isinstance(given, Real) and not isinstance(given, bool)


def rate_text(name: str, given: Any) -> str:
    """A rate as text that reads back to the same number."""
    return format_rate(require_at_least(name, require_one(name, given), 0, "bit/s"))


def whole(name: str, given: Whole) -> int:
    """A whole number, as it is or from text."""
    return int(require_whole(name, number(name, given)))


def optional_whole(name: str, given: Whole | None) -> int | None:
    """The same; None stays None."""
    return None if given is None else whole(name, given)


def ip_mtu(given: Whole, name: str = "mtu_bytes") -> int:
    """An MTU that IP packets can have. [byte]"""
    from netmodel.ceilings import MAX_PACKET_BYTES

    mtu_bytes = whole(name, given)
    if mtu_bytes > MAX_PACKET_BYTES:
        raise WrongValueError(
            f"{{{name}}} must be at most {{most:,}} byte, as IP packets are; got {{mtu:,}}",
            most=MAX_PACKET_BYTES,
            mtu=mtu_bytes,
        )
    return mtu_bytes


# Builders: each makes one thing of the arguments that say it, by their names in messages


def specified_stack(
    stack: Stack | str | None,
    ip: Whole | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: Whole | None = None,
) -> Stack | None:
    """The stack where it is given as such; it excludes its parts."""
    if transport not in (None, "tcp", "udp"):
        raise WrongValueError("{transport} must be 'tcp' or 'udp'; got {given!r}", given=transport)
    if transport == "udp" and timestamps is not None:
        raise ArgumentsError("{timestamps} is an option of TCP; UDP has none")
    if stack is None:
        return None
    parts = {"ip": ip, "transport": transport, "timestamps": timestamps, "vlan_tags": vlan_tags}
    beside = [f"{{{name}}}" for name, given in parts.items() if given is not None]
    if beside:
        raise ArgumentsError(f"{{stack}} names all headers; leave out {', '.join(beside)}")
    return parse_stack(stack) if isinstance(stack, str) else stack


def stack_of(
    stack: Stack | str | None,
    ip: Whole | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: Whole | None = None,
    protocol: str | None = None,
) -> Stack:
    """Headers of each frame; TCP over IPv4 over Ethernet with timestamps by default."""
    given = specified_stack(stack, ip, transport, timestamps, vlan_tags)
    tags = optional_whole("vlan_tags", vlan_tags) or 0
    if protocol == "smc-r":
        return _smcr_stack(given, ip, transport, timestamps, tags)
    if given is not None:
        return given
    ip_version = _IP_VERSION if ip is None else whole("ip", ip)
    if transport == "udp":
        return udp_stack(ip_version=ip_version, vlan_tags=tags)
    return tcp_stack(ip_version=ip_version, timestamps=timestamps is not False, vlan_tags=tags)


def _smcr_stack(
    given: Stack | None,
    ip: Whole | None,
    transport: str | None,
    timestamps: bool | None,
    tags: int,
) -> Stack:
    """Headers of SMC-R over RoCE, unless a stack has them."""
    from netmodel.path.distance import SMCR_STACK

    if given is not None:
        if "smcr" not in given.protocols:
            raise ArgumentsError(
                "{stack} has no smcr layer: leave it out with {protocol} smc-r, or end it so"
            )
        return given
    for name, value in (("transport", transport), ("timestamps", timestamps), ("ip", ip)):
        if value is not None:
            raise ArgumentsError(f"leave out {{{name}}}: {{protocol}} smc-r sets the headers")
    ethernet, _, inner = SMCR_STACK.partition("/")
    return parse_stack("/".join([ethernet, *["vlan"] * tags, inner]))


def inner_mtu(mtu_bytes: Any, link_mtu_bytes: Any, stack: Stack | None) -> Any:
    """The innermost MTU, from whichever is given; without a stack they are equal. [byte]"""
    if mtu_bytes is not None and link_mtu_bytes is not None:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
    if link_mtu_bytes is not None:
        outer_bytes = _whole_numbers("link_mtu_bytes", link_mtu_bytes)
        return outer_bytes if stack is None else stack.mtu_bytes(outer_bytes)
    return None if mtu_bytes is None else _whole_numbers("mtu_bytes", mtu_bytes)


def _whole_numbers(name: str, given: Any) -> Any:
    """An array as it is, else a whole number."""
    return given if _is_several(given) else whole(name, given)


def _is_several(given: object) -> bool:
    """Whether a value is a sequence or an array; numpy is not loaded to find out."""
    is_sequence = isinstance(given, Sequence) and not isinstance(given, str)
    return is_sequence or bool(getattr(given, "ndim", 0))


def path_between(
    adapter: "Adapter | File | None" = None,
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    line_rate_bps: Number | None = None,
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
        for name in (name for name, given in given_hosts.items() if given is not None):
            raise ArgumentsError(
                f"{{{name}}} is for a path: give {{adapter}}, {{sender}} and {{receiver}}, or "
                "{path}"
            )
        return None
    if path is None and (sender is None or receiver is None):
        raise ArgumentsError("give both {sender} and {receiver}, or {path}")
    from netmodel.path import SpecifiedPath
    from netmodel.records import Adapter, Host, PathRecord, host, path_record
    from netmodel.records import adapter as adapter_record

    of_path = None if path is None else record("path", path, PathRecord, path_record)
    adapters, hosts = ({}, {}) if of_path is None else (of_path.adapters, of_path.hosts)
    cards = [
        None if given is None else record(name, given, Adapter, adapter_record, adapters)
        for name, given in (("sender", sender), ("receiver", receiver))
    ]
    machines = [
        None if given is None else record(name, given, Host, host, hosts)
        for name, given in given_hosts.items()
    ]
    rate_bps = optional_number("line_rate_bps", line_rate_bps)
    return SpecifiedPath(cards[0], cards[1], of_path, rate_bps, machines[0], machines[1])


def require_path(specified: "SpecifiedPath | None") -> "SpecifiedPath":
    """The path; adapters or a path must be given."""
    if specified is None:
        raise ArgumentsError("give {adapter}, or {sender} and {receiver}, or {path}")
    return specified


def with_costs(
    specified: "SpecifiedPath",
    client_cost: str | None = None,
    server_cost: str | None = None,
    cpu_frequency_hz: Number | None = None,
    cpu_time_basis: str | None = None,
    smt_gain: Number | None = None,
    cost_measured_with: "str | Mapping[str, object] | None" = None,
) -> "SpecifiedPath":
    """The path with CPU cost as one figure; hosts of a side with cost have no CPU times besides."""
    from netmodel.path._from_records import clock_rate_hz

    costs = {"client": client_cost, "server": server_cost}
    details = {
        "cpu_frequency_hz": cpu_frequency_hz,
        "cpu_time_basis": cpu_time_basis,
        "smt_gain": smt_gain,
        "cost_measured_with": cost_measured_with,
    }
    if client_cost is None and server_cost is None:
        for name in (name for name, given in details.items() if given is not None):
            raise ArgumentsError(
                f"{{{name}}} is for a CPU cost: give {{client_cost}} or {{server_cost}}"
            )
        return specified
    clock_hz = optional_number("cpu_frequency_hz", cpu_frequency_hz)
    clocked = [side for side, cost in costs.items() if "cycles" in str(cost)]
    if clock_hz is not None and not clocked:
        raise ArgumentsError("leave out {cpu_frequency_hz}: only a cost in cycles/byte needs it")
    hosts = {"client": specified.client_host, "server": specified.server_host}
    for side, host in hosts.items():
        if host is None or costs[side] is None:
            continue
        own_hz = clock_rate_hz(host) if side in clocked else None
        if own_hz and clock_hz and abs(clock_hz / own_hz - 1) > float(ABOUT_RATIO):
            raise ArgumentsError(
                f"{{cpu_frequency_hz}} is {{clock:.4g}} GHz, and {{host_id}} ({{{side}_host}}) "
                "runs at {own:.4g} GHz: CPU time depends on the clock; give that of the host",
                clock=clock_hz / GIGA,
                own=own_hz / GIGA,
                host_id=host.id,
            )
        if host.has_cpu_times:
            raise ArgumentsError(
                f"give {{{side}_cost}} or {{{side}_host}}, not both: {{host_id}} has CPU times",
                host_id=host.id,
            )
    gain = optional_number("smt_gain", smt_gain)
    parsed = [
        _cpu_cost(f"{side}_cost", cost, clock_hz, cpu_time_basis, gain, cost_measured_with)
        for side, cost in costs.items()
    ]
    return replace(specified, client_cost=parsed[0], server_cost=parsed[1])


def _cpu_cost(
    name: str,
    given: str | None,
    clock_hz: float | None,
    time_basis: str | None,
    gain: float | None,
    measured_with: "str | Mapping[str, object] | None",
) -> "CpuCost | None":
    from netmodel.consumption.cost import CPU_TIME_BASES, MOST_SMT_GAIN_RATIO, parse_cpu_cost

    if given is None:
        return None
    if gain is not None and not 1 <= gain <= MOST_SMT_GAIN_RATIO:
        raise WrongValueError("{smt_gain} must be from 1 to 2; got {gain:g}", gain=gain)
    if gain is not None and time_basis == "thread":
        raise ArgumentsError(
            "{smt_gain} is for core time: leave it out with {cpu_time_basis} thread"
        )
    if time_basis not in (None, *CPU_TIME_BASES):
        raise WrongValueError(
            "{cpu_time_basis} must be 'core' or 'thread'; got {given!r}", given=time_basis
        )
    if "cycles/byte" in str(given) and clock_hz is None:
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} needs the clock of the CPU: give {{cpu_frequency_hz}}",
            text=given,
        )
    case = _measured_case(measured_with)
    try:
        return parse_cpu_cost(
            given,
            cpu_frequency_hz=clock_hz,
            time_basis=time_basis,
            smt_gain_ratio=1.0 if gain is None else gain,
            case=case,
        )
    except UnitError as error:
        raise WrongTextError(f"{{{name}}}: {{reason}}", reason=error) from error
    except DomainError as error:
        raise WrongValueError(f"{{{name}}}: {{reason}}", reason=error) from error


def _measured_case(
    given: "str | Mapping[str, object] | None",
) -> "tuple[tuple[str, str | float], ...]":
    """Conditions under which costs were measured."""
    from netmodel.api.cases import given_case

    if given is None:
        return ()
    try:
        case = given_case(given)
    except UnitError as error:
        raise WrongTextError("{cost_measured_with}: {reason}", reason=error) from error
    except DomainError as error:
        raise WrongValueError("{cost_measured_with}: {reason}", reason=error) from error
    if not case:
        raise WrongValueError("{cost_measured_with} names no condition: give one such as mtu=1500")
    return tuple(case.items())


def distance_of(
    km: Number | Sequence[float] | None = None,
    rtt_s: Number | Sequence[float] | None = None,
    equipment_s: Number | None = None,
    window_bytes: Number | Sequence[float] | None = None,
    loss_ratio: Number | Sequence[float] | None = None,
    protocol: str | None = None,
) -> "Distance | None":
    """What lies between the sites; None where nothing is given. Sequences give arrays."""
    from netmodel.path.distance import Distance, Protocol
    from netmodel.transport import propagation_round_trip_s

    if all(given is None for given in (km, rtt_s, equipment_s, window_bytes, loss_ratio, protocol)):
        return None
    if km is not None and rtt_s is not None:
        raise ArgumentsError("give {km} or {rtt_s}, not both: a distance makes a round trip")
    if equipment_s is not None and km is None:
        raise ArgumentsError("{equipment_s} is for a distance: give {km}")
    protocols = {each.value: each for each in Protocol}
    if protocol not in (None, *protocols):
        raise WrongValueError("{protocol} must be 'tcp' or 'smc-r'; got {given!r}", given=protocol)
    distance_m = None if (length_km := numbers("km", km)) is None else length_km * KILO
    trip_s = numbers("rtt_s", rtt_s)
    added_s = optional_number("equipment_s", equipment_s) or 0
    try:
        if distance_m is not None:
            trip_s = propagation_round_trip_s(distance_m, equipment_time_s=added_s)
        return Distance(
            round_trip_s=trip_s,
            window_bytes=numbers("window_bytes", window_bytes),
            loss_ratio=numbers("loss_ratio", loss_ratio),
            protocol=protocols[protocol or "tcp"],
            distance_m=distance_m,
        )
    except DomainError as error:
        raise WrongValueError("{reason}", reason=error) from error


def require_suiting(between: "Distance | None", path: "Path") -> None:
    """Refuse a window or loss without a round trip, and CPU times that are not of SMC-R."""
    from netmodel.path.distance import Protocol, round_trip_terms

    if between is None:
        return
    if not round_trip_terms(path) and between.round_trip_s is None:
        for name in ("window_bytes", "loss_ratio"):
            if getattr(between, name) is not None:
                raise ArgumentsError(
                    f"{{{name}}} limits a rate over a round trip: give {{km}} or {{rtt_s}}"
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
    """The arguments of each combination of the values that these have, as of ``"10,50"``."""
    several = {name: series(name, given[name]) for name in names if given.get(name) is not None}
    return [
        {**given, **dict(zip(several, values, strict=True))}
        for values in product(*several.values())
    ]


def series(
    name: str, given: Any, step: float | None = None, most: int = _MOST_CASES
) -> Sequence[Any]:
    """
    One value or several: text has commas between, or is ``FIRST..LAST:STEP`` or ``..LAST:xFACTOR``.

    A range without a step has this one; without either, or with more values than `most`, it is
    refused.
    """
    if not isinstance(given, str):
        return listed_values(given.tolist() if hasattr(given, "tolist") else given)
    try:
        parts = split_list(given, is_whole=parser_of(name) in WHOLE)
    except UnitError as error:
        raise WrongTextError(f"{{{name}}}: {{reason}}", reason=error) from error
    return tuple(dict.fromkeys(each for part in parts for each in _range(name, part, step, most)))


def _range(name: str, text: str, usual_step: float | None, most: int) -> Iterator[float]:
    """Values from one to another in steps or by a factor; of a single value that alone."""
    ends, has_step, step_text = text.partition(":")
    first_text, has_last, last_text = ends.partition("..")
    if not has_last:
        yield number(name, text)
        return
    first, last = (number(name, each) for each in (first_text, last_text))
    is_factor = step_text.startswith("x")
    if not has_step and usual_step is None:
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} needs a step, as {{text}}:10, or a factor, as {{text}}:x2",
            text=text,
        )
    step = parse_ratio(step_text[1:]) if is_factor else usual_step or 1.0
    if has_step and not is_factor:
        step = number(name, step_text)
    if last < first or (step <= 1 or first <= 0 if is_factor else step <= 0):
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} must run upwards, by a step above 0 or a factor above 1",
            text=text,
        )
    count = math.log(last / first, step) if is_factor else (last - first) / step
    if count > most:
        raise WrongTextError(
            f"{{{name}}}: {{text!r}} has over {{most:,}} values: give a larger step",
            text=text,
            most=most,
        )
    for place in range(math.floor(count * (1 + ROUNDING_RATIO) + ROUNDING_RATIO) + 1):
        each = first * step**place if is_factor else first + place * step
        # 0.3 in place of 0.30000000000000004, as it would be typed
        yield min(float(f"{each:.{_TYPED_DIGITS}g}"), last)


def numbers(name: str, given: Number | Sequence[float] | None) -> FloatOrArray | None:
    """A number or several, in base units; None stays None."""
    if given is None:
        return None
    if isinstance(given, str):
        given = cast("Sequence[float]", series(name, given))
        given = given[0] if len(given) == 1 else given
    plain = cast("float | Sequence[float]", given)  # `in_base_units` has converted a quantity
    return np.asarray(plain, float) if _is_several(plain) else require_one(name, plain)


_OF_TRAFFIC = {
    "connections": "connection_count",
    "segments_per_ack": "segments_per_ack",
    "payload_bytes": "request_bytes and response_bytes",
}
"""Arguments that say what a Traffic says itself, and its names for that."""


def traffic_of(
    workload: "Workload | Traffic | File | None",
    connections: Whole | Sequence[int] | None = None,
    segments_per_ack: Whole | None = None,
    payload_bytes: Whole | None = None,
) -> "Traffic":
    """What is exchanged; several numbers of connections give arrays, None is any number."""
    from netmodel.path import Traffic, workload_traffic

    if isinstance(workload, Traffic):
        given = dict(zip(_OF_TRAFFIC, (connections, segments_per_ack, payload_bytes), strict=True))
        for name in (name for name, value in given.items() if value is not None):
            raise ArgumentsError(f"leave out {{{name}}}: a Traffic has its own {_OF_TRAFFIC[name]}")
        return workload
    return workload_traffic(
        given_workload(workload),
        counts_of(connections),
        segments_per_ack=optional_whole("segments_per_ack", segments_per_ack),
        payload_bytes=optional_whole("payload_bytes", payload_bytes),
    )


def counts_of(connections: Any) -> Any:
    """One number of connections, or several from a list or text; None is any number."""
    if isinstance(connections, str):
        counts = [int(each) for each in series("connections", connections)]
        return counts[0] if len(counts) == 1 else counts
    if connections is None or _is_several(connections) or connections != connections:  # NaN stays
        return connections
    return whole("connections", connections)


def require_own_mtu(path: "Path", arguments: str) -> None:
    """Ask for the MTU, by the arguments that give it, where no stage of the path has one."""
    if all(stage.mtu_bytes is None for stage in path.stages):
        raise ArgumentsError(f"give {arguments}: no stage of the path has an MTU")


def require_one_size(workload: "Workload") -> None:
    """Ask for the size of messages of which only a range is known."""
    for low, high in (workload.request_bytes_bounds, workload.response_bytes_bounds):
        if low != high:
            raise ArgumentsError(
                "messages of {workload_id} have {low} to {high} byte; give one size with "
                "{payload_bytes}",
                workload_id=workload.id,
                low=low,
                high=high,
            )


def size_notes(workload: "Workload") -> list[str]:
    """Return the size that is taken of messages of which only a range is known."""
    low, high = (
        workload.request_bytes_bounds
        if workload.sender is Side.CLIENT
        else workload.response_bytes_bounds
    )
    if low == high:
        return []
    return [f"messages of {workload.id} are {low:,} to {high:,} byte: the larger size is taken"]


def listed_values(given: Any) -> Sequence[Any]:
    """What is given, as a sequence: one thing alone is the only item."""
    is_record = hasattr(given, "id")  # records iterate over their fields
    if isinstance(given, Iterable) and not is_record and not isinstance(given, str | os.PathLike):
        return tuple(given)
    return (given,)


def record(
    name: str,
    given: object,
    kind: type[_Record],
    lookup: Callable[[File], _Record],
    own: Mapping[str, _Record] | None = None,
) -> _Record:
    """A record: as it is, from a ``.toml`` file, or by its id in the path or the catalog."""
    if isinstance(given, kind):
        return given
    if not isinstance(given, str | os.PathLike):
        raise DomainError(
            f"{name} must be an id of the catalog, a .toml file or {kind.__name__}; "
            f"got {type(given).__name__}"
        )
    text = os.fspath(given)
    if own and text in own:
        return own[text]
    try:
        return lookup(text)
    except UnknownRecordError as error:
        if not is_file(text):
            raise
        raise UnknownRecordError(f"{text}: the name of a record file ends in .toml") from error


def given_workload(given: "Workload | Traffic | File | None") -> "Workload":
    """A workload, from its id or file."""
    if given is None:
        raise ArgumentsError("give {workload}, or leave out {payload_bytes}")
    from netmodel.records import Workload, workload

    return record("workload", given, Workload, workload)
