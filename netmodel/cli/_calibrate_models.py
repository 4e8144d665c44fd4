"""Models that ``netmodel calibrate`` knows, by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import click

from netmodel._text import near_name
from netmodel.cli._options import require_one_size
from netmodel.consumption import Side
from netmodel.errors import AmbiguousValueError, DomainError

if TYPE_CHECKING:
    from netmodel.calibration import Cap, Conditions, Model, Observed

__all__ = ["MODEL_NAMES", "Stated", "chosen_model", "quantities_of", "require_read"]

_RATES = ("throughput_bps", "transaction_rate_tps")
_BY_SIZES = "by --given request_bytes=...,response_bytes=..."
_COSTS = ("cpu_us_per_gbit", "cpu_s_per_transaction")


@dataclass(frozen=True, slots=True)
class Stated:
    """What options say of a model beside its name."""

    line_rate_bps: float | None
    free: tuple[str, ...]
    fixed: "Conditions"


_Builder: TypeAlias = "Callable[[Sequence[Observed], Stated], Model]"


def _adapter(observed: "Sequence[Observed]", stated: Stated) -> "Model":
    """One direction of an adapter, or each that the observations tell apart."""
    from netmodel.calibration import SeveralModels, adapter_model

    one = adapter_model(stated.line_rate_bps)
    directions = dict.fromkeys(str(seen.at.get("direction", "")) for seen in observed)
    if "" in directions and len(directions) > 1:
        raise click.UsageError("some observations tell their direction, others do not")
    for direction in set(directions) - {"in", "out", ""}:
        raise click.UsageError(f"direction must be in or out; got {direction!r}")
    return one if "" in directions else SeveralModels("direction", dict.fromkeys(directions, one))


def _host(observed: "Sequence[Observed]", stated: Stated) -> "Model":
    """What one side spends: the usual parts, or those that are to be found."""
    from netmodel.calibration import host_cost_model

    sides = dict.fromkeys(str(seen.at.get("side", "")) for seen in observed)
    if len(sides) > 1 or "" in sides:
        told = ", ".join(filter(None, sides))
        remedy = "--where side=client leaves one" if told else "--given side=client tells it"
        raise click.UsageError(
            "the cost of a host needs the condition side, the same in all observations: "
            f"got {told or 'none'}; {remedy}"
        )
    (side,) = sides
    known = {one.value: one for one in Side}
    if side not in known:
        raise click.UsageError(f"side must be one of {', '.join(known)}; got {side!r}")
    if not stated.free:
        return host_cost_model(known[side])
    try:
        return host_cost_model(known[side], stated.free)
    except DomainError as error:
        raise click.UsageError(f"--free: {error}") from error


def _scalability(observed: "Sequence[Observed]", stated: Stated) -> "Model":
    from netmodel.calibration import scalability_model

    quantity = observed[0].quantity
    return replace(scalability_model(quantity), cap=_line_cap(quantity, stated))


def _saturation(observed: "Sequence[Observed]", stated: Stated) -> "Model":
    from netmodel.calibration import saturation_model

    quantity = observed[0].quantity
    return saturation_model(quantity, cap=_line_cap(quantity, stated))


def _line_cap(quantity: str, stated: Stated) -> "Cap | None":
    """What the line carries, for rates of payload."""
    from netmodel.calibration import line_cap

    if stated.line_rate_bps is None or quantity != _RATES[0]:
        return None
    return line_cap(stated.line_rate_bps)


def _coalescing(observed: "Sequence[Observed]", _: Stated) -> "Model":
    from netmodel.calibration import coalescing_curve

    return coalescing_curve(observed[0].quantity)


_MODELS: "Mapping[str, tuple[_Builder, tuple[str, ...]]]" = {
    "adapter": (_adapter, _RATES[:1]),
    "host": (_host, _COSTS),
    "scalability": (_scalability, _RATES),
    "saturation": (_saturation, _RATES),
    "coalescing": (_coalescing, _COSTS[1:]),
}
_LEAST: "Mapping[str, tuple[str, float]]" = {
    "scalability": ("connection_count", 1),
    "saturation": ("connection_count", 1),
    "coalescing": ("transaction_rate_tps", 0),
}
"""What each curve is over, and from where on."""
MODEL_NAMES = tuple(_MODELS)
"""Names that `--model` takes beside a path of one's own."""


def quantities_of(name: str) -> tuple[str, ...]:
    """What a model of this name is about."""
    return _MODELS[name][1] if name in _MODELS else (*_RATES, "transaction_time_s", *_COSTS)


def chosen_model(name: str, observed: "Sequence[Observed]", stated: Stated) -> "Model":
    """The model of a name, or a path of one's own some of whose times are free."""
    from netmodel.calibration import with_fixed

    is_path = name.endswith(".toml")
    if stated.free and not is_path and name != "host":
        raise click.UsageError("--free is for --model host, and for a path of your own, FILE.toml")
    model = _path_model(name, stated) if is_path else _MODELS[name][0](observed, stated)
    return with_fixed(model, {one: _number(one, value) for one, value in stated.fixed.items()})


def require_read(
    name: str, model: "Model", observed: "Iterable[Observed]", stated: "Iterable[str]"
) -> None:
    """Refuse conditions that the model of a name cannot have, and stated ones that it ignores."""
    from netmodel.calibration import read_conditions
    from netmodel.records import workload

    seen = list(observed)
    if name in _LEAST:
        condition, least = _LEAST[name]
        for one in seen:
            value = one.at.get(condition, least)
            if isinstance(value, str) or value < least:
                raise click.UsageError(
                    f"{one.name}: {condition} must be a number from {least:g} up; got {value!r}"
                )
    try:
        read = read_conditions(model, seen)
    except AmbiguousValueError:
        for one in seen:
            if "workload" in one.at:
                require_one_size(workload(str(one.at["workload"])), _BY_SIZES)
        raise
    for condition in stated:
        if condition not in read:
            near = near_name(condition, read)
            hint = f"; {near} may be meant" if near else ""
            raise click.UsageError(
                f"{condition!r} changes nothing: --model {name} looks at "
                f"{', '.join(sorted(read))}{hint}"
            )


def _number(name: str, value: float | str | bool) -> float:
    if isinstance(value, str):
        raise click.UsageError(f"--fix {name}: must be a number in base units; got {value!r}")
    return float(value)


def _path_model(name: str, stated: Stated) -> "Model":
    from netmodel.calibration import PathModel
    from netmodel.path import DIRECTIONS, recorded_path
    from netmodel.records import load_path_record

    path = recorded_path(load_path_record(name), line_rate_bps=stated.line_rate_bps)
    if not stated.free:
        times = sorted(
            f"{stage.name}.{way}.{time}"
            for stage in path.stages
            for way in DIRECTIONS
            for time, _ in getattr(stage, way).named()
        )
        raise click.UsageError(
            f"--free is missing: which times of the path are to be found? {', '.join(times)}"
        )
    return PathModel(path, {one: (one,) for one in stated.free})
