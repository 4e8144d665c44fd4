"""
Runs on an emulated line from which the example of a host is calibrated, each with its CPU time.

    python tests/host_runs.py DIRECTORY [--seconds 6] [--until HH:MM] [--any-load]

Both ends share one kernel, which charges the time of softirqs to whatever they interrupt. So each
end has a CPU of its own: the client and the frames that it receives on CPU 0 (``rps_cpus`` of its
interface), the server on CPU 1. Copies of /proc/stat count each CPU during the run, within its
steady part, and while the machine was idle before it: its idle time is measured by the clock, while
mpstat and sar divide samples at each tick, which a paced iperf3 keeps in step with. A run counts
only where the machine did nothing else: little CPU time while idle, before and after it, and little
of other processes meanwhile.

The kernel counts the frames of each end, and how often its CPU was interrupted to receive some;
conditions.toml beside a result has frames per interrupt, and segments per acknowledgement.

Segmentation offload and receive aggregation are off: a packet of the host is a frame of the line.
TCP is Reno: BBR paces each frame by a timer, which costs more than the frame.
"""

import argparse
import contextlib
import csv
import math
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

from netmodel.readers import read_host_cpu

CPU_OF: dict[Side, int] = {"client": 0, "server": 1}
OTHER_LIMIT_RATIO = 0.03
"""CPU time of others, of one CPU: a cost then moves by less than runs scatter."""
IDLE_SECONDS = 2
"""Ticks of 10 ms then leave 0.5 % of a CPU."""
CHECK_SECONDS = 1
START_SECONDS = 1.2
"""Slow start, and the start of the tools."""
ATTEMPTS = 3
GRACE_S = 15.0
TCP_IP_BYTES = 52
"""Headers of IPv4 and TCP with time stamps."""
MAC_BYTES = 14
"""Addresses and type, which the kernel counts in the bytes of an interface; it has no checksum."""
MIN_ACK_RATIO = 0.02
"""Fewer bare acknowledgements per segment are those of the ends of the interval."""
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
    sizes_bytes: tuple[int, int] | None = None
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
    sizes_bytes = (request, response)
    return Case(name, "netperf", mtu_bytes, 0, arguments, sizes_bytes, held_out)


def stream(mtu_bytes: int, rate_bps: int, *, back: bool = False, held_out: bool = False) -> Case:
    """iperf3: one stream, to the server or back."""
    name = f"iperf3-stream{'-back' if back else ''}-mtu{mtu_bytes}"
    arguments = ("-R",) if back else ()
    return Case(name, "iperf3", mtu_bytes, rate_bps, arguments, is_held_out=held_out)


def pings(mtu_bytes: int, size: int) -> Case:
    """sockperf: one message and its answer after the other."""
    name = f"sockperf-rr-{size}x{size}-mtu{mtu_bytes}"
    arguments = ("-m", str(size))
    return Case(name, "sockperf", mtu_bytes, 0, arguments, (size, size), is_held_out=True)


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
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--until", help="time of day at which to stop, HH:MM")
    parser.add_argument("--any-load", action="store_true", help="keep runs of a busy machine too")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="cases whose name has this")
    options = parser.parse_args()
    for use in ("calibration", "held-out"):
        place = options.directory / use
        place.mkdir(parents=True, exist_ok=True)
        (place / "lscpu.txt").write_bytes(run(["lscpu"]))
        (place / "cpuinfo.txt").write_bytes(Path("/proc/cpuinfo").read_bytes())
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
        if not any_load and busy_ratio(copies(CHECK_SECONDS)) > OTHER_LIMIT_RATIO:
            continue
        with PlainLine(0, case.mtu_bytes) as line:
            steer(line)
            with pinned_server(case, line):
                before = copies(IDLE_SECONDS)
                others = other_ticks()
                began = time.monotonic()
                output, busy, counted = with_copies(case.command(line, seconds), line, seconds)
                grown = (now - others.get(pid, 0) for pid, now in other_ticks().items())
                other_s = sum(max(ticks, 0) for ticks in grown) / os.sysconf("SC_CLK_TCK")
                other_ratio = other_s / (time.monotonic() - began)
            after = copies(CHECK_SECONDS)
        loads = {"before": busy_ratio(before), "after": busy_ratio(after), "other": other_ratio}
        shown = ", ".join(f"{name} {100 * load:.1f} %" for name, load in loads.items())
        is_quiet = max(loads.values()) <= OTHER_LIMIT_RATIO
        report(f"{place.name}: {shown}{'' if is_quiet else ': busy'}")
        if not (is_quiet or any_load):
            continue
        place.mkdir(parents=True)
        (place / f"{case.tool}.{'json' if case.tool == 'iperf3' else 'txt'}").write_bytes(output)
        (place / "proc-stat.txt").write_bytes(busy)
        (place / "proc-stat-idle.txt").write_bytes(before)
        (place / "conditions.toml").write_text(conditions(case, counted))
        row: dict[str, object] = {"run": place.name, "mtu_bytes": case.mtu_bytes}
        for side in SIDES:
            row |= {f"{side}_{name}": count for name, count in counted[side].items()}
        row |= {f"{name}_busy_ratio": round(load, 4) for name, load in loads.items()}
        add_row(place.parents[1] / "runs.csv", row)
        return True
    return False


def calibration_command(directory: Path) -> list[str]:
    """Arguments of netmodel that calibrate the host."""
    numbers = [(f"--{side}-cpu-numbers", str(cpu)) for side, cpu in CPU_OF.items()]
    options = [text for each in numbers for text in each]
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
    """Each end's frames to the CPU of that end; TCP that does not pace."""
    for side, cpu in CPU_OF.items():
        queues = f"/sys/class/net/{line.device(side)}/queues/rx-0/rps_cpus"
        line.run(side, ["sh", "-c", f"echo {1 << cpu:x} > {queues}"])
        line.run(side, ["sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno"])


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


def with_copies(
    command: Sequence[str], line: Line, seconds: int
) -> tuple[bytes, bytes, dict[Side, dict[str, int]]]:
    """What a client prints, and CPU time and counters of the steady part of its run."""
    inside = line.inside("client", ["taskset", "-c", str(CPU_OF["client"]), *command])
    with subprocess.Popen(inside, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
        time.sleep(START_SECONDS)
        first = counters(line)
        busy = copies(seconds - 1)
        last = counters(line)
        output = client.communicate(timeout=GRACE_S)[0]
    if client.returncode:
        raise LineError(f"{command[0]}: exit code {client.returncode}: {output.decode()[-300:]}")
    grown = {
        side: {name: last[side][name] - first[side][name] for name in first[side]} for side in SIDES
    }
    return output, busy, grown


def counters(line: Line) -> dict[Side, dict[str, int]]:
    """Frames and bytes of each end, and interrupts of its CPU to receive frames."""
    rows = [row.split() for row in Path("/proc/net/softnet_stat").read_text().splitlines()]
    counted: dict[Side, dict[str, int]] = {}
    for side, cpu in CPU_OF.items():
        table = line.run(side, ["cat", "/proc/net/dev"]).decode()
        numbers = table.partition(f"{line.device(side)}:")[2].split()
        names = {"received_bytes": 0, "received_frames": 1, "sent_bytes": 8, "sent_frames": 9}
        counted[side] = {name: int(numbers[place]) for name, place in names.items()}
        # column 10, received_rps: another CPU woke this one up to receive (net-procfs.c)
        counted[side]["interrupts"] = int(rows[cpu][9], 16)
    return counted


def conditions(case: Case, counted: Mapping[Side, Mapping[str, int]]) -> str:
    """What the result of the tool does not have, as `netmodel calibrate host` reads it."""
    lines = [f"mtu_bytes = {case.mtu_bytes}"]
    segment_bytes = case.mtu_bytes - TCP_IP_BYTES
    segments = acks = 0
    for number, side in enumerate(SIDES):
        each = counted[side]
        frames = each["sent_frames"]
        payload_bytes = each["sent_bytes"] - frames * (TCP_IP_BYTES + MAC_BYTES)
        if case.sizes_bytes is None:  # a stream: the end that sends no payload acknowledges
            with_payload = frames if payload_bytes > frames else 0
        else:
            size = case.sizes_bytes[number]
            with_payload = round(payload_bytes / size) * math.ceil(size / segment_bytes)
        segments += with_payload
        acks += frames - with_payload
    if acks > MIN_ACK_RATIO * segments:
        lines.append(f"segments_per_ack = {segments / acks:.4g}")
    if case.sizes_bytes is not None:
        names = ("request_bytes", "response_bytes")
        lines += [f"{n} = {size}" for n, size in zip(names, case.sizes_bytes, strict=True)]
    for side in SIDES:
        # the counters are read one after the other: a ratio below 1 is 1
        batch = max(counted[side]["received_frames"] / counted[side]["interrupts"], 1)
        lines += ["", f"[{side}]", f"frames_per_interrupt = {batch:.4g}"]
    return "\n".join([*lines, ""])


def copies(seconds: int) -> bytes:
    """Two copies of /proc/stat, each below its time; of the second, what counts CPU time."""
    texts = []
    for delay in (0, seconds):
        time.sleep(delay)
        texts.append(f"{time.time():.6f}")
        lines = Path("/proc/stat").read_text().splitlines()
        texts += [line for line in lines if line.startswith(("cpu", "btime"))]
    return "\n".join([*texts, ""]).encode()


def busy_ratio(printed: bytes) -> float:
    """Largest share of time in which a CPU worked."""
    activity = read_host_cpu(printed)
    shares = (each for interval in activity.intervals for each in interval.busy_ratios.items())
    return max(ratio for cpu, ratio in shares if cpu is not None)


def other_ticks() -> dict[str, int]:
    """CPU time of each process that is neither a tool, nor this one, nor of the kernel."""
    ours = {"iperf3", "netperf", "netserver", "sockperf", "ip", "taskset"}
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
