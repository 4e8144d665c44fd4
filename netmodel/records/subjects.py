"""What observations are of, and how one compares with another."""

from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, Field

from netmodel.framing.layers._internet import MIN_IPV4_MTU_BYTES
from netmodel.records.values import MAX_MTU_BYTES

Count = Annotated[int, Field(strict=True, ge=1)]
MtuBytes = Annotated[int, Field(strict=True, ge=MIN_IPV4_MTU_BYTES, le=MAX_MTU_BYTES)]


def _each_once(counts: tuple[int, ...]) -> tuple[int, ...]:
    if len(set(counts)) < len(counts):
        raise ValueError(f"must name each number once; got {', '.join(map(str, counts))}")
    return counts


ConnectionNumbers = Annotated[tuple[Count, ...], AfterValidator(_each_once)]


class QuantityKind(Enum):
    """What an observation is of."""

    CPU_CONSUMPTION = "cpu_consumption"
    CPU_TIME_PER_TRANSACTION = "cpu_time_per_transaction"
    LINE_RATE = "line_rate"
    PAYLOAD_RATE = "payload_rate"
    THROUGHPUT = "throughput"
    TRANSACTION_RATE = "transaction_rate"
    TRANSACTION_TIME = "transaction_time"


class Change(Enum):
    """
    How the quantity of the subject stands to that of the baseline.

    ``MORE`` and ``LESS`` by the figure, or by an unknown amount without one;
    ``FACTOR`` times that of the baseline; ``SAME`` within 5 %.
    """

    MORE = "more"
    LESS = "less"
    FACTOR = "factor"
    SAME = "same"


def worded(value: object) -> str:
    """A condition as a reader reads it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return " ".join(str(item) for item in value)
    return str(value)
