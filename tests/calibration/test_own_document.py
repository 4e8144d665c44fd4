"""A document of the user's own: statements and a calibrated path in TOML, and no Python."""

import shutil
from pathlib import Path

import pytest
from invocation import printed, printed_json, refusal

from netmodel.records import data_path

S_PER_BYTE_OF_US_PER_GBIT = 1e-6 * 8 / 1e9
COST_1500, COST_9000 = 300_000, 120_000
"""Of the brief. [µs/Gbit]"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    copy = tmp_path / "own"
    shutil.copytree(data_path("examples", "own-document"), copy)
    return copy


def own_files(directory: Path, *options: str, exit_code: int) -> dict[str, str]:
    command = ("--own-data", str(directory), "catalog", "calibrate", "brief-appliance", *options)
    result = printed_json(*command, exit_code=exit_code)
    assert all(str(directory) in each["file"] for each in result)
    return {each["id"]: each["state"] for each in result}


def test_the_path_of_the_document_is_calibrated_and_predicts(directory: Path) -> None:
    """
    By hand: p (1/1448 - 1/8948) = 180000 µs/Gbit, y = 120000 µs/Gbit - p/8948.

    Two cores at 300000 µs/Gbit carry 6.667 Gbit/s.
    """
    assert own_files(directory, "--check", exit_code=0) == {"brief-appliance": "current"}
    file = directory / "calibrated" / "paths" / "brief-appliance.toml"
    file.unlink()
    assert own_files(directory, exit_code=0) == {"brief-appliance": "missing"}

    shown = printed_json("--own-data", str(directory), "catalog", "show", "brief-appliance")
    times = shown["record"]["stages"][1]["in"]
    first = times["vertices"][0]
    per_frame_s = (COST_1500 - COST_9000) * S_PER_BYTE_OF_US_PER_GBIT / (1 / 1448 - 1 / 8948)
    per_byte_s = COST_9000 * S_PER_BYTE_OF_US_PER_GBIT - per_frame_s / 8948
    assert float(first["per_frame"]["value"]) * 1e-6 == pytest.approx(per_frame_s, rel=1e-9)
    assert float(first["per_byte"]["value"]) * 1e-9 == pytest.approx(per_byte_s, rel=1e-9)

    options = ("--path", "brief-appliance", "--workload", "str-writex30k", "--connections", "10")
    result = printed_json("--own-data", str(directory), "predict", *options, "--mtu", "1500")
    (result,) = result
    assert result["throughput_bps"]["value"] == pytest.approx(2 / COST_1500 * 1e6 * 1e9)
    assert result["binding"] == "appliance"


def test_a_figure_that_changes_makes_the_record_differ(directory: Path) -> None:
    statements = directory / "statements" / "brief.toml"
    text = statements.read_text(encoding="utf-8")
    assert "value = 300000" in text
    statements.write_text(text.replace("value = 300000", "value = 310000"), encoding="utf-8")
    assert own_files(directory, "--check", exit_code=1) == {"brief-appliance": "different"}


def test_the_directory_is_no_part_of_the_bundled_data() -> None:
    assert "brief-appliance" not in printed("catalog", "list", "paths")


def test_a_record_that_nothing_declares_cannot_be_calibrated() -> None:
    assert "did you mean osa-express7s-25gbe" in refusal(
        "catalog", "calibrate", "osa-express7s-25gb"
    )
