"""Records of equipment: what all records share, then adapters and hosts."""

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Field, StrictBool, model_validator

from netmodel.ceilings import Capacity
from netmodel.framing.lengths import MIN_IPV4_MTU_BYTES
from netmodel.grades import Grade
from netmodel.records.times import HostTimes, ServiceTimes, StageTimes
from netmodel.records.values import (
    FROZEN,
    MAX_MTU_BYTES,
    CountValue,
    LengthValue,
    RateValue,
    ScatterValue,
    SmtGainValue,
    Sourced,
    Text,
    Value,
)
from netmodel.results import short_repr
from netmodel.terminal import fitted

Count = Annotated[int, Field(strict=True, ge=1)]
MtuBytes = Annotated[int, Field(strict=True, ge=MIN_IPV4_MTU_BYTES, le=MAX_MTU_BYTES)]


def _each_once(counts: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(counts)) < len(counts):
        raise ValueError(f"must name each number once; got {', '.join(map(str, counts))}")
    return counts


ConnectionNumbers = Annotated[tuple[Count, ...], AfterValidator(_each_once)]


CpuTimeBasis = Literal["core", "thread"]
"""Unit of the CPU times of a host with simultaneous multithreading: time of a core with one busy
thread, or of a thread, as the operating system counts it."""


class Fact(Sourced):
    """
    A fact in words, with its source.

    Parameters
    ----------
    value : str
        In the words of the record.
    printed : str, optional
        The printed text, where it says more.
    source, locator, grade, note
        See `Sourced`.
    """

    value: Text
    printed: Text | None = None

    def __str__(self) -> str:
        return self.value


def _capacity(fact: Fact) -> Fact:
    """Return a fact whose text `Capacity` reads."""
    Capacity.parse(fact.value)
    return fact


class Observation(Value):
    """
    A figure observed under conditions: a measurement, not a parameter of its record.

    Parameters
    ----------
    quantity : str
        What was measured, such as ``"payload_rate"``.
    direction : str, optional
        ``"in"`` or ``"out"``, as seen from the host of the adapter.
    workload : str, optional
        Id of the workload.
    mtu_bytes : int, optional
        [byte]
    connection_counts : tuple of int
        Number of concurrent connections, one for each run.
    peer_adapter : str, optional
        Id of the adapter at the other end.
    unit, value, low, high, relation, resolution, printed, source, locator, grade, note
        See `Value`.
    """

    quantity: Literal[
        "cpu_consumption",
        "cpu_time_per_transaction",
        "frame_rate",
        "line_rate",
        "payload_rate",
        "throughput",
        "transaction_rate",
        "transaction_time",
    ]
    direction: Literal["in", "out"] | None = None
    workload: Text | None = None
    mtu_bytes: MtuBytes | None = None
    connection_counts: ConnectionNumbers = ()
    peer_adapter: Text | None = None

    @property
    def conditions(self) -> dict[str, Any]:
        """Conditions of the measurement, by name; those not reported are left out."""
        names = set(Observation.model_fields) - set(Value.model_fields) - {"quantity"}
        return self.model_dump(mode="json", include=names, exclude_defaults=True)

    def __str__(self) -> str:
        conditions = ", ".join(
            f"{name} {' '.join(map(str, part)) if isinstance(part, list) else part}"
            for name, part in self.conditions.items()
        )
        quantity = self.quantity.replace("_", " ")
        return f"{quantity} {super().__str__()}" + (f", with {conditions}" if conditions else "")


