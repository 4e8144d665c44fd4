"""Many small fits at once against loops of SciPy's ``curve_fit``, in one run.

All fit the Universal Scalability Law, three parameters, to eight points each, with noise. Ours
keeps the parameters at 0 or above and its time has the exact linear start in it; the loops are
given a start free of charge, either that one or a rough guess of the sizes, and only the last
keeps the bounds. Loops are timed over some of the fits and scaled to all. Rounds take turns, so
that a machine that slows down slows all; each time is the least of the rounds. Differences are the
largest relative ones of the fits of the loop: of the sums of squares, and of the parameters where
ours meets no bound.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import curve_fit

from netmodel.calibration import ManyFits, fit_many, linear_fit_many

FITS = 10_000
ROUNDS = 7
REPEATS = 5
CONNECTIONS = np.array([1, 2, 4, 8, 16, 32, 64, 128.0])
ROUGH = (1.0, 0.1, 1e-3)


def rate(count: Any, alone: Any, contention: Any, coherency: Any) -> Any:
    """The Universal Scalability Law."""
    return count / (alone + contention * (count - 1) + coherency * count * (count - 1))


def with_slopes(count: Any, alone: Any, contention: Any, coherency: Any) -> list[Any]:
    """The same with its derivatives, by hand."""
    others, pairs = count - 1, count * (count - 1)
    time_each = contention * others
    time_each += alone
    time_each += coherency * pairs
    value = count / time_each
    slope = value / time_each
    np.negative(slope, out=slope)
    return [value, slope, slope * others, slope * pairs]


def series(noise_ratio: float) -> np.ndarray:
    """Rates of all series with noise."""
    random = np.random.default_rng(1)
    sizes = ((0.5, 2), (0.01, 0.1), (1e-5, 1e-3))
    truths = [random.uniform(low, high, FITS) for low, high in sizes]
    exact = rate(CONNECTIONS[:, np.newaxis], *truths)
    return exact * (1 + noise_ratio * random.standard_normal(exact.shape))


def start(rates: np.ndarray) -> np.ndarray:
    """Exact optimum of the times, which are linear in the parameters."""
    count = CONNECTIONS[:, np.newaxis]
    columns = [np.ones_like(count), count - 1, count * (count - 1)]
    return linear_fit_many(columns, count / rates, lower=0, weights=rates**2 / count).parameters


def at_once(rates: np.ndarray) -> ManyFits:
    """All fits, the start included."""
    return fit_many(rate, CONNECTIONS, rates, start(rates), lower=0, with_slopes=with_slopes)


def one_by_one(rates: np.ndarray, starts: np.ndarray, **options: Any) -> np.ndarray:
    """The same by a loop."""
    pairs = zip(rates.T, starts.T, strict=False)
    return np.array([curve_fit(rate, CONNECTIONS, y, p0, **options)[0] for y, p0 in pairs]).T


def cpu_s(call: Callable[[], Any]) -> float:
    """Time of the processor that a call takes. [s]"""
    begin_s = time.process_time()
    call()
    return time.process_time() - begin_s


def differences(rates: np.ndarray, ours: ManyFits, theirs: np.ndarray) -> tuple[float, float]:
    """Largest relative differences of sums of squares and of parameters, inside the bounds."""
    count = theirs.shape[1]
    inside = (ours.at_bound[:, :count] == 0).all(axis=0)
    squares = ((rate(CONNECTIONS[:, np.newaxis], *theirs) - rates[:, :count]) ** 2).sum(axis=0)
    of_squares = np.abs(squares / ours.residual_sum_of_squares[:count] - 1)
    of_parameters = np.abs(theirs[:, inside] / ours.parameters[:, :count][:, inside] - 1)
    return of_squares[inside].max(), of_parameters.max()


def compare(noise_ratio: float) -> None:
    """Print all rows of one noise."""
    rates = series(noise_ratio)
    ours = at_once(rates)
    starts, rough = start(rates), np.tile(np.array(ROUGH)[:, np.newaxis], FITS)
    loops = {
        "lm, from our start": partial(one_by_one, rates[:, :300], starts),
        "lm, from a rough guess": partial(one_by_one, rates[:, :300], rough),
        "trf with bounds, from our start": partial(
            one_by_one, rates[:, :60], np.maximum(starts, 1e-9), bounds=(0, np.inf)
        ),
    }
    times_s: dict[str, list[float]] = {name: [] for name in ("", *loops)}
    for _ in range(ROUNDS):
        times_s[""] += [cpu_s(lambda: at_once(rates)) for _ in range(REPEATS)]
        for name, loop in loops.items():
            times_s[name].append(cpu_s(loop) * FITS / loop.args[0].shape[1])
    ours_s = min(times_s[""])
    bound_ratio = (ours.at_bound != 0).any(axis=0).mean()
    print(
        f"noise {noise_ratio:.0%}: {FITS} fits at once in {ours_s * 1e3:.2f} ms, "
        f"{bound_ratio:.1%} at a bound, {1 - ours.is_converged.mean():.0%} not converged"
    )
    for name, loop in loops.items():
        theirs_s = min(times_s[name])
        squares, parameters = differences(rates, ours, loop())
        print(
            f"  {name:32} {theirs_s * 1e3:11.0f} {theirs_s / ours_s:9.0f} "
            f"{squares:12.1e} {parameters:12.1e}"
        )


def main() -> None:
    """Print all rows."""
    print(f"{'':34} {'loop ms':>11} {'times':>9} {'squares':>12} {'parameters':>12}")
    for noise_ratio in (0.01, 0.03):
        compare(noise_ratio)


if __name__ == "__main__":
    main()
