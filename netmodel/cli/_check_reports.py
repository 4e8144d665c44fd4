"""Files that ``netmodel check`` writes for CI servers and for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from netmodel.cli._options import gathered_options
from netmodel.cli._outputs import OUTPUT_FILE, require_no_input, write_output
from netmodel.judging import StatedLine, Verdict
from netmodel.units import format_rate

__all__ = ["ReportFiles", "report_options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """Files that the options name."""

    junit: str | None
    html: str | None

    def require_possible(self) -> None:
        """Refuse what is sure to fail, before the work is done and not after it."""
        if self.junit and self.html and Path(self.junit).resolve() == Path(self.html).resolve():
            raise click.UsageError("--junit and --html name the same file")
        for option, path in (("--junit", self.junit), ("--html", self.html)):
            if path and not Path(path).exists() and not Path(path).resolve().parent.is_dir():
                raise click.UsageError(f"{option} {path}: there is no such folder")
            if path:
                require_no_input(option, path)
        if self.html is not None:
            from netmodel.report import check_page

            check_page(())

    def write(self, verdicts: Sequence[Verdict], stated: StatedLine) -> list[str]:
        """Write the files; why one could not be written, for each of those."""
        if self.junit is None and self.html is None:
            return []
        from netmodel.report import check_page, junit_xml

        faults = []
        for option, path, text_of in (
            ("--junit", self.junit, junit_xml),
            ("--html", self.html, check_page),
        ):
            if path is not None:
                try:
                    write_output(option, path, text_of(verdicts, _title(stated)).encode())
                except click.UsageError as error:
                    faults.append(error.message)
        return faults


def _title(stated: StatedLine) -> str:
    """What the runs were judged against."""
    mtu = "" if stated.mtu_bytes is None else f", MTU {stated.mtu_bytes}"
    stack = "" if stated.stack is None else f", {stated.stack}"
    return f"Runs over a line of {format_rate(stated.line_rate_bps)}{mtu}{stack}"


report_options = gathered_options(
    "reports",
    ReportFiles,
    click.option(
        "--junit",
        metavar="FILE",
        type=OUTPUT_FILE,
        help="Also write JUnit XML, for CI, into this file.",
    ),
    click.option(
        "--html",
        metavar="FILE",
        type=OUTPUT_FILE,
        help="Also write a page to look at into this file.",
    ),
)
"""Gives a command both of them as one argument, ``reports``."""
