"""Commands on paths and results: ``predict``, ``plan``, ``compare``, ``check``, ``calibrate``."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import date
from functools import partial
from importlib import import_module
from io import FileIO
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any, TypeAlias

import click

import netmodel.api as api
import netmodel.checking as checking
import netmodel.readers as readers
import netmodel.records as records
import netmodel.report as report
from netmodel import __version__
from netmodel.api import arguments
from netmodel.api.arguments import ArgumentsError, HostName, InterfaceName, Kind
from netmodel.cli import _derived
from netmodel.cli._derived import Question, Stated
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, NetmodelError, ParseError
from netmodel.reading import read_stream
from netmodel.results import plain
from netmodel.text import amount_text, few_names, percent_text, range_text
from netmodel.units import format_rate

_Command: TypeAlias = Annotated[Sequence[str], Kind("-- tool [arguments]", repeats=True)]
_Results: TypeAlias = Annotated[Sequence[str], Kind("result", repeats=True)]
_Runs: TypeAlias = Annotated[Sequence[str], Kind("run", repeats=True)]
_Sources: TypeAlias = Annotated[Sequence[str], Kind("result...|file.csv|dataset", repeats=True)]
_Earlier: TypeAlias = Annotated[str | None, Kind("result|file.csv|dataset")]
_File: TypeAlias = Annotated[str, Kind("output", "o output")]
_Output: TypeAlias = _File | None
_OfSources: TypeAlias = "Annotated[Any, api.calibrate]"
_OfHosts: TypeAlias = "Annotated[Any, api.calibrate_host]"
_METHODS = {
    "likelihood": "{choice}most likely parameters with {level} intervals",
    "feasible_set": "all parameters that agree with every figure",
    "chosen model": "{choice}; intervals of {level}",
}
_SWEPT = ("km", "rtt_s", "window_bytes", "loss_ratio", "connections")
"""Arguments of which each value is a case."""


def _blocks(module: str, name: str, *answer: Any) -> Any:
    """Return blocks of text by a function of the report, which is loaded now."""
    return getattr(import_module(f"netmodel.report.{module}"), name)(*answer)


def _ends(given: Mapping[str, Any], traffic: Any) -> dict[str, Any]:
    """Workload and adapters of sender and receiver, and of client and server, as in the JSON."""
    adapters = arguments.specified_path(given).adapters(traffic.sender)
    cards = {side.value: card and card.id for side, card in zip(Side, adapters, strict=True)}
    ends = {"sender": traffic.sender.value, "receiver": traffic.sender.other.value}
    known = {name: {"side": side, "adapter": cards[side]} for name, side in ends.items()}
    return {"workload": traffic.name, **known, **{f"{x}_adapter": cards[x] for x in cards}}


def _limits_plot(cases: Any) -> Any:
    """Draw the limits of a single case."""
    prediction, *others = cases[0]
    if others:
        raise ArgumentsError("--plot draws one case: give one value of {connections}")
    return report.plot_path(prediction)


def _page(answer: Any) -> str:
    import shlex

    command = shlex.join(["netmodel", *sys.argv[1:]])
    return report.plan_page(answer, command=command, version=__version__, made_on=date.today())


@partial(
    Question,
    text=lambda cases, verbose: _blocks("answers", "prediction_blocks", *cases, verbose),
    data=lambda cases: [cases[1] | each.to_dict() for each in cases[0]],
    files={"plot": _limits_plot},
    first=("workload", "adapter", "path", "mtu_bytes", "connections", "draw"),
)
def predict(*, draw: bool = False, **given: "Annotated[Any, api.predict]") -> Any:
    """Predict throughput, CPU cost and bottleneck of a path.

    Give --adapter, or --sender with --receiver, or --path, and --workload; without one, the client
    sends full frames. A figure that a document prints for this case comes first; "<=" marks an
    upper bound, "expected" the rate that a run is likely to reach.

    --connections, --km, --rtt, --window and --loss take lists, such as 1,10,50, with a row for
    each case.

    \b
    Example: netmodel predict --sender ethernet-25gbe --receiver mine.toml
                 --workload str-writex30k --mtu 1500 --connections 1,10,50

    Parameters
    ----------
    draw : bool
        Draw the path with each of its limits.
    """
    if "workload" in given and "connections" not in given:
        known = arguments.given_record("workload", given)
        given["connections"] = [*known.connection_counts] or None
    found = [api.predict(**case) for case in arguments.cases_of(given, _SWEPT)]
    return found, _ends(given, found[0].traffic), draw


@partial(
    Question,
    text=partial(_blocks, "plan_text", "plan_blocks"),
    exit_code=lambda answer: int(not answer.holds),
    files={"plot": lambda answer: report.plot_plan(answer.candidates), "html": _page},
    first=("flows", "adapters", "mtu_bytes", "spares", "client_cost"),
)
def plan(
    scenario: Annotated[str, Kind("scenario.toml")] = "", **given: "Annotated[Any, api.plan]"
) -> Any:
    """Plan adapters and CPUs for a demand, with spares.

    Give a scenario file with traffic, candidates and policy, which may have growth, a horizon and
    costs too; options on failures and use replace its policy. Or give --flow, and --adapter, or
    --sender with --receiver, or --path. Repeat --adapter, --mtu or --link-mtu to compare
    candidates. in and out are as seen from the server, whose adapters they plan. Adapter rates are
    upper bounds, so adapter counts are lower bounds. Exit code 1: no candidate carries the demand.

    \b
    Examples: netmodel plan order-system.toml
              netmodel plan --flow "18 Gbit/s in" --adapter osa-express7s-25gbe
                  --mtu 1500
    """
    if not scenario:
        return api.plan(**given)
    from netmodel.records.scenarios import Policy

    others = {name: x for name, x in given.items() if name not in Policy.model_fields}
    arguments.refuse("{name} beside a scenario: write it into the file", **others)
    return api.plan_scenario(scenario, **given)


@partial(
    Question,
    text=partial(_blocks, "text", "comparison_blocks"),
    data=lambda answer: answer.to_dict()["rows"],
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
)
def compare(**given: "Annotated[Any, api.compare]") -> Any:
    """Compare two cases, such as adapters or MTUs.

    Prints the ratio of variant to baseline for each quantity, side and number of connections: as
    published, else from two predictions (modelled); and the nearest published cases.

    Conditions are those of published rows: adapter (or client and server), path, layer, mtu,
    connections, rps, km, protocol, level (of the hypervisor), attributes and more; a wrong name
    lists them. --protocol smc-r alone compares it with TCP, over the distance of --km.

    \b
    Example: netmodel compare --workload rr1c-200x1000 --connections 50
                 --baseline "osa-express7s-25gbe rps=off" --variant rps=on
    """
    return api.compare(**given)


def _fits(run: "readers.Measurement", given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the next faster line of Ethernet, if the run fills it, at the MTU or usual ones."""
    from netmodel.checking.limits import STANDARD_RATES_BPS, USUAL_MTUS_BYTES

    has_mtu = {"mtu_bytes", "link_mtu_bytes"} & given.keys() or run.goodput_bps is None
    mtus: list[dict[str, Any]] = [{}] if has_mtu else [{"mtu_bytes": n} for n in USUAL_MTUS_BYTES]
    own_bps = run.goodput_bps or run.counted.layer1_rate_bps or math.inf
    rate_bps = next((x for x in STANDARD_RATES_BPS if x >= own_bps), 0)
    for mtu in mtus:
        with suppress(NetmodelError):
            (verdict,) = api.check(run, **given, **mtu, line_rate_bps=rate_bps)
            if verdict.outcome in (checking.Outcome.AT_CEILING, checking.Outcome.BORDERLINE):
                at_mtu = "".join(f" at MTU {each}" for each in mtu.values())
                yield f"a line of {format_rate(rate_bps)}{at_mtu}"


