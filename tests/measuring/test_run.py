"""A tool that runs: its output is untouched, and it ends however it ends."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from netmodel.measuring.run import Ran, run_tool


class Shown(io.TextIOWrapper):
    """Standard output in memory, which may be a terminal."""

    def __init__(self, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO())
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def bytes(self) -> bytes:
        return self.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


def run(code: str, is_terminal: bool = False, **more: Any) -> tuple[Ran, bytes, bytes]:
    output, errors = Shown(is_terminal), Shown()
    with redirect_stdout(output), redirect_stderr(errors):
        ran = run_tool([sys.executable, "-c", code], **more)
    return ran, output.bytes(), errors.bytes()


@pytest.mark.parametrize("is_terminal", [False, True])
def test_output_is_passed_on_and_kept_byte_for_byte(is_terminal: bool) -> None:
    code = (
        "import os, sys; os.write(1, bytes(range(256)) * 300 + b'a\\nb\\r\\n'); os.write(2, b'err')"
    )
    if is_terminal:
        code = "import os; os.write(1, b'a\\nb\\x1b[1m' * 5000 * os.isatty(1)); os.write(2, b'err')"
    ran, output, errors = run(code, is_terminal=is_terminal)
    assert (ran.output, ran.errors) == (output, errors)
    assert errors == b"err"
    expected = b"a\nb\x1b[1m" * 5000 if is_terminal else bytes(range(256)) * 300 + b"a\nb\r\n"
    assert output == expected
    assert ran.exit_code == 0
    assert (ran.is_interrupted, ran.is_cut) == (False, False)


def test_the_exit_code_and_the_time_are_those_of_the_tool() -> None:
    before = time.time()
    ran, _, _ = run("import sys, time; time.sleep(0.2); sys.exit(7)")
    assert ran.exit_code == 7
    assert before <= ran.begin_utc_s <= ran.end_utc_s - 0.2
    assert ran.end_utc_s <= time.time()


def test_a_signal_that_ends_the_tool_is_its_exit_code() -> None:
    ran, _, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert ran.exit_code == -signal.SIGKILL
    assert not ran.is_interrupted


def test_an_interrupted_tool_may_print_its_result() -> None:
    code = (
        "import time\nprint('on', flush=True)\n"
        "try: time.sleep(60)\nexcept KeyboardInterrupt: print('result')"
    )
    handler = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    ran, output, _ = run(code)
    timer.join()
    assert ran.is_interrupted
    assert output == b"on\nresult\n"
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_process_that_the_tool_leaves_behind_does_not_hold_up_the_end() -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(15)'])\nprint('done')"
    )
    before = time.monotonic()
    ran, output, _ = run(code)
    assert output == b"done\n"
    assert ran.exit_code == 0
    assert time.monotonic() - before < 10


def test_an_interruption_ends_a_tool_that_ignores_signals_with_all_it_started() -> None:
    ignore = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]"
    code = (
        f"{ignore}; import subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {ignore + '; time.sleep(60)'!r}])\n"
        "print(child.pid, flush=True); time.sleep(60)"
    )
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    ran, output, _ = run(code)
    timer.join()
    assert ran.is_interrupted
    assert ran.exit_code == -signal.SIGKILL
    assert has_ended(int(output))


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or dead and not yet collected; a busy kernel takes a moment."""
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_output_beyond_what_is_kept_takes_no_memory() -> None:
    """Of 400 MB, 64 MiB are kept, twice while they are handed over: some 200 MB with Python."""
    tool = "import os\nfor _ in range(400): os.write(1, b'0123456789abcdef' * 62500)"
    code = (
        "import sys; from netmodel.measuring.run import run_tool\n"
        "shown, sys.stdout = sys.stdout, open('/dev/null', 'w')\n"
        f"ran = run_tool([sys.executable, '-c', {tool!r}])\n"
        "assert ran.is_cut and len(ran.output) == 64 << 20\n"
        "status = dict(row.split(':', 1) for row in open('/proc/self/status'))\n"
        "print(int(status['VmHWM'].split()[0]), file=shown)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300_000


def test_a_sample_is_taken_about_once_a_second() -> None:
    times: list[float] = []
    begin = time.monotonic()
    run("import time; time.sleep(2.5)", sample=lambda: times.append(time.monotonic()))
    taken_s = time.monotonic() - begin
    assert 1 <= len(times) <= taken_s  # a busy machine may miss one, or take longer
    assert all(later - earlier > 0.9 for earlier, later in pairwise(times))


def test_a_program_that_is_not_there_is_refused() -> None:
    with pytest.raises(FileNotFoundError):
        run_tool(["/no/such/program"])
