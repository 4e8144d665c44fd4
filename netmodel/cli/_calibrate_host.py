"""``netmodel calibrate host``."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from netmodel._text import percent_text
from netmodel.api import calibrate_host as calibrated
from netmodel.api._kinds import Kind
from netmodel.cli._calibrate import RecordFile, gate, span, write_own_record
from netmodel.cli._console import notes_text
from netmodel.cli._derived import answering
from netmodel.report.fields import rows_table

if TYPE_CHECKING:
    from netmodel.calibration.host_runs import HostCalibration


def host(
    names: Annotated[Sequence[str], Kind("run", repeats=True)],
    /,
    *,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrated],
) -> "HostCalibration":
    """
    Estimate what a host spends, from runs with CPU data.

    RUN is a directory with the result of a tool and the CPU data of its hosts (mpstat, sar, sadf,
    copies of /proc/stat, lscpu), or a directory of such directories; "client" or "server" in the
    name of a file says whose they are, "idle" that the host was idle. Or a result, with
    --client-cpu and --server-cpu, or the CPU time that the tool reports.

    Two MTUs, with small requests, large responses and a stream in each direction, separate the
    time per message, frame and byte. Exit code 1: the runs cannot separate them, or contradict each
    other.

    \b
    Example: netmodel calibrate host runs/ --side server -o my-host.toml
             netmodel plan --server-host my-host.toml ...

    Parameters
    ----------
    output_file : str, optional
        Where to write the result; a .toml record of an adapter or a host.
    """
    with gate():
        result = calibrated(names, **asked)
        if output_file is not None:
            write_own_record(output_file, result.document, "hosts", names)
    return result


def _text(result: "HostCalibration", is_verbose: bool) -> Iterator[str]:
    known = result.to_dict()["parameters"].items()
    rows = [{"CPU time": _words(name), **span(each, each["unit"])} for name, each in known]
    scatter, who = result.scatter_ratio, " and ".join(side.value for side in result.sides)
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    texts = (f"{row['value']} {row['CPU time']}" for row in rows)
    yield f"The host ({who}) spends {', '.join(texts)}{about}."
    yield f"{rows_table(rows)}\n95 % intervals; CPU time of {result.basis}"
    yield notes_text(result.notes, is_verbose)


def _words(name: str) -> str:
    """A part of the cost in words: ``sent.per_frame_s`` is "per frame sent"."""
    direction, _, time = name.rpartition(".")
    text = time.removesuffix("_s").replace("_", " ").replace("wakeup", "wake-up")
    return f"{text} {direction}".strip()


calibrate_host = answering(
    host,
    _text,
    data=lambda result: result.to_dict(),
    first=("side", "mtu_bytes", "noise_ratio", "output_file"),
    outputs=("verbose", "json"),
    documented_by=calibrated,
    name="calibrate host",
)
