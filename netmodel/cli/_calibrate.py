"""``netmodel calibrate`` and ``netmodel calibrate host``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import click

from netmodel import __version__
from netmodel.api import calibrate as calibrate_model
from netmodel.api import calibrate_host as calibrate_hosts
from netmodel.api.arguments import ArgumentsError
from netmodel.api.kinds import Kind
from netmodel.calibration import adapter_document, host_document
from netmodel.cli._derived import Stated, answering
from netmodel.errors import CalibrationError, ContradictionError, ParseError
from netmodel.records import write_record
from netmodel.text import amount_text, percent_text, range_text

RecordFile: TypeAlias = Annotated[str, Kind("output", "o output")]
_KINDS = {
    "likelihood": "most likely parameters with {level} intervals",
    "feasible_set": "all parameters that agree with every figure",
    "chosen model": "{choice}; intervals of {level}",
}
_KNOWN = {True: "yes", False: "no", None: "unknown"}


def parameters(
    names: Annotated[Sequence[str], Kind("result...|file.csv|dataset", repeats=True)],
    /,
    *,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrate_model],
) -> Stated:
    """
    Estimate model parameters from measurements.

    RESULT is a file or directory that check reads; FILE.csv a table of your own; DATASET the id of
    one, with --figures. With more figures than parameters, or --noise, the result is the most
    likely parameters with intervals of 95 %; else all parameters that agree with the figures. Exit
    code 1: the figures contradict each other, or cannot give the parameters.

    \b
    Example: netmodel calibrate runs/ --side server -o mine.toml

    Parameters
    ----------
    output_file : str, optional
        Where to write the result; a .toml record of an adapter or a host.
    """
    name: str = asked.get("model", "adapter")
    rate_bps: Any = asked.get("line_rate_bps")
    if output_file is not None and name not in ("adapter", "host"):
        raise ArgumentsError("-o: a record is of {model} adapter or host")
    if output_file is not None and name == "adapter" and rate_bps is None:
        raise ArgumentsError("-o: the record of an adapter needs {line_rate_bps}")
    with _gate():
        result: Any = calibrate_model(names, **asked)
        if output_file is not None:
            document: Any = partial(host_document, result)
            if name == "adapter":
                document = partial(adapter_document, result, rate_bps)
            _write(output_file, document, f"{name}s", names)
    data = {**result.to_dict(), "source": ", ".join(names), "model": name}
    level, choice = percent_text(result.level_ratio, 3), getattr(result, "answer", "")
    kind = _KINDS[result.method].format(level=level, choice=choice)
    if result.scatter_ratio is not None:
        kind += f", run-to-run noise {percent_text(result.scatter_ratio, 3)} included"
    elif result.method == "likelihood":
        kind = "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run"
    seen_text = f"{len(result.observed)} observation{'s' * (len(result.observed) != 1)}"
    return Stated(f"{name} from {seen_text} of {data['source']}: {kind}.", data)


@contextmanager
def _gate() -> Iterator[None]:
    """Observations that give no parameters: exit code 1, with notes that may say why."""
    try:
        yield
    except ArgumentsError:
        raise
    except (CalibrationError, ContradictionError) as error:
        lines = (str(error), *(f"- {note}" for note in getattr(error, "__notes__", ())))
        raise click.ClickException("\n".join(lines)) from error


def _write(path: str, document: Any, kind: str, names: Sequence[str]) -> None:
    """Write the record of a title and of what it rests on; UsageError where that cannot be."""
    if not path.endswith(".toml"):
        raise click.UsageError(f"-o {path}: a record is a file that ends in .toml")
    source = f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"
    try:
        write_record(path, document(Path(path).stem, source), kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error


def _text(answer: Stated, is_verbose: bool) -> Iterator[str]:
    data, rows = answer.to_dict(), []
    for name, known in data["parameters"].items():
        value, *ends = (
            amount_text(known[each], known["unit"]) for each in ("value", "low", "high")
        )
        span = range_text(*(end or "any" for end in ends))
        estimable = _KNOWN[known["estimable"]]
        rows.append(
            {"parameter": name, "value": value or "-", "range": span, "estimable": estimable}
        )
    tables = {"candidates": data.get("candidates", []), "parameters": rows, "notes": data["notes"]}
    return Stated(answer.sentence, tables).blocks(is_verbose)


def host(
    names: Annotated[Sequence[str], Kind("run", repeats=True)],
    /,
    *,
    output_file: RecordFile | None = None,
    **asked: Annotated[Any, calibrate_hosts],
) -> Stated:
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
    with _gate():
        result = calibrate_hosts(names, **asked)
        if output_file is not None:
            _write(output_file, result.document, "hosts", names)
    sides, scatter = " and ".join(side.value for side in result.sides), result.scatter_ratio
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    sentence = f"The host ({sides}) spends CPU time of {result.basis}{about}; 95 % intervals."
    return Stated(sentence, result.to_dict())


calibrate = answering(
    parameters, _text, first=("model", "line_rate_bps", "side", "noise_ratio", "output_file")
)
calibrate_host = answering(host, _text, first=("side", "mtu_bytes", "noise_ratio", "output_file"))
