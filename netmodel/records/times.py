"""Service times as files have them: of a stage, and of a host for what it sends and receives."""

from collections.abc import Mapping
from itertools import chain
from typing import Annotated, Any, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    ValidationInfo,
    model_validator,
)

from netmodel.records.values import (
    FROZEN,
    BatchValue,
    Defaults,
    PayloadValue,
    Sourced,
    TimeValue,
    with_defaults,
)
from netmodel.text import listed

ConnectionCount = Annotated[StrictInt, Field(ge=1)]

_BATCH_KEYS = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")
_COUNT_KEYS = (*_BATCH_KEYS, "segments_per_ack")
_FORMS = ("vertices", "samples", "at")


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
    segments_per_ack : Value, optional
        Of a host: segments that a pure acknowledgement answers; not counted when absent.
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

    model_config = ConfigDict(
        json_schema_extra=lambda table: table["properties"].update(
            {key: {"type": "string"} for key in Defaults.model_fields}
        )
    )

    messages_per_wakeup: BatchValue | None = None
    frames_per_interrupt: BatchValue | None = None
    segments_per_packet: BatchValue | None = None
    segments_per_ack: BatchValue | None = None
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
        forms = [*self.present[:1], *(name for name in _FORMS if getattr(self, name))]
        if len(forms) != 1:
            problem = "at least one is needed" if not forms else "only one of them can be given"
            raise ValueError(f"{' and '.join(forms) or ', '.join(_TIME_KEYS)}: {problem}")
        if len({point.present for point in self.points}) > 1:
            raise ValueError(f"{forms[0]}: all of them need the same times")
        counts = [entry.connections or 0 for entry in self.at]
        if counts != sorted({*counts} - {0}):
            raise ValueError(f"at: connections must be there and rise; got {listed(counts)}")
        return self

    @property
    def points(self) -> tuple[TimePoint, ...]:
        """The vertices or samples, of all numbers of connections; plain times are one point."""
        of_each = chain.from_iterable(entry.points for entry in self.at)
        return tuple(of_each) or self.vertices or self.samples or (self,)

    @property
    def quoted_count(self) -> int:
        """Number of first points that take published figures as printed; 1 for samples."""
        return self.printed_count or len(self.vertices) or 1

    @property
    def quoted(self) -> TimePoint:
        """The point to quote: the first, of the middle one of several numbers of connections."""
        return self.middle.quoted if self.at else self.points[0]

    @property
    def middle(self) -> "ServiceTimes":
        """Times to quote where the number of connections is not known; for `at` alone."""
        return self.at[(len(self.at) - 1) // 2]

    @property
    def arrangement(self) -> tuple[Any, ...]:
        """Form and number of its points: those of two that are known together have the same."""
        if self.at:
            return tuple((entry.connections, *entry.arrangement) for entry in self.at)
        return bool(self.vertices), len(self.points), self.quoted_count

    @property
    def all_keys(self) -> set[str]:
        """Keys of times and counts that it has, at any depth."""
        counts = {name for name in _COUNT_KEYS if getattr(self, name) is not None}
        inside = {key for entry in self.at for key in entry.all_keys}
        return counts.union(inside, *(point.present for point in self.points))

    def __str__(self) -> str:
        known = [(key, getattr(self.quoted, key)) for key in _TIME_KEYS]
        known += [(key, getattr(self, key)) for key in _COUNT_KEYS]
        text = ", ".join(f"{part} {key.replace('_', ' ')}" for key, part in known if part)
        if len(self.points) > 1:
            text = f"{text}, first of {len(self.points)} points"
        if self.at:
            text = f"{text}, at {self.middle.connections} connections"
        return text


def _without(owner: str, *keys: str) -> AfterValidator:
    """Return the check that times of an owner have none of the keys of others."""

    def checked(times: ServiceTimes) -> ServiceTimes:
        if times.connections is not None:
            raise ValueError("connections: is a key of times inside at only")
        for key in sorted(times.all_keys & {*keys}):
            raise ValueError(f"{key}: is not a known key of {owner}")
        return times

    return AfterValidator(checked)


StageTimes: TypeAlias = Annotated[
    ServiceTimes, _without("a stage (per_frame is)", "per_packet", *_COUNT_KEYS)
]
"""Times of one direction of a stage or adapter, which counts frames."""
HostTimes: TypeAlias = Annotated[ServiceTimes, _without("a host (per_packet is)", "per_frame")]
"""CPU times of a host for what it sends or receives, in packets."""
