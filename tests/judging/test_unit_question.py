"""The unit that a document leaves open is recorded as the data settle it."""

from netmodel.judging import audit_dataset
from netmodel.records import dataset


def test_the_recorded_reading_of_mb_is_the_one_that_the_audit_finds() -> None:
    comparison = dataset("zvm-layer2-layer3")
    (result,) = (each for each in audit_dataset(comparison) if each.kind == "unit")
    assert result.allowed == "MB of 1048576 byte with TCP timestamps"
    columns = {column.name: column for column in comparison.tables["measurements"].columns}
    taken = {name: column.taken_as for name, column in columns.items() if column.taken_as}
    assert taken == {
        "data_rate_mb_per_s": "MiB/s",
        "total_cpu_ms_per_mb": "ms/MiB",
        "emulation_cpu_ms_per_mb": "ms/MiB",
        "cp_cpu_ms_per_mb": "ms/MiB",
    }
