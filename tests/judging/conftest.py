"""Statements of a document that a test writes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from netmodel.judging import evidence
from netmodel.judging._evidence._ledger import Evidence
from netmodel.records import register_data, unregister_data
from netmodel.records._statements import load_statements

Planter = Callable[..., dict[str, Evidence]]


@pytest.fixture
def plant(tmp_path: Path) -> Iterator[Planter]:
    """Rows of the ledger for statements that are registered from a directory."""
    directory = tmp_path / "statements"
    directory.mkdir()

    def planted(*entries: str, source: str = "planted") -> dict[str, Evidence]:
        text = f'[defaults]\nsource = "{source}"\nlocator = "page 1"\ngrade = "published"\n'
        for number, entry in enumerate(entries, start=1):
            text += f'\n[[statements]]\nid = "planted-{number}"\nwording = "planted"\n'
            text += entry.replace("; ", "\n") + "\n"
        path = directory / "planted.toml"
        path.write_text(text, "utf-8")
        mine = {published.id for published in load_statements(path)}
        register_data(tmp_path)
        return {row.statement.id: row for row in evidence(source) if row.statement.id in mine}

    yield planted
    unregister_data(tmp_path)
