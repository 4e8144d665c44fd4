"""A calibration: the model by its name, the method, and what is asked of the result."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from netmodel.calibration._fit import Fit, fit, with_hidden_outlier
from netmodel.calibration._noise import (
    with_baselines_as_runs,
    with_either_baseline,
)
from netmodel.calibration.conditions import (
    line_cap,
    line_speed_as_censored,
    only_read,
    shared_conditions,
)
from netmodel.calibration.models import (
    LinearModel,
    Model,
    Point,
    SeveralModels,
)
from netmodel.calibration.named_models import (
    AUTO,
    MODELS,
    about_model,
    named_model,
    require_read,
)
from netmodel.calibration.observations import (
    MESSAGE_CONDITIONS,
    RATES,
    Conditions,
    Observed,
    Selection,
    conditions_with,
    without_zeros,
)
from netmodel.calibration.sets import FeasibleSet, set_of_runs
from netmodel.errors import (
    CalibrationError,
    ContradictionError,
    DomainError,
    NetmodelError,
)
from netmodel.numeric import require_plain
from netmodel.records import adapter, catalog
from netmodel.text import NOTE_CHARACTERS, argument, near_name
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.calibration.choices import ChosenModel


Calibration: TypeAlias = Fit | FeasibleSet
"""Both have ``parameters`` and ``notes``, and ``predict``."""
AnyCalibration: TypeAlias = "Fit | FeasibleSet | ChosenModel"
"""Of any model by its name."""


def calibrate(
    observed: Iterable[Observed],
    model: Model | str = "adapter",
    noise_ratio: float | None = None,
    *,
    line_rate_bps: float | None = None,
    free: Sequence[str] = (),
    fixed: Mapping[str, float] | None = None,
) -> AnyCalibration:
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
        rate), ``"plateau-cost"`` (CPU cost over connections). Also ``"auto"``, the one of them,
        or lines between figures in logarithms, that predicts left-out figures best.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio, where it is known. When left out, it is
        estimated from repeats, or from how figures scatter about the model.
    line_rate_bps : float, optional
        MAC rate of the line, for a model by its name. Figures at the line count as lower
        bounds of what the adapter could do; figures above it are left out. [bit/s]
    free : sequence of str
        For ``"host"``: names of the service times to estimate.
    fixed : mapping of str to float, optional
        Parameters taken as known, by name. [s]

    Returns
    -------
    calibration : Fit, FeasibleSet or ChosenModel
        The last one for ``"auto"``. Else a fit
        where there are enough figures for all parameters; else, for a linear model, the set of
        all parameters that agree with every figure; its first note is why. Your own
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
    require_plain(noise_ratio=noise_ratio, line_rate_bps=line_rate_bps, **(fixed or {}))
    seen = without_zeros(Selection(tuple(observed)))
    if isinstance(model, str):
        seen = about_model(model, seen)
        if model == AUTO:
            from netmodel.calibration.choices import chosen_model

            if free or fixed:
                both = f"{argument('free', '--free')} and {argument('fix', '--fix')}"
                raise DomainError(f"{both} are for one model; {AUTO} is none")
            return chosen_model(seen, noise_ratio, line_rate_bps)
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
    # where the noise is estimated, it includes that of baselines; a set counts each figure alone
    if noise_ratio is None:
        runs = each_alone = with_baselines_as_runs(seen.observed)
    else:
        runs, each_alone = with_either_baseline(seen.observed), seen.observed
    try:
        result = with_hidden_outlier(fit(runs, model, noise_ratio=noise_ratio))
        return replace(result, notes=(*seen.notes, *result.notes))
    except CalibrationError as refusal:
        if not isinstance(model, LinearModel):
            raise
        try:
            allowed = set_of_runs(each_alone, model, noise_ratio)
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
_LISTED_COUNT = 4
"""Values that a message lists."""
_OF_THROUGHPUT = frozenset(name for name, model in MODELS.items() if RATES[0] in model.quantities)


def recorded_line_rate(
    model_name: str, observed: Sequence[Observed], adapter_id: str | None
) -> tuple[float | None, tuple[str, ...]]:
    """Line rate of the catalog's adapter that all observations are of, and a note on it."""
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


def line_rate_hints(model_name: str, observed: Sequence[Observed]) -> Iterator[str]:
    """A note on the line rate that the fastest run comes near."""
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
        option = argument("line_rate_bps", "--line-rate", line.replace(" ", ""))
        yield f"no line rate is given: {fastest} is {percent:.3g} % of a {line} line ({option})"
        return


def prediction_points(
    model_name: str, calibration: AnyCalibration, wanted: Iterable[Conditions]
) -> Iterator[Point]:
    """
    Points to predict, under the common conditions of the observations and those wanted.

    Parameters
    ----------
    model_name : str
        As `netmodel.calibrate` takes it.
    calibration : Fit, FeasibleSet or ChosenModel
        With the observations that it rests on.
    wanted : iterable of mapping
        Conditions of each prediction that differ from those of the observations.

    Yields
    ------
    point : Point
        One for each, or for each case of a condition that separates models.

    Raises
    ------
    DomainError
        If a condition is missing, cannot be, or changes nothing.

    Examples
    --------
    >>> import netmodel
    >>> known = {"workload": "str-writex30k", "direction": "in"}
    >>> found = netmodel.calibrate("osa-express7s-25gbe", where=known)
    >>> [point.quantity for point in prediction_points("adapter", found, [{"mtu_bytes": 4000}])]
    ['throughput_bps']
    """
    common = shared_conditions(calibration.observed)
    if not isinstance(calibration, Fit | FeasibleSet):
        yield from _points_of_choice(calibration, common, wanted)
        return
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


def _points_of_choice(
    calibration: "ChosenModel", common: Conditions, wanted: Iterable[Conditions]
) -> Iterator[Point]:
    known = {name for each in calibration.observed for name in each.at}
    for at in wanted:
        for name in at:
            if name not in known | {calibration.over, "quantity"}:
                near = near_name(name, known)
                hint = f"; {near} may be meant" if near else ""
                raise DomainError(f"--predict-at: no observation has {name!r}{hint}")
        conditions = conditions_with(common, at)
        quantity = str(conditions.pop("quantity", calibration.observed[0].quantity))
        if calibration.over not in conditions:
            raise DomainError(f"--predict-at: {calibration.over} is missing")
        yield Point(quantity, conditions)
