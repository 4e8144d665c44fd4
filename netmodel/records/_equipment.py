"""What paths are made of: adapters, hosts and links."""

from enum import Enum
from typing import Any, Literal, Self

from pydantic import BaseModel, Field, StrictBool, model_validator

from netmodel.errors import AmbiguousValueError
from netmodel.records._quantities import (
    MOST_PERCENT,
    CountValue,
    LengthValue,
    RateValue,
    ScatterValue,
    SmtGainValue,
)
from netmodel.records._record import Record
from netmodel.records._stated import Count, StatedQuantity, worded
from netmodel.records._times import HostTimes, StageTimes
from netmodel.records._values import FROZEN, Sourced, Text, Value

__all__ = [
    "Adapter",
    "Buffers",
    "CpuTimeBasis",
    "Fact",
    "Host",
    "Link",
    "Observation",
]


class CpuTimeBasis(Enum):
    """
    What CPU times of a host with several threads for each core count.

    ``CORE`` the time of a core with one busy thread, ``THREAD`` that of a
    thread, as the operating system counts it.
    """

    CORE = "core"
    THREAD = "thread"


class Fact(Sourced):
    """
    Something that is told in words, and where.

    Parameters
    ----------
    value : str
        As the record needs it.
    printed : str, optional
        The text as printed, where it tells more.
    source, locator, grade, note
        See `Sourced`.
    """

    value: Text
    printed: Text | None = None

    def __str__(self) -> str:
        return self.value


class Buffers(BaseModel):
    """
    Receive buffers of an adapter.

    Parameters
    ----------
    count_default, count_used, count_minimum, count_maximum : Value
        How many there are unless told otherwise, in the measurements, and at
        the least and the most.
    size : Value
        Of one buffer.
    """

    model_config = FROZEN

    count_default: CountValue | None = None
    count_used: CountValue | None = None
    count_minimum: CountValue | None = None
    count_maximum: CountValue | None = None
    size: Value | None = None


class Observation(Value):
    """
    A figure that was seen under conditions: no parameter of what it was seen on.

    Parameters
    ----------
    quantity : StatedQuantity
        What was seen.
    direction : str, optional
        ``"in"`` or ``"out"``, as seen from the host of the adapter.
    workload : str, optional
        Id of what was run.
    mtu_bytes : int, optional
        [byte]
    connection_counts : tuple of int
        Connections at the same time, one number for each run.
    peer_adapter : str, optional
        Id of the adapter at the other end.
    processor_type : str, optional
        As printed.
    trunk_count, virtual_adapter_count : int, optional
        How many were in use.
    unit, value, low, high, relation, resolution, printed, source, locator, grade, note
        See `Value`.
    """

    quantity: StatedQuantity
    direction: Literal["in", "out"] | None = None
    workload: Text | None = None
    mtu_bytes: Count | None = None
    connection_counts: tuple[Count, ...] = ()
    peer_adapter: Text | None = None
    processor_type: Text | None = None
    trunk_count: Count | None = None
    virtual_adapter_count: Count | None = None

    @property
    def conditions(self) -> dict[str, Any]:
        """Under which it was seen, by name: what is not told is left out."""
        names = set(Observation.model_fields) - set(Value.model_fields) - {"quantity"}
        return self.model_dump(mode="json", include=names, exclude_defaults=True)

    def __str__(self) -> str:
        told = ", ".join(f"{name} {worded(value)}" for name, value in self.conditions.items())
        quantity = self.quantity.value.replace("_", " ")
        return f"{quantity} {super().__str__()}" + (f", with {told}" if told else "")


class _Equipment(Record):
    kind: Text

    def _caption(self) -> str:
        return f"{super()._caption()} ({self.kind})"


class _Calibrated(_Equipment):
    """Equipment whose times may come from runs that scatter."""

    scatter: ScatterValue | None = None

    @property
    def scatter_ratio(self) -> float | None:
        """Standard deviation of the runs that its times come from, as a ratio."""
        value = None if self.scatter is None else self.scatter.value
        return None if value is None else float(value) / MOST_PERCENT


