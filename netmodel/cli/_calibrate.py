"""``netmodel calibrate`` and ``netmodel calibrate host``."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

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

_KINDS = {
    "likelihood": "most likely parameters with {level} intervals",
    "feasible_set": "all parameters that agree with every figure",
    "chosen model": "{choice}; intervals of {level}",
}


def parameters(
    names: Annotated[Sequence[str], Kind("result...|file.csv|dataset", repeats=True)],
    /,
    *,
    output_file: Annotated[str | None, Kind("output", "o output")] = None,
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
    of_adapter: Any = partial(adapter_document, line_rate_bps=rate_bps)
    document = {"adapter": of_adapter, "host": host_document}.get(name)
    if output_file is not None and document is None:
        raise ArgumentsError("-o: a record is of {model} adapter or host")
    if output_file is not None and document is of_adapter and rate_bps is None:
        raise ArgumentsError("-o: the record of an adapter needs {line_rate_bps}")
    result: Any = _calibrated(calibrate_model, names, asked, f"{name}s", output_file, document)
    level, noise = percent_text(result.level_ratio, 3), result.scatter_ratio
    kind = _KINDS[result.method].format(level=level, choice=getattr(result, "answer", ""))
    if noise is not None:
        kind += f", run-to-run noise {percent_text(noise, 3)} included"
    elif result.method == "likelihood":
        kind = "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run"
    count, source = len(result.observed), ", ".join(names)
    data = {**result.to_dict(), "source": source, "model": name}
    seen = f"{count} observation{'s' * (count != 1)}"
    return Stated(f"{name} from {seen} of {source}: {kind}.", data)


def host(
    names: Annotated[Sequence[str], Kind("run", repeats=True)],
    /,
    *,
    output_file: Annotated[str | None, Kind("output", "o output")] = None,
    **asked: Annotated[Any, calibrate_hosts],
) -> Stated:
    """
    Estimate what a host spends, from runs with CPU data.

    RUN is a directory with the result of a tool and the CPU data of its hosts (mpstat, sar, sadf,
    copies of /proc/stat, lscpu), or a directory of such directories; "client" or "server" in the
    name of a file says whose they are, "idle" that the host was idle. Or a result, with the CPU
    time that the tool reports.

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
    result: Any = _calibrated(calibrate_hosts, names, asked, "hosts", output_file)
    sides, scatter = " and ".join(side.value for side in result.sides), result.known.scatter_ratio
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    sentence = f"The host ({sides}) spends CPU time of {result.basis}{about}; 95 % intervals."
    return Stated(sentence, result.to_dict())


def _calibrated(
    ask: Callable[..., Any],
    names: Sequence[str],
    asked: Any,
    kind: str,
    path: str | None,
    document: Callable[..., Any] | None = None,
) -> Any:
    """Return the answer, its record written; observations that give none end with exit code 1."""
    try:
        result = ask(names, **asked)
        if path is None:
            return result
        if not path.endswith(".toml"):
            raise click.UsageError(f"-o {path}: a record is a file that ends in .toml")
        source = f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"
        about = {"title": Path(path).stem, "source": source}
        record = document(result, **about) if document else result.document(**about)
        try:
            write_record(path, record, kind)
        except ParseError as error:
            raise click.UsageError(f"-o: {error}") from error
        return result
    except ArgumentsError:
        raise
    except (CalibrationError, ContradictionError) as error:
        lines = (str(error), *(f"- {note}" for note in getattr(error, "__notes__", ())))
        raise click.ClickException("\n".join(lines)) from error


def _text(answer: Stated, is_verbose: bool) -> Iterator[str]:
    data, rows = answer.to_dict(), []
    for name, known in data["parameters"].items():
        value, *ends = (amount_text(known[x], known["unit"]) for x in ("value", "low", "high"))
        estimable = {True: "yes", False: "no", None: "unknown"}[known["estimable"]]
        span = range_text(*(end or "any" for end in ends))
        rows.append(
            {"parameter": name, "value": value or "-", "range": span, "estimable": estimable}
        )
    tables = {"candidates": data.get("candidates", []), "parameters": rows, "notes": data["notes"]}
    return Stated(answer.sentence, tables).blocks(is_verbose)


calibrate = answering(
    parameters, _text, first=("model", "line_rate_bps", "side", "noise_ratio", "output_file")
)
calibrate_host = answering(host, _text, first=("side", "mtu_bytes", "noise_ratio", "output_file"))
