"""What is asked of a calibration beside its parameters: line rate, predictions, comparison."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from netmodel._text import SENTENCE_DIGITS, near_name
from netmodel.calibration._calibrate import Calibration, calibrate
from netmodel.calibration._compare import (
    Comparison,
    compare,
    forecasting,
    interpolation,
    mean_of_others,
)
from netmodel.calibration._leave_out import Method
from netmodel.calibration._models._base import Model, Point, SeveralModels
from netmodel.calibration._models._curves import scalability_model
from netmodel.calibration._models._named import MODELS, RATES, named_model
from netmodel.calibration._observed import (
    MESSAGE_CONDITIONS,
    Conditions,
    Observed,
    conditions_with,
)
from netmodel.calibration._sources._conditions import (
    line_cap,
    line_speed_as_censored,
    read_conditions,
    shared_conditions,
    varied_numbers,
)
from netmodel.errors import AmbiguousValueError, DomainError, NetmodelError
from netmodel.records import adapter, catalog, workload
from netmodel.units import format_rate, format_time

_LINE_RATES_BPS = (1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9)
"""MAC rates of IEEE 802.3 from 1 Gbit/s to 400 Gbit/s."""
_NEAR_LINE_RATIO = 0.02
"""Streams over a full line lose up to about this much to start-up and lost frames."""
_MAX_OVER_RATIO = 0.005
"""The tolerance of line_speed_as_censored: above, no line of this rate carries it."""
_MIN_CHANGE_RATIO = 0.01
"""A parameter that a line moves by less is the same to who reads three digits."""
_LISTED_COUNT = 4
"""Values that a message lists."""
_OF_THROUGHPUT = frozenset(name for name, model in MODELS.items() if RATES[0] in model.quantities)


def recorded_line_rate(
    model_name: str, observed: Sequence[Observed], adapter_id: str | None
) -> tuple[float | None, tuple[str, ...]]:
    """Line rate of the catalogue's adapter that all observations are of, and a note on it."""
    seen = [each for each in observed if each.quantity == RATES[0]]
    if model_name not in _OF_THROUGHPUT or not seen:
        return None, ()
    ids = {each.at.get("adapter") for each in seen} if adapter_id is None else {adapter_id}
    known = [each for each in ids if each in catalog()["adapters"]]
    if len(ids) > 1 or not known:
        return None, ()
    rate_bps = adapter(str(known[0])).line_rate_bps
    try:
        for each in seen:
            line_cap(rate_bps)(each.at)
    except NetmodelError:
        return None, ()
    note = (
        f"line rate {format_rate(rate_bps)} from the record of {known[0]}: figures at line speed "
        "are lower bounds"
    )
    return rate_bps, (note,)


