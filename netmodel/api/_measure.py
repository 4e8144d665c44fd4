"""A run of a tool with what its hosts were, judged by it."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from netmodel.api import kinds
from netmodel.api._check import check
from netmodel.api.arguments import in_base_units
from netmodel.api.lines import ANY_RATE_BPS, LINE_ARGUMENTS, gate_of, judged, require_possible

if TYPE_CHECKING:
    from netmodel.measuring.measured import MeasuredRun


@in_base_units
def measure(
    command: Iterable[str],
    *,
    folder: kinds.Folder | None = None,
    peer: kinds.HostName | None = None,
    interface: kinds.InterfaceName | None = None,
    peer_facts: kinds.InputFile | None = None,
    time_limit_s: kinds.Time | None = None,
    tolerance: kinds.Ratio | None = None,
    min_ratio: kinds.Ratio | None = None,
    max_ratio: kinds.Ratio | None = None,
    accept: kinds.Names = (),
    format_name: kinds.FormatName | None = None,
    **specified: Annotated[Any, check],
) -> "MeasuredRun":
    """
    Run a benchmark tool, record what its host and path were, and judge the result by it.

    Parameters
    ----------
    command : iterable of str
        Program and arguments, such as ``["iperf3", "-c", "server1", "-J"]``.
    folder : str or path, optional
        Where to write the result; a new folder named for the time by default.
    peer : str, optional
        Host at the other end; the one that the command names by default.
    interface : str, optional
        Name of the interface, such as eth0; that of the route to the peer by default.
    peer_facts : str or path, optional
        Facts of the other host, from ``netmodel measure facts``.
    time_limit_s : float or str, optional
        Time after which the tool is ended. [s]
    tolerance, min_ratio, max_ratio, accept, format_name : optional
        As in `check`.
    **specified : optional
        Line, path and hosts as in `check`, in place of what the facts show.

    Returns
    -------
    measured : MeasuredRun
        Verdicts, and where what is specified differs from what the hosts show.

    Raises
    ------
    ContradictionError
        If the folder holds something, the command is a server, or arguments exclude each other.
    DomainError
        If the program is not installed, or the line cannot exist.
    ParseError
        If the file with the facts of the peer cannot be read.

    Notes
    -----
    Only commands that read are run, each with a time limit. What the facts show counts as
    specified, but for the speed of virtual devices. What the tool prints goes to standard output
    as it comes; in a notebook it is in the folder alone.

    Examples
    --------
    Needs iperf3 and a server; the folder then holds results, facts of the hosts and the verdict:

    >>> run = measure(["iperf3", "-c", "server1", "-t", "30", "-J"])  # doctest: +SKIP
    """
    from netmodel.measuring.folder import read_facts
    from netmodel.measuring.record import default_place, record_run, require_runnable

    if unknown := specified.keys() - LINE_ARGUMENTS:
        raise TypeError(f"measure() got an unexpected keyword argument {min(unknown)!r}")
    given = {name: value for name, value in specified.items() if value is not None}
    gate = gate_of(tolerance, min_ratio, max_ratio, accept)
    call = require_runnable(tuple(command))
    require_possible({"line_rate_bps": ANY_RATE_BPS, **given}, gate)
    record = record_run(
        call,
        default_place() if folder is None else Path(folder),
        peer=peer,
        interface=interface,
        peer_facts=None if peer_facts is None else read_facts(Path(peer_facts)),
        time_limit_s=cast("float", time_limit_s),
    )
    return judged(record, given, gate, format_name)