def _rows(answer: Any) -> list[Any]:
    """Return the verdicts, each to be made plain as it is printed; a typed rate has no file."""
    from netmodel.api.results import is_typed_rate

    return [x.to_dict() | {"file": None} if is_typed_rate(x.file) else x for x in answer]


def _exit_code(answer: Any) -> int:
    """Return 3 for an unreadable file, else 1 if a run does not pass, else 0."""
    unread = [each for each in answer if each.outcome is None]
    if against := [f"{x.file}: {x.why}" for x in unread if x.word == "contradiction"]:
        raise click.UsageError("\n".join(against))
    return _derived.UNREADABLE_EXIT_CODE if unread else int(not all(x.passes for x in answer))


def _write(path: str, names: Sequence[str], kind: str, document: Callable[..., Any]) -> None:
    """Write a calibration as a record."""
    if not path.endswith(".toml"):
        raise click.UsageError(f"-o {path}: a record is a file that ends in .toml")
    source = f"{', '.join(Path(name).name for name in names)}, netmodel {__version__}"
    try:
        records.write_record(path, document(title=Path(path).stem, source=source), kind)
    except ParseError as error:
        raise click.UsageError(f"-o: {error}") from error


def _parameter_blocks(answer: Stated, is_verbose: bool) -> Iterator[str]:
    data, rows = answer.to_dict(), []
    for name, known in data["parameters"].items():
        value, *ends = (amount_text(known[x], known["unit"]) for x in ("value", "low", "high"))
        span = range_text(*(end or "any" for end in ends))
        row = {"parameter": name, "value": value or "-", "range": span}
        row["estimable"] = {True: "yes", False: "no"}.get(known["estimable"], "unknown")
        if change := data.get("changes", {}).get(name):
            moved, *ends = (amount_text(change[x], known["unit"]) for x in ("value", "low", "high"))
            row = {"parameter": name, "value": value, "change": moved, "range": range_text(*ends)}
            row["p"] = "" if change["p"] is None else f"{change['p']:.2g}"
        rows.append(row)
    tables = {name: data.get(name, []) for name in ("predictions", "candidates")}
    tables |= {"parameters": rows, "notes": data["notes"]}
    return Stated(answer.sentence, tables).blocks(is_verbose)


