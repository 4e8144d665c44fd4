"""Models by name: what ``calibrate(observed, "adapter")`` and ``--model adapter`` build."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from netmodel.calibration._models._base import LinearModel, Model, SeveralModels
from netmodel.calibration._models._curves import (
    amortised_curve,
    coalescing_curve,
    falling_cost_model,
    power_model,
    saturation_model,
    scalability_model,
)
from netmodel.calibration._models._path import PathModel, adapter_model, host_cost_model
from netmodel.calibration._observed import Cap, Observed
from netmodel.calibration._sources._conditions import line_cap
from netmodel.calibration._sources._selection import Selection
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path import recorded_path
from netmodel.path._path import DIRECTIONS
from netmodel.records import path_record

RATES = ("throughput_bps", "transaction_rate_tps")
COSTS = ("cpu_us_per_gbit", "cpu_s_per_transaction")
_COUNT, _RATE = "connection_count", "transaction_rate_tps"
_POWER = 0.8
"""Exponent of the model "power": 0.75 to 0.8 follows measured request-response series best, by
`power_model`."""


class Options(NamedTuple):
    """What a model is built from beside its name."""

    line_rate_bps: float | None = None
    free: tuple[str, ...] = ()


class Named(NamedTuple):
    """
    A model by its name.

    Parameters
    ----------
    build : callable
        From observations and options to the model.
    quantities : tuple of str
        What it predicts: observations of others are not its own.
    over : str
        The one condition that a curve is over; empty for models of paths.
    least : float
        From where on a curve is defined.
    """

    build: Callable[[Sequence[Observed], Options], Model]
    quantities: tuple[str, ...]
    over: str = ""
    least: float = 0.0


def _adapter(observed: Sequence[Observed], options: Options) -> Model:
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


def _host(observed: Sequence[Observed], options: Options) -> Model:
    """What one side spends: per message, frame and byte, or the parts in `free`."""
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


def _path(file: str, options: Options) -> Model:
    """A path of your own, some of whose service times are free."""
    path = recorded_path(path_record(file), line_rate_bps=options.line_rate_bps)
    if not options.free:
        times = sorted(
            f"{stage.name}.{way}.{time}"
            for stage in path.stages
            for way in DIRECTIONS
            for time, _ in getattr(stage, way).named
        )
        raise DomainError(
            f"free is missing: name the service times to estimate, of {', '.join(times)}"
        )
    return PathModel(path, {name: (name,) for name in options.free})


def _beside_line(
    build: Callable[..., LinearModel],
) -> Callable[[Sequence[Observed], Options], Model]:
    """Of a curve of rates: with the line as one of its limits, where payload is what is seen."""

    def built(observed: Sequence[Observed], options: Options) -> Model:
        quantity = observed[0].quantity
        cap: Cap | None = None
        if options.line_rate_bps is not None and quantity == RATES[0]:
            cap = line_cap(options.line_rate_bps)
        return replace(build(quantity=quantity), cap=cap)  # type: ignore[type-var]

    return built


def _plain(build: Callable[..., Model]) -> Callable[[Sequence[Observed], Options], Model]:
    return lambda observed, options: build(quantity=observed[0].quantity)


MODELS: Mapping[str, Named] = {
    "adapter": Named(_adapter, RATES[:1]),
    "host": Named(_host, COSTS),
    "scalability": Named(_beside_line(scalability_model), RATES, _COUNT, 1),
    "saturation": Named(_beside_line(saturation_model), RATES, _COUNT, 1),
    "power": Named(_beside_line(lambda quantity: power_model(_POWER, quantity)), RATES, _COUNT, 1),
    "amortised": Named(_plain(amortised_curve), RATES, _COUNT, 1),
    "coalescing": Named(_plain(coalescing_curve), COSTS[1:], _RATE),
    "falling-cost": Named(
        _plain(lambda quantity: falling_cost_model(quantity=quantity)), COSTS[1:], _RATE
    ),
}
"""By the names that ``netmodel calibrate --model`` takes, beside FILE.toml of a path."""


def about_model(name: str, selection: Selection) -> Selection:
    """
    The observations of what a model predicts: of a curve, those of one quantity.

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
            f"model {name} is about {' or '.join(known)}; observed is {', '.join(sorted(seen))}"
        )
    if is_named and MODELS[name].over:
        about = about[:1]
    notes = [
        f"{quantity} is left out: the model is about {', '.join(about)}"
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
        ``"adapter"``, ``"host"``, ``"scalability"``, ``"saturation"``, ``"power"``,
        ``"amortised"``, ``"coalescing"``, ``"falling-cost"``, or a path of your own in a
        ``.toml`` file.
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
    options = Options(line_rate_bps, tuple(free))
    model = _path(name, options) if is_path else MODELS[name].build(seen, options)
    return model.with_fixed(fixed or {})
