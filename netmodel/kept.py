"""What results hold beside plain values: `copy` and `pickle` keep it, and so do other processes."""

from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadOnly(dict[Key, Value]):
    """A copy of a mapping without ways to change it; `types.MappingProxyType` has no `pickle`."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("it cannot be changed: change a copy, dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class Once(Generic[Value]):
    """Makes a value when it is first called, and keeps it; of its `pickle`, the value is part."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make

    def __call__(self) -> Value:
        """Return the value."""
        if make := self._make:
            self._made = make()
            self._make = None  # and what it refers to
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ([self()].pop,)
