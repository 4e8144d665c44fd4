"""Many fits at once: the optimum of SciPy's solvers, one fit at a time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import least_squares, nnls

from netmodel.calibration import ManyFits, differentiated, fit_many, linear_fit_many
from netmodel.errors import DomainError

pytestmark = pytest.mark.thorough

FITS = 60
NOISES = (0.0, 0.02, 0.3)


class Case(NamedTuple):
    rate: Callable[..., Any]
    x: np.ndarray
    truths: tuple[tuple[float, float], ...]
    start: tuple[float, ...]
    upper: tuple[float, ...]


def scaling(count: Any, alone: Any, contention: Any, coherency: Any) -> Any:
    return count / (alone + contention * (count - 1) + coherency * count * (count - 1))


def batching(rate: Any, fixed: Any, shared: Any, timer: Any) -> Any:
    return fixed + shared / (1 + timer * rate)


def affine(payload: Any, per_frame: Any, per_byte: Any) -> Any:
    return 8 * payload / (per_frame + per_byte * payload)


CASES = {
    "universal scalability law": Case(
        scaling,
        np.array([1, 2, 4, 8, 16, 32, 64, 128.0]),
        ((0.5, 2), (0.01, 0.1), (0, 1e-4)),
        (1, 0.05, 1e-4),
        (np.inf, np.inf, np.inf),
    ),
    "batches of a timer": Case(
        batching,
        np.array([0.5, 1, 2, 4, 8, 16, 32.0]),
        ((2, 10), (20, 60), (0.05, 1)),
        (5, 40, 0.3),
        (np.inf, 100, 3),
    ),
    "time per frame and byte": Case(
        affine,
        np.array([100, 500, 1448, 4000, 8948.0]),
        ((0, 1), (0, 1e-3)),
        (0.5, 5e-4),
        (np.inf, np.inf),
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
each_noise = pytest.mark.parametrize("noise", NOISES)


def measured(case: Case, noise: float, fits: int = FITS, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    truths = [random.uniform(low, high, fits) for low, high in case.truths]
    exact = case.rate(case.x[:, np.newaxis], *truths)
    return exact * (1 + noise * random.standard_normal(exact.shape))


def fitted(case: Case, y: np.ndarray, **options: Any) -> ManyFits:
    slopes = differentiated(case.rate, len(case.start))
    given = {"x": case.x, "start": case.start, "with_slopes": slopes} | options
    return fit_many(case.rate, y=y, lower=0, upper=case.upper, **given)


def reference(case: Case, y: np.ndarray, weights: np.ndarray, start: np.ndarray) -> Any:
    """SciPy's bounded optimum, from next to where ours is."""
    slopes = differentiated(case.rate, len(case.start))
    size = np.array(case.start)
    upper = np.array(case.upper) / size

    def residuals(scaled: np.ndarray) -> np.ndarray:
        return weights * (case.rate(case.x, *(scaled * size)) - y)

    def jacobian(scaled: np.ndarray) -> np.ndarray:
        columns = slopes(case.x, *(scaled * size))[1:]
        full = [np.broadcast_to(column, y.shape) for column in columns]
        return np.stack(full, axis=1) * weights[:, np.newaxis] * size

    near = np.clip(1.01 * start / size, 1e-4, np.where(np.isinf(upper), np.inf, 0.999 * upper))
    exact = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15, "max_nfev": 2000}
    first = least_squares(residuals, near, jacobian, bounds=(0, upper), **exact)
    return least_squares(residuals, first.x, jacobian, bounds=(0, upper), **exact)


@each_case
@each_noise
def test_the_optimum_is_that_of_scipy(case: Case, noise: float) -> None:
    y = measured(case, noise)
    fits = fitted(case, y)
    assert fits.is_converged.all()
    assert fits.is_identified.mean() > 0.9
    for fit in np.flatnonzero(fits.is_identified):
        ours = fits.parameters[:, fit]
        theirs = reference(case, y[:, fit], np.ones(len(y)), ours)
        floor = 1e-16 * (y[:, fit] ** 2).sum()
        assert fits.residual_sum_of_squares[fit] <= 2 * theirs.cost * (1 + 1e-9) + floor
        assert fits.residual_sum_of_squares[fit] >= 2 * theirs.cost * (1 - 1e-9) - floor
        size = np.array(case.start)
        assert theirs.x == pytest.approx(ours / size, rel=1e-6, abs=1e-7)


@each_case
def test_bounds_are_kept_exactly_where_noise_is_large(case: Case) -> None:
    fits = fitted(case, measured(case, 0.5))
    upper = np.array(case.upper)[:, np.newaxis]
    assert (fits.at_bound != 0).any()
    assert ((fits.parameters >= 0) & (fits.parameters <= upper)).all()
    assert ((fits.parameters == 0) == (fits.at_bound == -1)).all()
    assert ((fits.parameters == upper) == (fits.at_bound == 1)).all()


