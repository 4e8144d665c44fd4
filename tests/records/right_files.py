"""Files of records that are read; refusals.toml has them beside what is refused in them."""

import tomllib
from pathlib import Path

REFUSALS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
FILES: dict[str, dict[str, str]] = {name: table["files"] for name, table in REFUSALS.items()}
"""Texts of the files of each table, by their name."""
