"""What takes any bytes: each reader, record, table, folder, and text of an option."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from damage import LONGEST_S, MOST_BYTES, require_sound, within_limits
from measuring.recorded import SAMPLES as FACTS
from measuring.recorded import recorded
from readers.reader_cases import READERS
from runs import sample

import netmodel
from netmodel.api.cases import given_case
from netmodel.calibration import observed_from_table
from netmodel.consumption import parse_consumption_us_per_gbit
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.errors import NetmodelError, ParseError
from netmodel.framing import parse_stack
from netmodel.measuring.folder import Folder, read_facts
from netmodel.measuring.mask import Mask
from netmodel.measuring.shown import shown_of
from netmodel.planning import parse_flow
from netmodel.readers.host_runs import processor_of, read_conditions
from netmodel.records import data_path, dataset, load_table, record
from netmodel.records.scenarios import SeriesSource, load_series
from netmodel.tuning import encode_rps_mask, parse_cpu_list
from netmodel.units import (
    parse_count,
    parse_frequency_hz,
    parse_length_m,
    parse_rate_bps,
    parse_ratio,
    parse_size_bytes,
    parse_time_s,
)

__all__ = ["CORPUS", "TARGETS", "Target"]

CORPUS = Path(__file__).parent / "fuzzing" / "corpus"
"""Bytes to begin with, and those that showed a defect, by the name of their target."""
LONGEST_MESSAGE = 3000
"""Characters of an error besides what it quotes, each as up to four when it is escaped."""
OWN_DOCUMENT = data_path("examples", "own-document")
SCENARIOS = data_path("examples", "scenarios")


@dataclass(frozen=True)
class Target:
    """
    Something that reads a file, and what it may answer with.

    ``read`` gets the path of a file with the bytes, in a folder that ``prepare`` has filled once.
    An error is one of ``errors``; a ParseError names something in that folder.
    """

    read: Callable[[Path], object]
    seeds: tuple[Path | str, ...] = ()
    file: str = "input.bin"
    prepare: Callable[[Path], object] = lambda folder: None
    errors: tuple[type[Exception], ...] = (ParseError,)

    @contextmanager
    def ready(self, longest_s: float = LONGEST_S) -> Iterator[Callable[[bytes], object]]:
        """A function from bytes to the result, or to the documented error; any other is raised."""
        with TemporaryDirectory(prefix="netmodel-fuzz-") as name:
            folder = Path(name)
            self.prepare(folder)
            path = folder / self.file
            if self.seeds and not path.exists():
                first = self.seeds[0]
                path.write_bytes(first.encode() if isinstance(first, str) else first.read_bytes())
            # what is loaded at the first use counts neither as time nor as memory of an input
            with suppress(NetmodelError, OSError):
                self.read(path)
            yield partial(self._try, folder, longest_s)

    def _try(self, folder: Path, longest_s: float, raw: bytes) -> object:
        path = folder / self.file
        path.write_bytes(raw)
        try:
            with within_limits(longest_s, MOST_BYTES):
                return self.read(path)
        except self.errors as error:
            message = str(error)
            assert message, "the error says nothing"
            assert len(message) < LONGEST_MESSAGE + 4 * len(raw), f"{len(message)} characters"
            if isinstance(error, ParseError):
                assert error.source.startswith((name := str(folder), "<")), error.source  # noqa: PT017
                assert name in message or "<" in message
            return error


def _reader(read: Callable[[bytes], Any], samples: list[Path]) -> Target:
    """A reader of bytes; results have no number that cannot be."""

    def checked(path: Path) -> Any:
        result = read(path.read_bytes())
        require_sound(result)
        return result

    return Target(checked, tuple(samples))


def _record(kind: str) -> Target:
    def shown(path: Path) -> object:
        return repr(record(path, kind))

    return Target(shown, tuple(sorted(data_path("catalog", kind).glob("*.toml"))), "mine.toml")


def _predicted_over(path: Path) -> object:
    """A path used: what it predicts can be written as JSON."""
    found = netmodel.predict(path=path, workload="rr1c-200x1000", mtu_bytes=1500, connections=10)
    return found.to_dict()


def _text(parse: Callable[[str], object], *seeds: str) -> Target:
    """What parses the text of an option, in which bytes that are no UTF-8 are as the shell's."""

    def parsed(path: Path) -> object:
        return parse(path.read_bytes().decode(errors="surrogateescape"))

    return Target(parsed, seeds, errors=(NetmodelError,))


def _series(path: Path) -> object:
    return load_series(SeriesSource(file=str(path), column="gbit_s", unit="Gbit/s"))


def _copy_of(source: Path) -> Callable[[Path], object]:
    return lambda folder: shutil.copytree(source, folder, dirs_exist_ok=True)


def _measured(folder: Path) -> None:
    """A folder as `netmodel measure` writes it, with facts of a recorded host."""
    host, kept = recorded("veth"), Folder(folder, Mask())
    kept.write("result.json", sample("line_200m_mtu1500_ts1_v4.json").read_bytes(), "output")
    kept.write_facts("client", host.settings)
    for when in ("before", "after"):
        kept.write_facts(f"client/{when}", host.counters)
    begin, end = "2026-11-20T10:00:00.000000Z", "2026-11-20T10:00:10.000000Z"
    command = {"arguments": ["iperf3", "-c", "h", "-J"], "tool": "iperf3", "result": "result.json"}
    kept.write_manifest("complete", {"command": command | {"begin": begin, "end": end}})