def test_upper_bounds_bind() -> None:
    case = CASES["batches of a timer"]
    fits = fitted(case, measured(case, 0.5))
    assert (fits.at_bound == 1).any()


@each_case
def test_differences_find_the_same_as_derivatives(case: Case) -> None:
    y = measured(case, 0.05)
    exact, differences = fitted(case, y), fitted(case, y, with_slopes=None)
    assert differences.is_converged.all()
    assert differences.at_bound.tolist() == exact.at_bound.tolist()
    assert differences.residual_sum_of_squares == pytest.approx(
        exact.residual_sum_of_squares, rel=1e-9
    )
    told = exact.is_identified
    assert differences.parameters[:, told] == pytest.approx(exact.parameters[:, told], rel=1e-6)


@each_case
def test_no_parameter_outside_the_bounds_is_ever_tried(case: Case) -> None:
    upper = np.array(case.upper)[:, np.newaxis]

    def rate(x: Any, *parameters: Any) -> Any:
        assert ((np.array(parameters) >= 0) & (np.array(parameters) <= upper)).all()
        return case.rate(x, *parameters)

    y = measured(case, 0.5)
    fits = fit_many(rate, case.x, y, case.start, lower=0, upper=case.upper)
    assert (fits.at_bound != 0).any()


@each_case
def test_a_batch_is_its_fits_one_by_one_in_any_order(case: Case) -> None:
    y = measured(case, 0.1)
    together = fitted(case, y)
    order = np.random.default_rng(2).permutation(FITS)
    assert fitted(case, y[:, order]).parameters == pytest.approx(
        together.parameters[:, order], rel=1e-12
    )
    for fit in range(0, FITS, 7):
        alone = fitted(case, y[:, [fit]])
        assert alone.parameters[:, 0] == pytest.approx(together.parameters[:, fit], rel=1e-12)
        assert alone.iteration_count[0] == together.iteration_count[fit]


def test_more_fits_than_go_together_are_the_same_fits() -> None:
    case = CASES["universal scalability law"]
    y = measured(case, 0.1)
    many = fitted(case, np.tile(y, 400))
    assert many.parameters == pytest.approx(np.tile(fitted(case, y).parameters, 400), rel=1e-12)


@each_case
def test_points_have_no_order(case: Case) -> None:
    y = measured(case, 0.1)
    order = np.random.default_rng(2).permutation(len(y))
    expected = fitted(case, y)
    told = expected.is_identified
    found = fitted(case, y[order], x=case.x[order])
    assert found.parameters[:, told] == pytest.approx(expected.parameters[:, told], rel=1e-6)


@each_case
def test_units_of_weights_do_not_matter(case: Case) -> None:
    y = measured(case, 0.1)
    expected = fitted(case, y)
    found = fitted(case, y, weights=np.full_like(y, 1024.0))
    assert found.parameters == pytest.approx(expected.parameters, rel=1e-12)
    assert found.residual_sum_of_squares == pytest.approx(
        1024.0**2 * expected.residual_sum_of_squares, rel=1e-12
    )


def test_units_of_points_and_parameters_do_not_matter() -> None:
    case = CASES["universal scalability law"]
    y = measured(case, 0.1)
    expected = fitted(case, y)
    unit = 1e-6
    start = np.array(case.start) * unit
    found = fit_many(scaling, case.x, y / unit, start, lower=0)
    assert found.parameters / unit == pytest.approx(expected.parameters, rel=1e-6, abs=1e-15)


@each_case
def test_missing_points_are_points_that_are_not_there(case: Case) -> None:
    y = measured(case, 0.1)
    y[2, ::2] = np.nan
    found = fitted(case, y)
    kept = np.arange(len(y)) != 2
    expected = fitted(case, y[kept][:, ::2], x=case.x[kept])
    assert found.degrees_of_freedom.tolist() == [
        len(y) - len(case.start) - (fit % 2 == 0) for fit in range(FITS)
    ]
    assert found.residual_sum_of_squares[::2] == pytest.approx(
        expected.residual_sum_of_squares, rel=1e-9
    )
    told = expected.is_identified
    assert found.parameters[:, ::2][:, told] == pytest.approx(
        expected.parameters[:, told], rel=1e-6
    )
    weights = np.ones_like(y)
    weights[2, ::2] = 0
    weighed = fitted(case, np.where(np.isnan(y), 1e9, y), weights=weights)
    assert weighed.parameters == pytest.approx(found.parameters, rel=1e-12)


