"""A series from a related one: exact ratios come back, unrelated series leave a wide ratio."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.stats import multivariate_t

from netmodel.calibration import Observed, Point, calibrate, leave_one_out
from netmodel.calibration._ratios import Pair as Ratios
from netmodel.calibration._ratios import Series, Spread, pooled_spread
from netmodel.calibration._related import RelatedFit, related_fit, related_series
from netmodel.errors import CalibrationError, DomainError

pytestmark = pytest.mark.thorough

RATE = "transaction_rate_tps"
COUNTS = (1, 10, 50, 100, 250)


def batching(count: float) -> float:
    """A request-response series: 400 µs alone, 12 to 30 µs for each connection."""
    return count / (400e-6 + count * (12e-6 + 18e-6 / (1 + count / 25)))


def series(ratio: float, counts: tuple[int, ...] = COUNTS, **at: float | str) -> list[Observed]:
    return [
        Observed(
            quantity=RATE,
            at={**at, "connection_count": count},
            low=ratio * batching(count),
            high=ratio * batching(count),
        )
        for count in counts
    ]


def point(count: float, **at: float | str) -> Point:
    return Point(RATE, {**at, "connection_count": count})


def times(observed: list[Observed], logs: np.ndarray) -> list[Observed]:
    """Series whose figures are multiplied."""
    return [
        Observed(quantity=RATE, at=dict(each.at), low=rate, high=rate)
        for each, log in zip(observed, logs, strict=True)
        for rate in [each.low * math.exp(log)]
    ]


def drawn(sd: float, chance: np.random.Generator) -> np.ndarray:
    """Logarithms of a ratio with a level, a drift of half of it, and noise of a tenth."""
    steps = sd / 2 * np.sqrt(np.diff(np.log(COUNTS))) * chance.normal(size=4)
    walk = np.concatenate([[0], np.cumsum(steps)])
    logs: np.ndarray = sd * chance.normal() + walk + sd / 10 * chance.normal(size=5)
    return logs


def other_pairs(sd: float, seed: int = 0, hosts: str = "abcde") -> list[Observed]:
    """Hosts, each with a shape of its own, in layer 2 and 3, whose ratio spreads by sd."""
    chance = np.random.default_rng(seed)
    seen = []
    for host in hosts:
        layer_3 = times(series(1.0, layer=3, host=host), 0.3 * chance.normal(size=5))
        ratio = drawn(sd, chance)
        layer_2 = [
            Observed(quantity=RATE, at={**each.at, "layer": 2}, low=each.low, high=each.high)
            for each in layer_3
        ]
        seen += [*layer_3, *times(layer_2, ratio)]
    return seen


@pytest.mark.parametrize("counts", [(1,), (50,), (1, 250), (1, 10, 50)])
def test_an_exact_ratio_is_recovered(counts: tuple[int, ...]) -> None:
    result = related_fit(series(1.3, counts, layer=2), series(1.0, layer=3))
    for count in counts:
        value = result.predict(point(count, layer=2)).value
        assert value == pytest.approx(1.3 * batching(count), rel=2e-3)
    within = result.predict(point(100, layer=2))
    assert within.low < 1.3 * batching(100) < within.high


def test_more_own_figures_narrow_the_ratio() -> None:
    widths = []
    for counts in ((50,), (10, 50), (1, 10, 50), COUNTS):
        value, low, high = related_fit(series(1.3, counts, layer=2), series(1.0, layer=3)).predict(
            point(100, layer=2)
        )
        widths.append((high - low) / value)
    assert widths == sorted(widths, reverse=True)


def test_the_interval_grows_with_the_distance_from_own_figures() -> None:
    result = related_fit(series(1.3, (10,), layer=2), series(1.0, layer=3))
    widths = [result.predict(point(count, layer=2)) for count in (10, 50, 100, 250)]
    ratios = [high / low for _, low, high in widths]
    assert ratios == sorted(ratios)


def test_other_pairs_set_the_spread() -> None:
    own, at = series(1.02, (10,), layer=2, host="own"), point(250, layer=2, host="own")
    widths = []
    for sd in (0.003, 0.05, 0.3):
        related = [*series(1.0, layer=3, host="own"), *other_pairs(sd)]
        result = related_fit(own, related)
        assert result.spread.pair_count == 5
        assert result.candidates[0].differing == {"layer": (2, 3)}
        _, low, high = result.predict(at)
        widths.append(high / low)
    assert widths == sorted(widths)
    alone = related_fit(own, series(1.0, layer=3, host="own"))
    assert alone.spread.pair_count == 0
    assert widths[0] < alone.predict(at).high / alone.predict(at).low


def test_series_without_relation_leave_a_wide_ratio() -> None:
    chance = np.random.default_rng(1)
    related = series(1.0, layer=3)
    noisy = [
        Observed(quantity=RATE, at=dict(each.at), low=rate, high=rate)
        for each in series(1.0, (1, 10, 50, 100), layer=2)
        for rate in [each.low * math.exp(chance.normal())]
    ]
    result = related_fit(noisy, related)
    _, low, high = result.predict_run(point(250, layer=2))
    assert high / low > 3


@pytest.mark.parametrize("sd", [pytest.param(0.004, marks=pytest.mark.nightly), 0.05])
def test_intervals_hold_as_often_as_they_say(sd: float) -> None:
    """Ratios drawn as those of five other hosts: 90 % of left-out runs or more are within."""
    chance = np.random.default_rng(int(1e4 * sd))
    related = series(1.0, layer=3, host="own")
    held = []
    for trial in range(60):
        seen = times(series(1.0, layer=2, host="own"), drawn(sd, chance))
        left = trial % len(COUNTS)
        own = [each for index, each in enumerate(seen) if index != left]
        result = related_fit(own, [*related, *other_pairs(sd, trial)], choose=is_own_host)
        run = result.predict_run(Point(RATE, seen[left].at))
        held.append(run.low <= seen[left].low <= run.high)
    assert np.mean(held) >= 0.9  # so few pairs leave a spread near the usual, wider one


def is_own_host(at: Mapping[str, object]) -> bool:
    return at["host"] == "own"


def test_a_scaled_unit_scales_the_prediction() -> None:
    def scaled(observed: list[Observed]) -> list[Observed]:
        return [
            Observed(quantity=RATE, at=dict(each.at), low=8 * each.low, high=8 * each.high)
            for each in observed
        ]

    own, related = series(1.3, (1, 50), layer=2), series(1.0, layer=3)
    at = point(100, layer=2)
    once = related_fit(own, related).predict(at)
    assert related_fit(scaled(own), scaled(related)).predict(at) == pytest.approx(
        [8 * each for each in once]
    )


def test_a_scaled_condition_leaves_the_interval_as_it_is() -> None:
    """Only ratios of connection counts count: of 7 times as many, all counts have the same."""

    def at(factor: int) -> tuple[float, ...]:
        own, related = (
            [
                Observed(
                    quantity=RATE,
                    at={**each.at, "connection_count": factor * int(each.at["connection_count"])},
                    low=each.low,
                    high=each.high,
                )
                for each in figures
            ]
            for figures in (series(1.3, (10, 50), layer=2), series(1.0, layer=3))
        )
        return tuple(related_fit(own, related).predict(point(100 * factor, layer=2)))

    assert at(7) == pytest.approx(at(1))


def test_the_order_of_observations_does_not_matter() -> None:
    own, related = series(1.3, (1, 50), layer=2), [*series(1.0, layer=3), *other_pairs(0.01)]
    at = point(100, layer=2)
    assert related_fit(own, related).predict(at) == pytest.approx(
        related_fit(own[::-1], related[::-1]).predict(at)
    )


def test_the_nearer_of_several_series_is_taken() -> None:
    chance = np.random.default_rng(2)
    far = [
        Observed(quantity=RATE, at={**each.at, "adapter": "b"}, low=rate, high=rate)
        for each in series(1.0, layer=2)
        for rate in [each.low * math.exp(0.5 * chance.normal())]
    ]
    near = series(1.0, layer=3, adapter="a")
    result = related_fit(series(1.1, (1, 10, 50), layer=2, adapter="a"), [*far, *near])
    assert dict(result.model.related.at) == {"layer": 3, "adapter": "a"}
    chosen = related_fit(
        series(1.1, (1, 10, 50), layer=2, adapter="a"),
        [*far, *near],
        choose=lambda at: at["adapter"] == "b",
    )
    assert dict(chosen.model.related.at) == {"layer": 2, "adapter": "b"}


def test_the_own_series_is_not_related_to_itself() -> None:
    everything = [*series(1.3, layer=2), *series(1.0, layer=3)]
    result = related_fit(series(1.3, (1, 50), layer=2), everything)
    assert dict(result.model.related.at) == {"layer": 3}
    with pytest.raises(CalibrationError, match="no related series"):
        related_fit(series(1.3, (1, 50), layer=2), series(1.3, layer=2))


def test_series_that_share_nothing_are_refused() -> None:
    own = series(1.3, (1, 50), layer=2)
    costs = [
        Observed(
            quantity="cpu_s_per_transaction", at={"connection_count": 1, "layer": 3}, low=1, high=1
        )
    ]
    with pytest.raises(CalibrationError, match="related figures are of cpu_s_per_transaction"):
        related_fit(own, costs)
    with pytest.raises(CalibrationError, match="outside the related series, 1 to 10"):
        related_fit(own, series(1.0, (1, 10), layer=3)).predict(point(100, layer=2))
    with pytest.raises(CalibrationError, match="only two figures"):
        related_fit(own, series(1.0, (1, 10), layer=3)).predict(point(5, layer=2))
    with pytest.raises(CalibrationError, match="measure at least one"):
        related_fit([], series(1.0, layer=3))


def test_a_value_between_figures_of_the_related_series_has_the_error_of_its_bend() -> None:
    result = related_fit(series(1.3, (1, 10, 50), layer=2), series(1.0, layer=3))
    inside, at_figure = (result.predict(point(n, layer=2)) for n in (22, 10))
    assert inside.low < 1.3 * batching(22) < inside.high
    assert inside.high / inside.low > at_figure.high / at_figure.low


def test_one_own_figure_moves_the_ratio_by_its_share() -> None:
    """
    Kriging by hand, at the smallest place: level 0.2, noise 0.005, and an own figure's rounding.

    Its logarithm r has the variance 0.04 + 0.005² + w²/12, w = ln(1.25/0.8); a share of 0.04 over
    that is the level's. Student's t has 3 + 1 degrees of freedom.
    """
    alone = batching(1)
    own = Observed(
        quantity=RATE,
        at={"layer": 2, "connection_count": 1},
        low=0.8 * 1.3 * alone,
        high=1.25 * 1.3 * alone,
        value=1.3 * alone,
    )
    result = related_fit([own], series(1.0, layer=3))
    logarithm, level = math.log(1.3), 0.2**2
    variance = level + 0.005**2 + math.log(1.25 / 0.8) ** 2 / 12
    mean = logarithm * level / variance
    scale = math.sqrt((level - level**2 / variance) * (3 + logarithm**2 / variance) / 4)
    expected = [alone * math.exp(mean + each * 2.776445 * scale) for each in (0, -1, 1)]
    assert [*result.predict(point(1, layer=2))] == pytest.approx(expected, rel=1e-6)


def test_a_line_through_logarithms_misses_by_half_of_what_a_bend_allows() -> None:
    """
    Slopes 1, 3 and 0 between figures bend by 2 and 3; the error of a line is f'' a b / 2.

    Interpolation error: f'' is about the sharper bend beside the interval over its length.
    """
    across, logarithms = np.array([0.0, 1, 2, 4]), np.array([0.0, 1, 4, 4])
    related = Series(RATE, "connection_count", {}, np.exp(across), logarithms, np.full(4, 0.01))
    for at, logarithm, error in (
        (0.5, 0.5, 2 / 1 * 0.5 * 0.5 / 2),
        (1.5, 2.5, 3 / 1 * 0.5 * 0.5 / 2),
        (1.75, 3.25, 3 / 1 * 0.75 * 0.25 / 2),
        (2.5, 4.0, 3 / 2 * 0.5 * 1.5 / 2),
    ):
        expected = (logarithm, error**2 + 0.01)
        assert related.logarithm(math.exp(at)) == pytest.approx(expected)
    assert related.logarithm(math.exp(1)) == (1, 0.01)


def test_parameters_are_the_ratios_at_the_related_figures() -> None:
    result = related_fit(series(1.3, (1, 50), layer=2), series(1.0, layer=3))
    for count, ratio in zip(COUNTS, result.parameters.values(), strict=True):
        expected = [end / batching(count) for end in result.predict(point(count, layer=2))]
        assert [*ratio] == pytest.approx(expected)


def test_notes_say_what_comes_from_where() -> None:
    result = related_fit(
        series(1.02, (1, 50), layer=2, host="own"),
        [*series(1.0, layer=3, host="own"), *other_pairs(0.02)],
    )
    text = "\n".join(result.notes)
    assert "shape from the related series (layer 3): 5 figures, connection_count 1 to 250" in text
    assert "ratio to it from 2 own figures" in text
    assert "5 other pairs that differ alike" in text
    assert "each predicted without itself" in text
    assert all(len(note) <= 100 for note in result.notes)
    shares = result.own_shares.values()
    assert all(0 <= share <= 1 for share in shares)
    row = result.to_dict()
    assert row["related"]["differing"] == {"layer": [2, 3]}
    assert row["related"]["spread"]["pair_count"] == 5


def test_notes_on_own_figures_that_show_no_error_or_do_not_count() -> None:
    related = series(1.0, layer=3)
    one, two, beyond, more = (
        "\n".join(related_fit(series(1.3, counts, layer=2), related).notes)
        for counts in ((10,), (10, 50), (10, 500), (10, 500, 1000))
    )
    assert "ratio to it from 1 own figure:" in one
    assert "each predicted without itself" not in one
    assert "own figures, each predicted without itself: " in two
    assert "left out" not in two
    assert "1 own figure is left out: outside the related series" in beyond
    assert "2 own figures are left out: outside the related series" in more


@pytest.mark.parametrize("hosts", ["abc", pytest.param("abcde", marks=pytest.mark.nightly)])
def test_each_left_out_series_is_predicted_from_the_others(hosts: str) -> None:
    seen = [*series(1.02, layer=2, host="own"), *series(1.0, layer=3, host="own")]
    seen += other_pairs(0.02, hosts=hosts)
    errors = leave_one_out(related_series(), seen)
    assert errors.mean_absolute_ratio is not None
    assert errors.mean_absolute_ratio < 0.02  # the deviation of a level
    whole = leave_one_out(related_series(), seen, by=("layer", "host"))
    assert not whole.refusals
    assert whole.coverage is not None
    assert whole.coverage.ratio >= 0.9


def test_a_pooled_spread_comes_near_the_one_that_pairs_are_drawn_from() -> None:
    chance = np.random.default_rng(3)
    across = np.log(COUNTS)
    pairs = []
    for _ in range(60):
        steps = 0.02 * np.sqrt(np.diff(across)) * chance.normal(size=4)
        ratios = 0.03 + 0.05 * chance.normal() + np.concatenate([[0], np.cumsum(steps)])
        ratios += 0.004 * chance.normal(size=5)
        pairs.append(Ratios(across, ratios, np.zeros(5)))
    spread = pooled_spread(pairs)
    # Student's scale is less than the deviation of normal pairs by up to a third
    assert 0.03 < spread.level_sd < 0.06
    assert 0.01 < spread.drift_sd < 0.025
    assert spread.mean == pytest.approx(0.03, abs=0.02)
    assert spread.pair_count == 60


def test_a_pooled_spread_is_the_likeliest_within_its_limits() -> None:
    """
    No other is likelier by SciPy's multivariate Student's t, about the usual spread.

    Level 20 %, drift 10 % and noise 0.5 % are each known to a factor of e, a mean of 0 to 10 %.
    """
    chance = np.random.default_rng(5)
    pairs = [
        Ratios(across, 0.1 + 0.05 * chance.normal(size=len(across)), np.full(len(across), 1e-4))
        for across in (np.log(COUNTS), np.log(COUNTS[:3]), np.log(COUNTS[1:]))
    ]

    def unlikeliness(spread: Spread) -> float:
        total = (spread.mean / 0.1) ** 2 / 2
        for sd, usual in zip(spread[:3], (0.2, 0.1, 0.005), strict=True):
            total += math.log(sd / usual) ** 2 / 2
        for across, ratios, variances in pairs:
            walk = np.minimum(across[:, np.newaxis], across)
            noise = np.diag(spread.noise_sd**2 + variances)
            shape = spread.level_sd**2 + spread.drift_sd**2 * walk + noise
            mean = np.full(len(ratios), spread.mean)
            total -= float(multivariate_t.logpdf(ratios, mean, shape, df=3))
        return total

    found = pooled_spread(pairs)
    least = unlikeliness(found)
    for name in ("level_sd", "drift_sd", "noise_sd", "mean"):
        value = getattr(found, name)
        for factor in (0.97, 1.03):
            assert unlikeliness(found._replace(**{name: factor * value})) > least


def test_a_covariance_is_that_of_a_walk() -> None:
    spread = Spread(0.2, 0.1, 0.0)
    places = np.array([0.0, 1.0, 3.0])
    expected = 0.04 + 0.01 * np.array([[0, 0, 0], [0, 1, 1], [0, 1, 3]])
    assert spread.covariance(places, places) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"model": "related"}, "needs related series"),
        ({"model": "saturation", "related": "layer 3"}, "common parameters .* are missing"),
        ({"model": "saturation", "common": ("bottleneck_s",)}, "related series .* are missing"),
        ({"model": "interpolation", "related": "layer 3"}, "lines between figures use none"),
        ({"model": "auto", "common": ("bottleneck_s",)}, "auto is none"),
        (
            {"model": "saturation", "related": "layer 3", "common": ("x_s",)},
            "no parameter 'x_s' to share; there are zero_load_s, bottleneck_s",
        ),
    ],
)
def test_wrong_combinations_are_refused(options: Mapping[str, object], fault: str) -> None:
    related = series(1.0, layer=3) if "related" in options else []
    with pytest.raises(DomainError, match=fault):
        calibrate(series(1.3, layer=2), **{**options, "related": related})  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["batching", "amortised", "scalability"])
def test_series_share_parameters_of_one_model(name: str) -> None:
    own, related = series(1.3, (1, 10, 50), layer=2), series(1.0, (*COUNTS, 25, 500), layer=3)
    common = {"batching": "delay_s", "amortised": "batching_count", "scalability": "contention_s"}
    result = calibrate(own, name, 0.02, related=related, common=(common[name],))
    names = list(result.parameters)
    assert names.count(common[name]) == 1
    assert sum(each.startswith("2.") for each in names) == sum(
        each.startswith("3.") for each in names
    )
    assert result.observed[0].at["layer"] == 2


def test_a_shared_batching_count_gives_the_curve_of_few_figures() -> None:
    """All of the related amortised curve but its level: three figures then suffice."""
    own, related = series(1.3, (1, 10, 50), layer=2), series(1.0, (*COUNTS, 25, 500), layer=3)
    result = calibrate(own, "amortised", 0.02, related=related, common=("batching_count",))
    assert not isinstance(result, RelatedFit)
    value = result.predict(point(250, layer=2)).value
    assert value == pytest.approx(1.3 * batching(250), rel=1e-3)


def test_files_without_a_condition_between_them_are_told_apart() -> None:
    own, related = series(1.3, (1, 10, 50)), series(1.0, (*COUNTS, 25, 500))
    related = [
        Observed(quantity=RATE, at=dict(each.at), low=each.low, high=each.high, place=f"other {n}")
        for n, each in enumerate(related)
    ]
    result = calibrate(own, "batching", 0.02, related=related, common=("delay_s",))
    assert {name.partition(".")[0] for name in result.parameters if "." in name} == {
        *("own", "related")
    }
    several = [
        Observed(quantity=RATE, at={**each.at, "adapter": "b"}, low=each.low, high=each.high)
        for each in series(1.0, layer=3)
    ]
    with pytest.raises(DomainError, match="differ in 2 conditions"):
        calibrate(
            series(1.3, layer=2, adapter="a"),
            "batching",
            related=several,
            common=("delay_s",),
        )
