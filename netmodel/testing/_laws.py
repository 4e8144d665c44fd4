"""Laws that formulas keep: each check draws arguments and names the simplest counterexample."""

import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from numbers import Real
from typing import Any, Literal, NoReturn, TypeAlias, TypeGuard, get_args

from hypothesis import HealthCheck, Phase, currently_in_test_context, given, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException, Unsatisfiable

from netmodel.errors import DomainError
from netmodel.lazy_numpy import np
from netmodel.numeric import EXACT_INTEGER, ROUNDING_RATIO, require_within
from netmodel.text import meant_text
from netmodel.units import format_frequency, format_rate, format_time
from netmodel.units.columns import unit_of

Formula: TypeAlias = Callable[..., Any]
Arguments: TypeAlias = Mapping[str, Any]
Limit: TypeAlias = float | str | Callable[..., float]
"""A number, the name of an argument, or a function of the arguments."""
Direction: TypeAlias = Literal[
    "increasing", "decreasing", "strictly increasing", "strictly decreasing"
]

_MOST_VALUES = 6
"""Values of the argument of a monotone formula in each try: neighbours are then close enough to
see a dip between two ends that are in order."""
_MOST_ROWS = 4
"""Length of arrays: every row is computed alone too."""
_SINGLE_RATIO = 1e-5
"""A float of 32 bits has 7 digits, of which a long computation loses some."""
_DIGITS = (5, 9, 13, None)
"""Of results that differ, until their texts do; None for all."""
_FORMATS = {"bit/s": format_rate, "s": format_time, "Hz": format_frequency}
_SCALES = st.sampled_from([2.0, 0.5]) | st.floats(0.01, 100)
"""Twice and half, which round nothing, and two orders of magnitude to either side."""


# Laws