def test_weights_move_the_optimum_as_scipy_says() -> None:
    case = CASES["time per frame and byte"]
    y = measured(case, 0.1)
    weights = np.random.default_rng(3).uniform(0.1, 10, y.shape)
    fits = fitted(case, y, weights=weights)
    for fit in range(FITS):
        ours = fits.parameters[:, fit]
        theirs = reference(case, y[:, fit], weights[:, fit], ours)
        assert fits.residual_sum_of_squares[fit] == pytest.approx(2 * theirs.cost, rel=1e-9)


def test_columns_of_points_may_differ_between_fits_and_have_names() -> None:
    case = CASES["time per frame and byte"]
    random = np.random.default_rng(4)
    sizes = random.uniform(64, 9000, (6, FITS))
    truths = np.array([random.uniform(*ends, FITS) for ends in case.truths])
    frames = random.integers(1, 5, (6, 1)).astype(float)

    def rate(x: Any, per_frame: Any, per_byte: Any) -> Any:
        return per_frame * x["frames"] + per_byte * x["bytes"]

    x = {"frames": frames, "bytes": sizes}
    slopes = differentiated(rate, 2, ("frames", "bytes"))
    fits = fit_many(rate, x, rate(x, *truths), [1, 1], lower=0, with_slopes=slopes)
    assert fits.parameters == pytest.approx(truths, rel=1e-9, abs=1e-12)


def test_a_bad_start_still_finds_the_optimum() -> None:
    """Far off, undamped steps overshoot: damping brings the fits back."""
    case = CASES["batches of a timer"]
    y = measured(case, 0.02)
    expected = fitted(case, y)
    found = fitted(case, y, start=(50, 50, 0.06))
    assert found.is_converged.all()
    assert found.parameters == pytest.approx(expected.parameters, rel=1e-6)
    assert found.iteration_count.max() > expected.iteration_count.max()


def test_too_few_points_tell_nothing() -> None:
    case = CASES["universal scalability law"]
    y = measured(case, 0.1, fits=3)
    y[2:, 1] = np.nan
    fits = fitted(case, y)
    assert fits.is_identified.tolist() == fits.is_converged.tolist() == [True, False, True]
    assert np.isnan(fits.parameters[:, 1]).all()
    assert np.isnan(fits.residual_sum_of_squares[1])
    assert fits.degrees_of_freedom.tolist() == [5, -1, 5]
    told = fits.to_dict()
    assert told["parameters"][0][1] is told["residual_sum_of_squares"][1] is None
    assert told["is_identified"] == [True, False, True]
    linear = linear_fit_many([np.ones(8), case.x, case.x**2], y)
    assert linear.is_identified.tolist() == linear.is_converged.tolist() == [True, False, True]
    assert np.isnan(linear.parameters[:, 1]).all()


@pytest.mark.parametrize("shape", [(0, 4), (5, 0)])
def test_no_points_and_no_fits_are_answered_too(shape: tuple[int, int]) -> None:
    points, count = shape
    x = np.arange(points) + 1.0
    for fits in (
        linear_fit_many([x, x**2], np.zeros(shape), lower=0),
        fit_many(affine, x, np.zeros(shape), [1, 1], lower=0),
    ):
        assert fits.parameters.shape == (2, count)
        assert fits.is_identified.tolist() == [False] * count


def test_what_points_do_not_tell_apart_is_said() -> None:
    """One size of frame does not tell time per frame from time per byte."""
    payload = np.full(5, 1448.0)
    rates = affine(payload, 0.5, 5e-4)[:, np.newaxis] * np.linspace(0.9, 1.1, 5)[:, np.newaxis]
    fits = fit_many(affine, payload, rates, [0.1, 1e-3], lower=0)
    assert fits.is_converged.tolist() == [True]
    assert fits.is_identified.tolist() == [False]
    assert np.isfinite(fits.parameters).all()
    linear = linear_fit_many([np.ones(5), payload], 8 * payload[:, np.newaxis] / rates)
    assert linear.is_identified.tolist() == [False]


def test_a_fit_that_is_given_up_says_so() -> None:
    case = CASES["batches of a timer"]
    fits = fitted(case, measured(case, 0.1), iteration_limit=2)
    assert not fits.is_converged.any()
    assert (fits.iteration_count == 2).all()
    assert np.isfinite(fits.parameters).all()


