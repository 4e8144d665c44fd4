"""Results of measurements: files, directories, and goodputs that were typed."""

import os
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from netmodel.api.arguments import ArgumentsError, listed_values, rate_text
from netmodel.errors import DomainError, UnitError
from netmodel.readers import FoundResults, Measurement, find_results
from netmodel.reading import status_of
from netmodel.units import parse_rate_bps

_NUMBER_WITH_UNIT = re.compile(r"[0-9]([0-9.,]*[0-9])?(e[+-]?[0-9]+)?\s*[A-Za-z]*(/[A-Za-z]+)?")
"""Such as ``9.2Gbit/s``; a file name such as 1.json has a dot before its letters."""


def is_typed_rate(name: str) -> bool:
    """
    Whether a name is a goodput and no file.

    Raises
    ------
    UnitError
        If it is a number without a unit of a rate, and no file has that name.
    """
    if not _NUMBER_WITH_UNIT.fullmatch(name) or status_of(name) is not None:
        return False
    try:
        parse_rate_bps(name)
    except UnitError as error:
        raise UnitError(f"no file has the name {name!r}, and as a goodput {error}") from error
    return True


def found_results(results: object, format_name: str | None = None) -> FoundResults:
    """Return all runs in files, directories, streams and typed goodputs, in their order."""
    if isinstance(results, FoundResults):
        return results
    # lines of a stream and columns of a table are no results
    is_one = isinstance(results, bytes | Mapping) or hasattr(results, "read")
    places = [results] if is_one or getattr(results, "ndim", 1) > 1 else listed_values(results)
    if not places:
        raise ArgumentsError("give {results}: none are given")
    return find_results([_place(each) for each in places], format_name)


def _place(given: Any) -> Any:
    """Return what `find_results` takes of a result; a goodput is read as if it were a file."""
    if hasattr(given, "read") or isinstance(given, Measurement):
        return getattr(given, "buffer", given)  # bytes of a file that is open as text
    name = rate_text("results", given)
    if not isinstance(name, str | os.PathLike):
        wanted = "files, directories, goodputs such as '9.2 Gbit/s' or runs from read_result"
        raise DomainError(f"results must be {wanted}; got {type(given).__name__}")
    name = os.fspath(name)
    is_rate = not isinstance(given, str | os.PathLike) or is_typed_rate(name)
    # people type 9.2Gbit, which in a file is an amount
    text = name + "/s" * name.lower().endswith("bit")
    return SimpleNamespace(name=text, read=text.encode) if is_rate else name