def assert_bounded(
    formula: Formula,
    *,
    at_least: Limit | None = None,
    at_most: Limit | None = None,
    above: Limit | None = None,
    below: Limit | None = None,
    rounding_ratio: float = ROUNDING_RATIO,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that a formula stays within its bounds.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes its arguments by name and returns one number.
    at_least, at_most, above, below : float, str or callable, optional
        Bounds of the result: a number, the name of an argument, or a function of the arguments
        by their names. `above` and `below` exclude the bound itself.
    rounding_ratio : float
        How far beyond an included bound the rounding of floats may put the result, relative to
        the larger of both. `above` and `below` are exact.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value.

    Raises
    ------
    AssertionError
        If a result is outside or no number, or the formula raises. The message has the simplest
        arguments at which it does.
    DomainError
        If no bound is given, or one names no argument.

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.testing import line_rates, mtus
    >>> assert_bounded(
    ...     payload_rate_bps, above=0, below="line_rate_bps",
    ...     line_rate_bps=line_rates(), mtu_bytes=mtus(),
    ... )
    >>> assert_bounded(payload_rate_bps, at_most=9e9, line_rate_bps=10e9, mtu_bytes=mtus())
    Traceback (most recent call last):
    AssertionError: payload_rate_bps must be at most 9 Gbit/s; got 9.4148 Gbit/s
    with line_rate_bps = 10 Gbit/s, mtu_bytes = 1500 byte
    """
    __tracebackhide__ = True
    bounds = {"at least": at_least, "at most": at_most, "above": above, "below": below}
    given_bounds = {relation: limit for relation, limit in bounds.items() if limit is not None}
    if not given_bounds:
        raise DomainError("give at_least, at_most, above or below: the bounds of the result")
    for limit in given_bounds.values():
        if isinstance(limit, str):
            _require_argument(limit, arguments)

    def law(drawn: Arguments) -> None:
        result = _number(formula, drawn)
        for relation, limit in given_bounds.items():
            of_drawn = drawn[limit] if isinstance(limit, str) else limit
            end = of_drawn(**drawn) if callable(of_drawn) else of_drawn
            if not _keeps(result, relation, end, rounding_ratio):
                named = f"{limit} = " if isinstance(limit, str) else ""
                bound, got = _apart(_name(formula), end, result)
                _fail(f"{_name(formula)} must be {relation} {named}{bound}; got {got}", drawn)

    _check(law, arguments, examples)


def assert_monotone(
    formula: Formula,
    *,
    in_: str,
    direction: Direction,
    rounding_ratio: float = ROUNDING_RATIO,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that a formula only rises, or only falls, with one of its arguments.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes its arguments by name and returns one number.
    in_ : str
        The argument that grows.
    direction : str
        ``"increasing"`` and ``"decreasing"`` allow equal results, ``"strictly increasing"`` and
        ``"strictly decreasing"`` do not.
    rounding_ratio : float
        How far the rounding of floats may put a result on the wrong side, relative to the larger
        one; strict directions allow none. Values of the argument that are closer to each other
        are not compared.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value; of the argument that grows also a
        list of values.

    Raises
    ------
    AssertionError
        If two results are in the wrong order, or one is no number. The message has the simplest
        arguments at which they are.
    DomainError
        If there is no such argument or direction.

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.testing import line_rates, mtus
    >>> assert_monotone(
    ...     payload_rate_bps, in_="mtu_bytes", direction="strictly increasing",
    ...     line_rate_bps=line_rates(), mtu_bytes=mtus(),
    ... )
    """
    __tracebackhide__ = True
    _require_argument(in_, arguments)
    if direction not in (known := get_args(Direction)):
        raise DomainError(f"direction must be one of {', '.join(known)}; got {direction!r}")
    sign = 1 if direction.endswith("increasing") else -1
    is_strict = direction.startswith("strictly")

    def law(drawn: Arguments) -> None:
        others = {name: value for name, value in drawn.items() if name != in_}
        points = [(x, _number(formula, {**others, in_: x})) for x in sorted(drawn[in_])]
        for (smaller, first), (larger, second) in pairwise(points):
            if _is_close(smaller, larger, rounding_ratio):
                continue
            gain = sign * (second - first)
            if gain > 0 or (not is_strict and _is_close(first, second, rounding_ratio)):
                continue
            at_smaller, at_larger = _apart(_name(formula), first, second)
            _fail(
                f"{_name(formula)} must be {direction} in {in_}; got "
                f"{at_smaller} at {_value_text(in_, smaller)} and "
                f"{at_larger} at {_value_text(in_, larger)}",
                others,
            )

    varied = arguments[in_]
    if isinstance(varied, st.SearchStrategy):
        varied = st.lists(varied, min_size=2, max_size=_MOST_VALUES, unique=True)
    elif not isinstance(varied, Iterable):
        raise DomainError(f"{in_} must be a strategy or several values; got {varied!r}")
    _check(law, {**arguments, in_: varied}, examples)


def assert_inverse(
    formula: Formula,
    inverse: Formula,
    *,
    of: str | None = None,
    rounding_ratio: float = ROUNDING_RATIO,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that one formula undoes another: from the result back to the argument.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes its arguments by name and returns one number.
    inverse : callable
        Takes the result of `formula` by its name, such as ``payload_rate_bps``, or in its first
        argument where it has no argument of that name; and all other arguments that it shares.
    of : str, optional
        The argument that `inverse` returns; may be left out where `formula` is given only one.
    rounding_ratio : float
        How far the rounding of floats may put the argument on its way back, relative to it. Raise
        it where the formula takes a difference of almost equal numbers.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value.

    Raises
    ------
    AssertionError
        If another number comes back. The message has the simplest arguments at which it does.
    DomainError
        If there is no such argument, or it is not clear which is meant.

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps, required_line_rate_bps
    >>> from netmodel.testing import line_rates, mtus
    >>> assert_inverse(
    ...     payload_rate_bps, required_line_rate_bps, of="line_rate_bps",
    ...     line_rate_bps=line_rates(), mtu_bytes=mtus(),
    ... )
    """
    __tracebackhide__ = True
    if of is None and len(arguments) == 1:
        (of,) = arguments
    if of is None:
        raise DomainError(f"of must name what the inverse returns: {', '.join(arguments)}")
    _require_argument(of, arguments)
    parameters = inspect.signature(inverse).parameters
    own_name = _name(formula)
    taken = own_name if own_name in parameters else next(iter(parameters))
    takes_all = any(each.kind is each.VAR_KEYWORD for each in parameters.values())

    def law(drawn: Arguments) -> None:
        result = _number(formula, drawn)
        names = [name for name in drawn if name not in (of, taken)]
        shared = {name: drawn[name] for name in names if takes_all or name in parameters}
        if parameters[taken].kind is inspect.Parameter.POSITIONAL_ONLY:
            back = _number(functools.partial(inverse, result), shared, _name(inverse))
        else:
            back = _number(inverse, {**shared, taken: result})
        source = f"{own_name} = {_value_text(own_name, result)}"
        must = f"{_name(inverse)} must give {of} = {{}} back; got {{}} from {source}"
        _require_close(drawn[of], back, rounding_ratio, of, must, drawn)

    _check(law, arguments, examples)


def assert_scales(
    formula: Formula,
    *,
    by: str | Iterable[str],
    degree: float = 1,
    factors: "st.SearchStrategy[float] | float" = _SCALES,
    rounding_ratio: float = ROUNDING_RATIO,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that a formula is homogeneous: k times the arguments give k^degree times the result.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes its arguments by name and returns one number.
    by : str or iterable of str
        The arguments that are multiplied, all by the same factor.
    degree : float
        1 where the result is proportional, 0 where it stays the same, -1 where it is inverse.
    factors : strategy or float, optional
        The factor; 0.01 to 100 when left out. Give smaller ones where the arguments would leave
        the domain of the formula.
    rounding_ratio : float
        How far the rounding of floats may put a result, relative to it.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value.

    Raises
    ------
    AssertionError
        If another number comes out. The message has the simplest arguments at which it does.
    DomainError
        If there is no such argument.

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.testing import line_rates, mtus
    >>> assert_scales(
    ...     payload_rate_bps, by="line_rate_bps", line_rate_bps=line_rates(), mtu_bytes=mtus()
    ... )
    """
    __tracebackhide__ = True
    scaled_names = (by,) if isinstance(by, str) else tuple(by)
    for name in scaled_names:
        _require_argument(name, arguments)

    def law(drawn: Arguments) -> None:
        factor = drawn[_FACTOR]
        plain = {name: value for name, value in drawn.items() if name != _FACTOR}
        scaled = plain | {name: factor * plain[name] for name in scaled_names}
        result, times = _number(formula, scaled), factor**degree
        must = (
            f"{_name(formula)} must be {float(times):.6g} times as large, {{}}, where "
            f"{' and '.join(scaled_names)} {'are' if len(scaled_names) > 1 else 'is'} "
            f"{float(factor):.6g} times as large; got {{}}"
        )
        expected = times * _number(formula, plain)
        _require_close(expected, result, rounding_ratio, _name(formula), must, plain)

    _check(law, {**arguments, _FACTOR: factors}, examples)


_FACTOR = "*"
"""Stands for the factor among the arguments, none of which can have this name."""


def assert_same_for_arrays(
    formula: Formula,
    *,
    rounding_ratio: float = ROUNDING_RATIO,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that arrays give what their elements give one by one, whatever their type.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes numbers or arrays by name and returns one number for each.
    rounding_ratio : float
        How far an element may be from the same number alone, relative to it: numpy and the math
        module round differently. 0 for formulas that promise the same digits. Results of
        float32 may be within 1e-5.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value. What is drawn and is a number
        becomes arrays; the first of all else, such as members of an Enum, goes with all rows.

    Raises
    ------
    AssertionError
        If arrays of float64, of float32, of int64 (for whole numbers), with an axis more or of no
        axis give another number or shape, or are written to. The message names the array and the
        arguments.

    Examples
    --------
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.testing import line_rates, mtus
    >>> assert_same_for_arrays(
    ...     payload_rate_bps, rounding_ratio=0, line_rate_bps=line_rates(), mtu_bytes=mtus()
    ... )
    """
    __tracebackhide__ = True

    def law(drawn: Arguments) -> None:
        rows = drawn["rows"]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns = {name: each for name, each in columns.items() if all(map(_is_number, each))}
        if not columns:
            raise DomainError("give a strategy of numbers: arrays are made of them")
        whole = {**arguments, **rows[0]}
        common = {name: value for name, value in whole.items() if name not in columns}
        for kind, arrays, allowed_ratio in _forms(columns, rounding_ratio):
            shape = next(iter(arrays.values())).shape
            result = _called(formula, common | arrays, f"for {kind}")
            if np.shape(result) != shape:
                must = f"{_name(formula)} must have the shape {shape} for {kind}"
                _fail(f"{must}; got {np.shape(result)}", common | columns)
            flat = np.reshape(np.asarray(result), -1)
            for place in range(max(1, math.prod(shape))):
                alone = common | {name: x.reshape(-1)[place].item() for name, x in arrays.items()}
                must = f"{_name(formula)} must be {{}} for {kind} as for numbers; got {{}}"
                ends = _number(formula, alone), float(flat[place])
                _require_close(*ends, allowed_ratio, _name(formula), must, alone)

    if not (drawn_columns := _strategies(arguments)):
        raise DomainError("give a strategy for at least one argument: arrays are drawn from it")
    rows = st.lists(st.fixed_dictionaries(drawn_columns), min_size=1, max_size=_MOST_ROWS)
    _check(law, {"rows": rows}, examples)


def assert_refuses(
    formula: Formula,
    *,
    error: type[Exception] = ValueError,
    naming: str | None = None,
    examples: int | None = None,
    **arguments: Any,
) -> None:
    """
    Check that a formula refuses invalid arguments with its documented error.

    Parameters
    ----------
    formula : callable
        Yours or the library's; takes its arguments by name.
    error : type
        The error, or a parent of it. Every error of the library about values is a `ValueError`.
    naming : str, optional
        What the message has to contain, such as the name of the argument.
    examples : int, optional
        Sets of arguments to try; as the settings of Hypothesis say when left out.
    **arguments
        A strategy for each argument that is drawn, or a value. At least one is invalid.

    Raises
    ------
    AssertionError
        If the formula accepts what it must refuse, or raises another error. The message has the
        simplest arguments at which it does.

    Examples
    --------
    >>> from hypothesis import strategies as st
    >>> from netmodel.ceilings import payload_rate_bps
    >>> from netmodel.errors import DomainError
    >>> from netmodel.testing import mtus
    >>> assert_refuses(
    ...     payload_rate_bps, error=DomainError, naming="line_rate_bps",
    ...     line_rate_bps=st.floats(max_value=0), mtu_bytes=mtus(),
    ... )
    """
    __tracebackhide__ = True

    def law(drawn: Arguments) -> None:
        must = f"{_name(formula)} must raise {error.__name__}"
        try:
            result = formula(**drawn)
        except HypothesisException:
            raise
        except error as raised:
            if naming is not None and naming not in str(raised):
                _fail(f"{must} that names {naming}; got: {raised}", drawn)
            return
        except Exception as other:  # noqa: BLE001
            _fail(f"{must}; got {type(other).__name__}: {other}", drawn, other)
        _fail(f"{must}; it returned {_value_text(_name(formula), result)}", drawn)

    _check(law, arguments, examples)


# Drawing, and the counterexample


def _strategies(arguments: Arguments) -> dict[str, "st.SearchStrategy[Any]"]:
    """Return the arguments that are drawn."""
    return {name: x for name, x in arguments.items() if isinstance(x, st.SearchStrategy)}


def _check(law: Callable[[Arguments], None], arguments: Arguments, examples: int | None) -> None:
    """Try the law; raises its AssertionError for the simplest arguments that break it."""
    __tracebackhide__ = True
    if not (strategies := _strategies(arguments)):
        law(arguments)
        return
    if currently_in_test_context():
        raise DomainError(
            f"a test with @given draws by itself: give values, not strategies, of "
            f"{', '.join(strategies)}"
        )
    profile = settings.default or settings()

    # how often is for the test to say; the counterexample is in the message
    @settings(
        max_examples=profile.max_examples if examples is None else examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    @given(st.fixed_dictionaries(strategies))
    def tried(drawn: dict[str, Any]) -> None:
        law({**arguments, **drawn})

    try:
        tried()
    except AssertionError as error:
        broken, cause = str(error), error.__cause__
    except Unsatisfiable:
        broken, cause = f"no arguments could be drawn from {', '.join(strategies)}", None
    else:
        return
    raise AssertionError(broken) from cause


def _fail(sentence: str, arguments: Arguments, cause: Exception | None = None) -> NoReturn:
    """Raise AssertionError with the arguments that break a law."""
    texts = ", ".join(f"{name} = {_value_text(name, x)}" for name, x in arguments.items())
    raise AssertionError(f"{sentence}\nwith {texts}" if texts else sentence) from cause


def _require_close(
    wanted: float, got: float, rounding_ratio: float, name: str, sentence: str, drawn: Arguments
) -> None:
    """Fail with a sentence that takes both numbers, where they differ by more than rounding."""
    if not _is_close(wanted, got, rounding_ratio):
        _fail(sentence.format(*_apart(name, wanted, got)), drawn)


def _called(formula: Formula, arguments: Arguments, place: str = "", name: str = "") -> Any:
    """Return the result of the formula; an error of it is a counterexample too."""
    try:
        return formula(**arguments)
    except HypothesisException:
        raise
    except Exception as error:  # noqa: BLE001
        sentence = f"{name or _name(formula)} raises {type(error).__name__} {place}".rstrip()
        _fail(f"{sentence}: {error}", arguments, error)


def _number(formula: Formula, arguments: Arguments, name: str = "") -> float:
    result = _called(formula, arguments, name=name)
    try:
        number = float(result)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        _fail(f"{name or _name(formula)} must return one number; got {result!r}", arguments)
    # a fraction stays exact
    return result if _is_number(result) else number


def _keeps(result: float, relation: str, limit: float, rounding_ratio: float) -> bool:
    is_beyond = result > limit if relation in {"above", "at least"} else result < limit
    return is_beyond or (relation.startswith("at ") and _is_close(result, limit, rounding_ratio))


def _is_close(first: float, second: float, rounding_ratio: float) -> bool:
    require_within("rounding_ratio", rounding_ratio, 0, 1, "")  # above it every law would hold
    return first == second or abs(first - second) <= rounding_ratio * max(abs(first), abs(second))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)


def _forms(
    columns: Mapping[str, list[float]], rounding_ratio: float
) -> Iterator[tuple[str, dict[str, Any], float]]:
    """Yield arrays of each kind that hold the columns, and how far their results may be off."""
    plain = {name: np.array(column, np.float64) for name, column in columns.items()}
    single = {name: array.astype(np.float32) for name, array in plain.items()}
    forms = [
        ("arrays of float64", plain, rounding_ratio),
        ("arrays of shape (n, 1)", {n: a[:, None] for n, a in plain.items()}, rounding_ratio),
        ("arrays without axis", {n: np.array(a[0]) for n, a in plain.items()}, rounding_ratio),
        ("arrays of float32", single, max(rounding_ratio, _SINGLE_RATIO)),
    ]
    if all(float(value).is_integer() for column in columns.values() for value in column):
        whole = {name: np.array(column, np.int64) for name, column in columns.items()}
        forms.append(("arrays of int64", whole, rounding_ratio))
    for kind, arrays, allowed_ratio in forms:
        for array in arrays.values():
            array.flags.writeable = False
        yield kind, arrays, allowed_ratio


# Words


def _require_argument(name: str, arguments: Arguments) -> None:
    if name not in arguments:
        known = ", ".join(arguments) or "none"
        near = meant_text(name, arguments)
        raise DomainError(f"{name} must be one of the arguments: {known}{near}")


def _name(formula: Formula) -> str:
    while isinstance(formula, functools.partial):
        formula = formula.func
    name = getattr(formula, "__name__", type(formula).__name__)
    return "the formula" if name == "<lambda>" else str(name)


def _apart(name: str, *values: float) -> list[str]:
    """Return values with the unit of a name, and as many digits as tell them apart."""
    for digits in _DIGITS:
        texts = [_value_text(name, value, digits) for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts


def _value_text(name: str, value: object, digits: int | None = None) -> str:
    """Return a value with the unit of its name; with all digits, so that it can be copied."""
    if isinstance(value, Enum):
        return str(value)
    if not _is_number(value):
        return repr(value)
    unit = unit_of(name) or "1"
    if unit in _FORMATS and math.isfinite(value):
        return _FORMATS[unit](value, digits)
    text = str(value) if digits is None else f"{float(value):.{digits}g}"
    if text.endswith(".0") or ("e+" in text and abs(value) < EXACT_INTEGER):
        text = f"{float(text):.0f}"
    return text if unit == "1" else f"{text} {unit}"
