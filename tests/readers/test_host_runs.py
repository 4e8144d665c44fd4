"""Directories of runs with CPU data: what belongs to a record, and what is named."""

from pathlib import Path

import pytest

from netmodel.readers.host_runs import RECORD_MANIFEST, _is_listed


@pytest.mark.parametrize(
    ("manifest", "is_listed"),
    [("top/run/parts", True), ("top/run", True), ("top", True), (".", False), ("top/other", False)],
)
def test_a_record_is_named_by_a_manifest_up_to_the_directory_given(
    tmp_path: Path, manifest: str, is_listed: bool
) -> None:
    file = tmp_path / "top" / "run" / "parts" / "stdout.txt"
    for directory in (file.parent, tmp_path / "top" / "other"):
        directory.mkdir(parents=True)
    (tmp_path / manifest / RECORD_MANIFEST).touch()
    assert _is_listed(str(file), str(tmp_path / "top")) is is_listed