_FAILURES = (CalibrationError, ContradictionError)
_Estimate = partial(Question, text=_parameter_blocks, failures=_FAILURES)


@partial(
    Question,
    text=partial(_blocks, "verdict_text", "verdict_blocks"),
    data=_rows,
    exit_code=_exit_code,
    files={"junit": lambda answer: report.junit_xml(answer, "netmodel check")},
    first=("line_rate_bps", "adapter", "mtu_bytes", "transport", "capacity"),
)
def check(names: _Results, **given: "Annotated[Any, api.check]") -> Any:
    """Judge results of iperf3 and other tools against limits.

    RESULT is a file of a tool, a directory with all results in it and below, a goodput such as
    9.2Gbit/s, or - for standard input. Give --line-rate, or --adapter, or --sender with --receiver,
    or a --path with them; --capacity alone is enough.

    \b
    at ceiling     within the tolerance of the smallest limit that you specify
    borderline     so near an end of it that more runs must decide, as many as the
                   reason says; fails unless --accept borderline
    limited        below it, explained by the run's own window, loss, offered rate
                   or busy CPUs; fails unless --accept names that limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    not judgeable  an unknown setting decides; the reason names the option to give

    Exit code 0: all pass; 1: a run does not; 2: wrong option; 3: unreadable.

    \b
    Example: netmodel check run.json --line-rate 25Gbit/s --mtu 1500
    """
    from netmodel.api.results import found_results

    stdin = SimpleNamespace(name="<stdin>", read=lambda: read_stream(FileIO(0, closefd=False)))
    results = found_results([stdin if x == "-" else x for x in names], given.get("format_name"))
    if skipped := [f"{each.path} ({each.problem})" for each in results.passed_over]:
        click.echo(f"skipped without results: {few_names(skipped, 'files')}", err=True)
    try:
        return api.check(results, **given)
    except arguments.NoLimitError:
        runs = [run for run in results.rows if isinstance(run, readers.Measurement)]
        read, count = [(run, " and ".join(_fits(run, given))) for run in runs], len(results.rows)
        is_json, is_verbose = map(click.get_current_context().params.get, ("json", "verbose"))
        unread = [row for row in results.rows if not isinstance(row, readers.Measurement)]
        if read and is_json:
            rows = [run.to_dict() | {"fits": fits or None} for run, fits in read]
            _derived.print_json(rows + [{"source": x.path, "error": x.problem} for x in unread])
        elif read:
            _derived.print_blocks(_blocks("verdict_text", "read_blocks", read, count, is_verbose))
        for row in unread[1:]:
            click.echo(f"Error: {row.path}: {row.problem}", err=True)
        if unread:
            raise ParseError(unread[0].path, unread[0].problem) from None
        raise


