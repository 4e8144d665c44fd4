"""
Runs on an emulated line from which the example of a host is calibrated, each with its CPU time.

    python tests/host_runs.py DIRECTORY [--seconds 4] [--until HH:MM] [--any-load]

Both ends share one kernel, which charges the time of softirqs to whatever they interrupt. So each
end has a CPU of its own: the client and the frames that it receives on CPU 0 (``rps_cpus`` of its
interface), the server on CPU 1. mpstat counts each CPU during the run, within its steady part, and
while the machine was idle before it. A run counts only where the machine did nothing else: little
CPU time while idle, before and after it, and little of other processes meanwhile.

Segmentation offload and receive aggregation are off: a packet of the host is a frame of the line.
"""

import argparse
import contextlib
import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from line.emulated import EmulatedLine
from line.lines import SIDES, Line, Side
from line.namespaces import LineError, run

CPU_OF: dict[Side, int] = {"client": 0, "server": 1}
OTHER_LIMIT_RATIO = 0.03
"""CPU time of others, of one CPU: a cost then moves by less than runs scatter."""
IDLE_SECONDS = 1
START_SECONDS = 1.2
"""Slow start, and the start of the tools."""
ATTEMPTS = 3
GRACE_S = 15.0
KEYS = (
    "PROTOCOL,DIRECTION,ELAPSED_TIME,THROUGHPUT,THROUGHPUT_UNITS,REQUEST_SIZE,RESPONSE_SIZE,"
    "LOCAL_SEND_SIZE,TRANSPORT_MSS"
)


class PlainLine(EmulatedLine):
    """Without the token buckets, whose timers would cost more CPU time than frames do."""

    def _set_rate(self, side: Side) -> None:
        assert side in SIDES


@dataclass(frozen=True)
class Case:
    """One configuration: a tool, messages, an MTU, and the rate of a stream."""

    name: str
    tool: str
    mtu_bytes: int
    rate_bps: int = 0
    arguments: tuple[str, ...] = ()
    conditions: str = ""
    is_held_out: bool = False

    def command(self, line: Line, seconds: int) -> list[str]:
        """The command of the client."""
        address, length = line.address("server"), str(seconds + 1)
        if self.tool == "iperf3":
            command = ["iperf3", "-c", address, "-t", str(seconds), "-O", "1", *self.arguments]
            return [*command, "-b", str(self.rate_bps), "-J"]
        if self.tool == "sockperf":
            ends = ["-i", address, "-p", "11111", "--tcp"]
            return ["sockperf", "ping-pong", *ends, "-t", length, *self.arguments]
        options = ["--", "-T", "tcp", *self.arguments, "-k", KEYS]
        return ["netperf", "-H", address, "-t", "omni", "-l", length, *options]

    def server(self, line: Line) -> tuple[list[str], int]:
        """The command of the server, and its port."""
        if self.tool == "iperf3":
            return ["iperf3", "-s", "-1"], 5201
        if self.tool == "sockperf":
            return [
                "sockperf",
                "server",
                "-i",
                line.address("server"),
                "-p",
                "11111",
                "--tcp",
            ], 11111
        return ["netserver", "-D"], 12865


def requests(mtu_bytes: int, request: int, response: int, *, held_out: bool = False) -> Case:
    """netperf: one request after the other."""
    arguments = ("-d", "rr", "-r", f"{request},{response}")
    name = f"netperf-rr-{request}x{response}-mtu{mtu_bytes}"
    return Case(name, "netperf", mtu_bytes, arguments=arguments, is_held_out=held_out)


def stream(mtu_bytes: int, rate_bps: int, *, back: bool = False, held_out: bool = False) -> Case:
    """iperf3: one stream, to the server or back."""
    name = f"iperf3-stream{'-back' if back else ''}-mtu{mtu_bytes}"
    arguments = ("-R",) if back else ()
    return Case(name, "iperf3", mtu_bytes, rate_bps, arguments, is_held_out=held_out)


def pings(mtu_bytes: int, size: int) -> Case:
    """sockperf: one message and its answer after the other."""
    conditions = f"request_bytes={size},response_bytes={size}"
    name = f"sockperf-rr-{size}x{size}-mtu{mtu_bytes}"
    arguments = ("-m", str(size))
    return Case(name, "sockperf", mtu_bytes, 0, arguments, conditions, is_held_out=True)


CASES = (
    *(requests(mtu, 200, size) for mtu in (1500, 9000) for size in (200, 30000)),
    stream(1500, 800_000_000),
    stream(9000, 3_000_000_000),
    stream(1500, 800_000_000, back=True),
    stream(9000, 3_000_000_000, back=True),
    requests(4000, 1000, 8000, held_out=True),
    requests(4000, 200, 16000, held_out=True),
    requests(1500, 200, 1000, held_out=True),
    pings(4000, 1000),
    stream(4000, 1_500_000_000, held_out=True),
    stream(4000, 1_500_000_000, back=True, held_out=True),
)


