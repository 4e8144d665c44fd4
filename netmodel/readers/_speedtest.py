"""
Results of speedtest: JSON of the command of Ookla, and of that of librespeed.

Each has a run for the download and one for the upload, over several connections of TCP whose number
is not reported. Ookla writes byte per second and milliseconds, librespeed Mbit/s of 10^6 in
hundredths. An upload is counted by the client that sends it. Ookla leaves out the start.

References: ``speedtest --format=json``, version 1.2; ``librespeed-cli --json``, version 1.0. Files
made from the documentation, none captured.
"""

from dataclasses import replace

from netmodel.consumption import Side
from netmodel.readers._document import RawText, load_json_document
from netmodel.readers._formats import json_format
from netmodel.readers._measurement import Direction, Measurement
from netmodel.readers._printed import Figure, started, with_goodput, with_hosts
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MEGA, MILLI


def _read(raw: RawText) -> tuple[Measurement, ...]:
    document = load_json_document(raw)
    # librespeed writes a list
    result = next(document.each(), document) if isinstance(document.value, list) else document
    run = replace(started(raw, "speedtest"), protocol="tcp", recorded_by=Side.CLIENT)
    run = with_hosts(run, [result.child("interface", {}).text("internalIp", "")])
    runs = []
    for part, is_up in (("download", False), ("upload", True)):
        half = result.child(part)
        if is_ookla := isinstance(half.value, dict):
            goodput = Figure(half.number("bandwidth")).times(BITS_PER_BYTE)
        else:
            goodput = Figure(result.number(part), 0.005).times(MEGA)
        run = with_goodput(
            run,
            goodput,
            part=part,
            direction=Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT,
            duration_s=half.number("elapsed") * MILLI if is_ookla else None,
            leaves_out_start=is_ookla,
            is_counted_at_sender=is_up,
        )
        runs.append(run)
    return tuple(runs)


SPEEDTEST = json_format(
    "speedtest", _read, "bandwidth elapsed download", "bytes_received jitter share"
)
