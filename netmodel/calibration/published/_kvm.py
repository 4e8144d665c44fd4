"""Paths between KVM guests, from gains of a larger MTU: no cost is told, only ratios."""

from decimal import Decimal

from netmodel.calibration._recorded import known_payload_text
from netmodel.calibration.published._documents import Document, points, quoted
from netmodel.framing import tcp_stack
from netmodel.records import Relation, Statement, statement

__all__ = ["kvm_documents"]

_BYTE_S = 1e-9
"""What stands for the unknown time of a byte; the times are relative to it."""
_SPREAD = (
    "which of the CPUs of guests and host bind",
    "processors of host and guest, and how many",
    "frames that guests and host handle at once (segmentation and receive offload)",
)


def kvm_documents() -> dict[tuple[str, str], Document]:
    """
    Documents of the paths between guests on one host, and on two.

    Returns
    -------
    documents : dict of (str, str) to dict
        By kind and id, for `netmodel.records.record_text`. CPU times are in
        units of that of one byte; the reference is the smaller MTU.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Notes
    -----
    With a time :math:`p` for each frame and :math:`y` for each byte, a stream
    whose CPUs bind at payloads :math:`m_0 < m_1` per frame gains the factor
    :math:`g` where :math:`p / y = (g - 1) / (1/m_0 - g/m_1)`.

    References
    ----------
    Document ``kvm``, Maximum Transmission Unit, texts on Figure 1 and 2.

    Examples
    --------
    >>> host = kvm_documents()["paths", "kvm-one-host"]
    >>> host["stages"][0]["both"]["vertices"][0]["per_frame"]
    '2.854849023 µs'
    """
    return {("paths", "kvm-one-host"): _one_host(), ("paths", "kvm-two-hosts"): _two_hosts()}


def _one_host() -> Document:
    most = statement("kvm-same-host-throughput")
    assert most.value is not None
    return {
        "title": "Guests on one KVM host",
        "description": (
            "Streams and large messages between two guests; no line is in it. MacVTap and a "
            "software bridge of the host are not told apart by figures. With MacVTap the MTU of "
            "the host must be no smaller than that of the guests: larger packets stall there."
        ),
        "unknown": [*_SPREAD, "which of three workloads gains most, and what the others gain"],
        "defaults": _defaults(
            most,
            f"up to {most.value} % more from MTU 1500 to 8192, in units of the time of one byte; "
            "the first point gains all of it, the second nothing; a stream whose CPUs bind at "
            f"both MTUs; statement {most.id}",
        ),
        "reference": {"mtu": quoted("kvm-mtu-normal")},
        "stages": [_cpu("guest-and-host-cpu", None, [most.value, Decimal(0)])],
    }


def _two_hosts() -> Document:
    saved = statement("kvm-separate-hosts-cpu")
    assert saved.low is not None
    assert saved.high is not None
    gains = [(saved.low + saved.high) / 2, saved.low, saved.high]
    sides = ("client", "server")
    others = statement("kvm-separate-hosts-exceptions").value
    return {
        "title": "Guests on two KVM hosts, over a line",
        "description": (
            "Streams between guests over the line between their hosts, the rate of which is not "
            "told. Where the line binds at both MTUs a larger one gains what its headers are fewer."
        ),
        "unknown": [*_SPREAD, "rate of the line", "whether CPU efficiency is that of one side"],
        "defaults": _defaults(
            saved,
            f"{saved.low} to {saved.high} % more data for the same CPU time from MTU 1500 to "
            "8192, in units of the time of one byte; taken for each side, and as of a stream; "
            f"the first point is in the middle; statement {saved.id}",
        ),
        "reference": {
            "mtu": quoted("kvm-mtu-normal"),
            "gains": [
                _gain(
                    "kvm-separate-hosts-throughput",
                    f"in throughput, in all but {others} workload test types, not named",
                ),
                *(
                    _gain(
                        saved.id,
                        "in CPU efficiency, in all test types; taken for each side",
                        _cpu_name(side),
                    )
                    for side in sides
                ),
            ],
        },
        "stages": [
            _cpu(_cpu_name("client"), "client", gains),
            _fabric(),
            _cpu(_cpu_name("server"), "server", gains),
        ],
    }


def _cpu_name(side: str) -> str:
    return f"{side}-guest-and-host-cpu"


def _gain(name: str, where: str, of: str | None = None) -> Document:
    """The ratio that a statement has for the larger MTU, for messages of any size."""
    told = statement(name)
    assert told.low is not None
    assert told.high is not None
    ratio = {
        "relation": Relation.RANGE.value,
        "low": _ratio_of(told.low),
        "high": _ratio_of(told.high),
        "unit": "1",
        "source": told.source,
        "locator": told.locator,
        "grade": told.grade.value,
        "note": f"{told.low} to {told.high} % {where}; statement {name}",
    }
    return {**({} if of is None else {"of": of}), "mtu": quoted("kvm-mtu-tested"), "ratio": ratio}


def _ratio_of(gain_percent: Decimal) -> Decimal:
    """With as many digits as are printed."""
    return (100 + gain_percent).scaleb(-2)


def _defaults(source: Statement, note: str) -> Document:
    return {"source": source.source, "locator": source.locator, "grade": "derived", "note": note}


def _cpu(name: str, side: str | None, gains_percent: list[Decimal]) -> Document:
    """The CPUs of one end, or of both, with a point for each gain."""
    frames_bytes = [_frame_bytes(1 + float(gain) / 100) for gain in gains_percent]
    times = {
        "known_payload": known_payload_text(_payloads_bytes()),
        "vertices": points((frame_bytes * _BYTE_S, _BYTE_S) for frame_bytes in frames_bytes),
    }
    ends = {} if side is None else {"side": side}
    return {"name": name, "kind": "hypervisor-cpu", **ends, "relative": True, "both": times}


def _fabric() -> Document:
    told = statement("kvm-separate-hosts-fabric")
    times = {
        "per_byte": {
            "value": 1,
            "unit": "ns",
            "source": told.source,
            "locator": told.locator,
            "grade": "derived",
            "note": f"in units of the time of one byte on the wire; statement {told.id}",
        }
    }
    return {"name": "fabric", "kind": "link", "relative": True, "both": times}


def _payloads_bytes() -> tuple[float, float]:
    """Payload of a full frame at the smaller and the larger MTU."""
    sizes = (statement(name).value for name in ("kvm-mtu-normal", "kvm-mtu-tested"))
    small, large = (float(tcp_stack().segment_bytes(int(size or 0))) for size in sizes)
    return small, large


def _frame_bytes(gain_ratio: float) -> float:
    """Bytes that take as much time as a frame does, by what larger frames gain."""
    small, large = _payloads_bytes()
    return (gain_ratio - 1) / (1 / small - gain_ratio / large)
