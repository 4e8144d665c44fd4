"""What files tell of times: of a stage, and of a host for what it sends and receives."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, StrictInt, model_validator

from netmodel._text import listed
from netmodel.records._figures import parts_of_figure
from netmodel.records._values import (
    FROZEN,
    BatchValue,
    PayloadValue,
    Sourced,
    TimeValue,
    with_defaults,
)

__all__ = [
    "HostTimePoint",
    "HostTimes",
    "HostTimesAt",
    "StageTimePoint",
    "StageTimes",
    "StageTimesAt",
    "TimePoint",
    "Times",
]

ConnectionCount = Annotated[StrictInt, Field(ge=1)]

_TIME_KEYS = (
    *("per_message", "per_wakeup", "per_interrupt", "per_frame", "per_packet"),
    *("per_ack", "per_byte"),
)
_COUNT_KEYS = ("messages_per_wakeup", "frames_per_interrupt", "segments_per_packet")


class TimePoint(BaseModel):
    """
    Times that are known together, of a stage or of a host.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt : Value, optional
        Time of each message, of each wake-up, and of each interrupt.
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
    per_ack: TimeValue | None = None
    per_byte: TimeValue | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """Which of the times it tells, by name."""
        return tuple(key for key in self._keys() if getattr(self, key) is not None)

    def __str__(self) -> str:
        return ", ".join(f"{getattr(self, key)} {key.replace('_', ' ')}" for key in self.told)

    @model_validator(mode="after")
    def _tells_something(self) -> Self:
        if not self.told and not self._told_elsewhere():
            raise ValueError(f"{', '.join(self._keys())}: at least one is needed")
        return self

    def _told_elsewhere(self) -> bool:
        return False

    @classmethod
    def _keys(cls) -> tuple[str, ...]:
        return tuple(key for key in _TIME_KEYS if key in cls.model_fields)


class StageTimePoint(TimePoint):
    """
    Times of a stage that are known together.

    Parameters
    ----------
    per_frame : Value, optional
        Time of each frame, or of each packet where the stage handles several
        segments as one.
    per_message, per_wakeup, per_interrupt, per_ack, per_byte
        See `TimePoint`.
    """

    per_frame: TimeValue | None = None


class HostTimePoint(TimePoint):
    """
    CPU times of a host that are known together.

    Parameters
    ----------
    per_packet : Value, optional
        Time of each packet as the host handles it.
    per_message, per_wakeup, per_interrupt, per_ack, per_byte
        See `TimePoint`.
    """

    per_packet: TimeValue | None = None


def _told_with(defaults: Mapping[str, Any], told: Any) -> Any:
    """The same with the defaults in each figure: in points by name, or in several of these."""
    if isinstance(told, list | tuple):
        return [_told_with(defaults, one) for one in told]
    if isinstance(told, str):
        try:
            return with_defaults(defaults, parts_of_figure(told))
        except ValueError:
            return told
    if isinstance(told, Mapping) and not set(told) & set(_TIME_KEYS):
        return with_defaults(defaults, told)
    if isinstance(told, Mapping):
        return {key: _told_with(defaults, one) for key, one in told.items()}
    return told


