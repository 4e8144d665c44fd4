"""What results of a path are told against where its times are known up to a factor only."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, PlainSerializer, model_validator

from netmodel.records._mapping import FrozenMapping
from netmodel.records._quantities import CpuNumberValue, MtuValue
from netmodel.records._values import FROZEN, Value

__all__ = ["PathReference"]

_Numbers = Annotated[
    Mapping[str, CpuNumberValue],
    AfterValidator(FrozenMapping),
    PlainSerializer(dict),
    Field(default_factory=dict, validate_default=True),
]


class PathReference(BaseModel):
    """
    The case that ratios of a path are told against: what is otherwise in it.

    All else is the same in both cases: the workload, its connections, and
    whatever is not named here.

    Parameters
    ----------
    mtu : Value, optional
        MTU of the innermost interface.
    pools : mapping of str to Value
        Number of CPUs, by the name of the pool.
    times : mapping of str to Value
        Times there over those of the path, by the name of a relative stage, or
        of the pool that it draws on.

    Raises
    ------
    pydantic.ValidationError
        If it names nothing. `load_network_path` raises `ParseError` instead.

    Examples
    --------
    >>> told = {"source": "notes", "locator": "page 3", "grade": "published"}
    >>> print(PathReference.model_validate({"mtu": {"value": 1500, "unit": "byte", **told}}))
    MTU 1500 byte
    """

    model_config = FROZEN

    mtu: MtuValue | None = None
    pools: _Numbers
    times: _Numbers

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if self.mtu is None and not self.pools and not self.times:
            raise ValueError("mtu, pools or times: at least one is needed")
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
