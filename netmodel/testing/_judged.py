"""A run inside a test: judged, and passed or failed."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel._text import percent_text
from netmodel.api import check

if TYPE_CHECKING:
    from netmodel.judging import Verdict
    from netmodel.readers import Measurement

Result: TypeAlias = "str | bytes | os.PathLike[str] | Measurement"


@dataclass(frozen=True, slots=True)
class _Output:
    """What a tool printed, in place of its file."""

    content: bytes
    name: str = "output"

    def read(self) -> bytes:
        """All of it."""
        return self.content


def judged(
    results: "Result | list[Result] | tuple[Result, ...]", **limits: Any
) -> "tuple[Verdict, ...]":
    """
    Judge the result of a benchmark, and fail the test unless every run passes.

    Parameters
    ----------
    results : str, bytes, path, Measurement or list of them
        As in `netmodel.check`: files, directories, goodputs such as ``"9.2 Gbit/s"``,
        measurements. Bytes, and a text of several lines or of JSON, are what a tool printed.
    **limits
        Arguments of `netmodel.check`, by their names: the line, path and hosts, and the gate, such
        as ``line_rate_bps="25 Gbit/s"``, ``mtu_bytes=1500``, ``min_ratio=0.9``.

    Returns
    -------
    verdicts : tuple of Verdict
        One for each run and direction, all of which pass, as `netmodel.check` returns them.

    Raises
    ------
    AssertionError
        If a run is below a limit that you specify, limited by itself, impossible, failed, not
        judgeable or unreadable, or there is none. The message has the sentence of each such
        verdict.
    ContradictionError
        If arguments exclude each other.
    DomainError
        If the line cannot exist, or an argument is of the wrong kind.

    Notes
    -----
    Only limits that you specify make a run pass, or a limit of the run that you name in
    ``accept``. A run that is too good fails as well: more than a line carries is an error of the
    set-up.

    Examples
    --------
    >>> verdict, = judged("9.4 Gbit/s", line_rate_bps="10 Gbit/s", mtu_bytes=1500, transport="tcp")
    >>> verdict.outcome.value
    'at_ceiling'
    >>> judged(  # doctest: +ELLIPSIS
    ...     "26 Gbit/s", line_rate_bps="25 Gbit/s", mtu_bytes=1500, transport="tcp"
    ... )
    Traceback (most recent call last):
    AssertionError: impossible: 26 Gbit/s is 1.1046 of the 23.537 Gbit/s that the wire carries ...
    """
    __tracebackhide__ = True
    several = results if isinstance(results, list | tuple) else (results,)
    verdicts = check([_as_read(each) for each in several], **limits)
    if not verdicts:
        raise AssertionError("no result of a benchmark was given")
    failed = [verdict for verdict in verdicts if not verdict.passes]
    if failed:
        raise AssertionError("\n".join(map(_sentence, failed)))
    return verdicts


def _as_read(result: Any) -> Any:
    """Output of a tool as a stream with a name; all else as it is."""
    if isinstance(result, bytes):
        return _Output(result)
    if isinstance(result, str) and ("\n" in result or result.lstrip().startswith(("{", "["))):
        return _Output(result.encode())
    return result


def _sentence(verdict: "Verdict") -> str:
    """The verdict, what would have passed, and which run it is."""
    lines = [f"{verdict.word}: {verdict.reason}"]
    allowed = verdict.tolerance
    if allowed is not None and verdict.ratio is not None:
        below, above = (percent_text(ratio, 4) for ratio in (allowed.min_ratio, allowed.max_ratio))
        lines.append(f"a pass is from {below} to {above} of that limit")
    run = verdict.measurement
    direction = f" ({run.direction.value})" if run and run.direction else ""
    lines.append(f"{verdict.file}{direction}")
    return "\n    ".join(lines)
