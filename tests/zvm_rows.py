"""Every row of the z/VM dataset, rebuilt from the second transcription of the document."""

import csv
import io
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

Row = dict[str, str]

FOLDER = Path(__file__).parent.parent / "data" / "measurements" / "zvm-layer2-layer3"
SECOND = tomllib.loads(
    (Path(__file__).parent / "records" / "zvm_figures.toml").read_text(encoding="utf-8")
)
QUANTITIES = {
    "runid": "run_id",
    "trans/sec": "transaction_rate_tps",
    "MB/sec": "data_rate_mb_per_s",
    "Total CPU msec/trans": "total_cpu_ms_per_transaction",
    "Emul CPU msec/trans": "emulation_cpu_ms_per_transaction",
    "CP CPU msec/trans": "cp_cpu_ms_per_transaction",
    "Total CPU msec/MB": "total_cpu_ms_per_mb",
    "Emul CPU msec/MB": "emulation_cpu_ms_per_mb",
    "CP CPU msec/MB": "cp_cpu_ms_per_mb",
}
ENVIRONMENT = (
    "hypervisor_level",
    "processor_type",
    "real_cpu_count",
    "virtual_cpu_count",
    "lpar_count",
)
PATHS = {"VSwitch": "zvm-vswitch", "OSA": "zvm-direct-osa"}
BETWEEN_LEVELS = "5.1.0-to-5.2.0"
BETWEEN_LAYERS = "layer3-to-layer2"


def faults_of_rows(name: str, text: str) -> list[str]:
    """Rows of a file of the dataset that the transcription does not have, and the reverse."""
    actual = {_line(row) for row in csv.DictReader(io.StringIO(text))}
    wanted = _lines(name)
    return [f"wrong: {line}" for line in sorted(actual - wanted)] + [
        f"missing: {line}" for line in sorted(wanted - actual)
    ]


@cache
def _lines(name: str) -> frozenset[str]:
    return frozenset(_line(row) for row in _ROWS[name]())


def _line(row: Row) -> str:
    return "; ".join(f"{name} {value}" for name, value in sorted(row.items()) if value)


def _tables() -> Iterator[tuple[str, Row, list[str]]]:
    """Number, row of ``tables.csv`` and numbers of clients of each table."""
    for table in SECOND["tables"]:
        number, title = str(table["number"]), table["title"]
        place, *_, line, messages, mtu = re.split(r"(?: [Bb]ase)? - ", title)
        row = {
            "table": number,
            "title": title,
            "path": PATHS[place],
            "workload": f"awm-{messages.lower()}",
            "link_rate_gbps": line.removesuffix(" GbE"),
            "mtu_bytes": mtu,
            "hypervisor_level": _level(int(number)),
        }
        yield number, row, [str(int(count)) for count in table["clients"]]


def _level(number: int) -> str:
    """Tables 2 to 4 compare both levels; table 1 gives those of each set-up."""
    if number <= 4:
        return "5.1.0 to 5.2.0"
    return "5.2.0" if number <= 10 else "5.1.0"


def _rows_of(number: str, *sections: str) -> list[dict[str, Any]]:
    return [
        row for row in SECOND["rows"] if str(row["table"]) == number and row["section"] in sections
    ]


def _environments() -> Iterator[Row]:
    for row in _rows_of("1", "environment"):
        cells = dict(zip(ENVIRONMENT, row["figures"], strict=True))
        yield {"measurement": row["name"]} | cells


def _measurements() -> Iterator[Row]:
    for number, table, clients in _tables():
        shared = {name: table[name] for name in ("path", "workload", "link_rate_gbps", "mtu_bytes")}
        shared["adapter"] = f"osa-express2-{table['link_rate_gbps']}gbe"
        for layer in ("3", "2") if int(number) >= 5 else ():
            columns = _rows_of(number, f"layer{layer}")
            for place, count in enumerate(clients):
                cells = {QUANTITIES[row["name"]]: row["figures"][place] for row in columns}
                counts = {"table": number, "layer": layer, "connection_count": count}
                yield shared | counts | cells


def _differences() -> Iterator[Row]:
    for number, table, clients in _tables():
        one_level = table["hypervisor_level"] if int(number) > 4 else ""
        kinds = {
            "layer3-versions": {"comparison": BETWEEN_LEVELS, "layer": "3"},
            "layer2-versions": {"comparison": BETWEEN_LEVELS, "layer": "2"},
            "diff": {"comparison": BETWEEN_LAYERS, "hypervisor_level": one_level},
            "diff-5.1.0": {"comparison": BETWEEN_LAYERS, "hypervisor_level": "5.1.0"},
            "diff-5.2.0": {"comparison": BETWEEN_LAYERS, "hypervisor_level": "5.2.0"},
        }
        for row in _rows_of(number, *kinds):
            for count, figure in zip(clients, row["figures"], strict=True):
                yield kinds[row["section"]] | {
                    "table": number,
                    "connection_count": count,
                    "quantity": QUANTITIES[row["name"]],
                    "difference_percent": figure,
                }


def _footers() -> Iterator[Row]:
    for table in SECOND["tables"]:
        footer = table["footer"]
        parts = {
            "processor_model": r"^(\S+);",
            "linux_level": r"Linux (SLES ?\d+)",
            "hypervisor_level": r"z/VM ([\d.]+)",
            "card": r"(\d+ GbE card[^;]*)",
            "lpar_count": r"(\d+) LPAR",
            "cpu_count": r"; (\d+) CPUs",
            "cpu_count_scope": r"CPUs (each)",
            "virtual_cpu_count": r"(\d+) virtual CPU",
        }
        matches = {name: re.search(pattern, footer) for name, pattern in parts.items()}
        cells = {name: match[1] for name, match in matches.items() if match}
        yield {"table": str(table["number"]), "footer": footer} | cells


_ROWS = {
    "environments": _environments,
    "tables": lambda: (row for _, row, _ in _tables()),
    "measurements": _measurements,
    "differences": _differences,
    "footers": _footers,
}
FILES = tuple(_ROWS)
