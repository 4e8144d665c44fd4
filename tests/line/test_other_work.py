"""Other work is seen."""

import subprocess
import sys

import pytest
from line.other_work import QUIET_CPUS, other_busy_cpus

pytestmark = pytest.mark.line


def test_a_process_that_computes_makes_the_machine_busy() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as burner:
        busy_cpus = other_busy_cpus()
        burner.kill()
    assert busy_cpus > QUIET_CPUS
