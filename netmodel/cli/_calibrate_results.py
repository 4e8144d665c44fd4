"""Observations of ``netmodel calibrate`` from results of measurement tools."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.cli._files import results_in
from netmodel.consumption import Side
from netmodel.errors import DomainError, ParseError
from netmodel.readers import Measurement, join_ends
from netmodel.readers._find_results import UnreadableResult

if TYPE_CHECKING:
    from netmodel.calibration import Selection
    from netmodel.calibration._observed import Conditions

__all__ = ["are_results", "of_adapter", "of_results"]

_DATASET = "dataset.toml"
_REMEDIES = (
    "--mtu states it of all runs, --given-of FILE mtu_bytes=1500 of one file; --adapter-of client "
    "or --adapter-of server whose adapter it is"
)


def are_results(names: Sequence[str]) -> bool:
    """Whether these are files and folders of results: neither one table nor one dataset."""
    (first, *others) = names
    if others:
        return True
    path = Path(first)
    if path.is_dir():
        return not (path / _DATASET).exists()
    return path.is_file() and path.suffix.lower() != ".csv"


def of_adapter(
    names: Sequence[str],
    adapter_of: Side | None,
    stated: "Conditions",
    stated_of: "Mapping[str, Conditions]",
) -> "Selection":
    """What the runs tell of an adapter; the options that would tell more are named."""
    from netmodel.calibration import observed_of_adapter

    try:
        return observed_of_adapter(_read(names), adapter_of, stated, stated_of)
    except DomainError as error:
        raise click.UsageError(f"{error} ({_REMEDIES})") from error


def of_results(names: Sequence[str]) -> "Selection":
    """All that the runs tell, each result once."""
    from netmodel.calibration import observed_from_measurements

    return observed_from_measurements(_read(names))


def _read(names: Sequence[str]) -> list[Measurement]:
    """The runs of all files; ParseError where one cannot be read."""
    found = results_in(names)
    broken = [one for one in found.rows if isinstance(one, UnreadableResult)]
    if broken:
        first, *others = broken
        told = (f"{one.path}: {one.problem}" for one in others)
        raise ParseError(first.path, "\n".join((first.problem, *told)))
    return [one for one in join_ends(found.rows) if isinstance(one, Measurement)]
