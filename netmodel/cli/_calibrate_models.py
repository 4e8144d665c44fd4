"""Models of ``netmodel calibrate``: the library's, and what is wrong with options for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from netmodel._text import near_name
from netmodel.cli._options import require_one_size
from netmodel.errors import AmbiguousValueError

if TYPE_CHECKING:
    from netmodel.calibration import Observed
    from netmodel.calibration._models._base import Model
    from netmodel.calibration._observed import Conditions

__all__ = ["MODEL_NAMES", "Stated", "chosen_model", "require_read"]

_BY_SIZES = "by --given request_bytes=...,response_bytes=..."
MODEL_NAMES = (
    "adapter",
    "host",
    "scalability",
    "saturation",
    "power",
    "amortised",
    "coalescing",
    "falling-cost",
)
"""Those of `netmodel.calibration`, by which a test checks them: help does not load it."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What options say of a model beside its name."""

    line_rate_bps: float | None
    free: tuple[str, ...]
    fixed: "Conditions"


def chosen_model(name: str, observed: "Sequence[Observed]", stated: Stated) -> "Model":
    """The model of a name, or a path of one's own some of whose times are free."""
    from netmodel.calibration._models._named import named_model

    return named_model(
        name,
        observed,
        line_rate_bps=stated.line_rate_bps,
        free=stated.free,
        fixed={one: _number(one, value) for one, value in stated.fixed.items()},
    )


def require_read(
    name: str, model: "Model", observed: "Iterable[Observed]", stated: "Iterable[str]"
) -> None:
    """Refuse conditions that the model of a name cannot have, and stated ones that it ignores."""
    from netmodel.calibration._models._named import MODELS
    from netmodel.calibration._sources._conditions import read_conditions
    from netmodel.records import workload

    seen = list(observed)
    condition, least = (MODELS[name].over, MODELS[name].least) if name in MODELS else ("", 0.0)
    if condition:
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
