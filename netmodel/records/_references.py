"""What ratios of a path compare with, where its times are known up to a factor only."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, model_validator

from netmodel.records._values import FROZEN, CpuNumberValue, FrozenMapping, MtuValue, Text, Value

_Numbers = Annotated[
    Mapping[str, CpuNumberValue],
    AfterValidator(FrozenMapping),
    PlainSerializer(dict),
    Field(default_factory=dict, validate_default=True),
]


class PathGain(BaseModel):
    """
    Throughput with an MTU over that with the MTU of the reference, as a source has it.

    Parameters
    ----------
    mtu : Value
        MTU of the innermost interface.
    ratio : Value
        How many times the throughput is that with the MTU of the reference.
    of : str, optional
        Name of the relative stage, or of the pool that it draws on, that gains this where it is
        the bottleneck; absent for the whole path, regardless of the bottleneck.
    """

    model_config = FROZEN

    mtu: MtuValue
    ratio: CpuNumberValue
    of: Text | None = None

    @property
    def name(self) -> str:
        """What distinguishes it from others."""
        return f"{self.of or 'path'} at {self.mtu}"


class PathReference(BaseModel):
    """
    The case that ratios of a path compare with: what is different in it.

    Everything not named here is the same in both cases, also the workload and its
    connections.

    Parameters
    ----------
    mtu : Value, optional
        MTU of the innermost interface.
    pools : mapping of str to Value
        Number of CPUs, by the name of the pool.
    times : mapping of str to Value
        Times there over those of the path, by the name of a relative stage, or
        of the pool that it draws on.
    gains : tuple of PathGain
        Ratios that a source has for other MTUs; with `mtu` alone.

    Raises
    ------
    pydantic.ValidationError
        If it names nothing, or gains do not fit. `path_record` raises `ParseError`
        instead.

    Examples
    --------
    >>> given = {"source": "notes", "locator": "page 3", "grade": "published"}
    >>> print(PathReference.model_validate({"mtu": {"value": 1500, "unit": "byte", **given}}))
    MTU 1500 byte
    """

    model_config = FROZEN

    mtu: MtuValue | None = None
    pools: _Numbers
    times: _Numbers
    gains: tuple[PathGain, ...] = ()

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.mtu is None and not self.pools and not self.times:
            raise ValueError("mtu, pools or times: at least one is needed")
        return self

    @model_validator(mode="after")
    def _gains_are_of_the_mtu(self) -> Self:
        if self.gains and (self.mtu is None or self.pools or self.times):
            raise ValueError("gains: need mtu, and neither pools nor times, in the reference")
        known = set()
        for number, gain in enumerate(self.gains):
            place = (gain.of, gain.mtu.size_bytes)
            if place in known or (self.mtu and place[1] == self.mtu.size_bytes):
                raise ValueError(f"gains.{number}.mtu: {gain.mtu} already has its ratio")
            known.add(place)
        return self

    def __str__(self) -> str:
        return ", ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        if self.mtu is not None:
            yield f"MTU {self.mtu}"
        yield from (f"{_cpus(count)} of {name}" for name, count in self.pools.items())
        yield from (f"{ratio} times the CPU time of {name}" for name, ratio in self.times.items())


def _cpus(count: Value) -> str:
    return f"{count} CPU{'s' * (count.value != 1)}"
