"""
The line calculator: ceilings of well-known stacks, as JavaScript made of the library's formulas.

The ceiling of each stack is computed with symbols in place of line rate and MTU, and what comes out
is printed as a function of the page. As a Sphinx extension this module writes `FILE` and `EXAMPLE`
before the documents are read; as a script, at once: ``python docs/line_calculator.py``.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sympy
import written
from sympy.printing.jscode import JavascriptCodePrinter

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import Stack, parse_stack
from netmodel.framing.grammar import usual_mtu_notes
from netmodel.framing.lengths import MAX_PACKET_BYTES
from netmodel.framing.presets import PRESETS as NAMED

FILE = Path("_static/calculator/formulas.js")
"""In the folder of the documents, beside the script that a person wrote."""
EXAMPLE = FILE.with_name("example.txt")
SCRIPTS = (FILE.name, "calculator.js")
"""In the order in which they need each other."""
PRESETS = {
    "TCP over IPv4": "ethernet/ipv4/tcp+timestamps",
    "TCP over IPv6": "ethernet/ipv6/tcp+timestamps",
    "TCP over IPv4, no timestamps": "ethernet/ipv4/tcp",
    "UDP over IPv4": "ethernet/ipv4/udp",
    "UDP over IPv6": "ethernet/ipv6/udp",
    "VLAN": "ethernet/vlan/ipv4/tcp+timestamps",
    "LLC and SNAP": "ethernet/llc-snap/ipv4/tcp+timestamps",
    "MACsec": "ethernet/macsec+sci/ipv4/tcp+timestamps",
    "PPPoE": "ethernet/pppoe/ipv4/tcp+timestamps",
    "MPLS": "ethernet/mpls/mpls/ipv4/tcp+timestamps",
    "VXLAN": "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps",
    "Geneve": "ethernet/ipv4/udp/geneve/ethernet/ipv4/tcp+timestamps",
    "GRE": "ethernet/ipv4/gre/ipv4/tcp+timestamps",
    "IP-in-IP": "ethernet/ipv4/ipv4/tcp+timestamps",
    "IPsec (ESP tunnel)": "ethernet/ipv4/esp/ipv4/tcp+timestamps",
    "WireGuard": "ethernet/ipv4/udp/wireguard/ipv4/tcp+timestamps",
    "RoCEv2": "ethernet/ipv4/udp/rocev2",
    "SMC-R": "ethernet/vlan/ipv4/udp/rocev2/smcr",
    "iWARP": "ethernet/ipv4/tcp/mpa-markers/iwarp",
    "QUIC": "ethernet/ipv4/udp/quic",
    "TLS 1.3": "ethernet/ipv4/tcp+timestamps/tls",
    "iSCSI": "ethernet/ipv4/tcp+timestamps/iscsi",
    "NVMe/TCP": "ethernet/ipv4/tcp+timestamps/nvme-tcp",
    **{name: name for name in NAMED},
}
"""Stacks to choose from: kinds of headers, then the presets of the commands."""
QUANTITIES = (
    "payload_bytes",
    "overhead_bytes",
    "wire_bytes",
    "outer_packet_bytes",
    "efficiency_ratio",
    "payload_rate_bps",
    "frame_rate_fps",
)
_SEEN_MTUS = (1500, 1501, 4096, 9000)
"""Enough to see which parts of a frame change with the MTU: no two agree in any block."""


class _Printer(JavascriptCodePrinter):
    """JavaScript whose whole numbers are right: a factor 1/127 would round before the ceiling."""

    def _print_ceiling(self, expression: sympy.Expr) -> str:
        numerator, denominator = sympy.fraction(sympy.together(expression.args[0]))
        function = "floor" if isinstance(expression, sympy.floor) else "ceil"
        return f"Math.{function}(({self._print(numerator)}) / ({self._print(denominator)}))"

    _print_floor = _print_ceiling


@cache
def _function(stack: Stack) -> str:
    """Return the ceiling of a stack as a function of line rate and MTU."""
    names = ("line_rate_bps", "mtu_bytes")
    rate, mtu = (sympy.Symbol(name, positive=True) for name in names)
    line: Any = LineCeiling(rate, mtu, stack)  # type: ignore[arg-type]
    values = {name: getattr(line, name) for name in QUANTITIES} | line.layer_rates
    fields = (f"{name}: {_Printer().doprint(sympy.sympify(x))}" for name, x in values.items())
    return f"({', '.join(names)}) => ({{{', '.join(fields)}}})"


def _parts(stack: Stack) -> list[tuple[str, float | None]]:
    """Return name and length of each part of a full frame, None where the MTU decides it."""
    seen = [stack.full_frame_parts(mtu_bytes) for mtu_bytes in _SEEN_MTUS]
    lengths = [{part.name: part.bytes for part in parts} for parts in seen]
    return [
        (name, each if all(other.get(name) == each for other in lengths) else None)
        for name, each in ((part.name, part.bytes) for part in seen[0])
    ]


def _fits(stack: Stack, mtu_bytes: int) -> bool:
    try:
        line_ceiling(1e9, mtu_bytes, stack)
    except DomainError:
        return False
    return True


def script() -> str:
    """Return the file as a whole: what the page knows of each stack."""
    entries = []
    for name, text in PRESETS.items():
        stack = parse_stack(text)
        known: Mapping[str, object] = {
            "stack": str(stack),
            "least_mtu_bytes": stack.minimum_mtu_bytes,
            "most_mtu_bytes": next(n for n in range(MAX_PACKET_BYTES, 0, -1) if _fits(stack, n)),
            "parts": _parts(stack),
            "notes": [*stack.estimates, *usual_mtu_notes(stack)],
        }
        entries.append(f'"{name}": {{...{json.dumps(known)},\n  ceiling: {_function(stack)}}},\n')
    head = "// Written by docs/line_calculator.py from the formulas of netmodel: change those.\n"
    return f'{head}"use strict";\nconst netmodelStacks = {{\n{"".join(entries)}}};\n'


def example() -> str:
    """Return what the page shows where no script runs: a command, and what it prints."""
    from click.testing import CliRunner

    from netmodel.cli import main

    arguments = ["ceiling", "--line-rate", "25Gbit/s", "--mtu", "1500"]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    return f"$ netmodel {' '.join(arguments)}\n{result.output}"


def write(directory: Path) -> None:
    """Write the files below a folder of documents, unless they are there already."""
    for file, text in ((FILE, script()), (EXAMPLE, example())):
        written.write(directory / file, text)


def _add_files(app: Any, page: str, *_: object) -> None:
    if page == "calculator":
        app.add_css_file("calculator/calculator.css")
        for script in SCRIPTS:
            app.add_js_file(f"calculator/{script}", loading_method="defer")


def setup(app: Any) -> dict[str, bool]:
    """Write the script before Sphinx copies static files, and load it on the page alone."""
    app.connect("builder-inited", lambda app: write(Path(app.srcdir)))
    app.connect("html-page-context", _add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write(Path(__file__).parent)
