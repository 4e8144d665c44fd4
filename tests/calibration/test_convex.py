"""Ends of convex likelihood regions: by their definition, and as rays find them."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, NonlinearConstraint, least_squares, minimize
from scipy.special import stdtrit

from netmodel.calibration import (
    DemandModel,
    Fit,
    FreeParameter,
    Noise,
    Observed,
    Point,
    adapter_model,
    curve_model,
    fit,
)
from netmodel.calibration._convex import _squared_distances, _steps
from netmodel.calibration._intervals import Region
from netmodel.calibration._models import LinearModel, Loads
from netmodel.calibration._problem import Problem
from netmodel.records import Relation

COUNTS = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
LAW_S = (1e-2, 3e-4, 1e-6)
LEVEL_RATIO = 0.95
RATE = "transaction_rate_tps"


def law_rates(scatter_ratio: float, parameters_s: Sequence[float] = LAW_S) -> np.ndarray:
    """The scalability law written out, with scatter."""
    alone, contention, coherency = parameters_s
    times = alone + contention * (COUNTS - 1) + coherency * COUNTS * (COUNTS - 1)
    scatter = np.random.default_rng(3).standard_normal(len(COUNTS))
    rates: np.ndarray = COUNTS / times * np.exp(scatter_ratio * scatter)
    return rates


def seen_at(counts: Sequence[float], rates: Sequence[float], half_ratio: float) -> list[Observed]:
    return [
        Observed(
            quantity=RATE,
            at={"connection_count": count},
            low=rate * (1 - half_ratio),
            high=rate * (1 + half_ratio),
        )
        for count, rate in zip(counts, rates, strict=True)
    ]


def region_of(result: Fit) -> Region:
    return result._intervals._region


@pytest.mark.parametrize(("scatter_ratio", "coherency_s"), [(0.01, 1e-6), (0.05, 1e-6), (0.03, 0)])
def test_at_an_end_the_best_of_the_others_is_at_the_edge(
    scatter_ratio: float, coherency_s: float
) -> None:
    """Profile likelihood: least squares beside an end exceed the optimum by t²/(n - p)."""
    rates = law_rates(scatter_ratio, (*LAW_S[:2], coherency_s))
    result = fit(seen_at(COUNTS, rates, 0.0), curve_model("scalability"))
    rows = np.column_stack([1 / COUNTS, (COUNTS - 1) / COUNTS, COUNTS - 1])
    sizes = np.array(LAW_S)

    def squares(held: dict[int, float]) -> float:
        """Least sum of squared logarithms, with some parameters held, none of them below 0."""
        free = [place for place in range(3) if place not in held]
        whole = np.array([held.get(place, 0.0) for place in range(3)])

        def misses(given: np.ndarray) -> np.ndarray:
            whole[free] = given * sizes[free]
            found: np.ndarray = np.log(rates * (rows @ whole))
            return found

        tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
        best = least_squares(misses, np.ones(len(free)), bounds=(0, np.inf), **tight)
        return float((best.fun**2).sum())

    degrees = len(COUNTS) - 3
    edge = squares({}) * (1 + stdtrit(degrees, (1 + LEVEL_RATIO) / 2) ** 2 / degrees)
    for place, (name, (value, low, high)) in enumerate(result.parameters.items()):
        if name in result.active_bounds:
            continue  # one-sided, at a level of its own
        assert squares({place: high}) == pytest.approx(edge, rel=1e-6)
        if low > 0:
            assert squares({place: low}) == pytest.approx(edge, rel=1e-6)
        else:
            assert squares({place: 0.0}) < edge
        assert low < value < high


ROWS = np.random.default_rng(11).exponential(size=(6, 3)) + 0.05
TRUE = np.array([0.7, 0.2, 1.1])
EDGES = ((0.0, math.inf), (-math.inf, math.inf), (0.0, 1.5))


def sums_seen(
    noise: Noise, is_rate: bool, known_sd: float | None, half_ratio: float, floor: float = 0.0
) -> Fit:
    """A fit of sums of three parameters; one of the figures has a lower end only."""
    free = tuple(FreeParameter(f"p{place}", "s", *ends) for place, ends in enumerate(EDGES))
    model = DemandModel(
        RATE,
        free,
        lambda at: ROWS[int(at["row"])].tolist(),
        is_rate,
        cap=(lambda at: 1 / floor) if floor else None,
    )
    random, loads = np.random.default_rng(5), ROWS @ TRUE
    means = 1 / loads if is_rate else loads
    scatter = 0.05 * random.standard_normal(len(means))
    figures = means * np.exp(scatter) if noise is Noise.RELATIVE else means + scatter
    observed = [
        Observed(
            quantity=RATE,
            at={"row": row},
            low=float(figure * (1 - half_ratio * row)),
            high=float(figure * (1 + half_ratio * row)),
            weight=1.0 + row % 2,
        )
        for row, figure in enumerate(figures)
    ]
    observed.append(
        Observed(
            quantity=RATE,
            at={"row": 1},
            low=float(0.97 * figures[1]),
            high=math.inf,
            relation=Relation.AT_LEAST,
        )
    )
    return fit(observed, model, noise=noise, noise_ratio=known_sd)


def each_kind(test: Callable[..., None]) -> Callable[..., None]:
    """Exact and rounded figures, known and estimated noise, rates without and with a line."""
    kinds = [
        (noise, is_rate, floor, known_sd, half_ratio)
        for noise, is_rate, floor in (
            (Noise.RELATIVE, True, 0.0),
            (Noise.RELATIVE, True, 0.1),
            (Noise.RELATIVE, False, 0.0),
            (Noise.ABSOLUTE, False, 0.0),
        )
        for known_sd, half_ratio in ((None, 0.0), (None, 0.01), (0.05, 0.0), (0.05, 0.01))
    ]
    kinds.append((Noise.RELATIVE, True, 0.0, 0.02, 0.02))  # nearly flat between ends
    return pytest.mark.parametrize(("noise", "is_rate", "floor", "known_sd", "half_ratio"), kinds)(
        test
    )


@each_kind
def test_steps_end_where_rays_do(
    noise: Noise, is_rate: bool, floor: float, known_sd: float | None, half_ratio: float
) -> None:
    """Rays end within 1e-3 below the largest value in a region of three parameters."""
    region = region_of(sums_seen(noise, is_rate, known_sd, half_ratio, floor))
    sums = np.vstack([np.eye(3), -np.eye(3), ROWS[:2], -ROWS[:2]])
    assert region._is_convex
    found = region.farthest_of_sums(sums)
    rays = region.farthest(lambda given: sums @ given)
    gain = found.values - sums @ region.optimum.parameters
    missed = (found.values - rays.values) / np.abs(gain)
    assert missed.min() > -1e-8
    assert missed.max() < 1e-3
    low, high = region.problem.bounds
    is_free = ((found.parameters > low) & (found.parameters < high)).all(axis=1)
    assert is_free.sum() >= 4
    assert region._excess(found.parameters[is_free]) == pytest.approx(0.0, abs=1e-8)


@each_kind
def test_derivatives_are_those_of_the_distance(
    noise: Noise, is_rate: bool, floor: float, known_sd: float | None, half_ratio: float
) -> None:
    """Central differences of a step h are off by h^2, and by rounding over h."""
    region = region_of(sums_seen(noise, is_rate, known_sd, half_ratio, floor))
    units = region.radius * region.axes
    place = region.optimum.parameters + units @ np.array([0.5, -0.4, 0.6])
    step = 1e-4 * units

    def at(places: np.ndarray) -> tuple[np.ndarray, ...]:
        return _squared_distances(region.problem, region.optimum, places)

    squares, gradient, bends = at(place[:, np.newaxis])
    assert squares == pytest.approx(((region._excess(place[np.newaxis]) + 1) * region.radius) ** 2)
    after, before = (at(place[:, np.newaxis] + sign * step) for sign in (1, -1))
    slopes = (after[0] - before[0]) / 2e-4
    assert gradient[0] @ units == pytest.approx(slopes, rel=1e-5, abs=1e-6 * np.abs(slopes).max())
    turns = (after[1] - before[1]) @ units / 2e-4
    tolerance = 1e-5 * np.abs(turns).max()
    assert units.T @ bends[0] @ units == pytest.approx(turns, rel=1e-4, abs=tolerance)


def test_a_load_at_its_line_does_not_change() -> None:
    """One run above its line, whatever faster parameters are: its slope is 0 there."""
    result = sums_seen(Noise.RELATIVE, True, 0.05, 0.0, floor=0.1)
    region = region_of(result)
    place = np.array([[0.0], [0.0], [0.01]])
    assert (ROWS @ place < 0.1).all()
    assert not _squared_distances(region.problem, region.optimum, place)[1].any()


@pytest.mark.parametrize("parameter_count", [1, 2])
def test_the_farthest_place_is_where_the_goal_has_its_value(parameter_count: int) -> None:
    free = tuple(FreeParameter(f"p{place}", "s") for place in range(parameter_count))
    model = DemandModel(
        RATE, free, lambda at: ROWS[int(at["row"]), :parameter_count].tolist(), is_rate=False
    )
    loads = ROWS[:, :parameter_count] @ TRUE[:parameter_count]
    observed = [
        Observed(quantity=RATE, at={"row": row}, low=load, high=load)
        for row, load in enumerate(loads)
    ]
    region = region_of(fit(observed, model, noise_ratio=0.05))
    found = region.farthest(lambda given: given)
    assert np.diag(found.parameters) == pytest.approx(found.values)


def test_steps_of_quadratics_within_bounds_are_those_of_an_optimiser() -> None:
    random, right = np.random.default_rng(2), 0
    for _ in range(40):
        root, goal = random.normal(size=(3, 3)), random.normal(size=3) * random.integers(0, 2, 3)
        bend, centre = root @ root.T + 0.1 * np.eye(3), 0.2 * random.normal(size=3)
        low, high = -random.exponential(0.5, size=3), random.exponential(0.5, size=3)
        place = np.zeros(3)
        for _ in range(2):  # from within, then from the edge
            away = place - centre
            steps, is_summit = _steps(
                goal[np.newaxis],
                np.array([0.5 * away @ bend @ away - 1]),
                (bend @ away)[np.newaxis],
                bend[np.newaxis],
                (low - place[np.newaxis], high - place[np.newaxis]),
            )
            place = place + steps[0]
        if not is_summit[0]:
            continue
        right += 1
        ball = NonlinearConstraint(lambda x, c=centre, b=bend: 0.5 * (x - c) @ b @ (x - c), -1, 1)
        best = minimize(
            lambda x, g=goal: -g @ x,
            np.clip(centre, low, high),
            jac=lambda x, g=goal: -g,
            constraints=[ball, LinearConstraint(np.eye(3), low, high)],
            method="SLSQP",
            options={"ftol": 1e-12},
        )
        assert goal @ place == pytest.approx(-best.fun, abs=1e-6)
    assert right >= 30


def test_a_step_from_within_does_not_settle_however_flat_the_region_is() -> None:
    """Half of the square is left: with a slope of 1, half a step onward."""
    flat, one, room = np.full((1, 1, 1), 1e-9), np.ones((1, 1)), np.full((1, 1), np.inf)
    steps, is_summit = _steps(one, np.array([-0.5]), one, flat, (-room, room))
    assert steps == pytest.approx(0.5)
    assert not is_summit.any()


def test_a_search_takes_few_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rays took 190 for the parameters, and 150 more for a prediction."""
    result = fit(seen_at(COUNTS, law_rates(0.01), 0.0), curve_model("scalability"))
    evaluated: list[int] = []
    likelihoods = Problem.likelihoods

    def counted(problem: Problem, parameters: np.ndarray) -> object:
        evaluated.append(parameters.shape[1])
        return likelihoods(problem, parameters)

    monkeypatch.setattr(Problem, "likelihoods", counted)
    assert result.parameters
    assert result.predict(Point(RATE, {"connection_count": 24.0})).low > 0
    assert len(evaluated) <= 20


