"""
Data classes whose ``__init__`` is compiled when it is first used.

The standard library compiles up to six methods of each while a module is loaded, a third of a
millisecond. A short command loads some 150 classes, and makes objects of fewer than half.
"""

import dataclasses
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

# ruff: noqa: N807  methods, as they are called in a class

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, kw_only=False, repr=True, eq=True):  # noqa: A002
        """What `dataclasses.dataclass` makes with these arguments."""

        def with_methods(cls):
            by_hand = {name for name in vars(cls) if name != "__hash__" or cls.__hash__}
            made = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=slots, kw_only=kw_only
            )(cls)
            fields = dataclasses.fields(made)
            for method in (
                *(_shown(fields) if repr else ()),
                *(_compared(fields, frozen) if eq else ()),
                *(_frozen(made, fields) if frozen else ()),
                *((__getstate__, __setstate__) if frozen and slots else ()),
            ):
                if method.__name__ not in by_hand:
                    setattr(made, method.__name__, method)
            if eq and not frozen and "__hash__" not in by_hand:
                made.__hash__ = None
            if "__init__" not in by_hand:
                made.__init__ = _Init(made, frozen)
            return made

        return with_methods if cls is None else with_methods(cls)


Fields = tuple[Field[Any], ...]
Methods = Iterator[Callable[..., Any]]


class _Made:
    """What stands in a signature for a default that is made with each object."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


class _Init:
    """Stands for the ``__init__`` of a class until it is asked for."""

    def __init__(self, cls: type, is_frozen: bool) -> None:
        self._cls = cls
        self._is_frozen = is_frozen

    def __get__(self, instance: object, owner: type) -> Any:
        compiled = _compiled(self._cls, self._is_frozen)
        self._cls.__init__ = compiled  # type: ignore[misc]
        return compiled if instance is None else compiled.__get__(instance, owner)


def _compiled(cls: type, is_frozen: bool) -> Any:
    """A function of the fields, which sets each and then calls ``__post_init__``."""
    fields: Fields = dataclasses.fields(cls)
    # (1) the statement that sets each field, and what it needs
    known: dict[str, Any] = {"_set": object.__setattr__, "_MADE": _MADE}
    lines = []
    for each in fields:
        name = value = each.name
        if each.default_factory is not MISSING:
            known[f"_make_{name}"] = each.default_factory
            value = f"_make_{name}()"
            if each.init:
                value += f" if {name} is _MADE else {name}"
        elif not each.init:
            continue  # set later
        lines.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    # (2) arguments, those by keyword alone at the end
    given = sorted((each for each in fields if each.init), key=lambda each: bool(each.kw_only))
    usual = {
        each.name: _MADE if each.default is MISSING else each.default
        for each in given
        if each.default is not MISSING or each.default_factory is not MISSING
    }
    arguments = [f"{each.name}=None" if each.name in usual else each.name for each in given]
    by_keyword = {each.name for each in given if each.kw_only}
    if by_keyword:
        arguments.insert(len(given) - len(by_keyword), "*")
    # (3) the function, with the defaults and the types of the class
    text = f"def maker({', '.join(known)}):\n def __init__({', '.join(('self', *arguments))}):\n"
    text += "".join(f"  {line}\n" for line in lines or ("pass",)) + " return __init__"
    scope: dict[str, Any] = {}
    exec(text, vars(sys.modules[cls.__module__]), scope)
    init = scope["maker"](**known)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__defaults__ = tuple(usual[name] for name in usual if name not in by_keyword)
    init.__kwdefaults__ = {name: usual[name] for name in usual if name in by_keyword}
    init.__annotations__ = {each.name: each.type for each in given} | {"return": None}
    return init


def _shown(fields: Fields) -> Methods:
    names = tuple(each.name for each in fields if each.repr)

    @recursive_repr()
    def __repr__(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    yield __repr__


def _compared(fields: Fields, is_frozen: bool) -> Methods:
    values_of = _values_of(tuple(each.name for each in fields if each.compare))

    def __eq__(self: Any, other: object) -> bool:
        if type(self) is type(other):
            return values_of(self) == values_of(other)
        return NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values_of(self))

    yield __eq__
    if is_frozen:
        yield __hash__


def _values_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Values of fields as a tuple, also of one or none."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda each: tuple(getattr(each, name) for name in names)


def _frozen(cls: type, fields: Fields) -> Methods:
    names = frozenset(each.name for each in fields)

    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    yield __setattr__
    yield __delattr__


def __getstate__(self: Any) -> list[Any]:
    """For `copy` and `pickle`, as attributes in slots cannot be set."""
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def __setstate__(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
