"""
Results of speedtest: JSON of the command of Ookla, and of that of librespeed, and what the commands
of Ookla and speedtest-cli print.

Each has a run for the download and one for the upload, over several connections of TCP whose number
is not reported. Ookla writes byte per second and milliseconds, librespeed Mbit/s of 10^6 in
hundredths. An upload is counted by the client that sends it. Ookla leaves out the start.

References: ``speedtest --format=json``, version 1.2; ``librespeed-cli --json``, version 1.0. Files
made from the documentation, none captured.
"""

from netmodel.consumption import Side
from netmodel.readers._document import RawText, load_json_document
from netmodel.readers._formats import json_format
from netmodel.readers._printed import NUMBER, Figure, Run, started
from netmodel.readers._table import Found, table_format
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MEGA, MILLI


def _read_text(run: Run, found: Found) -> None:
    half = found.needed("half", "Download:")
    is_up = half.text("part") == "Upload"
    run.set_direction(is_up=is_up)
    run.count(half.figure("rate", MEGA), protocol="tcp", is_at_sender=is_up)


def _read(raw: RawText) -> list[Run]:
    document = load_json_document(raw)
    # librespeed writes a list
    result = next(iter(document.each()), document) if isinstance(document.value, list) else document
    runs = []
    for part, is_up in (("download", False), ("upload", True)):
        half = result.child(part)
        run = started(raw, "speedtest", part=part, protocol="tcp", recorded_by=Side.CLIENT)
        run.name_hosts([result.child("interface", {}).text("internalIp", "")])
        if is_ookla := isinstance(half.value, dict):
            run.count(Figure(half.number("bandwidth")).times(BITS_PER_BYTE))
            run["duration_s"] = half.number("elapsed") * MILLI
        else:
            run.count(Figure(result.number(part), 0.005).times(MEGA))
        run.set_direction(is_up=is_up)
        run.update(leaves_out_start=is_ookla, is_at_sender=is_up)
        runs.append(run)
    return runs


SPEEDTEST = json_format(
    "speedtest", _read, "bandwidth elapsed download", "bytes_received jitter share"
)
SPEEDTEST_TEXT = table_format(
    "speedtest-text",
    marks=rf"(?:Download|Upload): +{NUMBER} Mb(?:it/s|ps)",
    forms={"half": rf"(?P<part>Download|Upload): +(?P<rate>{NUMBER}) Mb(?:it/s|ps).*"},
    read=_read_text,
    begins={"half": "half"},
    side=Side.CLIENT,
)
