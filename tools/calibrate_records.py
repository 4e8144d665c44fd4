"""
Make the records below data/calibrated anew from what the documents print.

    python tools/calibrate_records.py            # write those that differ
    python tools/calibrate_records.py --check    # name them; the exit code is 1 if there are some
"""

import argparse
import math
import re
from collections.abc import Iterator
from pathlib import Path

from calibrated import _adapters, _forwarding, _receiving, _transports, _zvm_paths

from netmodel.records import record_text

CALIBRATED = Path(__file__).resolve().parents[1] / "data" / "calibrated"
HEAD = "# Written by tools/calibrate_records.py. What is changed by hand is lost.\n\n"
MODULES = (
    *(("adapters", _adapters), ("paths", _zvm_paths), ("paths", _forwarding)),
    *(("paths", _receiving), ("transports", _transports)),
)
"""Kind of the records that each module makes."""
NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
SAME_RATIO = 1e-6
"""Ten digits are stored; at least six are the same with every version of SciPy and HiGHS."""


def differing() -> Iterator[tuple[Path, str]]:
    """Yield the files that differ in more than the last digits, with what they should hold."""
    wanted = {
        CALIBRATED / kind / f"{name}.toml": HEAD + record_text(document)
        for kind, module in MODULES
        for name, document in module.documents().items()
    }
    for path in sorted({*wanted, *CALIBRATED.glob("*/*.toml")}):
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if not is_same(old, wanted.get(path, "")):
            yield path, wanted.get(path, "")


def is_same(old: str, new: str) -> bool:
    """Return whether texts differ in nothing but the rounding of their numbers."""
    parts, others = NUMBER.split(old), NUMBER.split(new)
    return parts[::2] == others[::2] and all(
        math.isclose(float(number), float(wanted), rel_tol=SAME_RATIO)
        for number, wanted in zip(parts[1::2], others[1::2], strict=True)
    )


def main() -> None:
    """Write or name the files that differ."""
    parser = argparse.ArgumentParser(description=str(__doc__).strip().partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    found = [*differing()]
    for path, text in found:
        print(path.relative_to(CALIBRATED))
        if given.check:
            continue
        if text:
            path.write_text(text, encoding="utf-8")
        else:
            path.unlink()
    raise SystemExit(bool(given.check and found))


if __name__ == "__main__":
    main()