@partial(
    Question,
    text=partial(_blocks, "verdict_text", "measured_blocks"),
    exit_code=lambda answer: int(not answer.passes),
    first=("folder", "peer_facts", "line_rate_bps", "mtu_bytes"),
    # options of the tool are its own, with or without --
    context_settings={"allow_interspersed_args": False},
)
def measure(command: _Command, **given: "Annotated[Any, api.measure]") -> Any:
    """Run a tool, record its hosts, judge the result.

    TOOL is iperf3, iperf 2, netperf, uperf, sockperf, nuttcp, qperf, ntttcp or perftest at the
    client, with its own options. Before and after the run, read-only commands record route,
    interface, adapter, queues, settings, counters and CPU time of this host. The result is judged
    as by netmodel check, with line rate, MTU and headers of the interface to the peer, unless you
    specify others. The folder holds all of it; no privilege is needed.

    Exit code 0: all runs pass; 1: a run does not pass, or the tool failed; 2: an option is wrong,
    or the tool is not installed; 3: the file of --peer-facts cannot be read.

    \b
    Example: netmodel measure -- iperf3 -c server1 -J
    """
    context = click.get_current_context()
    # what the tool prints, as it comes: beside JSON on standard error
    of_tool = context.obj if context.params["json"] else sys.stdout
    with redirect_stdout(of_tool), redirect_stderr(context.obj):
        return api.measure(command, **given)


@Question
def measure_facts(
    *, peer: HostName | None = None, interface: InterfaceName | None = None, output_file: _File
) -> Stated:
    """
    Record facts of this host, for measure at the other one.

    Records the facts that netmodel measure records of its own host, without a run: interfaces,
    adapter, queues, settings, counters, CPUs, limits of the container. Commands only read, each
    with a time limit, and need no privilege; the file gives the reason for each missing fact.

    \b
    Example: netmodel measure facts --peer client1 -o server.toml

    Parameters
    ----------
    peer : str, optional
        Host at the other end.
    interface : str, optional
        Name of the interface, such as eth0; that of the route to the peer by default.
    output_file : str
        Where to write the result; a .toml file for --peer-facts at the other host.
    """
    from netmodel.measuring import facts, folder, mask, record, shown

    facts.require_there(peer, interface)
    host = record.recorded_facts(peer, interface)
    text = folder.masked_toml(folder.facts_document(host, __version__), mask.Mask())
    _derived.write_output("-o", output_file, text)
    known = [*host.settings.values(), *host.counters.values()]
    missing = [each.name for each in known if each.text is None]
    place = f"interface {host.interface}" if host.interface else "no interface: give --peer"
    sentence = f"{output_file}: {len(known) - len(missing)} facts, {len(missing)} missing; {place}"
    notes = shown.shown_of(host.settings, host.interface).notes
    data = {"interface": host.interface, "time_utc": host.time_utc, "file": output_file}
    return Stated(sentence, {**data, "missing": missing, "notes": notes}, stated=data)