class Record(BaseModel):
    """Id, title and description of a record, and how it prints."""

    model_config = FROZEN

    id: Text
    title: Text
    description: Text | None = None
    unknown: tuple[Text, ...] = ()

    @property
    def parts(self) -> dict[str, Sourced]:
        """All values with a source, by name."""
        parts = sorted(_parts("", self, Sourced), key=lambda part: part[0].startswith("facts."))
        return {name.removeprefix("facts."): part for name, part in parts}

    @property
    def grades(self) -> tuple[Grade, ...]:
        """Grades of evidence of its values, best first."""
        present = {part.grade for part in self.parts.values()}
        return tuple(grade for grade in Grade if grade in present)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Its assumed values, and the reason of each."""
        return tuple(
            f"{self.id}: {name} of {part} is assumed: {part.note}"
            for name, part in self.parts.items()
            if part.grade is Grade.ASSUMED
        )

    @property
    def named(self) -> dict[str, Any]:
        """Texts and values by key, the weakest grade, and the sources: what a filter can ask."""
        plain = {key: part for key, part in self.to_dict().items() if isinstance(part, str | list)}
        parts, grades = {name: part for name, part in self.parts.items() if name}, self.grades
        sources = sorted({part.source for part in self.parts.values()})
        return plain | parts | {"grade": grades[-1].value if grades else "", "source": sources}

    def to_dict(self) -> dict[str, Any]:
        """Return the record as in JSON: numbers of values as text, with their printed digits."""
        return self.model_dump(mode="json", by_alias=True)

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        rows = (f"  {name}: {' '.join(text.split())}" for name, text in self._rows())
        return fitted("\n".join([self._caption(), *rows]))

    def __repr__(self) -> str:
        return short_repr(self, self._caption())

    def _caption(self) -> str:
        return f"{self.id}: {self.title}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.description:
            yield "description", self.description
        times = dict(_parts("", self, ServiceTimes))
        for name, part in self.parts.items():
            if not any(name.startswith(f"{of}.") for of in times):
                yield name.replace("_", " "), f"{part} ({part.provenance})"
        for name, each in times.items():
            sources = {part.provenance: None for _, part in _parts("", each, Sourced)}
            yield name, f"{each} ({'; '.join(sources)})"
        for text in self.unknown:
            yield "unknown", text


def _parts(name: str, value: object, of: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    """Yield all parts of a kind at any depth, with the keys that lead to them."""
    members: Iterable[tuple[object, object]] = ()
    if isinstance(value, of):
        yield name, value
    elif isinstance(value, BaseModel):
        members = value
    elif isinstance(value, Mapping):
        members = value.items()
    elif isinstance(value, tuple):
        members = [(getattr(each, "name", place), each) for place, each in enumerate(value, 1)]
    for key, member in members:
        yield from _parts(f"{name}.{str(key).rstrip('_')}".lstrip("."), member, of)


class _Equipment(Record):
    """Equipment, whose times may be fitted to runs that scatter, and facts of no computation."""

    kind: Text
    scatter: ScatterValue | None = None
    measured_with: dict[str, Fact] = Field(default_factory=dict)
    facts: dict[str, Fact | Value] = Field(default_factory=dict)

    @property
    def scatter_ratio(self) -> float | None:
        """Standard deviation from run to run of the data behind its times, as a ratio."""
        return None if self.scatter is None else self.scatter.share

    def _caption(self) -> str:
        return f"{super()._caption()} ({self.kind})"


class Adapter(_Equipment):
    """
    A network adapter.

    Parameters
    ----------
    id : str
        Name of its file without the ending.
    title : str
        One-line description.
    kind : str
        Its family, such as ``"osa-express"``.
    description : str, optional
        Further description.
    unknown : tuple of str
        Properties that no source reports.
    line_rate : Value, optional
        Of one port, as the MAC counts it; absent where its capacities alone are known.
    capacities : tuple of Fact
        Rates that its machine, it or each flow has: texts that
        :meth:`netmodel.ceilings.Capacity.parse` reads, such as ``"5Gbit/s ip"``.
    receive_queue_count : Value, optional
        Number of receive queues.
    measured_with : mapping of str to Fact
        Settings under which it was measured: offloads by their names in ethtool, and
        ``mtu``, where its MTU was needed.
    observations : tuple of Observation
        Measured limits, each under its conditions.
    scatter : Value, optional
        Standard deviation from run to run of the data behind its times, in %. The interval
        of a predicted mean does not include it.
    facts : mapping of str to Fact or Value
        What else is printed, such as ``buffer_size``, by name.
    out, in : StageTimes, optional
        Service times of data that leaves and enters its host, per message, frame
        and byte of payload. The Python name of the second is ``in_``.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not fit. `adapter` raises `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> card = adapter("osa-express7s-25gbe")
    >>> card.line_rate_bps
    25000000000.0
    >>> print(card.observations[0].value, card.observations[0].conditions["direction"])
    13.4 in
    """

    line_rate: RateValue | None = None
    capacities: tuple[Annotated[Fact, AfterValidator(_capacity)], ...] = ()
    receive_queue_count: CountValue | None = None
    observations: tuple[Observation, ...] = ()
    out: StageTimes | None = None
    in_: StageTimes | None = Field(default=None, alias="in")

    @model_validator(mode="after")
    def _is_bounded(self) -> Self:
        if self.line_rate is None and not self.capacities:
            raise ValueError("needs line_rate or capacities")
        return self

    @property
    def line_rate_bps(self) -> float:
        """Rate of one port; infinite where its capacities alone are known. [bit/s]"""
        return math.inf if self.line_rate is None else self.line_rate.rate_bps


class Host(_Equipment):
    """
    A machine, or a partition of one.

    Parameters
    ----------
    id, title, kind, description, unknown, scatter, measured_with, facts
        See `Adapter`.
    adapters : tuple of str
        Ids of its adapters.
    processor_type, hypervisor : Fact, optional
        As printed.
    processor_count, core_count, threads_per_core, thread_count : Value, optional
        Numbers of processors, cores and threads.
    smt_gain : Value, optional
        Throughput of a core with two busy threads over that with one, from 1 to 2.
    cpu_time_basis : {"core", "thread"}, optional
        Unit of its CPU times: of a core with one busy thread, or of a thread.
    serial : bool, optional
        Whether a connection uses at most one CPU at a time.
    send, receive : HostTimes, optional
        CPU times for data that it sends and receives. The points of both belong
        together: the first of one with the first of the other.
    clock_rate : Value, optional
        As printed.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not fit. `host` raises `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import host
    >>> host("z15-lpar-4core-smt2").core_count.value
    Decimal('4')
    """

    adapters: tuple[Text, ...] = ()
    processor_type: Fact | None = None
    processor_count: CountValue | None = None
    core_count: CountValue | None = None
    threads_per_core: CountValue | None = None
    thread_count: CountValue | None = None
    smt_gain: SmtGainValue | None = None
    cpu_time_basis: CpuTimeBasis | None = None
    serial: StrictBool | None = None
    send: HostTimes | None = None
    receive: HostTimes | None = None
    clock_rate: Value | None = None
    hypervisor: Fact | None = None

    @model_validator(mode="after")
    def _points_go_together(self) -> Self:
        sets = [times for times in (self.send, self.receive) if times and len(times.points) > 1]
        if len({times.arrangement for times in sets}) > 1:
            raise ValueError("send and receive: their points must be equal in number and form")
        return self

    @property
    def has_cpu_times(self) -> bool:
        """True where it has CPU times for data that it sends or receives."""
        return self.send is not None or self.receive is not None


class Link(_Equipment):
    """
    A link between two adapters.

    Parameters
    ----------
    id, title, kind, description, unknown
        See `Adapter`.
    line_rate : Value, optional
        As the MAC counts it.
    distance : Value, optional
        Length of the fibre or cable.

    Examples
    --------
    >>> from netmodel.records import link
    >>> link("link-25gbe").line_rate.value
    Decimal('25')
    """

    line_rate: RateValue | None = None
    distance: LengthValue | None = None
