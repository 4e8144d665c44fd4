"""
What other tools predict and read, and how long they take, in their own environment.

Reads one request as JSON from standard input and writes JSON. Imports nothing of netmodel. Each
tool is used as its documentation shows, with settings that serve it best here; `TOOLS` names them.
"""

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

import numpy as np

LEVEL_RATIO = 0.95
START = (1.0, 0.05, 1e-4)
"""Where searches begin, the first figure as unit: contention and coherency of a good system."""


def scalability(n: Any, alone: float, contention: float, coherency: float) -> Any:
    """The Universal Scalability Law."""
    return alone * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def scipy_usl(counts: Any, figures: Any, at: float) -> tuple[float, None]:
    """Least squares with no parameter below zero, figures in units of that of one connection."""
    from scipy.optimize import curve_fit

    unit = figures[0] / counts[0]
    found, _ = curve_fit(scalability, counts, figures / unit, p0=START, bounds=(0, np.inf))
    return unit * scalability(at, *found), None


def lmfit_usl(counts: Any, figures: Any, at: float) -> tuple[float, tuple[float, float] | None]:
    """
    The same with the interval of one more figure.

    `least_squares` instead of the default `leastsq`, which refuses three figures or fewer and gives
    no interval where a parameter is zero.
    """
    from lmfit import Model

    unit = figures[0] / counts[0]
    model = Model(scalability)
    names = ("alone", "contention", "coherency")
    start = {name: {"value": value, "min": 0} for name, value in zip(names, START, strict=True)}
    fitted = model.fit(figures / unit, model.make_params(**start), n=counts, method="least_squares")
    value = unit * float(fitted.eval(n=at))
    if fitted.nfree < 1 or any(each.stderr is None for each in fitted.params.values()):
        return value, None
    fitted.eval_uncertainty(n=np.array([at]), sigma=LEVEL_RATIO)
    reach = unit * float(fitted.dely_predicted[0])
    return value, (value - reach, value + reach) if math.isfinite(reach) else None


def extra_p(counts: Any, figures: Any, at: float, is_falling: bool = False) -> tuple[float, None]:
    """The default modeler's choice of a term of the performance model normal form."""
    from extrap.entities.callpath import Callpath
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.experiment import Experiment
    from extrap.entities.measurement import Measurement
    from extrap.entities.metric import Metric
    from extrap.entities.parameter import Parameter
    from extrap.modelers.model_generator import ModelGenerator
    from extrap.modelers.single_parameter import Default

    experiment, place, metric = Experiment(), Callpath("series"), Metric("figure")
    experiment.add_parameter(Parameter("n"))
    experiment.add_callpath(place)
    experiment.add_metric(metric)
    for count, figure in zip(counts, figures, strict=True):
        coordinate = Coordinate(float(count))
        experiment.add_coordinate(coordinate)
        experiment.add_measurement(Measurement(coordinate, place, metric, [float(figure)]))
    modeler = Default()
    modeler.allow_negative_exponents = is_falling
    generator = ModelGenerator(experiment, modeler)
    generator.model_all()
    return float(generator.models[place, metric].hypothesis.function.evaluate(at)), None


def extra_p_falling(counts: Any, figures: Any, at: float) -> tuple[float, None]:
    """The same with the terms that its option for strong scaling adds."""
    return extra_p(counts, figures, at, is_falling=True)


def numpy_lines(counts: Any, figures: Any, at: float) -> tuple[float, None]:
    """Straight lines between figures, and the nearest one beyond them."""
    return float(np.interp(at, counts, figures)), None


def scipy_smooth(counts: Any, figures: Any, at: float) -> tuple[float, None]:
    """Monotonic cubics through the logarithms, and beyond them; a line through two."""
    from scipy.interpolate import PchipInterpolator

    curve = PchipInterpolator(np.log(counts), np.log(figures))
    return math.exp(curve(math.log(at))), None


TOOLS: dict[str, Callable[[Any, Any, float], tuple[float, tuple[float, float] | None]]] = {
    "USL by SciPy curve_fit": scipy_usl,
    "USL by lmfit": lmfit_usl,
    "Extra-P": extra_p,
    "Extra-P, negative exponents": extra_p_falling,
    "NumPy interp": numpy_lines,
    "SciPy PCHIP of logarithms": scipy_smooth,
}
REFERENCE = "USL by SciPy curve_fit"
"""What times are ratios to."""
ONLY = {
    "USL by SciPy curve_fit": "throughput",
    "USL by lmfit": "throughput",
    "Extra-P, negative exponents": "total",
}
"""The quantity of tools whose form suits one of them; the others predict both."""


def predicted(tool: Callable[..., Any], counts: Any, figures: Any, at: float) -> list[float] | None:
    """A value, and the ends of its interval where it has one; None where the tool refuses."""
    try:
        value, ends = tool(counts, figures, at)
    except Exception as error:  # noqa: BLE001 whatever a tool raises is its refusal
        print(f"{tool.__name__}, {len(counts)} figures: {error}", file=sys.stderr)
        return None
    return [value, *(ends or ())] if math.isfinite(value) else None


def least_cpu_s(call: Callable[[], object], rounds: int) -> float:
    """Least time of the processor of several calls. [s]"""
    call()
    times = []
    for _ in range(rounds):
        begin_s = time.process_time()
        call()
        times.append(time.process_time() - begin_s)
    return min(times)


def read(texts: Mapping[str, str]) -> dict[str, str]:
    """What pint makes of texts in the units that are wanted."""
    from pint import UnitRegistry

    registry = UnitRegistry()
    results = {}
    for text, unit in texts.items():
        try:
            results[text] = f"{registry.Quantity(text).m_as(unit):.6g}"
        except Exception as error:  # noqa: BLE001 likewise
            results[text] = f"{error}"
    return results


def main() -> None:
    """Answer one request."""
    warnings.simplefilter("ignore")  # too few figures for a covariance or for Extra-P's advice
    from pint import UnitRegistry

    request = json.load(sys.stdin)
    rounds = request["rounds"]
    predictions = {
        name: {
            split: [
                [
                    predicted(tool, np.array(task["counts"]), np.array(task["figures"]), at)
                    for at in task["at"]
                ]
                for task in tasks
            ]
            for split, tasks in request["tasks"].items()
        }
        for name, tool in TOOLS.items()
    }
    counts, figures = (np.array(request["timed"][name]) for name in ("counts", "figures"))
    beyond = 2 * counts[-1]
    registry = UnitRegistry()
    times_s = {
        name: least_cpu_s(lambda tool=tool: tool(counts, figures, beyond), rounds)
        for name, tool in TOOLS.items()
        if ONLY.get(name) != "total"
    }
    turns = iter(request["rates"])
    times_s["pint"] = least_cpu_s(lambda: [registry.Quantity(text) for text in next(turns)], rounds)
    packages = ("scipy", "lmfit", "extrap", "pint", "numpy")
    json.dump(
        {
            "versions": [f"{name} {metadata.version(name)}" for name in packages],
            "predictions": predictions,
            "times_s": times_s,
            "read": read(request["texts"]),
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
