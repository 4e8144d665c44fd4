"""Results of measurements: files and directories, a goodput that was typed, runs read before."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

from netmodel.errors import DomainError, UnitError
from netmodel.readers import FoundResults, Measurement, find_results
from netmodel.units import parse_rate_bps

_NUMBER_WITH_UNIT = re.compile(r"[0-9](?:[0-9.,]*[0-9])?\s*[A-Za-z]*(?:/[A-Za-z]+)?")
"""Such as ``9.2Gbit/s``; a file name such as 1.json has a dot before its letters."""


@dataclass(frozen=True, slots=True)
class TypedRate:
    """A goodput in place of a file."""

    name: str

    def read(self) -> bytes:
        """The text that a reader of rates takes."""
        return self.name.encode()


def is_typed_rate(name: str) -> bool:
    """
    Whether a name is a goodput and no file.

    Raises
    ------
    UnitError
        If it is a number without a unit of a rate, and no file has that name.
    """
    if not _NUMBER_WITH_UNIT.fullmatch(name) or Path(name).exists():
        return False
    try:
        parse_rate_bps(name)
    except UnitError as error:
        raise UnitError(f"no file has the name {name!r}, and as a goodput {error}") from error
    return True


Result: TypeAlias = str | os.PathLike[str] | Measurement


def found_results(
    results: Result | Iterable[Result], format_name: str | None = None
) -> FoundResults:
    """All runs in files, directories and typed goodputs, in the order in which they are given."""
    single = isinstance(results, str | os.PathLike | Measurement)
    many = cast("Iterable[Result]", (results,) if single else results)
    result = FoundResults(())
    for given in many:
        if isinstance(given, Measurement):
            more = FoundResults((given,))
        elif isinstance(given, str | os.PathLike):
            name = os.fspath(given)
            place = TypedRate(name) if is_typed_rate(name) else name
            more = find_results([place], format_name)
        else:
            raise DomainError(
                "results must be files, directories, goodputs such as '9.2 Gbit/s' or "
                f"Measurement objects; got {type(given).__name__}"
            )
        result = FoundResults(result.rows + more.rows, result.passed_over + more.passed_over)
    return result
