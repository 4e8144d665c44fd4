"""Formulas in blocks, as recorded steps and as compiled loops: the digits of the formula itself."""

import math
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas
from interpreted_loops import interpreted

import netmodel
from netmodel import _numeric
from netmodel._recording import Recorded, Recording
from netmodel.api import _sweep_formulas
from netmodel.ceilings import efficiency_ratio, payload_rate_bps
from netmodel.errors import DomainError
from netmodel.planning import _grid, _kernel
from netmodel.planning._program import Program

xarray = pytest.importorskip("xarray")

FORMULAS = public_formulas()
POINTS = 200
PARTS_OF_LENGTH = ("expm1", "log", "log1p", "power")


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sweep_formulas, "COMPILED_POINT_COUNT", 1)
    monkeypatch.setattr(_sweep_formulas, "has_numba", lambda: True)
    monkeypatch.setattr(_kernel, "_compiled", interpreted)


def fail() -> None:
    raise AssertionError("the steps of a formula gave another digit")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few points, so that each grid has many, and some are smaller than others."""
    monkeypatch.setattr(_sweep_formulas, "BLOCK_ELEMENT_COUNT", 16)
    monkeypatch.setattr(_sweep_formulas, "_COMPILED_BLOCK_ELEMENT_COUNT", 48)
    monkeypatch.setattr(_grid, "_ROW_COUNT", 4)


@pytest.fixture
def no_other_digit(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a sweep has to fall back to the formula itself."""
    if not set(PARTS_OF_LENGTH) & operations(formula):
        monkeypatch.setattr(_sweep_formulas._Formula, "_use_the_formula", lambda self: fail())


def drawn(formula: Formula, are_whole: bool = False, gap_count: int = 0) -> dict[str, Any]:
    """Arguments that vary together and one by one; the last has an axis of its own."""
    random = np.random.default_rng(3)
    chosen: dict[str, Any] = {name: CHOICES[name][0] for name in formula.choices}
    for place, name in enumerate(formula.quantities):
        values = random.uniform(*DOMAINS[name], POINTS)
        if are_whole:
            values = np.ceil(values).astype(np.int64)
        elif gap_count:
            values[random.integers(0, 7, gap_count)] = math.nan
        own = place == len(formula.quantities) - 1
        chosen[name] = xarray.DataArray(
            values[:7] if own else values, dims="own" if own else "point"
        )
    return chosen


def plain(formula: Formula, arguments: dict[str, Any]) -> Any:
    """The formula itself, of arrays."""
    spread = xarray.broadcast(*(arguments[name] for name in formula.quantities))
    dims = spread[0].dims
    arrays = {
        name: each.transpose(*dims).values.copy()
        for name, each in zip(formula.quantities, spread, strict=True)
    }
    return dims, formula.function(**{**arguments, **arrays})


def recorded(formula: Formula) -> Recording | None:
    """The steps of a formula; None where it branches on values."""
    fixed = {name: CHOICES[name][0] for name in formula.choices}
    made = _sweep_formulas._Formula(
        formula.function, fixed, (formula.function.__name__,), formula.quantities, is_large=False
    )
    return made._fast[0].recording if made._fast else None


def operations(formula: Formula) -> set[str]:
    recording = recorded(formula)
    return {step.operation for step in recording.steps} if recording else set()


def same_as_plain(formula: Formula, are_whole: bool = False, gap_count: int = 0) -> None:
    """Assert that a sweep is the formula, to the last digit, or refuses the same."""
    arguments = drawn(formula, are_whole, gap_count)
    try:
        dims, known = plain(formula, arguments)
    except DomainError as error:
        rule = re.escape(str(error).partition(";")[0])
        with pytest.raises(DomainError, match=rule):
            netmodel.sweep(formula.function, **arguments)
        return
    swept = netmodel.sweep(formula.function, **arguments)
    for name, values in swept.items():
        of_name = known if len(swept) == 1 else getattr(known, str(name))
        # numpy ends logarithms and powers in another digit where arrays have other lengths
        tolerance = 1e-12 if set(PARTS_OF_LENGTH) & operations(formula) else 0
        np.testing.assert_allclose(values.transpose(*dims).values, of_name, rtol=tolerance)


