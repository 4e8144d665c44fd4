"""What files tell of times: of a stage, and of a host for what it sends and receives."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, model_validator

from netmodel.records._figures import parts_of_figure
from netmodel.records._quantities import BatchValue, PayloadValue, TimeValue
from netmodel.records._values import FROZEN, Sourced, with_defaults

__all__ = ["HostTimePoint", "HostTimes", "StageTimePoint", "StageTimes", "TimePoint", "Times"]

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


class Times(TimePoint):
    """Times that are plain, or points where they are known together only."""

    vertices: tuple[TimePoint, ...] = ()
    samples: tuple[TimePoint, ...] = ()
    known_payload: PayloadValue | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_own_defaults(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        own = {key: data[key] for key in Sourced.model_fields if key in data}
        rest = {key: told for key, told in data.items() if key not in own}
        return {key: _told_with(own, told) for key, told in rest.items()} if own else rest

    @model_validator(mode="after")
    def _is_of_one_form(self) -> Self:
        forms = [*self.told[:1], *(["vertices"] if self.vertices else [])]
        forms += ["samples"] if self.samples else []
        if len(forms) > 1:
            raise ValueError(f"{' and '.join(forms)}: only one of them can be given")
        for name, points in (("vertices", self.vertices), ("samples", self.samples)):
            if len({point.told for point in points}) > 1:
                raise ValueError(f"{name}: all of them need the same times")
        return self

    def _told_elsewhere(self) -> bool:
        return bool(self.vertices or self.samples)

    @property
    def points(self) -> tuple[TimePoint, ...]:
        """The vertices or samples; plain times are one point."""
        return self.vertices or self.samples or (self,)

    @property
    def quoted(self) -> TimePoint:
        """The point to quote: the first."""
        return self.points[0]

    @property
    def provenance(self) -> str | None:
        """Grade, source, place and note of its points, where all have the same ones."""
        if not (self.vertices or self.samples):
            return None
        values = [getattr(point, key) for point in self.points for key in point.told]
        known = {one.provenance for one in (*values, self.known_payload) if one is not None}
        return known.pop() if len(known) == 1 else None

    def __str__(self) -> str:
        if not (self.vertices or self.samples):
            return super().__str__()
        form = "vertices" if self.vertices else "samples"
        told = f"{len(self.points)} {form}, the first to quote"
        if self.known_payload is None:
            return told
        return f"{told}, found with {self.known_payload} of payload in each frame"


class StageTimes(Times, StageTimePoint):
    """
    Times of a stage: plain, or as points where they are known together only.

    Exactly one of: plain times, vertices, samples.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt, per_frame, per_ack, per_byte : Value, optional
        See `StageTimePoint`.
    vertices : tuple of StageTimePoint
        Corners of the set of times that are possible, the one to quote first.
    samples : tuple of StageTimePoint
        Times that were drawn together, the one to quote first.
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


class HostTimes(Times, HostTimePoint):
    """
    CPU times of a host for what it sends, or for what it receives.

    Exactly one of: plain times, vertices, samples. They are the parts of
    :func:`netmodel.consumption.message_cpu_time_s`.

    Parameters
    ----------
    per_message, per_wakeup, per_interrupt, per_packet, per_ack, per_byte : Value, optional
        See `HostTimePoint`.
    messages_per_wakeup, frames_per_interrupt, segments_per_packet : Value, optional
        How many share each, 1 when absent. Means need not be whole.
    vertices : tuple of HostTimePoint
        Corners of the set of times that are possible, the one to quote first.
    samples : tuple of HostTimePoint
        Times that were drawn together, the one to quote first.
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

    def __str__(self) -> str:
        counts = ((name, getattr(self, name)) for name in _COUNT_KEYS)
        told = (f"{count} {name.replace('_', ' ')}" for name, count in counts if count is not None)
        return ", ".join((super().__str__(), *told))
