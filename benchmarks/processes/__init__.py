"""What whole processes take."""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence


def cpu_s(
    command: Sequence[str],
    environment: Mapping[str, str],
    expected_codes: Collection[int] = (0,),
) -> float:
    """User and system time that a process takes, from its start to its end. [s]"""
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        complaint = process.stderr.read().decode() if process.stderr else ""
    if process.returncode not in expected_codes:
        raise SystemExit(f"{' '.join(command[:6])}: exit code {process.returncode}: {complaint}")
    return usage.ru_utime + usage.ru_stime