class SeveralPoints(TimePoint):
    """Times that are plain, or points where they are known together only."""

    vertices: tuple[TimePoint, ...] = ()
    samples: tuple[TimePoint, ...] = ()
    printed_count: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_own_defaults(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        own = {key: data[key] for key in Sourced.model_fields if key in data}
        rest = {key: told for key, told in data.items() if key not in own}
        if not own:
            return rest
        return {
            key: told if key == "printed_count" else _told_with(own, told)
            for key, told in rest.items()
        }

    @model_validator(mode="after")
    def _is_of_one_form(self) -> Self:
        if len(self._forms()) > 1:
            raise ValueError(f"{' and '.join(self._forms())}: only one of them can be given")
        for name, points in (("vertices", self.vertices), ("samples", self.samples)):
            if len({point.told for point in points}) > 1:
                raise ValueError(f"{name}: all of them need the same times")
        most = len(self.vertices)
        if self.printed_count is not None and not 1 <= self.printed_count <= most:
            raise ValueError(
                f"printed_count is of vertices, of which there are {most}; got {self.printed_count}"
            )
        return self

    def _forms(self) -> list[str]:
        """Keys by which it is told, of plain times the first."""
        several = [name for name in ("vertices", "samples") if getattr(self, name)]
        return [*self.told[:1], *several]

    def _told_elsewhere(self) -> bool:
        return bool(self.vertices or self.samples)

    @property
    def points(self) -> tuple[TimePoint, ...]:
        """The vertices or samples; plain times are one point."""
        return self.vertices or self.samples or (self,)

    @property
    def quoted_count(self) -> int:
        """How many points, from the first on, take published figures as printed; of samples 1."""
        return self.printed_count or len(self.vertices) or 1

    @property
    def quoted(self) -> TimePoint:
        """The point to quote: the first."""
        return self.points[0]

    @property
    def arrangement(self) -> tuple[Any, ...]:
        """Form and number of its points: those of two that are known together have the same."""
        return bool(self.vertices), len(self.points), self.quoted_count

    @property
    def provenance(self) -> str | None:
        """Grade, source, place and note of its points, where all have the same ones."""
        if self.told:
            return None
        known = {one.provenance for one in self._values()}
        return known.pop() if len(known) == 1 else None

    def _values(self) -> Iterator[Sourced]:
        yield from (getattr(point, key) for point in self.points for key in point.told)

    def __str__(self) -> str:
        if self.told:
            return super().__str__()
        form = "vertices" if self.vertices else "samples"
        return f"{len(self.points)} {form}"


class TimesAt(SeveralPoints):
    """Times with one number of connections."""

    connections: ConnectionCount

    @property
    def name(self) -> str:
        """What tells it from others."""
        return f"{self.connections} connection{'s' * (self.connections > 1)}"


class Times(SeveralPoints):
    """Times that are the same with any number of connections, or told for several numbers."""

    at: tuple[TimesAt, ...] = ()
    known_payload: PayloadValue | None = None

    @model_validator(mode="after")
    def _numbers_rise(self) -> Self:
        counts = [one.connections for one in self.at]
        if counts != sorted(set(counts)):
            raise ValueError(f"at: numbers of connections must rise; got {listed(counts)}")
        if len({(one.quoted.told, *one._forms()) for one in self.at}) > 1:
            raise ValueError("at: all of them need the same times, in the same form")
        return self

    def _forms(self) -> list[str]:
        return [*super()._forms(), *(["at"] if self.at else [])]

    def _told_elsewhere(self) -> bool:
        return bool(self.at) or super()._told_elsewhere()

    @property
    def points(self) -> tuple[TimePoint, ...]:
        """The vertices or samples, of all numbers of connections; plain times are one point."""
        of_each = (one.points for one in self.at)
        return tuple(chain.from_iterable(of_each)) if self.at else super().points

    @property
    def quoted(self) -> TimePoint:
        """The point to quote: the first, of the middle one of several numbers of connections."""
        return self.middle.quoted if self.at else super().quoted

    @property
    def by_connections(self) -> "Iterator[tuple[str, SeveralPoints]]":
        """Those of each number of connections, with a text that says it; else all, and nothing."""
        yield from ((f" at {one.name}", one) for one in self.at)
        yield from () if self.at else (("", self),)

    @property
    def middle(self) -> TimesAt:
        """Those to quote where the number of connections is not known; of `at` alone."""
        return self.at[(len(self.at) - 1) // 2]

    @property
    def arrangement(self) -> tuple[Any, ...]:
        """Form and number of its points: those of two that are known together have the same."""
        if not self.at:
            return super().arrangement
        return tuple((one.connections, *one.arrangement) for one in self.at)

    def _values(self) -> Iterator[Sourced]:
        yield from super()._values()
        if self.known_payload is not None:
            yield self.known_payload

    def __str__(self) -> str:
        if self.told:
            return super().__str__()
        told = super().__str__()
        if self.at:
            counts = listed(one.connections for one in self.at)
            told = f"for {counts} connections, {self.middle.connections} to quote"
        if self.known_payload is None:
            return told
        return f"{told}, found with {self.known_payload} of payload in each frame"


class StageTimesAt(TimesAt, StageTimePoint):
    """
    Times of a stage with one number of connections.

    Parameters
    ----------
    connections : int
        How many.
    per_message, per_wakeup, per_interrupt, per_frame, per_ack, per_byte : Value, optional
        See `StageTimePoint`.
    vertices, samples : tuple of StageTimePoint
        See `StageTimes`.
    """

    vertices: tuple[StageTimePoint, ...] = ()
    samples: tuple[StageTimePoint, ...] = ()


class HostTimesAt(TimesAt, HostTimePoint):
    """
    CPU times of a host with one number of connections.

    Parameters
    ----------
    connections : int
        How many.
    per_message, per_wakeup, per_interrupt, per_packet, per_ack, per_byte : Value, optional
        See `HostTimePoint`.
    vertices, samples : tuple of HostTimePoint
        See `HostTimes`.
    """

    vertices: tuple[HostTimePoint, ...] = ()
    samples: tuple[HostTimePoint, ...] = ()


class StageTimes(Times, StageTimePoint):
    """
    Times of a stage: plain, as points where they are known together only, or by connections.

    Exactly one of: plain times, vertices, samples, at.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt, per_frame, per_ack, per_byte : Value, optional
        See `StageTimePoint`.
    vertices : tuple of StageTimePoint
        Corners of the set of times that are possible.
    samples : tuple of StageTimePoint
        Times that were drawn together, the one to quote first.
    printed_count : int, optional
        How many of the vertices, from the first on, take published figures as printed; the
        others are of their rounding. All of them when left out.
    at : tuple of StageTimesAt
        Times with several numbers of connections, fewest first.
    known_payload : Value, optional
        Payload in each frame with which the times were found: a size, or a
        range. Results with other frames then come with a warning.

    Notes
    -----
    ``source``, ``locator``, ``grade`` and ``note`` beside them serve those of its
    values that lack their own, before the defaults of the file do.
    """

    vertices: tuple[StageTimePoint, ...] = ()
    samples: tuple[StageTimePoint, ...] = ()
    at: tuple[StageTimesAt, ...] = ()


class HostTimes(Times, HostTimePoint):
    """
    CPU times of a host for what it sends, or for what it receives.

    Exactly one of: plain times, vertices, samples, at. They are the parts of
    :func:`netmodel.consumption.message_cpu_time_s`.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt, per_packet, per_ack, per_byte : Value, optional
        See `HostTimePoint`.
    messages_per_wakeup, frames_per_interrupt, segments_per_packet : Value, optional
        How many share each, 1 when absent. Means need not be whole.
    vertices : tuple of HostTimePoint
        Corners of the set of times that are possible.
    samples : tuple of HostTimePoint
        Times that were drawn together, the one to quote first.
    printed_count : int, optional
        How many of the vertices, from the first on, take published figures as printed; the
        others are of their rounding. All of them when left out.
    at : tuple of HostTimesAt
        Times with several numbers of connections, fewest first.
    known_payload : Value, optional
        Payload in each frame with which the times were found: a size, or a
        range. Results with other frames then come with a warning.

    Notes
    -----
    ``source``, ``locator``, ``grade`` and ``note`` beside them serve those of its
    values that lack their own, before the defaults of the file do.
    """

    messages_per_wakeup: BatchValue | None = None
    frames_per_interrupt: BatchValue | None = None
    segments_per_packet: BatchValue | None = None
    vertices: tuple[HostTimePoint, ...] = ()
    samples: tuple[HostTimePoint, ...] = ()
    at: tuple[HostTimesAt, ...] = ()

    def __str__(self) -> str:
        counts = ((name, getattr(self, name)) for name in _COUNT_KEYS)
        told = (f"{count} {name.replace('_', ' ')}" for name, count in counts if count is not None)
        return ", ".join((super().__str__(), *told))
