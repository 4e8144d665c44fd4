"""What records tell of times, as parameters of stages, each with its grade."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from netmodel._estimates import Estimate
from netmodel._grades import Grade
from netmodel.path._by_connections import joint_by_connections
from netmodel.path._path import DIRECTIONS, Direction, Stage, Times, ValidityRange
from netmodel.path._uncertain import Interval, Joint, Parameter

if TYPE_CHECKING:
    from netmodel.records import Value
    from netmodel.records._times import HostTimes, StageTimes
    from netmodel.records._values import Sourced

__all__ = ["Told", "notes_of", "parameter_of", "timed", "timed_one_way", "told_times"]

_NAMES = {"per_packet": "per_frame_s"}
"""Names of times that are not those of records with their unit."""


@dataclass(frozen=True, slots=True)
class Told:
    """
    Times of one direction of a stage; it is false where there are none.

    Parameters
    ----------
    figures : mapping of str to (Parameter, Grade)
        Those that are told, by their names in `Times`.
    validity : ValidityRange, optional
        Frames with which they were found.
    is_complete : bool
        Whether they are all that there is, also with other frames than those.
    """

    figures: Mapping[str, tuple[Parameter, Grade]] = field(default_factory=dict)
    validity: ValidityRange | None = None
    is_complete: bool = True

    def __bool__(self) -> bool:
        return bool(self.figures)

    @property
    def times(self) -> Times:
        """The times as a stage has them."""
        figures = {name: parameter for name, (parameter, _) in self.figures.items()}
        return Times(**figures, validity=self.validity, is_complete=self.is_complete)


def parameter_of(known: Estimate, source: "Value | None" = None) -> Parameter:
    """What a record leaves open of a value; the value alone where there is no upper end."""
    value, low, high = known
    if low == high or high == math.inf:
        return value
    return Interval(value, low, high, has_figure(source))


def has_figure(source: "Value | None") -> bool:
    """Whether a value of a record is a figure, not the ends of a range alone."""
    return source is None or source.relation.value != "range"


def told_times(times: "StageTimes | HostTimes", of: str, together: str | None = None) -> Told:
    """What a record tells of the times of one direction; points go together under a name."""
    keys = times.quoted.told
    values = {key: [getattr(point, key) for point in times.points] for key in keys}
    if times.at:
        parameters = _by_connections(times, of, together)
    else:
        parameters = tuple(
            _joint(several, together or of, times.quoted_count) for several in values.values()
        )
    figures = {
        _NAMES.get(key, f"{key}_s"): (parameter, _worst(values[key]))
        for key, parameter in zip(keys, parameters, strict=True)
    }
    return Told(figures, _known_at(times.known_payload, of))


def _worst(values: "list[Value]") -> Grade:
    return max((value.grade for value in values), key=lambda grade: grade.rank)


def _by_connections(
    times: "StageTimes | HostTimes", of: str, together: str | None
) -> tuple[Parameter, ...]:
    """Each time with each number of connections; plain ones move to their ends together."""
    known = {}
    for one in times.at:
        rows = [[getattr(point, key).time_s_estimate for key in point.told] for point in one.points]
        if one.told:
            (ends,) = rows
            known[one.connections] = [
                tuple(end.value for end in ends),
                tuple(end.low for end in ends),
                tuple(end.value if end.high == math.inf else end.high for end in ends),
            ]
        else:
            known[one.connections] = [tuple(end.value for end in row) for row in rows]
    name = of if times.at[0].told else together or of
    printed = [one.quoted_count for one in times.at]
    return joint_by_connections(name, known, times.middle.connections, name == of, printed)


def _joint(values: "list[Value]", of: str, printed_count: int) -> Parameter:
    known = [value.time_s_estimate for value in values]
    if len(known) == 1:
        return parameter_of(known[0], values[0])
    return Joint(tuple(one.value for one in known), of, printed_count)


def _known_at(payload: "Value | None", of: str) -> ValidityRange | None:
    if payload is None:
        return None
    low, high = payload.size_bytes_bounds
    return ValidityRange(
        low,
        high,
        f"extrapolation: {of} was calibrated for {payload} of payload per frame only",
    )


def timed(stage: Stage, to_server: Told, to_client: Told) -> Stage:
    """The stage with these times, and their grades."""
    grades = {
        f"{way}.{name}": grade
        for way, told in zip(DIRECTIONS, (to_server, to_client), strict=True)
        for name, (_, grade) in told.figures.items()
    }
    return replace(
        stage,
        to_server=to_server.times,
        to_client=to_client.times,
        grades={**stage.grades, **grades},
    )


def timed_one_way(stage: Stage, way: Direction, told: Told) -> Stage:
    """The stage with these times of one way, and none of the other."""
    to_server, to_client = (told if one == way else Told() for one in DIRECTIONS)
    return timed(stage, to_server, to_client)


def notes_of(name: str, parts: "Mapping[str, Sourced]") -> Iterator[str]:
    """What of a record a reader should know: what is assumed, and what has no range."""
    from netmodel.records import Value
    from netmodel.records._equipment import Observation

    assumed = [part for part in parts.values() if part.grade is Grade.ASSUMED]
    if assumed:
        yield f"{len(assumed)} of {len(parts)} values of {name} are assumed"
    for key, part in parts.items():
        if isinstance(part, Value) and not isinstance(part, Observation) and _has_open_end(part):
            yield f"{key} of {name} is {part}: taken as this, without a range"


def _has_open_end(value: "Value") -> bool:
    """Whether it may be endlessly slow: a time without a most, a rate without a least."""
    low, high = value.interval or (1, 1)
    if value.relation.value == "equal":
        return False
    return low <= 0 if value.unit.endswith("/s") else high == math.inf
