"""Models that ``netmodel calibrate`` knows, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import click

from netmodel.consumption import Side

if TYPE_CHECKING:
    from netmodel.calibration import Conditions, Model, Observed

__all__ = ["MODEL_NAMES", "Stated", "chosen_model", "quantities_of"]

_RATES = ("throughput_bps", "transaction_rate_tps")
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
    return one if "" in directions else SeveralModels("direction", dict.fromkeys(directions, one))


def _host(observed: "Sequence[Observed]", _: Stated) -> "Model":
    from netmodel.calibration import host_cost_model

    sides = dict.fromkeys(str(seen.at.get("side", "")) for seen in observed)
    if len(sides) > 1 or "" in sides:
        raise click.UsageError(
            "the cost of a host needs the condition side, the same in all observations: "
            f"got {', '.join(sides) or 'none'}; --where side=client leaves one"
        )
    return host_cost_model(Side(next(iter(sides))))


def _scalability(observed: "Sequence[Observed]", _: Stated) -> "Model":
    from netmodel.calibration import scalability_model

    return scalability_model(observed[0].quantity)


def _saturation(observed: "Sequence[Observed]", _: Stated) -> "Model":
    from netmodel.calibration import saturation_model

    return saturation_model(observed[0].quantity)


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
MODEL_NAMES = tuple(_MODELS)
"""Names that `--model` takes beside a path of one's own."""


def quantities_of(name: str) -> tuple[str, ...]:
    """What a model of this name is about."""
    return _MODELS[name][1] if name in _MODELS else (*_RATES, "transaction_time_s", *_COSTS)


def chosen_model(name: str, observed: "Sequence[Observed]", stated: Stated) -> "Model":
    """The model of a name, or a path of one's own some of whose times are free."""
    from netmodel.calibration import with_fixed

    is_path = name.endswith(".toml")
    if stated.free and not is_path:
        raise click.UsageError("--free is for a path of your own: --model FILE.toml")
    model = _path_model(name, stated) if is_path else _MODELS[name][0](observed, stated)
    return with_fixed(model, {one: _number(one, value) for one, value in stated.fixed.items()})


def _number(name: str, value: float | str | bool) -> float:
    if isinstance(value, str):
        raise click.UsageError(f"--fix {name}: must be a number in base units; got {value!r}")
    return float(value)


def _path_model(name: str, stated: Stated) -> "Model":
    from netmodel.calibration import PathModel
    from netmodel.path import recorded_path
    from netmodel.records import load_network_path

    path = recorded_path(load_network_path(name), line_rate_bps=stated.line_rate_bps)
    if not stated.free:
        times = sorted(
            f"{stage.name}.{way}.{time}"
            for stage in path.stages
            for way in ("to_server", "to_client")
            for time, _ in getattr(stage, way).named()
        )
        raise click.UsageError(
            f"--free is missing: which times are to be found? {', '.join(times)}"
        )
    return PathModel(path, {one: (one,) for one in stated.free})
