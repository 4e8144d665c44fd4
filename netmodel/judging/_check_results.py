"""All results in a folder against the limits of their line."""

import os
from dataclasses import dataclass

from netmodel.errors import ContradictionError, DomainError
from netmodel.judging._check import check_read, require_checkable
from netmodel.judging._stated_line import StatedLine
from netmodel.judging._tolerance import DERIVED, Gate
from netmodel.judging._verdict import Verdict
from netmodel.readers import FoundResults, Measurement, find_results, join_ends
from netmodel.readers._find_results import NoResult, Progress

__all__ = ["CheckedResults", "check_folder", "check_results"]


@dataclass(frozen=True, slots=True)
class CheckedResults:
    """
    Verdicts on what is in files and folders.

    Parameters
    ----------
    verdicts : tuple of Verdict
        One for each direction of each run, without an outcome where a file
        cannot be read, or tells a figure that nothing can have, and where a run
        is not what is stated of it.
    passed_over : tuple of NoResult
        Files in folders that are no results.
    """

    verdicts: tuple[Verdict, ...]
    passed_over: tuple[NoResult, ...]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Files whose run is not what is stated of it, and why."""
        return tuple(
            f"{verdict.file}: {verdict.reason}"
            for verdict in self.verdicts
            if verdict.outcome is None and verdict.measurement is not None
        )


def check_folder(
    path: str | os.PathLike[str],
    stated: StatedLine,
    gate: Gate = DERIVED,
    format_name: str | None = None,
    progress: Progress | None = None,
) -> CheckedResults:
    """
    Judge all results in a folder and below.

    Parameters
    ----------
    path : path
        The folder.
    stated : StatedLine
        What the user says of the line, the same for all runs.
    gate : Gate, optional
        As in `check`.
    format_name : str, optional
        As in :func:`netmodel.readers.find_results`.
    progress : callable, optional
        As in :func:`netmodel.readers.find_results`.

    Returns
    -------
    checked : CheckedResults
        In the order of the names of the files.

    Raises
    ------
    DomainError
        If the line cannot exist, or a limit to accept is not one that runs
        report.
    UnknownRecordError
        If there is no format of that name.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> checked = check_folder(data_path("examples", "iperf3"), StatedLine(2e8, mtu_bytes=1500))
    >>> len(checked.verdicts), checked.verdicts[-1].outcome
    (8, <Outcome.FAILED: 'failed'>)
    >>> [each.kind for each in checked.passed_over]
    ['of no known format']
    """
    require_checkable(stated, gate)
    found = find_results([path], format_name, progress)
    return check_results(found, stated, gate, progress)


def check_results(
    found: FoundResults,
    stated: StatedLine,
    gate: Gate = DERIVED,
    progress: Progress | None = None,
) -> CheckedResults:
    """
    Judge all results that were found.

    Parameters
    ----------
    found : FoundResults
        Of :func:`netmodel.readers.find_results`.
    stated : StatedLine
        What the user says of the line, the same for all runs.
    gate : Gate, optional
        As in `check`.
    progress : callable, optional
        As in :func:`netmodel.readers.find_results`.

    Returns
    -------
    checked : CheckedResults
        In the order in which they were found. Files that both ends of one run
        wrote get one verdict, as :func:`~netmodel.readers.pairing.join_ends`
        says.

    Raises
    ------
    DomainError
        If the line cannot exist, or a limit to accept is not one that runs
        report.
    """
    require_checkable(stated, gate)
    joined = join_ends(found.rows)
    rows = progress(joined, "judging") if progress else joined
    verdicts = tuple(
        _judged(row, stated, gate)
        if isinstance(row, Measurement)
        else Verdict(file=row.path, outcome=None, reason=row.problem)
        for row in rows
    )
    return CheckedResults(verdicts, found.passed_over)


def _judged(run: Measurement, stated: StatedLine, gate: Gate) -> Verdict:
    """The verdict on a run; one that is not what is specified keeps its place."""
    try:
        return check_read(run, stated, gate)
    except (ContradictionError, DomainError) as error:
        problem = str(error).removeprefix(f"{run.source}: ")
        return Verdict(file=run.source, outcome=None, reason=problem, measurement=run)
