"""The verdict on a measured run."""

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from netmodel._html import definition_table
from netmodel.judging._limits import Limit, LineLimits
from netmodel.judging._tolerance import Tolerance
from netmodel.readers import CpuUse, Measurement

__all__ = ["Outcome", "Repeats", "Verdict", "limit_dicts", "tolerance_dict"]


class Outcome(Enum):
    """How a measurement stands to the smallest limit that is known."""

    AT_CEILING = "at_ceiling"
    BELOW = "below"
    IMPOSSIBLE = "impossible"
    FAILED = "failed"
    NOT_JUDGEABLE = "not_judgeable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """
    Runs of one configuration, pooled.

    Parameters
    ----------
    files : tuple of str
        Where they were read from.
    half_width_bps : float
        Half of the interval of their mean. [bit/s]
    level_ratio : float
        Confidence of that interval.
    outliers : tuple of str
        Files that are far from the others; they count all the same.
    """

    files: tuple[str, ...]
    half_width_bps: float
    level_ratio: float
    outliers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    One measured direction of one file, judged; None stands for what is not known.

    Parameters
    ----------
    file : str
        File that was read.
    outcome : Outcome
        None where the file could not be read.
    reason : str
        Why, in a sentence.
    measurement : Measurement
        What was measured; None where the file could not be read.
    line_limits : LineLimits
        Limits of the run; None where it could not be judged.
    tolerance : Tolerance
        Ratios to the smallest limit that count as reaching it; None where the
        run could not be judged.
    repeats : Repeats
        The runs of which this is the mean; None of a single run.
    """

    file: str
    outcome: Outcome | None
    reason: str
    measurement: Measurement | None = None
    line_limits: LineLimits | None = None
    tolerance: Tolerance | None = None
    repeats: Repeats | None = None

    @property
    def binding(self) -> Limit | None:
        """The smallest limit, to which the outcome refers."""
        return self.line_limits.binding if self.line_limits else None

    @property
    def goodput_bps(self) -> float | None:
        """Payload that arrived. [bit/s]"""
        return self.measurement.goodput_bps if self.measurement else None

    @property
    def frame_bits(self) -> float | None:
        """Bits of a frame on the wire, where frames are judged and not payload."""
        return self.line_limits.frame_bits if self.line_limits else None

    @property
    def measured_bps(self) -> float | None:
        """What is held against the limits: goodput, or all bits of frames on the wire. [bit/s]"""
        if self.measurement is None or self.line_limits is None:
            return self.goodput_bps
        return self.line_limits.measured_bps(self.measurement)

    @property
    def ratio(self) -> float | None:
        """What was measured over the smallest limit."""
        if self.binding is None or self.measured_bps is None:
            return None
        return self.measured_bps / self.binding.value_bps

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of this verdict should know."""
        measured = self.measurement.warnings if self.measurement else ()
        return measured + (self.line_limits.warnings if self.line_limits else ())

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel check``."""
        run = self.measurement
        direction = run.direction if run else None
        return {
            "file": self.file,
            "tool": run and run.tool,
            "tool_version": run and run.tool_version,
            "direction": direction and direction.value,
            **self._measured_dict(),
            "ratio": self.ratio,
            "verdict": self.outcome and self.outcome.value,
            "reason": self.reason,
            "binding": self.binding and self.binding.name,
            "limits": limit_dicts(self._limits(), self.measured_bps, self.frame_bits),
            **tolerance_dict(self.tolerance),
            "cpu": [_cpu_dict(use) for use in run.cpu] if run else [],
            "warnings": list(self.warnings),
            **self._repeats_dict(),
        }

    def _repr_html_(self) -> str:
        run = self.measurement
        rows = [("reason", self.reason), *(("warning", text) for text in self.warnings)]
        if run and run.direction:
            rows.insert(0, ("direction", run.direction.value))
        outcome = self.outcome.value if self.outcome else "unreadable"
        return definition_table(f"{self.file}: {outcome}", rows)

    def _limits(self) -> tuple[Limit, ...]:
        return self.line_limits.limits if self.line_limits else ()

    def _measured_dict(self) -> dict[str, float | None]:
        """Goodput and ceiling; where frames are judged, how many of them as well."""
        ceiling_bps = self.binding.value_bps if self.binding else None
        if self.measurement is None or self.frame_bits is None:
            return {"goodput_bps": self.goodput_bps, "ceiling_bps": ceiling_bps}
        return {
            "goodput_bps": None,
            "ceiling_bps": None,
            "frame_rate_fps": self.measurement.frame_rate_fps,
            "ceiling_fps": None if ceiling_bps is None else ceiling_bps / self.frame_bits,
        }

    def _repeats_dict(self) -> dict[str, Any]:
        """The repeats of a mean, in the unit of what is judged; nothing of a single run."""
        if self.repeats is None or self.measured_bps is None:
            return {}
        suffix, divisor = _suffix_and_bits(self.frame_bits)
        half_width_bps = self.repeats.half_width_bps
        return {
            "repeats": {
                "files": list(self.repeats.files),
                f"low_{suffix}": (self.measured_bps - half_width_bps) / divisor,
                f"high_{suffix}": (self.measured_bps + half_width_bps) / divisor,
                "level_ratio": self.repeats.level_ratio,
                "outliers": list(self.repeats.outliers),
            }
        }


def limit_dicts(
    limits: tuple[Limit, ...], measured_bps: float | None, frame_bits: float | None = None
) -> list[dict[str, Any]]:
    """Each limit with its range and margin, in frames per second where those are judged."""
    suffix, divisor = _suffix_and_bits(frame_bits)
    return [
        {
            "name": limit.name,
            **{
                f"{key}_{suffix}": rate_bps / divisor for key, rate_bps in limit.figures_bps.items()
            },
            "margin_ratio": None if measured_bps is None else 1 - measured_bps / limit.value_bps,
        }
        for limit in limits
    ]


def _suffix_and_bits(frame_bits: float | None) -> tuple[str, float]:
    """Ending of keys in the unit of what is judged, and how many bits are one of it."""
    return ("bps", 1.0) if frame_bits is None else ("fps", frame_bits)


def tolerance_dict(tolerance: Tolerance | None) -> dict[str, Any]:
    """How far above the ceiling counts as reaching it, how far below, and why."""
    if tolerance is None:
        return {"tolerance_ratio": None, "min_ratio": None, "max_ratio": None, "tolerance": []}
    return {
        "tolerance_ratio": round(tolerance.max_ratio - 1, 12),
        "min_ratio": tolerance.min_ratio,
        "max_ratio": tolerance.max_ratio,
        "tolerance": [asdict(part) for part in tolerance.parts],
    }


def _cpu_dict(use: CpuUse) -> dict[str, Any]:
    consumption = use.consumption
    return {
        "side": use.side.value,
        "scope": use.scope.value,
        "busy_cpus": use.busy_cpu_count,
        "us_per_gbit": consumption and consumption.us_per_gbit,
    }
