"""Arguments of questions, the same for functions and commands: text with units, ids, files."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import wraps
from inspect import signature
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar, cast

from netmodel._estimates import ABOUT_RATIO
from netmodel._numeric import (
    FloatOrArray,
    QuantityLike,
    require_at_least,
    require_one,
    require_whole,
)
from netmodel._numpy import np
from netmodel._quantities import NO_QUANTITIES, carries_unit, number_in_unit
from netmodel._reading import is_file
from netmodel._text import meant_text
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
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
from netmodel.units._parse import parse_km, parse_ratio_or_percent, parse_share
from netmodel.units._prefixes import GIGA, KILO

if TYPE_CHECKING:
    from datetime import timedelta

    from netmodel.consumption._cost import CpuCost
    from netmodel.path import Path, SpecifiedPath, Traffic
    from netmodel.path._distance import Distance
    from netmodel.records import Adapter, Host, PathRecord, Workload

if TYPE_CHECKING:

    class Quantity(Protocol):
        """A quantity of another library, which converts itself."""

        def to(self, *arguments: Any, **named: Any) -> Any: ...

    Number: TypeAlias = float | str | timedelta | Quantity
    Whole: TypeAlias = int | str | Quantity
else:
    Number = float | str
    Whole = int | str
"""In base units, or text with a unit; `in_base_units` makes it of quantities of other libraries."""
"""A number of bytes or of things, or text: ``1500``, ``"9 KiB"``."""
File: TypeAlias = str | os.PathLike[str]
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
    "count": parse_count,
    "connections": parse_count,
    "cpus": parse_count,
    "spares": parse_count,
    "until": parse_share,
    "utilisation": parse_share,
    "failure": parse_share,
    "available": parse_count,
    "cores": parse_count,
}
"""Parser of an argument, by the last word of its name, which is its unit."""
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
    return _PARSERS.get(name.rpartition("_")[2])


def number(name: str, given: Number) -> float:
    """A number in base units; text is read in the unit that the name of the argument ends in."""
    if isinstance(given, str):
        try:
            return _PARSERS[name.rpartition("_")[2]](given)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderArguments:
    """Headers of each frame, as in `netmodel.ceiling`: all as one stack, or the usual by parts."""

    stack: Stack | str | None = None
    ip: int | None = None
    transport: str | None = None
    timestamps: bool | None = None
    vlan_tags: int | None = None

    def specified(self) -> Stack | None:
        """The stack where it is given as such; it excludes the other arguments."""
        if self.transport not in (None, "tcp", "udp"):
            raise WrongValueError(
                "{transport} must be 'tcp' or 'udp'; got {given!r}", given=self.transport
            )
        if self.transport == "udp" and self.timestamps is not None:
            raise ArgumentsError("{timestamps} is an option of TCP; UDP has none")
        if self.stack is None:
            return None
        beside = [
            f"{{{name}}}"
            for name in ("ip", "transport", "timestamps", "vlan_tags")
            if getattr(self, name) is not None
        ]
        if beside:
            raise ArgumentsError(f"{{stack}} names all headers; leave out {', '.join(beside)}")
        return parse_stack(self.stack) if isinstance(self.stack, str) else self.stack

    def of_frame(self) -> Stack:
        """The stack; TCP over IPv4 over Ethernet with timestamps by default."""
        stack = self.specified()
        if stack is not None:
            return stack
        ip_version = _IP_VERSION if self.ip is None else self.ip
        tags = self.vlan_tags or 0
        if self.transport == "udp":
            return udp_stack(ip_version=ip_version, vlan_tags=tags)
        timestamps = self.timestamps is not False
        return tcp_stack(ip_version=ip_version, timestamps=timestamps, vlan_tags=tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class MtuArguments:
    """The MTU, of the innermost interface or of the outermost packet."""

    mtu_bytes: Whole | None = None
    link_mtu_bytes: Whole | None = None

    def inner_bytes(self, stack: Stack | None) -> int | None:
        """The innermost MTU, from whichever is given; without a stack they are equal. [byte]"""
        if self.mtu_bytes is not None and self.link_mtu_bytes is not None:
            raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}, not both")
        if self.link_mtu_bytes is None:
            return optional_whole("mtu_bytes", self.mtu_bytes)
        outer_bytes = whole("link_mtu_bytes", self.link_mtu_bytes)
        return outer_bytes if stack is None else int(stack.mtu_bytes(outer_bytes))

    def needed_bytes(self, stack: Stack | None) -> int:
        """The innermost MTU; one of the arguments must be given. [byte]"""
        inner_bytes = self.inner_bytes(stack)
        if inner_bytes is None:
            raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}")
        return inner_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PathArguments:
    """The adapters and hosts at both ends, and what lies between, as in `netmodel.predict`."""

    sender: "Adapter | File | None" = None
    receiver: "Adapter | File | None" = None
    path: "Path | PathRecord | File | None" = None
    line_rate_bps: Number | None = None
    client_host: "Host | File | None" = None
    server_host: "Host | File | None" = None

    def given(self) -> list[str]:
        """Names of the arguments that are given."""
        return [each.name for each in fields(self) if getattr(self, each.name) is not None]

    def specified(self) -> "SpecifiedPath | None":
        """The path; None where neither adapters nor a path are given."""
        given = self.given()
        if not {"sender", "receiver", "path"}.intersection(given):
            for host in (name for name in given if name.endswith("_host")):
                raise ArgumentsError(
                    f"{{{host}}} is for a path: give {{sender}} and {{receiver}}, or {{path}}"
                )
            return None
        return self.between(self.sender, self.receiver)

    def with_both(self, adapter: "Adapter | File | None") -> "PathArguments":
        """The same with an adapter at both ends, where one is given."""
        if adapter is None:
            return self
        for name in ("sender", "receiver"):
            if getattr(self, name) not in (None, adapter):
                raise ArgumentsError("give {adapter}, or {sender} and {receiver}, not both")
        return replace(self, sender=adapter, receiver=adapter)

    def needed(self) -> "SpecifiedPath":
        """The path; adapters or a path must be given."""
        specified = self.specified()
        if specified is None:
            raise ArgumentsError("give {sender} and {receiver}, or {path}")
        return specified

    def between(
        self, sender: "Adapter | File | None", receiver: "Adapter | File | None"
    ) -> "SpecifiedPath":
        """The path between two adapters."""
        from netmodel.path import SpecifiedPath
        from netmodel.records import Adapter, Host, adapter, host

        if self.path is None and (sender is None or receiver is None):
            raise ArgumentsError("give both {sender} and {receiver}, or {path}")
        path = self._record_of_path()
        adapters = path.adapters if path else {}
        hosts = path.hosts if path else {}
        cards = [
            None if given is None else record(name, given, Adapter, adapter, adapters)
            for name, given in (("sender", sender), ("receiver", receiver))
        ]
        machines = [
            None if given is None else record(name, given, Host, host, hosts)
            for name, given in (
                ("client_host", self.client_host),
                ("server_host", self.server_host),
            )
        ]
        rate_bps = optional_number("line_rate_bps", self.line_rate_bps)
        return SpecifiedPath(cards[0], cards[1], path, rate_bps, machines[0], machines[1])

    def _record_of_path(self) -> "PathRecord | None":
        if self.path is None:
            return None
        from netmodel.records import PathRecord, path_record

        return record("path", self.path, PathRecord, path_record)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostArguments:
    """CPU cost of each side as one figure, as in `netmodel.predict`."""

    client_cost: str | None = None
    server_cost: str | None = None
    cpu_frequency_hz: Number | None = None
    cpu_time_basis: str | None = None
    smt_gain: Number | None = None
    cost_measured_with: "str | Mapping[str, object] | None" = None

    def given(self) -> list[str]:
        """Names of the arguments that are given."""
        return [each.name for each in fields(self) if getattr(self, each.name) is not None]

    def _case(self) -> "tuple[tuple[str, str | float], ...]":
        """Conditions under which the costs were measured."""
        from netmodel.api._cases import given_case

        if self.cost_measured_with is None:
            return ()
        try:
            case = given_case(self.cost_measured_with)
        except UnitError as error:
            raise WrongTextError("{cost_measured_with}: {reason}", reason=error) from error
        except DomainError as error:
            raise WrongValueError("{cost_measured_with}: {reason}", reason=error) from error
        if not case:
            raise WrongValueError(
                "{cost_measured_with} names no condition: give one such as mtu=1500"
            )
        return tuple(case.items())

    def on(self, specified: "SpecifiedPath") -> "SpecifiedPath":
        """The path with these costs; its hosts then have no CPU times of their own."""
        from netmodel.path._from_records import clock_rate_hz

        given = self.given()
        if given and not {"client_cost", "server_cost"}.intersection(given):
            raise ArgumentsError(
                f"{{{given[0]}}} is for a CPU cost: give {{client_cost}} or {{server_cost}}"
            )
        hosts = {
            "client": (specified.client_host, "client_host"),
            "server": (specified.server_host, "server_host"),
        }
        costs = {"client": self.client_cost, "server": self.server_cost}
        clocked = [
            side for side, cost in costs.items() if isinstance(cost, str) and "cycles" in cost
        ]
        if given and self.cpu_frequency_hz is not None and not clocked:
            raise ArgumentsError(
                "leave out {cpu_frequency_hz}: only a cost in cycles/byte needs it"
            )
        clock_hz = optional_number("cpu_frequency_hz", self.cpu_frequency_hz)
        for side in clocked:
            host, name = hosts[side]
            own_hz = None if host is None else clock_rate_hz(host)
            if host is None or own_hz is None or clock_hz is None:
                continue
            if abs(clock_hz / own_hz - 1) > float(ABOUT_RATIO):
                raise ArgumentsError(
                    f"{{cpu_frequency_hz}} is {{clock:.4g}} GHz, and {{host_id}} ({{{name}}}) "
                    "runs at {own:.4g} GHz: CPU time depends on the clock; give that of the host",
                    clock=clock_hz / GIGA,
                    own=own_hz / GIGA,
                    host_id=host.id,
                )
        for side, (host, name) in hosts.items():
            if f"{side}_cost" in given and host is not None and host.has_cpu_times:
                raise ArgumentsError(
                    f"give {{{side}_cost}} or {{{name}}}, not both: {{host_id}} has CPU times",
                    host_id=host.id,
                )
        return replace(
            specified,
            client_cost=self._cost("client_cost", self.client_cost),
            server_cost=self._cost("server_cost", self.server_cost),
        )

    def _cost(self, name: str, given: str | None) -> "CpuCost | None":
        from netmodel.consumption._cost import (
            CPU_TIME_BASES,
            MOST_SMT_GAIN_RATIO,
            parse_cpu_cost,
        )

        if given is None:
            return None
        clock_hz = optional_number("cpu_frequency_hz", self.cpu_frequency_hz)
        gain = optional_number("smt_gain", self.smt_gain)
        if gain is not None and not 1 <= gain <= MOST_SMT_GAIN_RATIO:
            raise WrongValueError("{smt_gain} must be from 1 to 2; got {gain:g}", gain=gain)
        if gain is not None and self.cpu_time_basis == "thread":
            raise ArgumentsError(
                "{smt_gain} is for core time: leave it out with {cpu_time_basis} thread"
            )
        if self.cpu_time_basis not in (None, *CPU_TIME_BASES):
            raise WrongValueError(
                "{cpu_time_basis} must be 'core' or 'thread'; got {given!r}",
                given=self.cpu_time_basis,
            )
        if "cycles/byte" in str(given) and clock_hz is None:
            raise WrongTextError(
                f"{{{name}}}: {{text!r}} needs the clock of the CPU: give {{cpu_frequency_hz}}",
                text=given,
            )
        case = self._case()
        try:
            return parse_cpu_cost(
                given,
                cpu_frequency_hz=clock_hz,
                time_basis=self.cpu_time_basis,
                smt_gain_ratio=1.0 if gain is None else gain,
                case=case,
            )
        except UnitError as error:
            raise WrongTextError(f"{{{name}}}: {{reason}}", reason=error) from error
        except DomainError as error:
            raise WrongValueError(f"{{{name}}}: {{reason}}", reason=error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceArguments:
    """What lies between two sites, as in `netmodel.predict`; sequences give arrays."""

    km: Number | Sequence[float] | None = None
    rtt_s: Number | Sequence[float] | None = None
    equipment_s: Number | None = None
    window_bytes: Number | Sequence[float] | None = None
    loss_ratio: Number | Sequence[float] | None = None
    protocol: str | None = None

    def given(self) -> list[str]:
        """Names of the arguments that are given."""
        return [each.name for each in fields(self) if getattr(self, each.name) is not None]

    def cases(self) -> "list[DistanceArguments]":
        """One for each combination of values where several are given."""
        lists = {
            name: given
            for name in ("km", "rtt_s", "window_bytes", "loss_ratio")
            if not isinstance(given := getattr(self, name), str)
            and (isinstance(given, Sequence) or bool(getattr(given, "ndim", 0)))
        }
        return [
            replace(self, **dict(zip(lists, values, strict=True)))
            for values in product(*lists.values())
        ]

    @property
    def is_smcr(self) -> bool:
        """Whether SMC-R carries the data."""
        return self.protocol == "smc-r"

    def stack(self, headers: HeaderArguments) -> Stack:
        """Headers of each frame: those of SMC-R over RoCE, unless a stack has them."""
        from netmodel.path._distance import SMCR_STACK

        if not self.is_smcr:
            return headers.of_frame()
        given = headers.specified()
        if given is not None:
            if "smcr" not in given.protocols:
                raise ArgumentsError(
                    "{stack} has no smcr layer: leave it out with {protocol} smc-r, or end it so"
                )
            return given
        for name in ("transport", "timestamps", "ip"):
            if getattr(headers, name) is not None:
                raise ArgumentsError(
                    f"leave out {{{name}}}: {{protocol}} smc-r sets the headers itself"
                )
        ethernet, _, inner = SMCR_STACK.partition("/")
        return parse_stack("/".join([ethernet, *["vlan"] * (headers.vlan_tags or 0), inner]))

    def require_suiting(self, path: "Path") -> None:
        """Refuse a window or loss without a round trip, and CPU times that are not of SMC-R."""
        from netmodel.path._distance import round_trip_terms

        if not round_trip_terms(path) and self.km is None and self.rtt_s is None:
            for name in ("window_bytes", "loss_ratio"):
                if getattr(self, name) is not None:
                    raise ArgumentsError(
                        f"{{{name}}} limits a rate over a round trip: give {{km}} or {{rtt_s}}"
                    )
        if self.is_smcr:
            pools = {pool.name for pool in path.pools if pool.is_cpu and pool.cost is None}
            for stage in path.stages:
                if stage.pool in pools:
                    raise ArgumentsError(
                        "CPU times of {stage} are of TCP, not of SMC-R: give adapters alone, or "
                        "its cost as {client_cost} and {server_cost}",
                        stage=stage.name,
                    )

    def distance(self) -> "Distance | None":
        """What lies between the sites; None where nothing is given."""
        from netmodel.path._distance import Distance, Protocol
        from netmodel.transport import propagation_round_trip_s

        if not self.given():
            return None
        if self.km is not None and self.rtt_s is not None:
            raise ArgumentsError("give {km} or {rtt_s}, not both: a distance makes a round trip")
        if self.equipment_s is not None and self.km is None:
            raise ArgumentsError("{equipment_s} is for a distance: give {km}")
        protocols = {each.value: each for each in Protocol}
        if self.protocol not in (None, *protocols):
            raise WrongValueError(
                "{protocol} must be 'tcp' or 'smc-r'; got {given!r}", given=self.protocol
            )
        equipment_s = optional_number("equipment_s", self.equipment_s) or 0
        km = numbers("km", self.km)
        trip_s = numbers("rtt_s", self.rtt_s)
        distance_m = None if km is None else km * KILO
        try:
            if distance_m is not None:
                trip_s = propagation_round_trip_s(distance_m, equipment_time_s=equipment_s)
            return Distance(
                round_trip_s=trip_s,
                window_bytes=numbers("window_bytes", self.window_bytes),
                loss_ratio=numbers("loss_ratio", self.loss_ratio),
                protocol=protocols[self.protocol or "tcp"],
                distance_m=distance_m,
            )
        except DomainError as error:
            raise WrongValueError("{reason}", reason=error) from error


def numbers(name: str, given: Number | Sequence[float] | None) -> FloatOrArray | None:
    """A number or several, in base units; None stays None."""
    if given is None or isinstance(given, str):
        return optional_number(name, given)
    plain = cast("float | Sequence[float]", given)  # `in_base_units` has converted a quantity
    return np.asarray(plain, float) if np.ndim(plain) else require_one(name, plain)


_OF_TRAFFIC = {
    "connections": "connection_count",
    "segments_per_ack": "segments_per_ack",
    "payload_bytes": "request_bytes and response_bytes",
}
"""Arguments that say what a Traffic says itself, and its names for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeArguments:
    """What is exchanged over a path, as in `netmodel.predict`."""

    workload: "Workload | Traffic | File"
    connections: Whole | Sequence[int] | None = None
    segments_per_ack: int | None = None
    payload_bytes: Whole | None = None

    @property
    def connection_count(self) -> QuantityLike | None:
        """Connections at the same time; a sequence gives arrays, None is any number."""
        given = self.connections
        if given is None or (isinstance(given, Sequence) and not isinstance(given, str)):
            return given
        return whole("connections", given)

    def refuse_beside_traffic(self) -> None:
        """Refuse what a Traffic, given in place of a workload, says itself."""
        for name, own in _OF_TRAFFIC.items():
            if getattr(self, name) not in (None, False):
                raise ArgumentsError(f"leave out {{{name}}}: a Traffic has its own {own}")


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


def given_workload(given: "Workload | Traffic | File") -> "Workload":
    """A workload, from its id or file."""
    from netmodel.records import Workload, workload

    return record("workload", given, Workload, workload)
