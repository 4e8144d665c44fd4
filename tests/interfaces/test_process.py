"""What a command sets for its process."""

import os
import sys

import pytest

from netmodel import cli


@pytest.mark.parametrize(
    ("command", "given", "threads"),
    [("predict", None, "1"), ("predict", "4", "4"), ("measure", None, None)],
)
def test_one_thread_of_blas_unless_a_program_is_measured_or_more_are_asked_for(
    command: str, given: str | None, threads: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {} if given is None else {"OPENBLAS_NUM_THREADS": given})
    monkeypatch.setattr(sys, "argv", ["netmodel", command])
    monkeypatch.setattr(cli, "main", lambda prog_name: None)
    cli.run()
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads
