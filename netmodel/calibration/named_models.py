"""Models by the names that the command line takes, built for observations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from netmodel.calibration._curves import CURVES, curve_model
from netmodel.calibration._path_model import PathModel, adapter_model, host_cost_model
from netmodel.calibration.conditions import (
    line_cap,
    read_conditions,
)
from netmodel.calibration.models import (
    Model,
    SeveralModels,
)
from netmodel.calibration.observations import (
    COSTS,
    RATES,
    Observed,
    Selection,
)
from netmodel.consumption import Side
from netmodel.errors import (
    AmbiguousValueError,
    DomainError,
)
from netmodel.path import recorded_path
from netmodel.path.stages import DIRECTIONS
from netmodel.records import path_record, workload
from netmodel.text import argument, meant_text, near_name


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
        client = {"side": "client"}
        remedy = (
            f"select one with {argument('where', '--where', client)}"
            if given
            else f"add it: {argument('given', '--given', client)}"
        )
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
    law = CURVES[name]

    def build(observed: Sequence[Observed], options: ModelOptions) -> Model:
        quantity, line_rate_bps = observed[0].quantity, options.line_rate_bps
        is_capped = law.formula is None and law.is_rate and quantity == RATES[0]
        cap = line_cap(line_rate_bps) if is_capped and line_rate_bps is not None else None
        return curve_model(name, quantity, cap=cap)

    return NamedModel(build, law.quantities, law.condition, law.least)


MODELS: Mapping[str, NamedModel] = {
    "adapter": NamedModel(_adapter, RATES[:1]),
    "host": NamedModel(_host, COSTS),
    **{name: _curve(name) for name in CURVES},
}
"""Models by the names that ``netmodel calibrate --model`` takes, beside FILE.toml of a path."""


AUTO = "auto"
"""Name in place of a model: the one that predicts left-out figures best."""


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
    if name == AUTO or (is_named and MODELS[name].over):
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
        ``"plateau-cost"``,
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
            f"{meant_text(name, MODELS)}"
        )
    if not seen and not is_path:
        raise DomainError(f"no observation to build the model {name} for")
    if free and not is_path and name != "host":
        raise DomainError(
            f"{argument('free', '--free')} is for model host, and for a path of your own, FILE.toml"
        )
    options = ModelOptions(line_rate_bps, tuple(free))
    model = _path(name, options) if is_path else MODELS[name].build(seen, options)
    return model.with_fixed(fixed) if fixed else model


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
                        sizes = {"request_bytes": ..., "response_bytes": ...}
                        raise DomainError(
                            f"messages of {record.id} have {low} to {high} byte; give one size by "
                            f"{argument('given', '--given', sizes)}"
                        ) from None
        raise
    for condition in specified:
        if condition not in read:
            near = near_name(condition, read)
            hint = f"; {near} may be meant" if near else ""
            raise DomainError(
                f"{condition!r} changes nothing: model {model_name} reads "
                f"{', '.join(sorted(read))}{hint}"
            )
