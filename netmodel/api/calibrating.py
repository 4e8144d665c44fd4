"""Parameters of adapters, hosts, paths and curves, from any source of observations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from netmodel.api import kinds
from netmodel.api.arguments import (
    ArgumentsError,
    WrongValueError,
    in_base_units,
    listed_values,
)
from netmodel.api.named_values import given_conditions, merged, named_values
from netmodel.numeric import require_one
from netmodel.records import catalog

if TYPE_CHECKING:
    from netmodel.api._sources import Source
    from netmodel.calibration import Selection
    from netmodel.calibration.calibrations import AnyCalibration
    from netmodel.calibration.models import Model
    from netmodel.readers import FoundResults

ModelName: TypeAlias = Annotated[str, kinds.Kind("model|file")]
_MAX_NOISE_RATIO = 0.5
"""Above it the figure is most likely percent: no run repeats within a factor of two."""


def record_of(
    asked: Mapping[str, Any], calibration: Any, title: str, source: str
) -> dict[str, Any]:
    """Return the record of an adapter or a host, for `netmodel.records.write_record`."""
    from netmodel.calibration import adapter_document, host_document

    if asked["model"] == "host":
        return host_document(calibration, title, source)
    if asked["line_rate_bps"] is None:
        raise ArgumentsError("-o: the record of an adapter needs {line_rate_bps}")
    return adapter_document(calibration, asked["line_rate_bps"], title, source)


def prepared(
    sources: "Source | Iterable[Source]",
    asked: dict[str, Any],
    read: "Callable[[Sequence[str]], FoundResults] | None" = None,
) -> "tuple[Model | None, Selection]":
    """
    Return the model, None for a choice of several, and its observations with notes.

    The arguments are those of `calibrate`, where the line rate of a known adapter is put in.

    Raises
    ------
    ContradictionError
        If no observation is left beside the line.
    DomainError
        If there is no such model, or a condition is missing or changes nothing.
    """
    from netmodel.api._sources import names_of, selected
    from netmodel.calibration import Selection, line_cap, line_speed_as_censored
    from netmodel.calibration.calibrations import recorded_line_rate
    from netmodel.calibration.conditions import only_read
    from netmodel.calibration.named_models import (
        AUTO,
        about_model,
        named_model,
        require_no_parts,
        require_read,
    )

    given = given_conditions(asked["given"], asked["mtu_bytes"])
    noise_ratio, name = asked["noise_ratio"], asked["model"]
    if noise_ratio is not None and noise_ratio > _MAX_NOISE_RATIO:
        problem = "{noise_ratio} {noise:g} is above {most:g}, as no ratio is; 2 % is 0.02"
        raise WrongValueError(problem, noise=noise_ratio, most=_MAX_NOISE_RATIO)
    selection = selected(sources, name, asked, given, read)
    free, fixed = tuple(listed_values(asked["free"])), _fixed(asked["fix"])
    seen, rate_bps = about_model(name, selection), asked["line_rate_bps"]
    if rate_bps is None:
        first = (names_of(sources) or [""])[0]
        adapter_id = first if first in catalog()["adapters"] else None
        rate_bps, known = recorded_line_rate(name, seen.observed, adapter_id)
        asked["line_rate_bps"], seen = rate_bps, replace(seen, notes=(*seen.notes, *known))
    model = None
    if name == AUTO:
        require_no_parts(free, fixed)
    else:
        model = named_model(name, seen.observed, line_rate_bps=rate_bps, free=free, fixed=fixed)
        require_read(name, model, seen.observed, given)
        seen = Selection((), seen.notes) + only_read(model, seen.observed)
    if rate_bps is not None:
        beside = line_speed_as_censored(seen.observed, line_cap(rate_bps))
        if not beside.observed:
            reasons = "; ".join(beside.notes)
            raise ArgumentsError("no observation is left: {reasons}", reasons=reasons)
        seen = Selection((), seen.notes) + beside
    return model, seen


def estimated(
    asked: Mapping[str, Any], model: "Model | None", seen: "Selection"
) -> "AnyCalibration":
    """Return the calibration, with all notes: on the line rate, on itself, on what was left out."""
    from netmodel.calibration import Fit
    from netmodel.calibration import calibrate as calibrated
    from netmodel.calibration.calibrations import line_rate_hints
    from netmodel.calibration.diagnostics import OUTLIER
    from netmodel.calibration.models import not_estimable
    from netmodel.calibration.observations import FAILED_RUN

    noise_ratio, rate_bps = asked["noise_ratio"], asked["line_rate_bps"]
    if model is None:
        from netmodel.calibration.choices import chosen_model

        return chosen_model(seen, noise_ratio, rate_bps)
    result = calibrated(seen.observed, model, noise_ratio)
    hints = line_rate_hints(asked["model"], result.observed) if rate_bps is None else ()
    wide = result.open_parameters if isinstance(result, Fit) else ()
    notes = (*hints, *not_estimable(wide, result.observed), *result.notes, *seen.notes)
    doubts = (OUTLIER, FAILED_RUN)
    first = sorted(notes, key=lambda note: not any(each in note for each in doubts))
    return replace(result, notes=tuple(first))


def _fixed(given: Any) -> dict[str, float]:
    """Return the parameters that are known."""
    fixed = {}
    for name, value in merged(named_values("fix", given)).items():
        if isinstance(value, str):
            problem = "{fix} {name}: must be a number in base units; got {value!r}"
            raise WrongValueError(problem, name=name, value=value)
        fixed[name] = float(require_one(f"fix[{name!r}]", value))
    return fixed


@in_base_units
def calibrate(
    sources: "Source | Iterable[Source]",
    *,
    model: ModelName = "adapter",
    line_rate_bps: kinds.Rate | None = None,
    where: kinds.NamedValues = None,
    figures: kinds.Columns = (),
    condition: kinds.Columns = (),
    flagged: Literal["refused", "weighted down", "used"] = "refused",
    given: kinds.NamedValues = None,
    side: kinds.ASide | None = None,
    mtu_bytes: kinds.Size | None = None,
    free: kinds.Columns = (),
    fix: kinds.NamedValues = None,
    noise_ratio: kinds.Noise | None = None,
) -> "AnyCalibration":
    """
    Estimate model parameters from measurements.

    Parameters
    ----------
    sources : str, path, DataFrame or sequence of str or path
        Result files or directories; one CSV file or table of pandas, one dataset, or one adapter
        with published limits, by its id.
    model : str
        What is estimated: adapter, host, scalability, saturation, knee, batching, power, amortised,
        coalescing, falling-cost, plateau-cost, auto, or a path in a ``.toml`` file.
        ``"auto"`` takes the one of these, or lines between figures in logarithms, that predicts
        left-out figures best.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``; that of the adapter's record by
        default. Figures at the line become lower bounds. [bit/s]
    where : mapping or str, optional
        Only what has this value, such as line_rate=25Gbit/s; observations with these conditions,
        such as workload=awm-str,layer=3.
    figures : str or sequence of str, optional
        Column of a dataset to calibrate from; repeat it for several.
    condition : str or sequence of str, optional
        Column of figures that is a condition of the others, such as transaction_rate_tps.
    flagged : {"refused", "weighted down", "used"}
        What becomes of figures that flags.csv names; refused by default.
    given : mapping or str, optional
        Conditions missing from the input, such as response_bytes=20000000.
    side : {"client", "server"}, optional
        Side that is calibrated; whose adapter it is decides which direction is in.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; where the input does not have it.
        [byte]
    free : str or sequence of str, optional
        Service time to estimate, such as sent.per_frame_s; repeat it for several, leave it out to
        list the names.
    fix : mapping or str, optional
        Parameters that are known, in base units, such as per_message_s=0.
    noise_ratio : float or str, optional
        Measurement noise: standard deviation from run to run as a ratio, such as 0.02; from
        repeats or the scatter about the model by default.

    Returns
    -------
    calibration : Fit, FeasibleSet or ChosenModel
        The most likely parameters with intervals; where there are too few figures for that, the
        set of all parameters that agree with them. A ChosenModel for ``"auto"``.

    Raises
    ------
    CalibrationError
        If the parameters cannot be estimated from the observations.
    ContradictionError
        If arguments exclude each other, no observation is left, or they contradict each other.
    DomainError
        If there is no such model, or a condition is missing.
    ParseError
        If a file cannot be read.

    See Also
    --------
    netmodel.calibration.calibrate : The same for observations and a model.

    Examples
    --------
    The published limits of an adapter, received at MTU 1500 and 9000:

    >>> import netmodel
    >>> result = netmodel.calibrate(
    ...     "osa-express7s-25gbe", where={"workload": "str-writex30k", "direction": "in"}
    ... )
    >>> [round(end * 1e9) for end in result.parameters["in.per_frame_s"][1:]]
    [469, 868]
    """
    asked = dict(locals())
    return estimated(asked, *prepared(asked.pop("sources"), asked))
