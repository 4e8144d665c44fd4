"""
Count how often the 95 % intervals of ``netmodel calibrate`` contain the truth.

    python tools/interval_coverage.py adapter --points 4 --scatter 0.01 --trials 100

Each trial draws true parameters, computes what runs would show by the textbook formula written out
here, scatters and rounds the figures, writes them as a table, and calls the command. An interval
with an open end claims nothing there and is counted apart.
"""

import argparse
import csv
import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from click.testing import CliRunner

from netmodel.calibration import calibrate, host_cost_model, observed_from_table
from netmodel.cli import main as netmodel
from netmodel.errors import CalibrationError

Numbers = Mapping[str, Any]
TCP_IP_BYTES = 52
"""IPv4, 20 byte; TCP, 20 byte and 12 of time stamps."""
ETHERNET_BYTES = 38
"""Header, checksum, preamble and gap of a frame."""
ARITHMETIC_RATIO = 1e-9
"""Two ways to compute a figure differ by less: at the line an interval may be one value."""


class Kind(NamedTuple):
    """What runs show: ranges of the true parameters, the formula of a figure, and conditions."""

    options: str
    column: str
    scale: float
    ranges: Mapping[str, tuple[float, float]]
    formula: Callable[[Numbers, Numbers], Any]
    points: Sequence[Numbers]
    limit: Callable[[Numbers], Any] = lambda at: math.inf


def adapter_bps(true: Numbers, at: Numbers) -> Any:
    payload_bytes = at["mtu_bytes"] - TCP_IP_BYTES
    return 8 * payload_bytes / (true["per_frame_s"] + true["per_byte_s"] * payload_bytes)


def adapter(line_gbps: int, *mtus: int) -> Kind:
    """Return a kind of 13 to 26 Gbit/s at MTU 1500, whose runs carry at most what the line does."""

    def line_bps(at: Numbers) -> Any:
        wire_bytes = at["mtu_bytes"] + ETHERNET_BYTES
        return 1e9 * line_gbps * (at["mtu_bytes"] - TCP_IP_BYTES) / wire_bytes

    return Kind(
        *(f"adapter --line-rate {line_gbps}Gbit/s", "throughput_gbps", 1e9),
        {"per_frame_s": (0.35e-6, 0.7e-6), "per_byte_s": (2e-11, 1.5e-10)},
        adapter_bps,
        points=[{"mtu_bytes": mtu} for mtu in mtus],
        limit=line_bps,
    )


def host_s(true: Numbers, at: Numbers) -> Any:
    """Return the CPU time of two messages, the frames of each, and all bytes."""
    sizes = (at["request_bytes"], at["response_bytes"])
    frames = sum(math.ceil(size / (at["mtu_bytes"] - TCP_IP_BYTES)) for size in sizes)
    bytes_s = true["per_byte_s"] * sum(sizes)
    return 2 * true["per_message_s"] + frames * true["per_frame_s"] + bytes_s


def exchange(mtu: int, size: int, **more: str) -> Numbers:
    return {"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size, **more}


def law_tps(true: Numbers, at: Numbers) -> Any:
    """Return the rate by the universal scalability law."""
    count = at["connection_count"]
    waiting_s = (true["contention_s"] + true["coherency_s"] * count) * (count - 1)
    return count / (true["alone_s"] + waiting_s)


EXCHANGES = ((1500, 200), (9000, 60000), (1500, 60000), (1500, 30000), (9000, 8000), (9000, 200))
COUNTS = (1, 128, 16, 64, 4, 32, 8, 2)
KINDS = {
    "adapter": adapter(400, 1500, 9000, 4000, 576, 2000, 6000, 1000, 7500),
    "adapter-at-the-line": adapter(25, 576, 9000, 1500, 1000, 400, 1280, 4000, 800),
    "host": Kind(
        *("host", "cpu_us_per_transaction", 1e-6),
        {
            "per_message_s": (3e-6, 12e-6),
            "per_frame_s": (0.4e-6, 1.6e-6),
            "per_byte_s": (0.15e-9, 0.6e-9),
        },
        host_s,
        points=[exchange(*each, side="client") for each in EXCHANGES],
    ),
    "scalability": Kind(
        *("scalability", "transaction_rate_tps", 1.0),
        {"alone_s": (1e-4, 2e-4), "contention_s": (2e-6, 6e-6), "coherency_s": (2e-8, 1e-7)},
        law_tps,
        points=[{"connection_count": count} for count in COUNTS],
    ),
}
"""The first of the points are those of fewer points."""


def calibrated(kind: Kind, rows: Sequence[Numbers], noise: Sequence[str]) -> Numbers | None:
    """Return intervals by quantity, or None where the figures are refused."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "runs.csv")
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
        if kind.options == "host":  # the command takes runs, not figures
            with suppress(CalibrationError):
                known = float(noise[1]) if noise else None
                found = calibrate(observed_from_table(path), host_cost_model(), known)
                return dict(found.to_dict()["parameters"])
            return None
        options = ["--model", *kind.options.split(), *noise, "--json"]
        result = CliRunner().invoke(netmodel, ["calibrate", str(path), *options])
    if result.exit_code == 1:
        return None
    if result.exit_code:
        raise SystemExit(result.output)
    parameters: Numbers = json.loads(result.stdout)["parameters"]
    return parameters


def trial(kind: Kind, given: argparse.Namespace, chance: np.random.Generator) -> dict[str, str]:
    """Say of each quantity whether its interval covers or misses the truth, is open or refused."""
    true = {name: math.exp(chance.uniform(*np.log(ends))) for name, ends in kind.ranges.items()}
    rows = []
    for at in kind.points[: given.points] * given.repeats:
        run = kind.formula(true, at) * math.exp(given.scatter * chance.standard_normal())
        figure = f"{min(run, kind.limit(at)) / kind.scale:.{given.digits - 1}e}"
        rows.append({**at, kind.column: f"{float(figure):.12g}"})
    found = calibrated(kind, rows, ["--noise", str(given.scatter)] if given.noise_known else [])
    answer = dict.fromkeys(true, "refused")
    for name, each in (found or {}).items():
        low, high, allowed = each["low"], each["high"], ARITHMETIC_RATIO * true[name]
        answer[name] = "open"
        if low is not None and high is not None:
            is_inside = low - allowed <= true[name] <= high + allowed
            answer[name] = "covered" if is_inside else "missed"
    return answer


def main() -> None:
    """Print a line for each quantity."""
    parser = argparse.ArgumentParser(description=str(__doc__).strip().partition("\n")[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--points", type=int, default=4, help="different conditions")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each")
    parser.add_argument("--digits", type=int, default=4, help="printed, from the first above 0 on")
    parser.add_argument("--scatter", type=float, default=0.01, help="from run to run, as a ratio")
    parser.add_argument("--noise-known", action="store_true", help="the command is given --scatter")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chance = np.random.default_rng(given.seed)
    found = [trial(KINDS[given.kind], given, chance) for _ in range(given.trials)]
    for name in found[0]:
        counts = Counter(each[name] for each in found)
        closed = counts["covered"] + counts["missed"]
        ratio = f"{counts['covered'] / closed:.1%}" if closed else "-"
        print(
            f"{name:<14}{ratio:>7} covered, {counts['covered']} of {closed};"
            f" {counts['open']} open, {counts['refused']} refused"
        )


if __name__ == "__main__":
    main()
