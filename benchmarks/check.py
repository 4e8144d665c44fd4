"""Cost of reading and judging results against opening and parsing the same files, in one run.

All files differ, in what was counted, in their rates and in their cookie; hosts and line are the
same, as in a directory of runs. A round goes through all of them, a few at a time in turn, and
gives the ratio of the CPU time of both, so that a machine that slows down slows both. Median,
minimum and maximum are over the rounds. The last column is the ratio that the project allows; there
is none for a path between adapters.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from netmodel.checking import SpecifiedLine, check
from netmodel.path import SpecifiedPath
from netmodel.readers import read_result
from netmodel.records import adapter, data_path

FILE_COUNT = 1000
FEW = 100
AT_A_TIME = 20
ROUNDS = 9
ALLOWED_RATIO = 3
LINE = SpecifiedLine(200e6, mtu_bytes=1500)
ONE_EXAMPLE = ("line-200m-mtu1500.json",)
ALL_EXAMPLES = (
    *ONE_EXAMPLE,
    "line-200m-mtu1500-small-window.json",
    "line-200m-mtu1500-udp.json",
    "line-200m-mtu1500-bidir.json",
)
_COUNTED = frozenset({"bytes", "bits_per_second"})
_SLOWEST_RATIO = 0.5


def write_results(directory: Path, examples: Iterable[str], count: int) -> list[Path]:
    """Write results of iperf3, each an example with counts, rates and a cookie of its own."""
    documents = [json.loads(data_path("examples", "iperf3", name).read_text()) for name in examples]
    chance = random.Random(1)
    paths = [directory / f"{place:04}.json" for place in range(count)]
    for place, path in enumerate(paths):
        document = _scaled(documents[place % len(documents)], chance.uniform(_SLOWEST_RATIO, 1))
        document["start"]["cookie"] = f"{chance.getrandbits(128):036x}"
        path.write_text(json.dumps(document, indent="\t", separators=(",", ":\t")))
    return paths


def _scaled(value: Any, ratio: float) -> Any:
    """A document with all that was counted, and the rates, at a ratio of what they were."""
    if isinstance(value, list):
        return [_scaled(one, ratio) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: type(one)(one * ratio) if key in _COUNTED else _scaled(one, ratio)
        for key, one in value.items()
    }


def parse(paths: Iterable[Path]) -> None:
    """Open each file and parse it."""
    for path in paths:
        with path.open(encoding="utf-8") as file:
            json.loads(file.read())


def judge(paths: Iterable[Path], stated: SpecifiedLine) -> None:
    """Read each file and judge every direction that it holds."""
    for path in paths:
        for measurement in read_result(path):
            assert check(measurement, stated).outcome is not None


def compare(
    paths: Sequence[Path], stated: SpecifiedLine, rounds: int
) -> tuple[float, float, tuple[float, ...]]:
    """Median times of judging and of parsing one file [s], and the ratios of all rounds."""
    pairs = [_one_round(paths, stated) for _ in range(rounds)]
    mine_s, other_s = (statistics.median(times) / len(paths) for times in zip(*pairs, strict=True))
    return mine_s, other_s, tuple(mine / other for mine, other in pairs)


def _one_round(paths: Sequence[Path], stated: SpecifiedLine) -> tuple[float, float]:
    """Times of judging and of parsing all files, a few at a time in turn. [s]"""
    parts = [paths[at : at + AT_A_TIME] for at in range(0, len(paths), AT_A_TIME)]
    pairs = [(_cpu_s(partial(judge, part, stated)), _cpu_s(partial(parse, part))) for part in parts]
    mine_s, other_s = map(sum, zip(*pairs, strict=True))
    return mine_s, other_s


def _cpu_s(call: Callable[[], None]) -> float:
    """Time of the processor that a call takes. [s]"""
    begin_s = time.process_time()
    call()
    return time.process_time() - begin_s


def main() -> None:
    """Print all rows."""
    between = SpecifiedPath(adapter("roce-express2.1-25gbe"), adapter("osa-express7s-25gbe"))
    columns = ("netmodel µs", "parsing µs", "ratio", "least", "most", "allowed")
    print(f"{'':34}" + "".join(f" {name:>11}" for name in columns))
    for name, examples, stated, count, allowed in (
        ("one example", ONE_EXAMPLE, LINE, FILE_COUNT, ALLOWED_RATIO),
        ("TCP, UDP and both ways", ALL_EXAMPLES, LINE, FILE_COUNT, ALLOWED_RATIO),
        (
            "one example, between adapters",
            ONE_EXAMPLE,
            SpecifiedLine(25e9, mtu_bytes=1500, path=between),
            FEW,
            None,
        ),
    ):
        with tempfile.TemporaryDirectory() as directory:
            paths = write_results(Path(directory), examples, count)
            mine_s, other_s, ratios = compare(paths, stated, ROUNDS)
        cells = (mine_s * 1e6, other_s * 1e6, statistics.median(ratios), min(ratios), max(ratios))
        printed = (f" {cell:11.2f}" for cell in (*cells, allowed) if cell is not None)
        print(f"{name:34}" + "".join(printed))


if __name__ == "__main__":
    main()