def line_rate_hints(
    model_name: str,
    calibration: Calibration,
    noise_ratio: float | None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> Iterator[str]:
    """What a line rate would change that the fastest run comes near; nothing where none does."""
    observed = calibration.observed
    figures = [each for each in observed if each.quantity == RATES[0] and each.figure]
    if model_name not in _OF_THROUGHPUT or not figures:
        return
    for rate_bps in _LINE_RATES_BPS:
        cap = line_cap(rate_bps)
        try:
            shares = {each.name: (each.figure or 0.0) / cap(each.at) for each in figures}
        except NetmodelError:
            return
        fastest = max(shares, key=lambda name: shares[name])
        if not 1 - _NEAR_LINE_RATIO <= shares[fastest] <= 1 + _MAX_OVER_RATIO:
            continue
        line = format_rate(rate_bps).replace(" ", "")
        hint = (
            f"no line rate is given, and {fastest} is {100 * shares[fastest]:.3g} % of what a line "
            f"of {format_rate(rate_bps)} carries: --line-rate {line} would count figures at the "
            "line as lower bounds"
        )
        try:
            censored = line_speed_as_censored(observed, cap).observed
            model = named_model(
                model_name, censored, line_rate_bps=rate_bps, free=free, fixed=fixed
            )
            beside = calibrate(censored, model, noise_ratio)
        except NetmodelError:
            yield hint
            return
        changes = list(_changes(calibration, beside))
        yield f"{hint}, and make {'; '.join(changes)}" if changes else hint
        return


def _changes(here: Calibration, there: Calibration) -> Iterator[str]:
    """Parameters whose value or range differs."""
    for parameter in here.model.parameters:
        first, second = here.parameters[parameter.name], there.parameters[parameter.name]
        pairs = zip(first, second, strict=True)
        if any(_differ(*pair) for pair in pairs):
            texts = [
                _number(each.value, parameter.unit)
                if each.value is not None
                else f"{_number(each.low, parameter.unit)} to {_number(each.high, parameter.unit)}"
                for each in (second, first)
            ]
            yield f"{parameter.name} {' instead of '.join(texts)}"


def _differ(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is not second
    return first != second and not abs(first - second) <= _MIN_CHANGE_RATIO * abs(first)


def _number(value: float, unit: str) -> str:
    if math.isinf(value):
        return "any"
    text = (
        format_time(value, SENTENCE_DIGITS)
        if unit == "s"
        else f"{value:,.{SENTENCE_DIGITS}g} {unit}"
    )
    return text.rstrip()


def require_read(
    model_name: str, model: Model, observed: Iterable[Observed], specified: Iterable[str]
) -> None:
    """
    Refuse conditions that a model cannot have, and specified ones that it ignores.

    Raises
    ------
    DomainError
        If a curve is not defined there, or a specified condition changes nothing.
    AmbiguousValueError
        If a workload has a range of sizes.
    """
    seen = list(observed)
    if model_name in MODELS and MODELS[model_name].over:
        condition, least = MODELS[model_name].over, MODELS[model_name].least
        for each in seen:
            value = each.at.get(condition, least)
            if isinstance(value, str) or value < least:
                raise DomainError(
                    f"{each.name}: {condition} must be a number from {least:g} up; got {value!r}"
                )
    try:
        read = read_conditions(model, seen)
    except AmbiguousValueError:
        for each in seen:
            if "workload" in each.at:
                exchanged = workload(str(each.at["workload"]))
                for low, high in (exchanged.request_bytes_bounds, exchanged.response_bytes_bounds):
                    if low != high:
                        raise DomainError(
                            f"messages of {exchanged.id} have {low} to {high} byte; give one size "
                            "by --given request_bytes=...,response_bytes=..."
                        ) from None
        raise
    for condition in specified:
        if condition not in read:
            near = near_name(condition, read)
            hint = f"; {near} may be meant" if near else ""
            raise DomainError(
                f"{condition!r} changes nothing: --model {model_name} reads "
                f"{', '.join(sorted(read))}{hint}"
            )


def prediction_points(
    model_name: str, calibration: Calibration, wanted: Iterable[Conditions]
) -> Iterator[Point]:
    """What is to be predicted, under the conditions of all observations but for those wanted."""
    common = shared_conditions(calibration.observed)
    model = calibration.model
    for at in wanted:
        conditions = conditions_with(common, at)
        quantity = str(conditions.pop("quantity", calibration.observed[0].quantity))
        cases: list[Conditions] = [conditions]
        if isinstance(model, SeveralModels) and model.by not in conditions:
            cases = [{**conditions, model.by: each} for each in model.models]
        for name in sorted(MESSAGE_CONDITIONS - set(conditions)):
            # what is sent must be known where it differed between observations
            values = dict.fromkeys(
                str(each.at[name]) for each in calibration.observed if name in each.at
            )
            if len(values) > 1 and name in conditions_with({name: ""}, conditions):
                listed = ", ".join(list(values)[:_LISTED_COUNT])
                raise DomainError(
                    f"--predict-at: {name} is {listed} in the observations: name one of them"
                )
        asked = [
            Observed(quantity=quantity, at=case, low=0, high=math.inf, place="--predict-at")
            for case in cases
        ]
        news = [name for name, value in at.items() if common.get(name) != value]
        require_read(model_name, model, asked, [name for name in news if name != "quantity"])
        yield from (Point(quantity, case) for case in cases)


def comparison_of(
    model_name: str,
    calibration: Calibration,
    observed: Sequence[Observed],
    noise_ratio: float | None,
    scenario: Sequence[str],
) -> Comparison:
    """The model beside plain baselines, each judged by what it was not shown."""
    is_fit, quantity = calibration.method == "likelihood", calibration.observed[0].quantity
    methods: dict[str, Method] = {
        "this model": forecasting(calibration.model, noise_ratio=noise_ratio)
        if is_fit
        else partial(calibrate, model=calibration.model, noise_ratio=noise_ratio),
        "mean": mean_of_others,
    }
    for name in varied_numbers(calibration.observed):
        methods[f"interpolation over {name}"] = interpolation(name)
        if name == "connection_count" and quantity in RATES and model_name != "scalability":
            methods["universal scalability"] = forecasting(scalability_model(quantity))
    return compare(methods, observed, by=scenario)