@pytest.mark.usefixtures("small_blocks", "no_other_digit")
@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_steps_in_blocks_are_the_formula(formula: Formula) -> None:
    same_as_plain(formula)
    same_as_plain(formula, are_whole=True)


@pytest.mark.usefixtures("small_blocks", "without_compiler", "no_other_digit")
@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_loops_are_the_formula(formula: Formula) -> None:
    same_as_plain(formula)
    same_as_plain(formula, gap_count=2)


def test_most_formulas_are_recorded_and_those_without_logarithms_and_powers_compiled() -> None:
    recordings = [each for each in map(recorded, FORMULAS) if each is not None]
    assert len(recordings) >= 0.8 * len(FORMULAS), len(recordings)
    for each in recordings:
        is_rounded_in_one_way = not {step.operation for step in each.steps} & {*PARTS_OF_LENGTH}
        assert _kernel.can_be_compiled(each) is is_rounded_in_one_way


@pytest.mark.usefixtures("small_blocks", "without_compiler")
def test_a_grid_of_three_axes_is_the_formula() -> None:
    axes = {
        "line_rate_bps": np.array([1e9, 10e9]),
        "mtu_bytes": np.array([576.0, 1500, 9000]),
        "header_bytes": np.array([40, 52]),
    }
    swept = netmodel.sweep(payload_rate_bps, **axes)
    grid = np.meshgrid(*axes.values(), indexing="ij")
    known = payload_rate_bps(**dict(zip(axes, grid, strict=True)))
    result = swept["payload_rate_bps"].transpose(*axes).values
    np.testing.assert_array_equal(result, known)


def whole_or_squared(first: Any, second: Any) -> Any:
    """Operations that no formula of the library has."""
    is_far = np.logical_or(np.greater(first, second), np.not_equal(np.floor(first), 1))
    is_near = np.logical_and(np.logical_not(is_far), np.less(first, 2))
    squared = np.square(np.minimum(first, second))
    return np.where(is_near, np.absolute(np.negative(first)), squared)


@pytest.mark.usefixtures("small_blocks", "without_compiler")
def test_formulas_of_users_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sweep_formulas._Formula, "_use_the_formula", lambda self: fail())
    first = np.array([0.5, 1.0, 1.5, 2.5, 3.5])
    second = np.array([0.75, 1.25, 1.5, 3.0])
    made = _sweep_formulas._Formula(
        whole_or_squared, {}, ("result",), ("first", "second"), is_large=False
    )
    assert _kernel.can_be_compiled(made._fast[0].recording)
    swept = netmodel.sweep(whole_or_squared, first=first, second=second)
    known = whole_or_squared(*np.meshgrid(first, second, indexing="ij"))
    np.testing.assert_array_equal(swept["whole_or_squared"].values, known)


FLAT = {"line_rate_bps": np.full(1000, 25e9), "mtu_bytes": np.linspace(576, 9000, 1000)}


