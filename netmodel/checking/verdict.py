"""The verdict on a measured run."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from netmodel.checking.limits import Limit, RunLimits
from netmodel.checking.tolerance import Tolerance, TolerancePart
from netmodel.frames import frame_of, row_of
from netmodel.predicted_text import rate_text
from netmodel.readers import CpuUse, Measurement
from netmodel.results import Result, short_repr
from netmodel.terminal import Column, Listing, fitted
from netmodel.text import printable

if TYPE_CHECKING:
    import pandas as pd


class Outcome(StrEnum):
    """Outcome of a measurement against the smallest specified limit."""

    AT_CEILING = "at_ceiling"
    """Within the tolerance of the smallest limit that is specified."""
    LIMITED = "limited"
    """Below it, by a limit that the run itself reports, such as its window."""
    BORDERLINE = "borderline"
    """So near an end of the tolerance that more runs decide."""
    BELOW = "below"
    """Below it, and nothing that the run reports explains why."""
    IMPOSSIBLE = "impossible"
    """Above it: something is not as specified."""
    FAILED = "failed"
    """The tool reports an error."""
    NOT_JUDGEABLE = "not_judgeable"
    """An unknown setting decides; the reason names it."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """
    Runs of one configuration, pooled.

    Parameters
    ----------
    files : tuple of str
        Files that they were read from.
    half_width_bps : float
        Half of the interval of their mean. [bit/s]
    level_ratio : float
        Confidence of that interval.
    text : str
        Their number and that interval.
    """

    files: tuple[str, ...]
    half_width_bps: float
    level_ratio: float
    text: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Cause(Result):
    """
    A reason why a run is not at its limit, which the file does not refute.

    Parameters
    ----------
    name : str
        Name of the cause, such as ``"window"`` or ``"small_writes"``.
    text : str
        What the run shows, in a few words.
    detail : str
        The rest of the sentence.
    confirm : str
        Figure that would confirm it, or tell it from another.

    Examples
    --------
    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import Measurement
    >>> run = Measurement(source="run", tool="any", protocol="tcp", goodput_bps=4.7e9)
    >>> [each.text for each in check(run, SpecifiedLine(10e9, mtu_bytes=1500)).causes]
    ['a line of 5 Gbit/s would explain it']
    """

    name: str
    text: str
    detail: str = ""
    confirm: str = ""

    json_keys = "name text confirm"

    @property
    def sentence(self) -> str:
        """All in words."""
        return f"{self.text}{self.detail}" + f" (confirm: {self.confirm})" * bool(self.confirm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Result):
    """
    One measured direction of one file, judged; None stands for what is not known.

    Read `passes`, `outcome`, `reason`, `ratio`, `binding`, `goodput_bps`, `cpu` and `notes`.

    Parameters
    ----------
    file : str
        File that was read.
    outcome : Outcome
        None where the file could not be read.
    why : str
        Why there is no outcome, or why it is borderline, not judgeable or failed.
    causes : tuple of Cause
        Why its rate is not that of the limit, the most telling cause first.
    measurement : Measurement
        The run; None where the file could not be read.
    limits : RunLimits
        Limits of the run; None where it could not be judged.
    explained_by : Limit
        Where it is `LIMITED`: the limit that the run reports about itself
        and that explains its goodput.
    is_accepted : bool
        Whether the user accepts that limit, or a borderline run, so that it passes.
    tolerance : Tolerance
        Ratios to the smallest limit that count as reaching it; None where the
        run could not be judged.
    more_runs : dict
        Where it is `BORDERLINE`: ``run_count`` and ``duration_s`` [s] of the runs whose mean,
        with this, decides between pass and fail; None if they are more than 30.
    repeats : Repeats
        The runs of which this is the mean; None of a single run.

    Examples
    --------
    >>> from netmodel.checking import SpecifiedLine, check
    >>> from netmodel.readers import CpuUse, Measurement
    >>> run = Measurement(source="run", tool="any", protocol="tcp", goodput_bps=9.4e9)
    >>> verdict = check(run, SpecifiedLine(10e9, mtu_bytes=1500))
    >>> verdict.outcome.value, round(verdict.ratio, 4), verdict.binding.name
    ('at_ceiling', 0.9984, 'wire')
    """

    file: str
    outcome: Outcome | None
    why: str = ""
    causes: tuple[Cause, ...] = ()
    measurement: Measurement | None = None
    limits: RunLimits | None = None
    explained_by: Limit | None = None
    is_accepted: bool = False
    tolerance: Tolerance | None = None
    more_runs: dict[str, float] | None = None
    repeats: Repeats | None = None

    json_keys = (
        "file=read_file tool=measurement.tool tool_version=measurement.file.tool_version "
        "direction=measurement.direction goodput_bps ceiling_bps "
        "stack=limits.ceiling.stack mtu_bytes=limits.mtu_bytes "
        "frame_rate_fps=measurement.counted.frame_rate_fps? ceiling_fps? ratio verdict=outcome "
        "reason causes accepted=is_accepted binding=binding.name limits=limit_rows "
        "tolerance_ratio min_ratio=tolerance.sure_min_ratio max_ratio=tolerance.sure_max_ratio "
        "tolerance=tolerance_parts cpu notes more_runs? repeats=repeat_row?"
    )

    @property
    def read_file(self) -> str | None:
        """The file, whose schema allows None: commands have none for a rate that was typed."""
        return self.file

    @property
    def reason(self) -> str:
        """Figures and causes in a sentence."""
        whys = filter(None, (self.why, *(each.sentence for each in self.causes)))
        return ": ".join(filter(None, (self.figures, "; ".join(whys))))

    @property
    def figures(self) -> str:
        """The measured rate beside the smallest specified limit; empty where not compared."""
        limits, rate_bps, allowed = self.limits, self.measured_bps or 0.0, self.tolerance
        if limits is None or allowed is None:
            return ""
        measured = (f"{self.repeats.text}: " if self.repeats else "") + limits.rate_text(rate_bps)
        smallest, (low_bps, high_bps) = limits.smallest, limits.bounds_bps
        ends = " to ".join(map(limits.rate_text, limits.bounds_bps)) if low_bps < high_bps else ""
        at_size = f" at MTU {limits.mtu_bytes}" if limits.mtu_bytes else ""
        if limits.frame_wire_bytes is not None:
            at_size = f" with frames of {limits.frame_wire_bytes:.6g} byte on it"
        carried = f"that {smallest.carrier or f'the {smallest.name} of the path{at_size}'} allows"
        if limits.is_of_the_line:
            carried = f"that the wire carries{at_size}"
        if low_bps < smallest.bounds_bps[0]:
            carried = "that the specified limits allow together"
        is_of_cap = self.outcome is Outcome.AT_CEILING and smallest.is_cap
        if is_of_cap or not allowed.separates(low_bps, high_bps):
            ceiling = limits.rate_text(smallest.value_bps) + f" ({ends})" * bool(ends)
            return f"{measured} is {rate_bps / smallest.value_bps:.4f} of the {ceiling} {carried}"
        place = "within"
        if rate_bps <= low_bps or self.outcome in (Outcome.BELOW, Outcome.LIMITED):
            place = f"{rate_bps / low_bps:.4f} of the lower end of"
        elif rate_bps >= allowed.min_ratio * high_bps or self.outcome is not Outcome.NOT_JUDGEABLE:
            place = f"{rate_bps / high_bps:.4f} of the upper end of"
        return f"{measured} is {place} the {ends} {carried}"

    @property
    def run_name(self) -> str:
        """File, direction and part of the run, on one line."""
        run = self.measurement
        places = (run.direction and run.direction.value, run.file.part) if run else ()
        place = ", ".join(filter(None, places))
        return printable(f"{self.file} ({place})" if place else self.file).replace("\n", "\\n")

    @property
    def passes(self) -> bool:
        """True if it passes a gate: at its ceiling, or limited by an accepted limit."""
        return self.outcome is Outcome.AT_CEILING or self.is_accepted

    @property
    def word(self) -> str:
        """The outcome in a word; without one, ``contradiction`` or ``unreadable``."""
        if self.outcome is not None:
            return self.outcome.value.replace("_", " ") + " (accepted)" * self.is_accepted
        return "contradiction" if self.measurement else "unreadable"

    @property
    def binding(self) -> Limit | None:
        """The limit that explains the run, else the smallest specified limit."""
        return self.explained_by or (self.limits.smallest if self.limits else None)

    @property
    def ceiling_bps(self) -> float | None:
        """
        The smallest specified limit. [bit/s]

        Of a range wider than the tolerance it is the end on the side of the run,
        and None for a run inside it.
        """
        if self.limits is None:
            return None
        low_bps, high_bps = self.limits.bounds_bps
        if self.tolerance is None or not self.tolerance.separates(low_bps, high_bps):
            return self.limits.smallest.value_bps
        if self.outcome in (Outcome.BELOW, Outcome.LIMITED):
            return low_bps
        return None if self.outcome is Outcome.NOT_JUDGEABLE else high_bps

    @property
    def goodput_bps(self) -> float | None:
        """Payload that arrived. [bit/s]"""
        return self.measurement.goodput_bps if self.measurement else None

    @property
    def measured_bps(self) -> float | None:
        """The judged rate: goodput, or all bits of frames on the wire. [bit/s]"""
        limits, run = self.limits, self.measurement
        return limits.measured_bps(run) if limits and run else self.goodput_bps

    @property
    def ratio(self) -> float | None:
        """Measured rate over `ceiling_bps`."""
        ceiling_bps, rate_bps = self.ceiling_bps, self.measured_bps
        return rate_bps / ceiling_bps if ceiling_bps and rate_bps is not None else None

    def rate_text(self, rate_bps: float) -> str:
        """Return a rate in the unit of the run: frames where those are judged."""
        return self.limits.rate_text(rate_bps) if self.limits else rate_text(rate_bps)

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats of this verdict, those of the run first."""
        measured = self.measurement.notes if self.measurement else ()
        return measured + (self.limits.notes if self.limits else ())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in base units, as in the JSON of ``netmodel check``."""
        of_frames = dict.fromkeys(("goodput_bps", "ceiling_bps")) if self.ceiling_fps else {}
        return Result.to_dict(self) | of_frames

    @property
    def ceiling_fps(self) -> float | None:
        """The smallest specified limit, where frames are judged. [1/s]"""
        frame_bits = self.limits.frame_bits if self.limits else None
        return self.ceiling_bps and frame_bits and self.ceiling_bps / frame_bits

    @property
    def cpu(self) -> tuple[CpuUse, ...]:
        """CPUs that the run kept busy."""
        return self.measurement.cpu if self.measurement else ()

    @property
    def limit_rows(self) -> list[dict[str, Any]]:
        """Each limit in the unit of the run, and its unused share."""
        limits, rate_bps, allowed = self.limits, self.measured_bps, self.tolerance
        if limits is None:
            return []
        rows = []
        for each in limits.limits:
            is_wide = allowed is not None and allowed.separates(*each.bounds_bps)
            unused_ratio = None if rate_bps is None or is_wide else 1 - rate_bps / each.value_bps
            row = {"name": each.name, "specified": each in limits.specified}
            row |= limits.in_unit(value=each.value_bps, low=each.low_bps, high=each.high_bps)
            rows.append(row | {"margin_ratio": unused_ratio})
        return rows

    def __str__(self) -> str:
        lines = f"{self.word}: {self.reason}", *(f"note: {each}" for each in self.notes)
        return fitted("\n".join(lines))

    def __repr__(self) -> str:
        # the same wherever the folder of results is
        place = "/".join(self.file.split("/")[-2:])
        return short_repr(self, f"{place}: {self.word}", self.figures.partition(" that ")[0])

    @property
    def tolerance_ratio(self) -> float | None:
        """By how much a run may miss its ceiling; None where it could not be judged."""
        # 1 - 0.99 is 0.010000000000000009: kept are twelve digits
        return None if (x := self.tolerance) is None else float(f"{1 - x.sure_min_ratio:.12g}")

    @property
    def tolerance_parts(self) -> tuple[TolerancePart, ...]:
        """Parts that add up to the tolerance."""
        return self.tolerance.parts if self.tolerance else ()

    @property
    def repeat_row(self) -> dict[str, Any] | None:
        """The repeats of a mean, in the unit of the judged rate; None for a single run."""
        if self.repeats is None or self.limits is None or self.measured_bps is None:
            return None
        half_bps, mean_bps = self.repeats.half_width_bps, self.measured_bps
        ends = self.limits.in_unit(low=max(0.0, mean_bps - half_bps), high=mean_bps + half_bps)
        return {"files": list(self.repeats.files), **ends, "level_ratio": self.repeats.level_ratio}


class Verdicts(Listing[Verdict]):
    """
    Verdicts on several runs, in the order of their files; shown as a table, failures first.

    Examples
    --------
    >>> import netmodel
    >>> netmodel.check("9.4 Gbit/s", line_rate_bps=10e9, mtu_bytes=1500)
    1 of 1 runs pass: 1 at ceiling.
    <BLANKLINE>
    outcome     rate        ratio   run
    at ceiling  9.4 Gbit/s  0.9984  9.4 Gbit/s
    """

    __slots__ = ()

    @property
    def answer(self) -> str:
        """The number of runs that pass, and of each outcome."""
        text = ", ".join(f"{n} {word}" for word, n in Counter(x.word for x in self).most_common())
        return f"{sum(x.passes for x in self)} of {len(self)} runs pass{f': {text}' * bool(text)}."

    @property
    def columns(self) -> list[Column]:
        """A row for each run, failures first; files as below the directory that has all."""
        files = {x for each in self for x in (each.repeats.files if each.repeats else (each.file,))}
        shared = commonprefix([*files])  # noqa: RUF071  # cut at a slash
        folder, slash, _ = shared.rpartition("/")
        root = f"{folder}{slash}" if folder and len(files) > 1 else ""
        rows = sorted(self, key=lambda each: each.passes)
        whys = ("" if x.passes else x.causes[0].text if x.causes else x.why for x in rows)
        texts = ((x.run_name.replace(root, ""), why) for x, why in zip(rows, whys, strict=True))
        return [
            Column("outcome", [each.word for each in rows]),
            Column("rate", ["" if (x := v.measured_bps) is None else v.rate_text(x) for v in rows]),
            Column("ratio", ["" if r is None else f"{r:.4f}" for r in (v.ratio for v in rows)]),
            Column("run", [printable(": ".join(filter(None, x))) for x in texts]),
        ]

    def to_frame(self) -> "pd.DataFrame":
        """
        Return a row for each verdict, in base units.

        Raises
        ------
        MissingPartError
            If pandas is not installed.
        """
        return frame_of([row_of(each) for each in self], "file")