def _judged_folder(manifest: Path) -> object:
    return netmodel.check(str(manifest.parent), line_rate_bps="200 Mbit/s", mtu_bytes=1500)


def _facts_shown(path: Path) -> object:
    """What facts of a host show."""
    host = read_facts(path)
    return shown_of(host.settings, host.interface)


def _slug(name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", name.lower().replace("µ", "u")).strip("-")


MEASUREMENTS = OWN_DOCUMENT / "measurements" / "brief-runs"
CSV_SEEDS = (
    "mtu_bytes,throughput_gbps,throughput_gbps_relation,flag\n1500,13.40,at_least,\n9000,20.50,,x\n",
    "connection_count,transaction_rate_tps,transaction_time_s,cpu_s_per_transaction,cpu_count\n"
    "1,5000,0.0002,0.0001,2\n10,30000,0.00033,0.0001,4\n",
)

TARGETS: dict[str, Target] = {
    **{_slug(name): _reader(case.read, case.files()) for name, case in READERS.items()},
    **{kind: _record(kind) for kind in ("adapters", "hosts", "workloads")},
    "paths": Target(
        _predicted_over,
        tuple(data_path().glob("*/paths/*.toml")),
        "mine.toml",
        errors=(NetmodelError,),
    ),
    "dataset": Target(
        lambda path: dataset(path.parent),
        (MEASUREMENTS / "dataset.toml",),
        file="dataset.toml",
        prepare=_copy_of(MEASUREMENTS),
    ),
    "dataset-table": Target(
        lambda path: dataset(path.parent),
        tuple(MEASUREMENTS.glob("*.csv")),
        file=next(MEASUREMENTS.glob("*.csv")).name,
        prepare=_copy_of(MEASUREMENTS),
    ),
    "table": Target(load_table, CSV_SEEDS, "mine.csv", errors=(NetmodelError,)),
    "observations": Target(observed_from_table, CSV_SEEDS, "mine.csv", errors=(NetmodelError,)),
    "calibrate": Target(
        lambda path: netmodel.calibrate(path, line_rate_bps="25 Gbit/s", given={"direction": "in"}),
        ("mtu_bytes,throughput_gbps\n1500,13.40\n9000,20.50\n",),
        "mine.csv",
        errors=(NetmodelError,),
    ),
    "scenario": Target(
        lambda path: netmodel.plan_scenario(path).to_dict(),
        (SCENARIOS / "order-system.toml",),
        file="mine.toml",
        prepare=lambda folder: shutil.copy(SCENARIOS / "replication.csv", folder),
        errors=(NetmodelError,),
    ),
    "series": Target(_series, (SCENARIOS / "replication.csv",), file="mine.csv"),
    "manifest": Target(
        _judged_folder, file="manifest.toml", prepare=_measured, errors=(NetmodelError,)
    ),
    "facts": Target(_facts_shown, tuple(FACTS.glob("*.toml")), file="facts.toml"),
    "conditions": Target(
        lambda path: read_conditions(str(path)),
        ("mtu_bytes = 1500\nrequest_bytes = 200\n[client]\nmtu_bytes = 9000\n",),
        file="conditions.toml",
    ),
    "processor": _text(
        processor_of,
        "Model name: X\nCPU MHz: 2000.0\nThread(s) per core: 2\nHypervisor vendor: KVM\n",
        "model name : X\ncpu MHz : 2000.0\nsiblings : 4\ncpu cores : 2\nflags : hypervisor\n",
    ),
    "stack": _text(
        parse_stack,
        "ethernet/vlan/ipv4+options=4/esp+suite=aes-gcm+natt/ipv4/tcp+timestamps+sack=2",
        "ethernet/ipv6+extension=8/udp/vxlan/ethernet/ipv4/udp",
    ),
    "flow": _text(
        lambda text: parse_flow(text, connection_count=50),
        "25 Gbit/s str-writex30k from server",
        "18 Gbit/s out",
        "1e5/s rr1c-200x1000 from client",
    ),
    "case": _text(
        given_case,
        "osa-express7s-25gbe mtu_bytes=1500, adapter=osa-express6s-10gbe",
        "'setting=buffers increased'",
    ),
    "cpu-list": _text(lambda text: encode_rps_mask(parse_cpu_list(text)), "0-3,8,10-11", "7"),
    "cpu-cost": _text(
        lambda text: parse_cpu_cost(text, cpu_frequency_hz=5e9), "1300 us/Gbit", "0.9 cycles/byte"
    ),
    "consumption": _text(
        lambda text: parse_consumption_us_per_gbit(
            text, transaction_bytes=1200, cpu_frequency_hz=5e9
        ),
        "2.5 ms/MB",
        "12 us/transaction",
        "30 %/Gbit/s",
    ),
    **{
        _slug(parse.__name__.removeprefix("parse_")): _text(parse, *seeds)
        for parse, seeds in {
            parse_rate_bps: ("25 Gbit/s", "1.25 GB/s", "25G"),
            parse_size_bytes: ("30 KiB", "1500", "9 kB"),
            parse_time_s: ("1.2 µs", "3 ms"),
            parse_frequency_hz: ("5.2 GHz",),
            parse_length_m: ("100 km", "3 m"),
            parse_count: ("10", "1e3"),
            parse_ratio: ("0.3", "30 %"),
        }.items()
    },
}
