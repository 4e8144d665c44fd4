"""Data classes compiled when used, against those of the standard library."""

import copy
import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import netmodel._dataclasses as ours

MAKERS = (dataclasses.dataclass, ours.dataclass)


def both(build: Callable[[Any], Any]) -> tuple[Any, Any]:
    """What is built with the decorator of the standard library, and with ours."""
    return build(MAKERS[0]), build(MAKERS[1])


def classes(decorator: Any) -> dict[str, type]:
    """A class for each combination of arguments and kinds of fields that the library uses."""

    @decorator(frozen=True)
    class Plain:
        """Has a field of each kind."""

        low: float
        high: float = 2.0
        names: list[str] = dataclasses.field(default_factory=list)
        hidden: int = dataclasses.field(default=0, repr=False, compare=False)
        made: dict[str, int] = dataclasses.field(default_factory=dict, init=False, compare=False)

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise ValueError("low is above high")

    @decorator(frozen=True, slots=True)
    class Slotted:
        """No dictionary."""

        one: int
        two: "str" = "b"

    @decorator(frozen=True, slots=True, kw_only=True)
    class Keyword:
        """Arguments by name alone."""

        one: int
        two: tuple[int, ...] = ()

    @decorator(frozen=True)
    class Derived(Slotted):
        """One field more."""

        three: int = 3

    @decorator(slots=True)
    class Changing:
        """Not frozen."""

        count: int = 0

    @decorator(frozen=True, eq=False)
    class Identical:
        """Equal to itself alone."""

        one: int

    @decorator(frozen=True, repr=False)
    class Written:  # noqa: PLW1641
        """Methods by hand."""

        one: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Written)

        def __repr__(self) -> str:
            return "written"

    @decorator(frozen=True)
    class Hashed:
        """A hash by hand."""

        one: int

        def __hash__(self) -> int:
            return 7

    @decorator
    class Empty:
        """No field."""

    made = (Plain, Slotted, Keyword, Derived, Changing, Identical, Written, Hashed, Empty)
    return {each.__name__: each for each in made}


CALLS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("Plain", (1.0,), {}),
    ("Plain", (1.0, 3.0, ["a"]), {"hidden": 4}),
    ("Plain", (3.0,), {}),
    ("Plain", (), {}),
    ("Plain", (1.0,), {"made": {}}),
    ("Slotted", (1,), {}),
    ("Slotted", (1, "c"), {}),
    ("Slotted", (1, "c", 2), {}),
    ("Keyword", (), {"one": 1}),
    ("Keyword", (1,), {}),
    ("Derived", (1, "x", 5), {}),
    ("Changing", (), {}),
    ("Identical", (1,), {}),
    ("Written", (1,), {}),
    ("Hashed", (1,), {}),
    ("Empty", (), {}),
)


def outcome(ask: Callable[[], Any]) -> tuple[str, str]:
    """Kind and text of what it returns or raises."""
    try:
        result = ask()
    except Exception as error:  # noqa: BLE001
        return type(error).__name__, str(error)
    return type(result).__name__, repr(result)


def asked(made: dict[str, type], name: str, arguments: Any, keywords: Any) -> list[Any]:
    """What a class and an object of it answer."""
    cls: Any = made[name]

    def new() -> Any:
        return cls(*arguments, **keywords)

    answers = [outcome(lambda: inspect.signature(cls)), outcome(new)]
    if answers[-1][0] != name:
        return answers
    one, first = new(), next(iter(dataclasses.fields(cls)), None)
    answers += [
        outcome(lambda: one == new()),
        outcome(lambda: one == 1),
        outcome(lambda: one != new()),
        outcome(lambda: hash(one) == hash(new())),
        outcome(lambda: setattr(one, first.name if first else "none", 9)),
        outcome(lambda: delattr(one, first.name if first else "none")),
    ]
    one = new()
    answers += [
        outcome(lambda: copy.copy(one)),
        outcome(lambda: copy.deepcopy(one)),
        outcome(lambda: dataclasses.asdict(one)),
        outcome(lambda: dataclasses.replace(one, **({first.name: 2} if first else {}))),
        outcome(lambda: cls.__match_args__),
        outcome(lambda: cls.__init__.__qualname__),
        outcome(lambda: cls.__init__.__annotations__),
        outcome(lambda: hasattr(one, "__dict__")),
    ]
    return answers


@pytest.mark.parametrize(("name", "arguments", "keywords"), CALLS)
def test_they_answer_as_those_of_the_standard_library(
    name: str, arguments: Any, keywords: Any
) -> None:
    theirs, own = both(lambda decorator: asked(classes(decorator), name, arguments, keywords))
    assert own == theirs


def test_an_init_is_compiled_once_when_it_is_first_used() -> None:
    cls: Any = classes(ours.dataclass)["Derived"]
    assert type(vars(cls)["__init__"]) is ours._Init
    cls(1)
    compiled = vars(cls)["__init__"]
    assert inspect.isfunction(compiled)
    cls(2)
    assert vars(cls)["__init__"] is compiled


def test_a_class_inherits_an_init_that_is_not_compiled_yet() -> None:
    cls: Any = classes(ours.dataclass)["Plain"]
    heir = type("Heir", (cls,), {})
    assert heir(1.0).high == 2.0
    assert "__init__" not in vars(heir)