class Adapter(_Calibrated):
    """
    A network adapter.

    Parameters
    ----------
    id : str
        Name of its file without the ending.
    title : str
        A line that says what it is.
    kind : str
        Its family, such as ``"osa-express"``.
    description : str, optional
        More about it.
    unknown : tuple of str
        What one would like to know and no source tells.
    line_rate : Value
        Of one port, as the MAC counts it.
    feature_code : Fact, optional
        What it is ordered by.
    port_count, receive_queue_count : Value, optional
        How many.
    buffers : Buffers, optional
        For what it receives.
    observations : tuple of Observation
        Limits that were seen, each under its conditions: no parameters.
    scatter : Value, optional
        Standard deviation from run to run of what its times come from, in %; a prediction
        of the mean does not have it in it.
    out, in : StageTimes, optional
        Times of what leaves and enters its host, each on a message, a frame
        and a byte of payload; they go before what was seen in that direction.
        Python calls the second one ``in_``.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not fit. `load_adapter` raises `ParseError` instead.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> card = adapter("osa-express7s-25gbe")
    >>> card.line_rate_bps
    25000000000.0
    >>> print(card.observations[0].value, card.observations[0].conditions["direction"])
    13.4 in
    """

    line_rate: RateValue
    feature_code: Fact | None = None
    port_count: CountValue | None = None
    receive_queue_count: CountValue | None = None
    buffers: Buffers | None = None
    observations: tuple[Observation, ...] = ()
    out: StageTimes | None = None
    in_: StageTimes | None = Field(default=None, alias="in")

    @property
    def line_rate_bps(self) -> float:
        """Rate of one port. [bit/s]"""
        return self.line_rate.rate_bps

    @property
    def headline(self) -> dict[str, Any]:
        """Its line rate. [bit/s]"""
        return {"line_rate_bps": self.line_rate_bps}


class Host(_Calibrated):
    """
    A machine, or the part of one, that was measured.

    Parameters
    ----------
    id, title, kind, description, unknown, scatter
        See `Adapter`.
    adapters : tuple of str
        Ids of the adapters that it has.
    machine, machine_generation, processor_type, bus, operating_system, kernel : Fact, optional
        As printed.
    hypervisor, hypervisor_level, adapter_title, connected_to : Fact, optional
        As printed.
    system_count, lpar_count, processor_count, virtual_processor_count : Value, optional
        How many.
    core_count, threads_per_core, thread_count : Value, optional
        How many.
    smt_gain : Value, optional
        Work of a core with both threads busy over that with one, from 1 to 2.
    cpu_time_basis : CpuTimeBasis, optional
        What CPU times of it count.
    serial : bool, optional
        Whether a connection keeps no more than one of its CPUs busy.
    send, receive : HostTimes, optional
        CPU times for what it sends, and for what it receives. Points of both
        are known together: the first of one with the first of the other.
    clock_rate, memory_size, adapter_line_rate : Value, optional
        As printed.

    Raises
    ------
    pydantic.ValidationError
        If the parts do not fit. `load_host` raises `ParseError` instead.
    """

    adapters: tuple[Text, ...] = ()
    machine: Fact | None = None
    machine_generation: Fact | None = None
    processor_type: Fact | None = None
    system_count: CountValue | None = None
    lpar_count: CountValue | None = None
    processor_count: CountValue | None = None
    virtual_processor_count: CountValue | None = None
    core_count: CountValue | None = None
    threads_per_core: CountValue | None = None
    thread_count: CountValue | None = None
    smt_gain: SmtGainValue | None = None
    cpu_time_basis: CpuTimeBasis | None = None
    serial: StrictBool | None = None
    send: HostTimes | None = None
    receive: HostTimes | None = None
    clock_rate: Value | None = None
    memory_size: Value | None = None
    bus: Fact | None = None
    adapter_title: Fact | None = None
    adapter_line_rate: RateValue | None = None
    connected_to: Fact | None = None
    hypervisor: Fact | None = None
    hypervisor_level: Fact | None = None
    operating_system: Fact | None = None
    kernel: Fact | None = None

    @model_validator(mode="after")
    def _points_go_together(self) -> Self:
        several = [times for times in (self.send, self.receive) if times and len(times.points) > 1]
        if len({times.arrangement for times in several}) > 1:
            raise ValueError(
                "send and receive: points of both are known together, and need to be as many of "
                "the same form"
            )
        return self

    @property
    def tells_cost(self) -> bool:
        """Whether it tells CPU times of what it sends or receives."""
        return self.send is not None or self.receive is not None

    @property
    def headline(self) -> dict[str, Any]:
        """Its adapters."""
        return {"adapters": list(self.adapters)}


class Link(_Equipment):
    """
    What connects two adapters.

    Parameters
    ----------
    id, title, kind, description, unknown
        See `Adapter`.
    line_rate : Value, optional
        As the MAC counts it.
    distance : Value, optional
        Length of the way.
    """

    line_rate: RateValue | None = None
    distance: LengthValue | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.line_rate is None and self.distance is None:
            raise ValueError("line_rate or distance is missing")
        return self

    @property
    def line_rate_bps(self) -> float:
        """
        Its rate. [bit/s]

        Raises
        ------
        AmbiguousValueError
            If no source tells it.
        """
        if self.line_rate is None:
            raise AmbiguousValueError(f"line_rate of {self.id} is not known")
        return self.line_rate.rate_bps

    @property
    def headline(self) -> dict[str, Any]:
        """Its line rate and distance, the latter as printed; None for what no source tells."""
        return {
            "line_rate_bps": self.line_rate and self.line_rate.rate_bps,
            "distance": self.distance and str(self.distance),
        }