def flat(**changed: Any) -> dict[str, Any]:
    return {
        name: xarray.DataArray(values, dims="point") for name, values in (FLAT | changed).items()
    }


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("line_rate_bps", 0.0, r"line_rate_bps must be above 0 bit/s; got 0 at index \(777,\)"),
        ("line_rate_bps", -1.0, "line_rate_bps must be above 0 bit/s; got -1 at"),
        ("line_rate_bps", math.inf, "line_rate_bps must be finite; got inf at"),
        ("mtu_bytes", 52.0, r"mtu_bytes must be above 52 byte; got 52 at index \(777,\)"),
        ("mtu_bytes", -math.inf, "mtu_bytes must be finite; got -inf"),
    ],
)
def test_one_impossible_point_is_refused_as_by_the_formula(
    name: str, value: float, message: str, fast: bool, request: pytest.FixtureRequest
) -> None:
    if fast:
        request.getfixturevalue("without_compiler")
    values = FLAT[name].copy()
    values[777] = value
    with pytest.raises(DomainError, match=message) as swept:
        netmodel.sweep(payload_rate_bps, **flat(**{name: values}))
    with pytest.raises(DomainError) as single:
        payload_rate_bps(**{**FLAT, name: values})
    assert str(swept.value) == str(single.value)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("fast", [False, True])
def test_an_index_of_a_grid_is_that_of_the_grid(fast: bool, request: pytest.FixtureRequest) -> None:
    if fast:
        request.getfixturevalue("without_compiler")
    mtus = np.linspace(576, 9000, 50)
    mtus[33] = 20
    arguments = {"line_rate_bps": [1e9, 2e9], "mtu_bytes": mtus}
    with pytest.raises(DomainError, match=r"got 20 at index \(0, 33\)"):
        netmodel.sweep(payload_rate_bps, **arguments)
    with (
        ThreadPoolExecutor(2) as executor,
        pytest.raises(DomainError, match=r"got 20 at index \(0, 33\)"),
    ):
        netmodel.sweep(payload_rate_bps, executor=executor, **arguments)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("fast", [False, True])
def test_nan_stays_nan(fast: bool, request: pytest.FixtureRequest) -> None:
    if fast:
        request.getfixturevalue("without_compiler")
    sizes = FLAT["mtu_bytes"].copy()
    sizes[[3, 500]] = math.nan
    rates = netmodel.sweep(payload_rate_bps, **flat(mtu_bytes=sizes)).payload_rate_bps
    np.testing.assert_array_equal(rates.values, payload_rate_bps(FLAT["line_rate_bps"], sizes))


def test_a_formula_that_branches_on_values_is_not_recorded() -> None:
    def branches(mtu_bytes: Any) -> Any:
        return mtu_bytes * 2 if np.all(mtu_bytes > 1500) else mtu_bytes

    sizes = np.array([9000.0, 576.0])
    assert netmodel.sweep(branches, mtu_bytes=sizes).branches.values.tolist() == [9000, 576]
    assert not _sweep_formulas._Formula(branches, {}, ("branches",), ("mtu_bytes",), False)._fast


def test_an_error_of_recording_is_seen_and_the_formula_used() -> None:
    def deceives(mtu_bytes: Any) -> Any:
        return mtu_bytes * (2 if isinstance(mtu_bytes, Recorded) else 3)

    swept = netmodel.sweep(deceives, mtu_bytes=[1500.0, 9000.0]).deceives
    assert swept.values.tolist() == [4500, 27000]


def test_integers_that_no_check_makes_floats_keep_their_arithmetic() -> None:
    def whole(segment_count: Any) -> Any:
        return segment_count * segment_count

    large = 2**27 + 1
    swept = netmodel.sweep(whole, segment_count=np.array([1, large])).whole
    assert swept.values[1] == float(large * large)


def test_threads_do_not_share_scratch_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_grid, "_LEAST_CHUNK_ELEMENT_COUNT", 2000)
    sizes = np.linspace(576, 9000, 200_000)
    with ThreadPoolExecutor(8) as executor:
        swept = netmodel.sweep(efficiency_ratio, mtu_bytes=sizes, executor=executor)
    np.testing.assert_array_equal(swept.efficiency_ratio.values, efficiency_ratio(sizes))


@pytest.mark.parametrize(
    "looks", [bool, float, int, len, list, np.asarray, np.sum, np.zeros_like, hash]
)
def test_a_recorded_quantity_has_no_value(looks: Callable[[object], object]) -> None:
    with pytest.raises(TypeError):
        looks(Recording(1).arguments()[0])


