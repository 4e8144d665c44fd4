"""CPU time of the hosts at both ends, given to ``netmodel check`` beside the runs."""

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from invocation import printed, printed_json
from runs import sample

from netmodel.readers import read_result

read_iperf3 = partial(read_result, format_name="iperf3")

LINE = ("--line-rate", "200Mbit/s", "--mtu", "1500")
GOOD = sample("line_200m_mtu1500_ts1_v4.json")
SYSSTAT = sample("").parent / "sysstat"
RUN = read_iperf3(GOOD)[0]
BEGIN_S = round(RUN.begin_utc_s or 0)
GOODPUT_BPS = 188350464 * 8 / 8.00679


def sadf(path: Path, idle_percent: float, begin_s: int = BEGIN_S) -> str:
    """A file of sadf: 4 CPUs, equally idle in one interval of 8 s from a time on."""
    date, _, time = str(datetime.fromtimestamp(begin_s + 8, UTC)).partition(" ")
    load = {"cpu": "all", "usr": 0, "nice": 0, "sys": 100 - idle_percent, "iowait": 0, "steal": 0}
    load |= {"irq": 0, "soft": 0, "guest": 0, "gnice": 0, "idle": idle_percent}
    stamp = {"date": date, "time": time[:8], "utc": 1, "interval": 8}
    host = {"nodename": path.stem.split("-")[0], "number-of-cpus": 4, "file-date": date}
    host |= {"statistics": [{"timestamp": stamp, "cpu-load": [load]}]}
    path.write_text(json.dumps({"sysstat": {"hosts": [host]}}), encoding="utf-8")
    return str(path)


def system_cpu(row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {use["side"]: use for use in row["cpu"] if use["scope"] == "system"}


def test_the_cpu_time_of_both_hosts_is_beside_the_verdict(tmp_path: Path) -> None:
    hosts = (
        *("--client-cpu", sadf(tmp_path / "a.json", 80)),
        *("--server-cpu", sadf(tmp_path / "b.json", 50)),
        *("--server-idle", sadf(tmp_path / "b-idle.json", 97.5, BEGIN_S - 3600)),
    )
    (row,) = printed_json("check", *LINE, *hosts, str(GOOD))
    used = system_cpu(row)
    assert used["client"]["busy_cpus"] == pytest.approx(0.8)
    assert used["server"]["busy_cpus"] == pytest.approx(1.9)
    assert used["server"]["us_per_gbit"] == pytest.approx(1.9e6 / (GOODPUT_BPS / 1e9))
    covered = "CPU time is known for 7.92 s of the 8.007 s common to all runs"
    assert row["notes"] == [
        f"client: {covered}",
        "client: no idle baseline is subtracted",
        f"server: {covered}",
    ]
    assert [use["scope"] for use in row["cpu"]] == ["process", "process", "system", "system"]
    shown = printed("check", *LINE, *hosts, str(GOOD))
    assert f"server: 1.9 CPUs busy (whole system), {1.9e6 / (GOODPUT_BPS / 1e9):,.0f} µs" in shown
    assert "client: 0.03" in shown
