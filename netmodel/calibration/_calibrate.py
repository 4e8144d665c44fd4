"""A calibration: the model by its name, the method, and what is asked of the result."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel._text import NOTE_CHARACTERS, SENTENCE_DIGITS, near_name
from netmodel.calibration._conditions import (
    line_cap,
    line_speed_as_censored,
    only_read,
    read_conditions,
    shared_conditions,
    varied_numbers,
)
from netmodel.calibration._curves import CURVES, curve_model
from netmodel.calibration._fit import Fit, fit
from netmodel.calibration._models import LinearModel, Model, Point, SeveralModels
from netmodel.calibration._noise import with_baselines_as_runs
from netmodel.calibration._observed import (
    COSTS,
    MESSAGE_CONDITIONS,
    RATES,
    Conditions,
    Observed,
    Selection,
    conditions_with,
)
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model
from netmodel.calibration._sets import FeasibleSet, set_of_runs
from netmodel.consumption import Side
from netmodel.errors import (
    AmbiguousValueError,
    CalibrationError,
    ContradictionError,
    DomainError,
    NetmodelError,
)
from netmodel.path import recorded_path
from netmodel.path._path import DIRECTIONS
from netmodel.records import adapter, catalog, path_record, workload
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel.calibration._compare import Comparison
    from netmodel.calibration._leave_out import Mean, Method


class ModelOptions(NamedTuple):
    """ModelOptions of a model beside its name."""

    line_rate_bps: float | None = None
    free: tuple[str, ...] = ()


class NamedModel(NamedTuple):
    """
    A model by its name.

    Parameters
    ----------
    build : callable
        From observations and options to the model.
    quantities : tuple of str
        Quantities that it predicts; it ignores observations of others.
    over : str
        The only condition of a curve; empty for models of paths.
    least : float
        The smallest value of that condition.
    """

    build: Callable[[Sequence[Observed], ModelOptions], Model]
    quantities: tuple[str, ...]
    over: str = ""
    least: float = 0.0


def _adapter(observed: Sequence[Observed], options: ModelOptions) -> Model:
    """One direction of an adapter, or each that the observations name."""
    first = adapter_model(options.line_rate_bps)
    directions = dict.fromkeys(str(seen.at.get("direction", "")) for seen in observed)
    if "" in directions and len(directions) > 1:
        raise DomainError("some observations name their direction (in, out), others do not")
    for direction in set(directions) - {"in", "out", ""}:
        raise DomainError(f"direction must be in or out; got {direction!r}")
    return (
        first if "" in directions else SeveralModels("direction", dict.fromkeys(directions, first))
    )


def _host(observed: Sequence[Observed], options: ModelOptions) -> Model:
    """CPU cost of one side: per message, frame and byte, or the parts in `free`."""
    sides = dict.fromkeys(str(seen.at.get("side", "")) for seen in observed)
    if len(sides) > 1 or "" in sides:
        given = ", ".join(filter(None, sides))
        remedy = "select one with --where side=client" if given else "add it: --given side=client"
        raise DomainError(
            "the CPU cost of a host needs the condition side, the same in all observations; got "
            f"{given or 'none'}: {remedy}"
        )
    (side,) = sides
    known = {each.value: each for each in Side}
    if side not in known:
        raise DomainError(f"side must be one of {', '.join(known)}; got {side!r}")
    if not options.free:
        return host_cost_model(known[side])
    return host_cost_model(known[side], options.free)


def _path(file: str, options: ModelOptions) -> Model:
    """A path of your own, some of whose service times are free."""
    path = recorded_path(path_record(file), line_rate_bps=options.line_rate_bps)
    if not options.free:
        times = sorted(
            f"{stage.name}.{direction}.{time}"
            for stage in path.stages
            for direction in DIRECTIONS
            for time, _ in getattr(stage, direction).named
        )
        raise DomainError(
            f"free is missing: name the service times to estimate, of {', '.join(times)}"
        )
    return PathModel(path, {name: (name,) for name in options.free})


def _curve(name: str) -> NamedModel:
    """A curve of one quantity; the line is one of its limits where payload is observed."""
    form = CURVES[name]

    def build(observed: Sequence[Observed], options: ModelOptions) -> Model:
        quantity, line_rate_bps = observed[0].quantity, options.line_rate_bps
        is_capped = form.takes_cap and line_rate_bps is not None and quantity == RATES[0]
        cap = line_cap(line_rate_bps) if is_capped and line_rate_bps is not None else None
        return curve_model(name, quantity, cap=cap)

    return NamedModel(build, form.quantities, form.condition, form.least)


MODELS: Mapping[str, NamedModel] = {
    "adapter": NamedModel(_adapter, RATES[:1]),
    "host": NamedModel(_host, COSTS),
    **{name: _curve(name) for name in CURVES},
}
"""Models by the names that ``netmodel calibrate --model`` takes, beside FILE.toml of a path."""


def about_model(name: str, selection: Selection) -> Selection:
    """
    The observations of quantities that a model predicts: of a curve, those of one quantity.

    Raises
    ------
    DomainError
        If there is none.
    """
    is_named = name in MODELS
    known = MODELS[name].quantities if is_named else (*RATES, "transaction_time_s", *COSTS)
    seen = {observation.quantity for observation in selection.observed}
    about = [quantity for quantity in known if quantity in seen]
    if not about:
        raise DomainError(
            f"model {name} predicts {' or '.join(known)}; the observations are of "
            f"{', '.join(sorted(seen))}"
        )
    if is_named and MODELS[name].over:
        about = about[:1]
    notes = [
        f"{quantity} is left out: the model predicts {', '.join(about)}"
        for quantity in sorted(seen - set(about))
    ]
    kept = tuple(observation for observation in selection.observed if observation.quantity in about)
    return replace(selection, observed=kept, notes=(*selection.notes, *notes))


def named_model(
    name: str,
    observed: Iterable[Observed],
    *,
    line_rate_bps: float | None = None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> Model:
    """
    The model of a name, for observations.

    Parameters
    ----------
    name : str
        ``"adapter"``, ``"host"``, ``"scalability"``, ``"saturation"``, ``"knee"``,
        ``"batching"``, ``"power"``, ``"amortised"``, ``"coalescing"``, ``"falling-cost"``,
        or a path of your own in a ``.toml`` file.
    observed : iterable of Observed
        Which side, which directions, which quantity the model is about.
    line_rate_bps : float, optional
        MAC rate of the line, which no throughput exceeds. [bit/s]
    free : sequence of str
        Service times of a path, or parts of the cost of a host, to estimate.
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    model : Model
        Linear but for the two curves ``"amortised"`` and ``"coalescing"``.

    Raises
    ------
    DomainError
        If there is no such model, `free` is for another, or a condition that the model
        needs is missing or cannot be.
    """
    seen = list(observed)
    is_path = name.endswith(".toml")
    if not is_path and name not in MODELS:
        raise DomainError(
            f"no model {name!r}: choose one of {', '.join(MODELS)}, or a path in a .toml file"
        )
    if not seen and not is_path:
        raise DomainError(f"no observation to build the model {name} for")
    if free and not is_path and name != "host":
        raise DomainError("free (--free) is for model host, and for a path of your own, FILE.toml")
    options = ModelOptions(line_rate_bps, tuple(free))
    model = _path(name, options) if is_path else MODELS[name].build(seen, options)
    return model.with_fixed(fixed or {})


Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""


def calibrate(
    observed: Iterable[Observed],
    model: Model | str = "adapter",
    noise_ratio: float | None = None,
    *,
    line_rate_bps: float | None = None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> Calibration:
    """
    Parameters of a model from observations: the most likely, or else all that agree.

    Parameters
    ----------
    observed : iterable of Observed
        Measurements, or published figures; a `Selection` too.
    model : Model or str
        A model, or the name of one, as ``netmodel calibrate --model`` takes it:
        ``"adapter"`` (time per frame and per byte of each direction), ``"host"`` (CPU time
        per message, frame and byte of one side), ``"scalability"``, ``"saturation"``,
        ``"knee"``, ``"batching"``, ``"power"``, ``"amortised"`` (rates over
        connections), ``"coalescing"``, ``"falling-cost"`` (CPU time per transaction over their
        rate), or a path of your own, ``"FILE.toml"``.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known. When left out, it is
        estimated from repeats, or from how figures scatter about the model.
    line_rate_bps : float, optional
        MAC rate of the line, for a model by its name. Figures at the line count as lower
        bounds of what the adapter could do; figures above it are left out. [bit/s]
    free : sequence of str
        For ``"host"`` or a path: names of the service times to estimate.
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    calibration : Fit or FeasibleSet
        A fit where there are enough figures for all parameters. Else, for a linear model, the
        set of all parameters that agree with every figure; its first note is why. Your own
        figures then agree within the noise given or estimated from repeats; without either,
        all intervals are open, as those of a fit without a degree of freedom. Published
        figures agree within their rounding, as long as that explains how they differ from the
        model. Conditions that the model does not use are left away; where they differ, a note
        says so. A ratio to your own run above it counts as one more run.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations, and the model is not
        linear.
    ContradictionError
        If they cannot be true together within rounding and noise.
    DomainError
        If there is no such model, the model does not predict a quantity, or a condition that
        it needs is missing.

    Examples
    --------
    Three runs past an adapter, whose noise is known:

    >>> seen = [
    ...     Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
    ...     for mtu, rate in ((1500, 13.4e9), (4000, 20.0e9), (9000, 24.1e9))
    ... ]
    >>> result = calibrate(seen, "adapter", 0.01)
    >>> round(result.parameters["per_frame_s"].value * 1e6, 2)
    0.46

    Two figures, of which the line hid one, have no likeliest value:

    >>> import math
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ...     ),
    ...     Observed(
    ...         quantity="throughput_bps", at={"mtu_bytes": 9000}, low=24.75e9, high=math.inf
    ...     ),
    ... ]
    >>> result = calibrate(seen, "adapter", line_rate_bps=25e9)
    >>> type(result).__name__, result.parameters["per_byte_s"].value
    ('FeasibleSet', None)
    """
    seen = Selection(tuple(observed))
    if isinstance(model, str):
        seen = about_model(model, seen)
        model = named_model(
            model, seen.observed, line_rate_bps=line_rate_bps, free=free, fixed=fixed
        )
    elif line_rate_bps is not None or free or fixed:
        raise DomainError(
            "line_rate_bps, free and fixed are for a model by its name: give them to the model"
        )
    seen = Selection((), seen.notes) + only_read(model, seen.observed)
    if line_rate_bps is not None:
        seen = Selection((), seen.notes) + line_speed_as_censored(
            seen.observed, line_cap(line_rate_bps)
        )
    runs = with_baselines_as_runs(seen.observed)
    try:
        result = fit(runs, model, noise_ratio=noise_ratio)
        return replace(result, notes=(*seen.notes, *result.notes))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = set_of_runs(runs, model, noise_ratio)
        except ContradictionError as contradiction:
            raise ContradictionError(
                f"{contradiction}; nor is there a best fit: {refusal}"
            ) from contradiction
        why = f"no unique best fit: {refusal}"
        whys = [why] if len(why) <= NOTE_CHARACTERS else why.split("; ", 1)
        return replace(allowed, notes=(*whys, *seen.notes, *allowed.notes))


_LINE_RATES_BPS = (1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9)
"""MAC rates of IEEE 802.3 from 1 Gbit/s to 400 Gbit/s."""
_NEAR_LINE_RATIO = 0.02
"""Streams over a full line lose up to about this much to start-up and lost frames."""
_MAX_OVER_RATIO = 0.005
"""As the tolerance of `line_speed_as_censored`: a line of this rate does not carry more."""
_MIN_CHANGE_RATIO = 0.01
"""Smaller changes of a parameter do not show in three digits."""
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
        f"line rate {format_rate(rate_bps)} from the record of {known[0]}: figures at the line "
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
    """Notes on the line rate that the fastest run comes near, and on what it would change."""
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
        line, percent = format_rate(rate_bps), 100 * shares[fastest]
        option = f"--line-rate {line.replace(' ', '')}"
        yield f"no line rate is given: {fastest} is {percent:.3g} % of a {line} line ({option})"
        try:
            censored = line_speed_as_censored(observed, cap).observed
            model = named_model(
                model_name, censored, line_rate_bps=rate_bps, free=free, fixed=fixed
            )
            beside = calibrate(censored, model, noise_ratio)
        except NetmodelError:
            return
        yield from (f"{option} would make {each}" for each in _changes(calibration, beside))
        return


def _changes(here: Calibration, there: Calibration) -> Iterator[str]:
    """Parameters whose value or range differs."""
    for parameter in here.model.parameters:
        first, second = here.parameters[parameter.name], there.parameters[parameter.name]
        is_same = all(
            old is new
            if old is None or new is None
            else old == new or abs(old - new) <= _MIN_CHANGE_RATIO * abs(old)
            for old, new in zip(first, second, strict=True)
        )
        if not is_same:
            texts = [
                _number(each.value, parameter.unit)
                if each.value is not None
                else f"{_number(each.low, parameter.unit)} to {_number(each.high, parameter.unit)}"
                for each in (second, first)
            ]
            yield f"{parameter.name} {' instead of '.join(texts)}"


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
    Refuse conditions outside a model's validity range, and specified ones that it ignores.

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
                record = workload(str(each.at["workload"]))
                for low, high in (record.request_bytes_bounds, record.response_bytes_bounds):
                    if low != high:
                        raise DomainError(
                            f"messages of {record.id} have {low} to {high} byte; give one size "
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
    """Points to predict, under the common conditions of the observations and those wanted."""
    common = shared_conditions(calibration.observed)
    model = calibration.model
    for at in wanted:
        conditions = conditions_with(common, at)
        quantity = str(conditions.pop("quantity", calibration.observed[0].quantity))
        cases: list[Conditions] = [conditions]
        if isinstance(model, SeveralModels) and model.by not in conditions:
            cases = [{**conditions, model.by: each} for each in model.models]
        for name in sorted(MESSAGE_CONDITIONS - set(conditions)):
            # messages must be given where they differed between observations
            values = dict.fromkeys(
                str(each.at[name]) for each in calibration.observed if name in each.at
            )
            if len(values) > 1 and name in conditions_with({name: ""}, conditions):
                listed = ", ".join(list(values)[:_LISTED_COUNT])
                raise DomainError(
                    f"--predict-at: {name} is {listed} in the observations: name one of them"
                )
        points = [
            Observed(quantity=quantity, at=case, low=0, high=math.inf, place="--predict-at")
            for case in cases
        ]
        changed = [name for name, value in at.items() if common.get(name) != value]
        require_read(model_name, model, points, [name for name in changed if name != "quantity"])
        yield from (Point(quantity, case) for case in cases)


def comparison_of(
    model_name: str,
    calibration: Calibration,
    observed: Sequence[Observed],
    noise_ratio: float | None,
    scenario: Sequence[str],
) -> "Comparison":
    """The model beside plain baselines, each judged by figures that it did not use."""
    from netmodel.calibration._compare import compare, forecasting, interpolation

    is_fit, quantity = calibration.method == "likelihood", calibration.observed[0].quantity
    methods: dict[str, Method | Mean] = {
        "this model": forecasting(calibration.model, noise_ratio=noise_ratio)
        if is_fit
        else partial(calibrate, model=calibration.model, noise_ratio=noise_ratio),
        "mean": "mean",
    }
    for name in varied_numbers(calibration.observed):
        methods[f"interpolation over {name}"] = interpolation(name)
        if name == "connection_count" and quantity in RATES and model_name != "scalability":
            methods["universal scalability"] = forecasting(curve_model("scalability", quantity))
    return compare(methods, observed, by=scenario)