def main() -> int:
    """Measure every case; the exit code is 1 where one was never quiet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--until", help="time of day at which to stop, HH:MM")
    parser.add_argument("--any-load", action="store_true", help="keep runs of a busy machine too")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name has this")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    (options.directory / "lscpu.txt").write_bytes(run(["lscpu"]))
    (options.directory / "cpuinfo.txt").write_bytes(Path("/proc/cpuinfo").read_bytes())
    missing = []
    for number in range(1, options.repeats + 1):
        for case in CASES:
            use = "held-out" if case.is_held_out else "calibration"
            place = options.directory / use / f"{case.name}-{number}"
            if place.exists() or options.only not in case.name:
                continue
            if options.until and time.strftime("%H:%M") >= options.until:
                missing.append(place.name)
                continue
            if not measured(case, place, options.seconds, options.any_load):
                missing.append(place.name)
    report(f"missing: {', '.join(missing) or 'none'}")
    report(f"netmodel {' '.join(calibration_command(options.directory))}")
    return 1 if missing else 0


def measured(case: Case, place: Path, seconds: int, any_load: bool) -> bool:
    """One run with its CPU time in a directory; whether the machine was quiet enough."""
    for _ in range(1 if any_load else ATTEMPTS):
        if not any_load and busy_ratio(mpstat(IDLE_SECONDS)) > OTHER_LIMIT_RATIO:
            continue
        with PlainLine(0, case.mtu_bytes) as line:
            steer(line)
            with pinned_server(case, line):
                before = mpstat(IDLE_SECONDS)
                others = other_ticks()
                began = time.monotonic()
                output, busy = with_mpstat(case.command(line, seconds), line, seconds)
                grown = (now - others.get(pid, 0) for pid, now in other_ticks().items())
                other_s = sum(max(ticks, 0) for ticks in grown) / os.sysconf("SC_CLK_TCK")
                other_ratio = other_s / (time.monotonic() - began)
            after = mpstat(IDLE_SECONDS)
        loads = {"before": busy_ratio(before), "after": busy_ratio(after), "other": other_ratio}
        told = ", ".join(f"{name} {100 * load:.1f} %" for name, load in loads.items())
        is_quiet = max(loads.values()) <= OTHER_LIMIT_RATIO
        report(f"{place.name}: {told}{'' if is_quiet else ': busy'}")
        if not (is_quiet or any_load):
            continue
        place.mkdir(parents=True)
        (place / f"{case.tool}.{'json' if case.tool == 'iperf3' else 'txt'}").write_bytes(output)
        (place / "mpstat.json").write_bytes(busy)
        (place / "mpstat-idle.json").write_bytes(before)
        row = {"run": place.name, "mtu_bytes": case.mtu_bytes, "conditions": case.conditions}
        row |= {f"{name}_busy_ratio": round(load, 4) for name, load in loads.items()}
        add_row(place.parents[1] / "runs.csv", row)
        return True
    return False


def calibration_command(directory: Path) -> list[str]:
    """Arguments of netmodel that calibrate the host and test it on the runs held out."""
    conditions = [
        ("--given-of", case.name, f"mtu_bytes={case.mtu_bytes},{case.conditions}")
        for case in CASES
        if case.conditions
    ]
    numbers = [(f"--{side}-cpu-numbers", str(cpu)) for side, cpu in CPU_OF.items()]
    held_out = ("--held-out", str(directory / "held-out"))
    options = [text for each in (*numbers, held_out, *conditions) for text in each]
    return ["calibrate", "host", str(directory / "calibration"), *options]


def add_row(path: Path, row: Mapping[str, object]) -> None:
    """What a run was, and what else the machine did, in the table of all runs."""
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, row, lineterminator="\n")
        if is_new:
            table.writeheader()
        table.writerow(row)


def report(text: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def steer(line: Line) -> None:
    """Each end's frames to the CPU of that end."""
    for side, cpu in CPU_OF.items():
        queues = f"/sys/class/net/{line.device(side)}/queues/rx-0/rps_cpus"
        line.run(side, ["sh", "-c", f"echo {1 << cpu:x} > {queues}"])


@contextlib.contextmanager
def pinned_server(case: Case, line: Line) -> Iterator[None]:
    """The server on its CPU, without the real-time priority of other tests."""
    command, port = case.server(line)
    inside = line.inside("server", ["taskset", "-c", str(CPU_OF["server"]), *command])
    with subprocess.Popen(inside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            line._await_listener(server, command, port, "tcp")
            time.sleep(0.3)
            yield
        finally:
            server.terminate()


def with_mpstat(command: Sequence[str], line: Line, seconds: int) -> tuple[bytes, bytes]:
    """What a client prints, and CPU time of the steady part of its run."""
    inside = line.inside("client", ["taskset", "-c", str(CPU_OF["client"]), *command])
    with subprocess.Popen(inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
        time.sleep(START_SECONDS)
        busy = mpstat(seconds - 1)
        output = client.communicate(timeout=GRACE_S)[0]
    if client.returncode:
        raise LineError(f"{command[0]}: exit code {client.returncode}: {output.decode()[-300:]}")
    return output, busy


def mpstat(seconds: int) -> bytes:
    """Intervals of a second, every CPU."""
    os.environ |= {"S_TIME_FORMAT": "ISO", "TZ": "UTC"}
    return run(["mpstat", "-P", "ALL", "-u", "-o", "JSON", "1", str(seconds)], seconds + GRACE_S)


def busy_ratio(printed: bytes) -> float:
    """Largest share of time in which a CPU worked or was stolen."""
    (host,) = json.loads(printed)["sysstat"]["hosts"]
    loads = (each for interval in host["statistics"] for each in interval["cpu-load"])
    return max(1 - (each["idle"] + each["iowait"]) / 100 for each in loads if each["cpu"] != "all")


def other_ticks() -> dict[str, int]:
    """CPU time of each process that is neither a tool, nor this one, nor of the kernel."""
    ours = {"iperf3", "netperf", "netserver", "sockperf", "mpstat", "ip", "taskset"}
    ticks = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            head, _, rest = stat.read_text().rpartition(")")
            fields = rest.split()
            is_ours = head.partition("(")[2] in ours or stat.parent.name == str(os.getpid())
            if not is_ours and fields[1] not in _KERNEL:
                ticks[stat.parent.name] = int(fields[11]) + int(fields[12])
    return ticks


_KERNEL = ("0", "2")
"""Parents of the threads of the kernel, whose work may be that of the runs."""


if __name__ == "__main__":
    sys.exit(main())
