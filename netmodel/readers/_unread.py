"""What is met beside results and is not read: what it is, and what to read instead."""

import re

__all__ = ["SYSSTAT_BANNER", "what_it_is"]

SYSSTAT_BANNER = r"\s*Linux \S+ \([^)\n]*\)[^\n(]*\([0-9]+ CPU\)\s++"
"""The first line of every text of sysstat, and what is blank behind it, as a regular expression."""

_KINDS = (
    (
        re.compile(r" *[0-9]++(?: +[0-9]++){2} +[0-9]{18,20} +[0-9]+ *$", re.MULTILINE),
        "a log of uperf -X, which has single times and no payload: keep what uperf -R -a prints",
    ),
    (
        re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<profile\b"),
        "a profile that uperf runs, not its result: keep what uperf -R -a prints",
    ),
    (
        re.compile(r"\s*OUTPUT_NONE,"),
        "the list of what netperf can print (-k ?), not a result of it",
    ),
    (
        re.compile(r"-+\r?\ntest was performed using the following parameters: --mps="),
        "the log of single messages of sockperf --full-log: keep what sockperf prints",
    ),
    (
        re.compile(rf"{SYSSTAT_BANNER}[^\n]{{0,40}}\bUID +PID\b"),
        "of pidstat, which tells of processes, not of a host's CPUs: use mpstat -P ALL",
    ),
    (
        re.compile(rf"{SYSSTAT_BANNER}(?:avg-cpu|Device)"),
        "of iostat, which tells of disks: use mpstat -P ALL",
    ),
    (
        re.compile(r"\s*<\?xml[^<]*<!DOCTYPE (?:sysstat|svg) "),
        "XML of sadf -x or -g: write the file with sadf -j",
    ),
    (
        re.compile(r"\s*driver: [^\n]*\nversion:"),
        "of ethtool -i, which tells only the driver: use ethtool, ethtool -k and ethtool -S",
    ),
    (re.compile(r"#[A-Za-z0-9.-]+\nIp"), "text of nstat: write the file with nstat -asz --json"),
    (
        re.compile(r"[0-9]+: \S+: <[A-Z_,]*> mtu "),
        "text of ip link: write the file with ip -j -d -s link",
    ),
    (re.compile(r"qdisc \S+ [0-9a-f]+: "), "text of tc: write the file with tc -j -s qdisc"),
    (
        re.compile(r"\s*Copyright Version [0-9.]+\s"),
        "text of ntttcp for Windows: write the file with -xml FILE",
    ),
)


def what_it_is(text: str) -> str | None:
    """What a text is that no reader reads, and what to read instead; None where that is unknown."""
    return next((told for mark, told in _KINDS if mark.match(text)), None)
