"""Parameters of adapters, hosts, paths and curves, from any source of observations."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from netmodel._numeric import require_one
from netmodel.api._arguments import choice, in_base_units, optional_number, optional_whole
from netmodel.api._kinds import Number, Whole
from netmodel.consumption import Side
from netmodel.errors import ContradictionError

if TYPE_CHECKING:
    from netmodel.api._sources import Source
    from netmodel.calibration import Selection
    from netmodel.calibration._calibrate import AnyCalibration
    from netmodel.calibration._models import Model
    from netmodel.calibration._observed import Conditions


@dataclass(frozen=True, slots=True)
class Prepared:
    """
    A model by its name, and the observations that it is to be estimated from.

    Parameters
    ----------
    model_name : str
        As `calibrate` takes it.
    model : Model
        Built for the observations; None for a choice of several.
    seen : Selection
        Observations of what the model predicts, with the notes on what is left out.
    line_rate_bps : float, optional
        As specified, or from the record of the adapter. [bit/s]
    free, fixed : optional
        Service times to estimate, and those taken as known.
    """

    model_name: str
    model: "Model | None"
    seen: "Selection"
    line_rate_bps: float | None
    free: tuple[str, ...]
    fixed: Mapping[str, float]

    def estimated(self, noise_ratio: float | None) -> "AnyCalibration":
        """The calibration, with all notes: on the line rate, on itself, on what was left out."""
        from netmodel.calibration import calibrate as calibrated
        from netmodel.calibration._calibrate import line_rate_hints
        from netmodel.calibration._fit import Fit
        from netmodel.calibration._models import not_estimable

        if self.model is None:
            from netmodel.calibration._choices import chosen_model

            return chosen_model(self.seen, noise_ratio, self.line_rate_bps)
        result = calibrated(self.seen.observed, self.model, noise_ratio)
        hints: Iterable[str] = ()
        if self.line_rate_bps is None:
            hints = line_rate_hints(self.model_name, result, noise_ratio, self.free, self.fixed)
        wide = result.open_parameters if isinstance(result, Fit) else ()
        notes = (*not_estimable(wide, result.observed), *result.notes)
        return replace(result, notes=(*hints, *notes, *self.seen.notes))


def prepared(
    selection: "Selection",
    model_name: str,
    line_rate_bps: float | None,
    free: Sequence[str],
    fixed: Mapping[str, float],
    given: "Conditions",
    adapter_id: str | None,
) -> Prepared:
    """
    The model of a name for observations, and those of them that count.

    Raises
    ------
    ContradictionError
        If no observation is left beside the line.
    DomainError
        If there is no such model, or a condition is missing or changes nothing.
    """
    from netmodel.calibration import Selection, line_cap, line_speed_as_censored
    from netmodel.calibration._calibrate import recorded_line_rate
    from netmodel.calibration._conditions import only_read
    from netmodel.calibration._named_models import (
        AUTO,
        about_model,
        named_model,
        require_no_parts,
        require_read,
    )

    about = about_model(model_name, selection)
    if line_rate_bps is None:
        line_rate_bps, notes = recorded_line_rate(model_name, about.observed, adapter_id)
        about = replace(about, notes=(*about.notes, *notes))
    model, seen = None, about
    if model_name == AUTO:
        require_no_parts(free, fixed)
    else:
        model = named_model(
            model_name, about.observed, line_rate_bps=line_rate_bps, free=free, fixed=fixed
        )
        require_read(model_name, model, about.observed, given)
        seen = Selection((), about.notes) + only_read(model, about.observed)
    if line_rate_bps is not None:
        beside = line_speed_as_censored(seen.observed, line_cap(line_rate_bps))
        if not beside.observed:
            raise ContradictionError(f"no observation is left: {'; '.join(beside.notes)}")
        seen = Selection((), seen.notes) + beside
    return Prepared(model_name, model, seen, line_rate_bps, tuple(free), fixed)


@in_base_units
def calibrate(
    sources: "Source | Iterable[Source]",
    *,
    model: "str | Model" = "adapter",
    line_rate_bps: Number | None = None,
    where: "Conditions | None" = None,
    figures: str | Sequence[str] = (),
    condition: str | Sequence[str] = (),
    flagged: str = "refused",
    given: "Conditions | None" = None,
    given_of: "Mapping[str, Conditions] | None" = None,
    adapter_of: str | Side | None = None,
    mtu_bytes: Whole | None = None,
    free: str | Sequence[str] = (),
    fix: Mapping[str, float] | None = None,
    noise_ratio: Number | None = None,
) -> "AnyCalibration":
    """
    Estimate model parameters from measurements.

    Parameters
    ----------
    sources : str, path, Measurement, Observed, Selection, DataFrame or iterable of one kind
        Result files or directories, folders of `measure` (with the MTU and the line rate that
        their hosts show); one CSV file or table of pandas, one dataset, or one adapter
        with published limits, by its id; or objects made before.
    model : str or Model
        ``"adapter"``, ``"host"``, ``"scalability"``, ``"saturation"``, ``"knee"``,
        ``"batching"``, ``"power"``, ``"amortised"``, ``"coalescing"``, ``"falling-cost"``,
        ``"plateau-cost"``, a path of your own in a ``.toml`` file, or a model. ``"auto"`` takes
        the one of these, or lines between figures in logarithms, that predicts left-out figures
        best.
    line_rate_bps : float or str, optional
        MAC rate of the line: figures at the line become lower bounds. [bit/s]
    where : mapping, optional
        Only those with these values; conditions, such as ``{"mtu_bytes": 1500}``.
    figures, condition : str or sequence of str, optional
        Columns of a dataset to calibrate from, and those of them that are conditions.
    flagged : {"refused", "weighted down", "used"}
        What becomes of flagged figures.
    given : mapping, optional
        Conditions missing from the source, such as ``{"direction": "in"}``.
    given_of : mapping of str to mapping, optional
        Conditions missing from one result file, by its name.
    adapter_of : {"client", "server"}, optional
        Side whose adapter is calibrated from results.
    mtu_bytes : int or str, optional
        IP MTU of all observations, where the source does not have it. [byte]
    free : str or sequence of str, optional
        Service times of a path, or parts of the cost of a host, to estimate.
    fix : mapping of str to float, optional
        Parameters taken as known. [s]
    noise_ratio : float or str, optional
        Standard deviation from run to run as a ratio. By default from repeats, or from how the
        figures scatter about the model; without either, intervals stay open.

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
    from netmodel.api._sources import (
        Chosen,
        kept,
        measured_line_rate_bps,
        observations,
        observed_of,
    )
    from netmodel.calibration import Flagged
    from netmodel.calibration import calibrate as calibrated
    from netmodel.records import catalog

    mtu = optional_whole("mtu_bytes", mtu_bytes)
    chosen = Chosen(
        where=() if where is None else (where,),
        figures=_texts(figures),
        conditions_from=_texts(condition),
        flagged=Flagged(flagged),
        given={**({} if mtu is None else {"mtu_bytes": mtu}), **(given or {})},
        given_of=given_of or {},
        adapter_of=None if adapter_of is None else choice("adapter_of", adapter_of, Side),
    )
    noise = optional_number("noise_ratio", noise_ratio)
    names = _names(sources)
    model_name = model if isinstance(model, str) else ""
    if names is None:
        selection = kept(observed_of(sources, model_name, chosen), chosen, "the observations")
    else:
        selection = observations(names, model_name, chosen)
    if not isinstance(model, str):
        return calibrated(selection, model, noise)
    rate_bps = optional_number("line_rate_bps", line_rate_bps)
    if rate_bps is None and names is not None and model == "adapter":
        rate_bps = measured_line_rate_bps(names)
    ready = prepared(
        selection,
        model,
        rate_bps,
        _texts(free),
        {name: require_one(f"fix[{name!r}]", value) for name, value in (fix or {}).items()},
        chosen.given,
        names[0] if names is not None and names[0] in catalog()["adapters"] else None,
    )
    return ready.estimated(noise)


def _names(sources: "Source | Iterable[Source]") -> list[str] | None:
    """The files or ids that sources are; None where they are objects."""
    if isinstance(sources, str | os.PathLike):
        return [os.fspath(sources)]
    if not isinstance(sources, list | tuple | set | frozenset):
        return None
    names = [os.fspath(each) for each in sources if isinstance(each, str | os.PathLike)]
    return names if names and len(names) == len(sources) else None


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
