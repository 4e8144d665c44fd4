"""What files tell of times: of a stage, and of a host for what it sends and receives."""

from typing import Self

from pydantic import BaseModel, model_validator

from netmodel.records._quantities import BatchValue, PayloadValue, TimeValue
from netmodel.records._values import FROZEN

__all__ = ["HostTimePoint", "HostTimes", "StageTimePoint", "StageTimes", "TimePoint"]

_TIME_KEYS = (
    *("per_message", "per_wakeup", "per_interrupt", "per_frame", "per_packet"),
    *("per_ack", "per_byte"),
)


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


class _SeveralPoints(TimePoint):
    vertices: tuple[TimePoint, ...] = ()
    samples: tuple[TimePoint, ...] = ()
    known_payload: PayloadValue | None = None

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


class StageTimes(_SeveralPoints, StageTimePoint):
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
    """

    vertices: tuple[StageTimePoint, ...] = ()
    samples: tuple[StageTimePoint, ...] = ()

    @property
    def points(self) -> tuple[StageTimePoint, ...]:
        """The vertices or samples; plain times are one point."""
        return self.vertices or self.samples or (self,)

    @property
    def quoted(self) -> StageTimePoint:
        """The point to quote: the first."""
        return self.points[0]


class HostTimes(_SeveralPoints, HostTimePoint):
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
    """

    messages_per_wakeup: BatchValue | None = None
    frames_per_interrupt: BatchValue | None = None
    segments_per_packet: BatchValue | None = None
    vertices: tuple[HostTimePoint, ...] = ()
    samples: tuple[HostTimePoint, ...] = ()

    @property
    def points(self) -> tuple[HostTimePoint, ...]:
        """The vertices or samples; plain times are one point."""
        return self.vertices or self.samples or (self,)

    @property
    def quoted(self) -> HostTimePoint:
        """The point to quote: the first."""
        return self.points[0]
