"""Models by the names that the command line takes, built for observations."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from netmodel.calibration._curves import CURVES, curve_model
from netmodel.calibration._path_model import adapter_model, host_cost_model
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
    DomainError,
)
from netmodel.text import argument, meant_text, near_name


class NamedModel(NamedTuple):
    """
    A model by its name.

    Parameters
    ----------
    build : callable
        From observations, line rate and parts to the model.
    quantities : tuple of str
        Quantities that it predicts; it ignores observations of others.
    over : str
        The only condition of a curve; empty for models of paths.
    least : float
        The smallest value of that condition.
    """

    build: Callable[[Sequence[Observed], float | None, Sequence[str]], Model]
    quantities: tuple[str, ...]
    over: str = ""
    least: float = 0.0


def _adapter(observed: Sequence[Observed], rate_bps: float | None, _: Sequence[str]) -> Model:
    """One direction of an adapter, or each that the observations name."""
    first = adapter_model(rate_bps)
    directions = dict.fromkeys(str(seen.at.get("direction", "")) for seen in observed)
    if "" in directions and len(directions) > 1:
        raise DomainError("some observations name their direction (in, out), others do not")
    for direction in set(directions) - {"in", "out", ""}:
        raise DomainError(f"direction must be in or out; got {direction!r}")
    return (
        first if "" in directions else SeveralModels("direction", dict.fromkeys(directions, first))
    )


def _host(observed: Sequence[Observed], _: float | None, parts: Sequence[str]) -> Model:
    """CPU cost of one side: per message, frame and byte, or the parts that are named."""
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
    return host_cost_model(known[side], parts) if parts else host_cost_model(known[side])


def _curve(name: str) -> NamedModel:
    """A curve of one quantity; the line is one of its limits where payload is observed."""
    law = CURVES[name]

    def build(observed: Sequence[Observed], rate_bps: float | None, _: Sequence[str]) -> Model:
        quantity = observed[0].quantity
        is_capped = law.formula is None and law.is_rate and quantity == RATES[0]
        cap = line_cap(rate_bps) if is_capped and rate_bps is not None else None
        return curve_model(name, quantity, cap=cap)

    return NamedModel(build, law.quantities, law.condition, law.least)


MODELS: Mapping[str, NamedModel] = {
    "adapter": NamedModel(_adapter, RATES[:1]),
    "host": NamedModel(_host, COSTS),
    **{name: _curve(name) for name in CURVES},
}
"""Models by the names that ``netmodel calibrate --model`` takes."""


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
        ``"plateau-cost"``.
    observed : iterable of Observed
        Which side, which directions, which quantity the model is about.
    line_rate_bps : float, optional
        MAC rate of the line, which no throughput exceeds. [bit/s]
    free : sequence of str
        Parts of the cost of a host to estimate.
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
    if name not in MODELS:
        raise DomainError(
            f"no model {name!r}: choose one of {', '.join(MODELS)}{meant_text(name, MODELS)}"
        )
    if not seen:
        raise DomainError(f"no observation to build the model {name} for")
    if free and name != "host":
        raise DomainError(f"{argument('free', '--free')} is for model host")
    model = MODELS[name].build(seen, line_rate_bps, tuple(free))
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
    read = read_conditions(model, seen)
    for condition in specified:
        if condition not in read:
            near = near_name(condition, read)
            hint = f"; {near} may be meant" if near else ""
            raise DomainError(
                f"{condition!r} changes nothing: model {model_name} reads "
                f"{', '.join(sorted(read))}{hint}"
            )