@each_noise
def test_sums_of_columns_have_the_optimum_of_nnls(noise: float) -> None:
    random = np.random.default_rng(5)
    columns = random.uniform(0, 1, (4, 9, 1)) * np.array([1, 1e3, 1e-6, 1])[:, None, None]
    truths = random.uniform(0, 1, (4, FITS)) * random.integers(0, 2, (4, FITS))
    truths /= np.array([[1], [1e3], [1e-6], [1]])
    y = (columns * truths[:, np.newaxis]).sum(axis=0)
    y += noise * random.standard_normal(y.shape)
    weights = random.uniform(0.5, 2, y.shape)
    fits = linear_fit_many(columns, y, lower=0, weights=weights)
    assert fits.is_converged.all()
    assert fits.is_identified.all()
    for fit in range(FITS):
        matrix = columns[:, :, 0].T * weights[:, [fit]]
        theirs, norm = nnls(matrix, weights[:, fit] * y[:, fit])
        size = np.array([1, 1e-3, 1e6, 1])
        assert fits.parameters[:, fit] == pytest.approx(theirs, rel=1e-6, abs=1e-9 * size.max())
        assert fits.parameters[:, fit] / size == pytest.approx(theirs / size, rel=1e-6, abs=1e-10)
        assert fits.residual_sum_of_squares[fit] == pytest.approx(norm**2, rel=1e-9, abs=1e-20)


def test_ill_conditioned_columns_keep_their_digits() -> None:
    """Powers of numbers near 1000: normal equations alone would lose ten digits."""
    x = np.linspace(990, 1010, 12)
    columns = [np.ones(12), x, x**2 / 1e3]
    truth = np.array([3.0, 2.0, 1.0])
    y = sum(c * t for c, t in zip(columns, truth, strict=True))[:, np.newaxis]
    fits = linear_fit_many(columns, y)
    theirs = np.linalg.lstsq(np.stack(columns, axis=1), y[:, 0], rcond=None)[0]
    assert fits.is_identified.tolist() == [True]
    assert fits.parameters[:, 0] == pytest.approx(truth, rel=1e-4)
    assert theirs == pytest.approx(truth, rel=1e-4)


def test_a_linear_start_is_near_the_optimum() -> None:
    case = CASES["universal scalability law"]
    y = measured(case, 0.02)
    count = case.x[:, np.newaxis]
    columns = [np.ones(8), case.x - 1, case.x * (case.x - 1)]
    start = linear_fit_many(columns, count / y, lower=0, weights=y**2 / count)
    fits = fitted(case, y, start=start.parameters)
    assert (fits.iteration_count <= fitted(case, y).iteration_count).mean() > 0.9
    assert fits.parameters == pytest.approx(fitted(case, y).parameters, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.ones(8)}, r"y must have the shape \(points, fits\); got \(8,\)"),
        ({"y": np.full((8, 2), np.inf)}, r"y must be finite, or NaN .* got inf at index \(0, 0\)"),
        ({"y": [["one"]]}, "y must be an array of numbers"),
        ({"x": np.ones(7)}, r"x must have the shape .* got \(7, 1\)"),
        ({"x": np.full(8, np.nan)}, r"x must be finite; got nan at index \(0,\)"),
        ({"x": {"n": np.ones(3)}}, r"x\['n'\] must have the shape"),
        ({"start": [1, 1, np.nan]}, "start must be within the bounds; got nan for parameter 2"),
        ({"start": [1, -1, 1]}, "got -1 for parameter 1 of fit 0"),
        ({"start": np.ones((3, 5))}, r"start must have the shape .* for 2 fits; got \(3, 5\)"),
        ({"start": [1, 1, 0]}, "start of parameter 2 is 0 in all fits"),
        ({"start": [0, 0, 0], "with_slopes": differentiated(scaling, 3)}, "fit 0 at"),
        ({"lower": [0, 0]}, "lower must be one number or one for each of 3 parameters"),
        ({"upper": np.nan}, "upper must be one number"),
        ({"lower": 1, "upper": 1}, "lower must be below upper; got 1 and 1 for parameter 0"),
        ({"weights": np.full((8, 2), -1.0)}, "weights must be at least 0; got -1"),
        ({"weights": np.full((8, 2), np.nan)}, "weights must be finite"),
        ({"with_slopes": lambda x, *p: [x, *p[1:]]}, "each parameter, 4 arrays; got 3"),
        ({"with_slopes": lambda x, *p: [x.T, *p]}, r"\(points, fits\), \(8, 2\) .* got \(1, 8\)"),
    ],
)
def test_what_cannot_be_fitted_is_refused(changes: dict[str, Any], message: str) -> None:
    count = np.array([1, 2, 4, 8, 16, 32, 64, 128.0])
    y = np.repeat(scaling(count, 1, 0.1, 1e-3)[:, np.newaxis], 2, axis=1)
    given = {"x": count, "y": y, "start": [1, 0.1, 1e-3], "lower": 0} | changes
    with pytest.raises(DomainError, match=message):
        fit_many(scaling, **given)


def test_columns_are_needed() -> None:
    with pytest.raises(DomainError, match="columns must be at least one"):
        linear_fit_many([], np.ones((3, 1)))
