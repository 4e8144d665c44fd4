"""What ratios are told against, where times of a path are known up to a factor only."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from netmodel._numeric import Quantity
from netmodel.errors import DomainError
from netmodel.path._gains import Gain
from netmodel.path._uncertain import (
    Interval,
    Joint,
    Parameter,
    require_count,
    require_parameter,
)

__all__ = ["Reference"]


@dataclass(frozen=True, slots=True)
class Reference:
    """
    The case that ratios are told against; what it does not name is the same in both cases.

    Parameters
    ----------
    mtu_bytes : int, optional
        Largest packet of the innermost interface. [byte]
    pool_counts : mapping of str to float, array_like, Interval or Joint
        Servers of pools, by their names.
    time_ratios : mapping of str to float, array_like, Interval or Joint
        Times there over those of the path, by the names of their factors.
    gains : tuple of Gain
        Published ratios to the throughput there, by the MTU, which go before what the times
        of the path make; of a reference that differs in its MTU alone.

    Raises
    ------
    DomainError
        If a number is not above zero, or there are gains and not the MTU alone.

    Examples
    --------
    >>> str(Reference(mtu_bytes=1500, pool_counts={"client": 1}))
    'MTU 1500 byte, 1 CPU of client'
    """

    mtu_bytes: int | None = None
    pool_counts: Mapping[str, Parameter] = field(default_factory=dict)
    time_ratios: Mapping[str, Parameter] = field(default_factory=dict)
    gains: tuple[Gain, ...] = ()

    def __post_init__(self) -> None:
        for name, count in self.pool_counts.items():
            require_count(f"reference count of {name}", count)
        for name, ratio in self.time_ratios.items():
            require_count(f"reference times of {name}", ratio)
        if self.mtu_bytes is not None:
            require_parameter("mtu_bytes", self.mtu_bytes, 1, "byte")
        if self.gains and (self.mtu_bytes is None or self.pool_counts or self.time_ratios):
            raise DomainError("gains by the MTU need a reference that differs in its MTU alone")

    def changed(self, change: Callable[[Parameter, bool], Parameter]) -> "Reference":
        """The reference with every count and ratio as the function has it."""
        return replace(
            self,
            pool_counts={name: change(one, False) for name, one in self.pool_counts.items()},
            time_ratios={name: change(one, True) for name, one in self.time_ratios.items()},
        )

    def parameters(self) -> Iterator[Parameter]:
        """Everything that may be uncertain."""
        yield from (*self.pool_counts.values(), *self.time_ratios.values())

    def __str__(self) -> str:
        return ", ".join(self._texts()) or "the same case"

    def _texts(self) -> Iterator[str]:
        if self.mtu_bytes is not None:
            yield f"MTU {self.mtu_bytes} byte"
        for name, count in self.pool_counts.items():
            yield f"{_number(count)} CPU{'s' * (_quoted(count) != 1)} of {name}"
        for name, ratio in self.time_ratios.items():
            yield f"{_number(ratio)} times the CPU time of {name}"


def _quoted(parameter: Parameter) -> Quantity:
    if isinstance(parameter, Interval):
        return parameter.value
    return parameter.values[0] if isinstance(parameter, Joint) else parameter


def _number(parameter: Parameter) -> str:
    return f"{_quoted(parameter):g}"