def adapter_at(scatter_ratio: float, *mtus: int, line_rate_bps: float | None = 25e9) -> Fit:
    model = adapter_model(line_rate_bps)
    points = [Point("throughput_bps", {"mtu_bytes": mtu}) for mtu in mtus]
    scatter = np.random.default_rng(7).normal(0, scatter_ratio, len(mtus))
    rates = model.function(points)(np.array([0.5e-6, 0.2e-9])) * np.exp(scatter)
    seen = [
        Observed(quantity=point.quantity, at=point.at, low=float(rate), high=float(rate))
        for point, rate in zip(points, rates, strict=True)
    ]
    return fit(seen, model)


class SlowerOfTwo(LinearModel):
    """Two stages, each with a time of its own; the slower one limits."""

    parameters = (FreeParameter("first_s", "s"), FreeParameter("second_s", "s"))

    def loads(self, point: Point) -> Loads:
        size = float(point.at["size"])
        return Loads(np.diag([1.0, size]), np.zeros(2), is_rate=True, names=("first", "second"))


def two_stages() -> Fit:
    """Requests of five sizes: the first stage limits small ones, the second large ones."""
    sizes = (0.2, 0.5, 1.0, 2.0, 5.0)
    scatter = 0.01 * np.random.default_rng(7).standard_normal(len(sizes))
    rates = [1 / max(1.0, 0.8 * size) for size in sizes] * np.exp(scatter)
    observed = [
        Observed(quantity=RATE, at={"size": size}, low=rate, high=rate)
        for size, rate in zip(sizes, rates, strict=True)
    ]
    return fit(observed, SlowerOfTwo())


