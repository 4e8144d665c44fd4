"""A path with its limits, drawn as text."""

from math import isfinite

from netmodel.numeric import FULL_RATIO
from netmodel.path import Prediction, Stage
from netmodel.predicted_text import rate_text
from netmodel.report.figures import binding_names, case_text
from netmodel.results import shortened
from netmodel.terminal import TABLE_WIDTH, known_width, wrapped_lines
from netmodel.text import RESULT_DIGITS, fixed_percent, text_table
from netmodel.units import format_time

_MIN_WIDTH = 60
"""Columns that leave a name room beside rate, share and the shortest bar."""
_MIN_BAR_WIDTH = 8
"""Each character of the shortest bar is then an eighth."""
_AROUND = 36
"""Columns that marks, the longest rate, the share and gaps take beside name and bar."""

_Cells = tuple[str, str, str, str]
"""Mark and lanes, name, bound, share in use."""


def path_drawing(prediction: Prediction, width: int | None = None) -> str:
    """
    Draw a path from client to server with every limit, and how much of each is in use.

    Parameters
    ----------
    prediction : Prediction
        Of one workload over one path.
    width : int, optional
        Columns of the longest line, 60 at least. When left out, those of the
        terminal or of ``COLUMNS``, and 80 where neither is known.

    Returns
    -------
    text : str
        Stages in their order, then the limits that are no stage.

    Raises
    ------
    DomainError
        If the prediction has arrays.

    Notes
    -----
    The two lanes at the left are the directions to the server and back: an
    arrow where a transaction spends time at the stage, otherwise a line; stages
    without traffic are left out. A bar is the share of a capacity in use, on one
    linear scale: the longest bar is the bottleneck, the next longest the next
    limit. Where parameters are intervals, the part of a bar in ``-`` is in use in
    some cases only. ``*`` marks the bottleneck at the best values, ``?`` a limit
    that is the bottleneck for other values within the ranges.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> out, back = Times(per_message_s=6e-6), Times(per_message_s=2e-6)
    >>> cpu = Stage(name="cpu", to_server=out, to_client=back)
    >>> disk = Stage(name="disk", to_server=back)
    >>> prediction = predict_path(Path(stages=(cpu, disk)), Traffic(1000, 500), mtu_bytes=1500)
    >>> print(path_drawing(prediction, width=60))
    request 1000 byte, response 500 byte, MTU 1500 byte
    <BLANKLINE>
           client  upper bound   in use
    * v ^  cpu     <= 1 Gbit/s  100.0 %  #######################
      v |  disk    <= 4 Gbit/s   25.0 %  ######
           server
    """
    prediction.require_one()
    width = max(width or known_width() or TABLE_WIDTH, _MIN_WIDTH)
    path, limits = prediction.path, prediction.limit_rates_bps
    stages = [stage for stage in path.stages if prediction.demands[stage.name]]
    pools = [pool.name for pool in path.pools if pool.name in limits]
    others = [*pools, *(name for name in limits if name not in {each.name for each in path.stages})]
    rows: list[tuple[str, _Cells]] = [
        ("", ("", "client", "upper bound", "in use")),
        *((each.name, _stage_cells(each, prediction)) for each in stages),
        ("", ("", "server", "", "")),
        *((name, _cells(name, prediction)) for name in dict.fromkeys(others)),
    ]
    longest = width - _AROUND - _MIN_BAR_WIDTH
    cells = [(lanes, shortened(name, longest), *right) for _, (lanes, name, *right) in rows]
    lines = text_table(cells, right_aligned=[2, 3]).splitlines()
    bar_width = width - max(map(len, lines)) - 2
    drawn = [
        f"{line:<{width - bar_width}}{_bar(name, prediction, bar_width)}".rstrip()
        for line, (name, _) in zip(lines, rows, strict=True)
    ]
    return "\n".join([wrapped_lines(case_text(prediction), width), "", *drawn])


def _cells(name: str, prediction: Prediction) -> _Cells:
    """Return a limit with the rate that it allows, and the share of it in use."""
    rate, use = prediction.limit_rates_bps[name].numbers(), prediction.use_ratios[name].numbers()
    mark = "*" if name in binding_names(prediction) else "?" if use.high >= FULL_RATIO else " "
    sign = rate.bound.sign if isfinite(rate.value) else ""
    share = fixed_percent(use.value, 1) if isfinite(use.value) else ""
    return mark, name, f"{sign}{rate_text(rate.value)}", share


def _stage_cells(stage: Stage, prediction: Prediction) -> _Cells:
    """Return a stage that carries traffic; one without a limit with its time."""
    terms = prediction.demands[stage.name]
    ways = {name.removeprefix(f"{stage.name}.").partition(".")[0] for name, _ in terms}
    spent = format_time(float(sum(time_s for _, time_s in terms)), RESULT_DIGITS)
    # a capacity of each flow takes no time, and limits nothing where their number is not known
    mark, bound, share = " ", spent * (stage.delays or not stage.is_delay), ""
    if stage.name in prediction.limit_rates_bps:
        mark, _, bound, share = _cells(stage.name, prediction)
    whose = stage.pool or (stage.side.value if stage.side else "")
    label = stage.name if stage.name.startswith(whose) else f"{stage.name} ({whose})"
    lanes = f"{'v' if 'to_server' in ways else '|'} {'^' if 'to_client' in ways else '|'}"
    return f"{mark} {lanes}", label, bound, share


def _bar(name: str, prediction: Prediction, width: int) -> str:
    """Return a bar of the share in use in all cases and in some; thin marks below a column."""
    if name not in prediction.use_ratios:
        return ""
    use = prediction.use_ratios[name].numbers()
    if not (isfinite(use.low) and isfinite(use.high)):
        return ""
    low, high = round(use.low * width), round(use.high * width)
    return "#" * low + "-" * (high - low) or "|"