def test_the_same_step_is_recorded_once() -> None:
    recording = Recording(1)
    (size,) = recording.arguments()
    _ = (size + 18) * 2 + (size + 18) * _numeric.maximum(size + 18, 64)
    assert [step.operation for step in recording.steps] == [
        *("add", "multiply", "maximum", "multiply", "add")
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("x + y", "x + 2", "2 + x", "x - y", "x - 2", "2 - x", "x * y", "3 * x", "x * 3"),
        *("x / y", "x / 3", "3 / x", "x**2", "x**0.5", "x**3", "x**1.5", "x**y", "2**x"),
        *("-x", "abs(y - x)", "np.square(x)", "np.sqrt(x)", "np.where(x > y, x, 2 * y)"),
        *("np.where(x >= y, x, 1.0)", "np.where(x < y, x, 1.0)", "np.where(x <= y, x, 1.0)"),
        *("np.where(x == y, x, 1.0)", "np.where(x != y, x, 1.0)", "np.where(~(x < 2), x, y)"),
        *("np.where((x > 1) & (y > 1), x, 0.5)", "np.where((x > 1) | (y > 1), x, 0.5)"),
        *("np.where(x <= np.float64(2), x, y)", "np.int64(2) + x"),
    ],
)
def test_operators_of_recorded_quantities_are_those_of_arrays(text: str) -> None:
    x = np.array([0.25, 1.0, 1.7, 2.0, 2.0, 3.3, 7.1])
    y = np.array([0.75, 1.0, 1.2, 3.0, 2.0, 0.1, 2.9])
    recording = Recording(2)
    names = dict(zip("xy", recording.arguments(), strict=True))
    place = recording.operand(eval(text, {"np": np}, names))
    results = {"result": np.empty(len(x))}
    assert Program(recording, {"result": place}).into([x, y], results)
    known = eval(text, {"np": np}, {"x": x, "y": y})
    np.testing.assert_array_equal(results["result"], known)


@pytest.mark.parametrize("value", ["2", None, [1.0], np.array([1.0, 2.0])])
def test_what_is_no_number_is_not_recorded(value: object) -> None:
    with pytest.raises(TypeError, match="no step can be recorded with"):
        Recording(1).operand(value)


# With the compiler


@pytest.mark.parametrize("shape", ["flat", "grid", "swapped"])
def test_a_compiled_loop_has_the_digits_of_the_formula(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(_sweep_formulas, "COMPILED_POINT_COUNT", 1)
    random = np.random.default_rng(1)
    rates, sizes = random.uniform(1e9, 1e11, 5000), random.uniform(64, 9000, 5000)
    if shape == "flat":
        swept = netmodel.sweep(payload_rate_bps, **flat(line_rate_bps=rates, mtu_bytes=sizes))
        expected = payload_rate_bps(rates, sizes)
    elif shape == "grid":
        swept = netmodel.sweep(payload_rate_bps, line_rate_bps=rates[:90], mtu_bytes=sizes)
        expected = payload_rate_bps(rates[:90, np.newaxis], sizes)
    else:
        swept = netmodel.sweep(payload_rate_bps, mtu_bytes=sizes, line_rate_bps=rates[:90])
        expected = payload_rate_bps(rates[:90], sizes[:, np.newaxis])
    np.testing.assert_array_equal(swept.payload_rate_bps.values, expected)
    sizes[4321] = 20
    with pytest.raises(DomainError, match=r"mtu_bytes must be above 52 byte; got 20 at index"):
        netmodel.sweep(payload_rate_bps, **flat(line_rate_bps=rates, mtu_bytes=sizes))


@pytest.mark.nightly
@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_every_compiled_loop_is_the_formula(
    formula: Formula, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(_sweep_formulas, "COMPILED_POINT_COUNT", 1)
    same_as_plain(formula)
