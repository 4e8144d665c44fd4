"""Service times as files have them: of a stage, and of a host for what it sends and receives."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StrictInt,
    ValidationInfo,
    model_validator,
)

from netmodel._text import listed
from netmodel.records.values import (
    FROZEN,
    BatchValue,
    PayloadValue,
    Sourced,
    TimeValue,
    with_defaults,
)

ConnectionCount = Annotated[StrictInt, Field(ge=1)]

_COUNT_KEYS = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")


class TimePoint(BaseModel):
    """
    Service times that are known together, of a stage or of a host.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt : Value, optional
        Time of each message, of each wake-up, and of each interrupt.
    per_frame : Value, optional
        Time of each frame of a stage, or of each packet where it handles several
        segments as one.
    per_packet : Value, optional
        Time of each packet as a host handles it.
    per_ack : Value, optional
        Time of each pure acknowledgement; absent where it takes what a frame does.
    per_byte : Value, optional
        Time of each byte.

    Raises
    ------
    pydantic.ValidationError
        If it has no time at all. One that is absent beside others is 0.
    """

    model_config = FROZEN

    per_message: TimeValue | None = None
    per_wakeup: TimeValue | None = None
    per_interrupt: TimeValue | None = None
    per_frame: TimeValue | None = None
    per_packet: TimeValue | None = None
    per_ack: TimeValue | None = None
    per_byte: TimeValue | None = None

    @property
    def present(self) -> tuple[str, ...]:
        """Names of the times that it has."""
        return tuple(key for key in _TIME_KEYS if getattr(self, key) is not None)

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, key)} {key.replace('_', ' ')}" for key in self.present)

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if not self.present:
            raise ValueError(f"{', '.join(_TIME_KEYS)}: at least one is needed")
        return self


_TIME_KEYS = tuple(TimePoint.model_fields)


class ServiceTimes(TimePoint):
    """
    Service times: plain, as points where they are known together only, or by connections.

    Exactly one of: plain times, vertices, samples, at. Those of a host are the parts of
    :func:`netmodel.consumption.message_cpu_time_s`, for what it sends or for what it receives.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt, per_frame, per_packet, per_ack, per_byte
        See `TimePoint`. Frames are of stages, packets of hosts.
    messages_per_wakeup, frames_per_interrupt, segments_per_packet : Value, optional
        Of a host: how many share each, 1 when absent. Means need not be whole.
    vertices : tuple of TimePoint
        Corners of the set of times that are possible.
    samples : tuple of TimePoint
        Times that were drawn together, the one to quote first.
    printed_count : int, optional
        How many of the vertices, from the first on, take published figures as printed; the
        others are of their rounding. All of them when left out.
    at : tuple of ServiceTimes
        Times with several numbers of connections, fewest first.
    connections : int, optional
        Of times inside ``at``: how many connections.
    known_payload : Value, optional
        Payload in each frame that the times were calibrated for: a size, or a range. Results
        with other frames then come with a note.

    Notes
    -----
    ``source``, ``locator``, ``grade`` and ``note`` beside them serve those of its
    values that lack their own, before the defaults of the file do.
    """

    messages_per_wakeup: BatchValue | None = None
    frames_per_interrupt: BatchValue | None = None
    segments_per_packet: BatchValue | None = None
    vertices: tuple[TimePoint, ...] = ()
    samples: tuple[TimePoint, ...] = ()
    printed_count: int | None = None
    at: "tuple[ServiceTimes, ...]" = ()
    connections: ConnectionCount | None = None
    known_payload: PayloadValue | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _with_own_defaults(cls, data: Any, read: Any, info: ValidationInfo) -> Any:
        """Read figures with the defaults beside them, then with those of the file."""
        given = data if isinstance(data, Mapping) else {}
        own = {key: given[key] for key in Sourced.model_fields if key in given}
        if not own:
            return read(data)
        rest = {key: part for key, part in given.items() if key not in own}
        outer = (info.context or {}).get("defaults", {})
        return cls.model_validate(rest, context={"defaults": with_defaults(outer, own)})

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        forms = self._forms
        if not forms:
            raise ValueError(f"{', '.join(_TIME_KEYS)}: at least one is needed")
        if len(forms) > 1:
            raise ValueError(f"{' and '.join(forms)}: only one of them can be given")
        for name, points in (("vertices", self.vertices), ("samples", self.samples)):
            if len({point.present for point in points}) > 1:
                raise ValueError(f"{name}: all of them need the same times")
        most = len(self.vertices)
        if self.printed_count is not None and not 1 <= self.printed_count <= most:
            raise ValueError(
                f"printed_count is of vertices, of which there are {most}; got {self.printed_count}"
            )
        for number, each in enumerate(self.at):
            if each.connections is None:
                raise ValueError(f"at.{number}.connections: is missing")
            for key in ("at", "known_payload", *_COUNT_KEYS):
                if getattr(each, key):
                    raise ValueError(f"at.{number}.{key}: is not a known key here")
        counts = [entry.connections for entry in self.at if entry.connections]
        if counts != sorted(set(counts)):
            raise ValueError(f"at: numbers of connections must rise; got {listed(counts)}")
        if len({(entry.quoted.present, *entry._forms) for entry in self.at}) > 1:
            raise ValueError("at: all of them need the same times, in the same form")
        return self

    @property
    def _forms(self) -> list[str]:
        """Keys by which it is given, of plain times the first."""
        many = [name for name in ("vertices", "samples", "at") if getattr(self, name)]
        return [*self.present[:1], *many]

    @property
    def points(self) -> tuple[TimePoint, ...]:
        """The vertices or samples, of all numbers of connections; plain times are one point."""
        of_each = chain.from_iterable(entry.points for entry in self.at)
        return tuple(of_each) or self.vertices or self.samples or (self,)

    @property
    def quoted_count(self) -> int:
        """How many points, from the first on, take published figures as printed; of samples 1."""
        return self.printed_count or len(self.vertices) or 1

    @property
    def quoted(self) -> TimePoint:
        """The point to quote: the first, of the middle one of several numbers of connections."""
        return self.middle.quoted if self.at else self.points[0]

    @property
    def middle(self) -> "ServiceTimes":
        """Those to quote where the number of connections is not known; of `at` alone."""
        return self.at[(len(self.at) - 1) // 2]

    @property
    def by_connections(self) -> "Iterator[tuple[str, ServiceTimes]]":
        """Those of each number of connections, with a text that says it; else all, and nothing."""
        yield from ((f" at {entry.name}", entry) for entry in self.at)
        yield from () if self.at else (("", self),)

    @property
    def name(self) -> str:
        """What distinguishes it from others inside ``at``; else empty."""
        count = self.connections
        return "" if count is None else f"{count} connection{'s' * (count > 1)}"

    @property
    def arrangement(self) -> tuple[Any, ...]:
        """Form and number of its points: those of two that are known together have the same."""
        if self.at:
            return tuple((entry.connections, *entry.arrangement) for entry in self.at)
        return bool(self.vertices), len(self.points), self.quoted_count

    @property
    def provenance(self) -> str | None:
        """Grade, source, place and note of its points, where all have the same ones."""
        if self.present:
            return None
        values = [getattr(point, key) for point in self.points for key in point.present]
        if self.known_payload is not None:
            values.append(self.known_payload)
        known = {value.provenance for value in values}
        return known.pop() if len(known) == 1 else None

    def __str__(self) -> str:
        if self.present:
            text = super().__str__()
        elif self.at:
            counts = listed(entry.connections for entry in self.at)
            text = f"for {counts} connections, {self.middle.connections} to quote"
        else:
            text = f"{len(self.points)} {'vertices' if self.vertices else 'samples'}"
        if self.known_payload is not None and not self.present:
            text = f"{text}, calibrated for {self.known_payload} of payload in each frame"
        counts_of = ((name, getattr(self, name)) for name in _COUNT_KEYS)
        shared = (
            f"{count} {name.replace('_', ' ')}" for name, count in counts_of if count is not None
        )
        return ", ".join((text, *shared))


def _without(owner: str, *keys: str) -> Callable[[ServiceTimes], ServiceTimes]:
    """A check that times of an owner have none of the keys that others have."""

    def checked(times: ServiceTimes) -> ServiceTimes:
        if times.connections is not None:
            raise ValueError("connections: is a key of times inside at only")
        for place, each in (
            ("", times),
            *((f"at.{n}.", entry) for n, entry in enumerate(times.at)),
        ):
            points: list[tuple[str, TimePoint]] = [(place, each)]
            for name in ("vertices", "samples"):
                many = enumerate(getattr(each, name))
                points += [(f"{place}{name}.{number}.", point) for number, point in many]
            for where, point in points:
                for key in keys:
                    if getattr(point, key, None) is not None:
                        raise ValueError(f"{where}{key}: is not a known key of {owner}")
        return times

    return checked


StageTimes: TypeAlias = Annotated[
    ServiceTimes, AfterValidator(_without("a stage (per_frame is)", "per_packet", *_COUNT_KEYS))
]
"""Times of one direction of a stage or adapter, which counts frames."""
HostTimes: TypeAlias = Annotated[
    ServiceTimes, AfterValidator(_without("a host (per_packet is)", "per_frame"))
]
"""CPU times of a host for what it sends or receives, in packets."""
