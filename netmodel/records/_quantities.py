"""Values of records by what they tell: each kind with the figures that it may have."""

from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator

from netmodel._numeric import Quantity
from netmodel.records._figures import UNIT_OF_COUNTS
from netmodel.records._values import Value

__all__ = [
    "BatchValue",
    "CapValue",
    "CountValue",
    "CpuNumberValue",
    "FrameRateValue",
    "LengthValue",
    "MtuValue",
    "PayloadValue",
    "RateValue",
    "ScatterValue",
    "SizeValue",
    "SmtGainValue",
    "TimeValue",
    "WholeValue",
]

PERCENT, MOST_PERCENT = "%", 100
_SMALLEST_MTU_BYTES = 68


def _above_zero(number: Callable[[Value], Quantity]) -> AfterValidator:
    """What refuses a value whose number is 0 or less."""

    def checked(value: Value) -> Value:
        if number(value) <= 0:
            raise ValueError(f"must be above 0; got {value}")
        return value

    return AfterValidator(checked)


def _count(value: Value) -> Value:
    if value.value is None or value.unit != UNIT_OF_COUNTS or value.value != int(value.value):
        raise ValueError(f"must be a whole number with unit 1; got {value}")
    return value


def _smt_gain(value: Value) -> Value:
    figures = [figure for figure in (value.value, value.low, value.high) if figure is not None]
    if value.unit != UNIT_OF_COUNTS or not all(1 <= figure <= 2 for figure in figures):
        raise ValueError(f"must be a number from 1 to 2 with unit 1; got {value}")
    return value


def _scatter(value: Value) -> Value:
    if value.value is None or value.unit != PERCENT or not 0 < value.value < MOST_PERCENT:
        raise ValueError(f"must be one number of %, above 0 and below {MOST_PERCENT}; got {value}")
    return value


def _length(value: Value) -> Value:
    _ = value.length_m_estimate
    return value


def _time(value: Value) -> Value:
    _ = value.time_s_estimate
    return value


def _size(value: Value) -> Value:
    if value.size_bytes_estimate.value < 1:
        raise ValueError(f"must be at least 1 byte; got {value}")
    return value


def _mtu(value: Value) -> Value:
    if value.size_bytes_bounds[0] != value.size_bytes_bounds[1]:
        raise ValueError(f"must be one size; got {value}")
    if value.size_bytes < _SMALLEST_MTU_BYTES:
        raise ValueError(f"must be at least {_SMALLEST_MTU_BYTES} byte; got {value}")
    return value


def _whole(value: Value) -> Value:
    if value.number_estimate.value < 1:
        raise ValueError(f"must be at least 1; got {value}")
    return value


def _batch(value: Value) -> Value:
    if value.number_estimate.low < 1:
        raise ValueError(f"must be at least 1, with all that it may be; got {value}")
    return value


def _payload(value: Value) -> Value:
    if value.size_bytes_bounds[0] < 1:
        raise ValueError(f"must be at least 1 byte; got {value}")
    return value


BatchValue = Annotated[Value, AfterValidator(_batch)]
CountValue = Annotated[Value, AfterValidator(_count)]
RateValue = Annotated[Value, _above_zero(lambda value: value.rate_bps)]
ScatterValue = Annotated[Value, AfterValidator(_scatter)]
SmtGainValue = Annotated[Value, AfterValidator(_smt_gain)]
LengthValue = Annotated[Value, AfterValidator(_length)]
TimeValue = Annotated[Value, AfterValidator(_time)]
CapValue = Annotated[Value, _above_zero(lambda value: value.rate_bps_estimate.value)]
FrameRateValue = Annotated[Value, _above_zero(lambda value: value.frame_rate_fps_estimate.value)]
SizeValue = Annotated[Value, AfterValidator(_size)]
MtuValue = Annotated[Value, AfterValidator(_mtu)]
CpuNumberValue = Annotated[Value, _above_zero(lambda value: value.number_estimate.value)]
WholeValue = Annotated[CountValue, AfterValidator(_whole)]
PayloadValue = Annotated[Value, AfterValidator(_payload)]