@pytest.mark.parametrize(
    ("make", "is_convex"),
    [
        (two_stages, False),
        (lambda: adapter_at(0.01, 576, 1500, 2000, 3000), True),
        # 9000 bytes run at the line, where the likelihood has an edge
        (lambda: adapter_at(0.01, 576, 1500, 3000, 9000), False),
        (lambda: adapter_at(0.01, 576, 1500, 3000, 9000, line_rate_bps=None), True),
        # figures that may miss by more than a factor of e
        (lambda: adapter_at(0.4, 576, 1500, 3000, line_rate_bps=None), False),
        (lambda: sums_seen(Noise.ABSOLUTE, True, 0.05, 0.0), False),
    ],
)
def test_steps_are_for_convex_regions_only(make: Callable[[], Fit], is_convex: bool) -> None:
    assert region_of(make())._is_convex is is_convex


@pytest.mark.parametrize("half_ratio", [0.0, 0.01])
def test_a_region_is_convex_while_no_figure_may_miss_too_far(half_ratio: float) -> None:
    """
    The model meets all figures: each may miss by 1.96 σ, which is to be at most 1 - σ².

    That holds up to σ = 0.42, by its quadratic equation, with figures of two digits as well.
    """
    observed = seen_at(COUNTS, law_rates(0.0), half_ratio)
    for noise_ratio, is_convex in ((0.05, True), (0.3, True), (0.41, True), (0.43, False)):
        result = fit(observed, curve_model("scalability"), noise_ratio=noise_ratio)
        assert region_of(result)._is_convex is is_convex