@partial(_Estimate, first=("model", "line_rate_bps", "side", "noise_ratio", "output_file"))
def calibrate(
    names: _Sources, *, output_file: _Output = None, against: _Earlier = None, **more: _OfSources
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
        Where to write the result; a .toml record of an adapter.
    against : str, optional
        Earlier figures of the same kind: prints how the parameters changed, with p-values.
    """
    name: str = more.get("model", "adapter")
    rate_bps: Any = more.get("line_rate_bps")
    if output_file is not None and (name != "adapter" or rate_bps is None):
        raise ArgumentsError("-o: a record needs {model} adapter and {line_rate_bps}")
    result: Any = api.calibrate(names, **more)
    earlier = against and api.calibrate([against], **more)
    if output_file is not None:
        from netmodel.calibration.records import adapter_document

        document = partial(adapter_document, result, line_rate_bps=rate_bps)
        _write(output_file, names, "adapters", document)
    level, noise = percent_text(result.level_ratio, 3), result.scatter_ratio
    method = _METHODS[result.method].format(level=level, choice=getattr(result, "answer", ""))
    if noise is not None:
        method += f", {result.noise_kind} {percent_text(noise, 3)} included"
    elif result.method == "likelihood":
        method = "no interval, as the run-to-run noise is unknown: give --noise, or repeat a run"
    count, source = len(result.observed), ", ".join(names)
    data = {**result.to_dict(), "source": source, "model": name}
    if earlier:
        return _compared(result, earlier, data | {"against": against})
    seen = f"{count} observation{'s' * (count != 1)} of {source}"
    return Stated(f"{name} from {seen}: {method}.", data)


def _compared(new: Any, old: Any, data: dict[str, Any]) -> Stated:
    """Return how the parameters of a fit differ from those of an earlier one."""
    if {new.method, old.method} != {"likelihood"}:
        raise ArgumentsError("{against} compares fits of a model: give {noise_ratio} or more runs")
    changes, found = new.changes_from(old), list[str]()
    for name, ((change, *_), p) in changes.items():
        if p is not None and p < 1 - new.level_ratio:
            before, way = old.values[name], "higher" if change > 0 else "lower"
            share = f"{percent_text(abs(change / before), 3)} " if before else ""
            found.append(f"{name} is {share}{way} (p = {p:.2g})")
    known = {name: {**plain(each), "p": p} for name, (each, p) in changes.items()}
    fits = ((data["source"], new), (data["against"], old))
    sure = "".join(f"of {name} {each.answer}" for name, each in fits if each.answer)
    sure += "; ".join(found) or "no parameter changed beyond chance"
    return Stated(f"{data['source']} against {data['against']}: {sure}.", data | {"changes": known})


@partial(_Estimate, first=("side", "mtu_bytes", "noise_ratio", "output_file"))
def calibrate_host(runs: _Runs, *, output_file: _Output = None, **own: _OfHosts) -> Stated:
    """
    Estimate the CPU cost of a host from runs with CPU data.

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
    result = api.calibrate_host(runs, **own)
    if output_file is not None:
        _write(output_file, runs, "hosts", result.document)
    sides, scatter = " and ".join(side.value for side in result.sides), result.known.scatter_ratio
    about = "" if scatter is None else f"; runs scatter by {percent_text(scatter, 2)} about that"
    first = f"{result.known.answer}the host ({sides}) spends CPU time of {result.basis}"
    return Stated(f"{first[0].upper()}{first[1:]}{about}; 95 % intervals.", result.to_dict())
