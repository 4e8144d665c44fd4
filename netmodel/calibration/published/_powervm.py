"""Paths of PowerVM, from one article: a limit of trunks, a factor of tuning, and no CPU cost."""

from netmodel.calibration.published._documents import Document, quoted
from netmodel.records import statement

__all__ = ["powervm_documents"]

_TOOLS = (
    "Results depend on the tool: iperf 2 tells more than iperf 3, iperf more than netperf, and "
    "netperf more than ftp, which has one connection; several iperf in parallel tell more than one."
)
_FLOWS = "Meant for iperf with several connections: one keeps no more than one CPU busy."
_COSTS = "CPU time of LPAR and VIOS, and how it divides into frames and bytes"


def powervm_documents() -> dict[tuple[str, str], Document]:
    """
    Documents of the paths between LPARs, and through a Shared Ethernet Adapter.

    Returns
    -------
    documents : dict of (str, str) to dict
        By kind and id, for `netmodel.records.record_text`. CPU times are
        relative; the reference is one CPU, or an LPAR that is not tuned.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    References
    ----------
    Document ``powervm``.

    Examples
    --------
    >>> made = powervm_documents()
    >>> made["paths", "powervm-lpar-to-lpar-tuned"]["reference"]["times"]["client-lpar"]["value"]
    Decimal('1.7')
    """
    made = {
        "powervm-lpar-to-lpar": _between_lpars(),
        "powervm-lpar-to-lpar-tuned": _tuned(),
        "powervm-sea-power7": _sea_power7(1),
        "powervm-sea-power7-two-trunks": _sea_power7(2),
        "powervm-sea-power8": _sea_power8(),
    }
    return {("paths", name): document for name, document in made.items()}


def _between_lpars() -> Document:
    return {
        "title": "Two AIX LPARs of one POWER8 machine over virtual Ethernet",
        "description": (
            "AIX 7.2 in its default configuration, each LPAR with 1 CPU and 1 virtual processor, "
            f"capped. Throughput against CPUs, as long as they bind. {_FLOWS} {_TOOLS}"
        ),
        "unknown": [_COSTS, "limit of the virtual switch, above 20 Gbit/s", "MTU"],
        "defaults": _defaults(),
        **_lpars({}),
    }


def _tuned() -> Document:
    tuned = quoted("powervm-tuning-throughput")
    tuned["note"] += "; 1.7 times, or 1.7 times more, is not clear: taken as 1.7 times"
    return {
        "title": "Two AIX LPARs of one POWER8 machine, with tuned attributes",
        "description": (
            "Times that the tuned attributes save, against the default configuration of AIX 7.2; "
            "which of the attributes makes how much of it is not told, nor with how many CPUs. "
            f"{_FLOWS} {_TOOLS}"
        ),
        "unknown": [_COSTS, "CPUs of the LPARs when it was seen", "MTU"],
        "defaults": _defaults(),
        **_lpars({"times": {"client-lpar": tuned, "server-lpar": tuned}}),
    }


def _lpars(reference: Document) -> Document:
    """One CPU and a relative stage at each side; the reference has one CPU unless it is told."""
    one = quoted("powervm-tools-test-cpu")
    names = {side: f"{side}-lpar" for side in ("client", "server")}
    counts = dict.fromkeys(names.values(), one)
    return {
        "pools": {name: {"side": side, "core_count": one} for side, name in names.items()},
        "reference": reference or {"pools": counts},
        "stages": [_cpu(f"{side}-cpu", "protocol-cpu", side, name) for side, name in names.items()],
    }


def _sea_power7(trunk_count: int) -> Document:
    trunk = quoted("powervm-power7-trunk-limit")
    trunks = {1: "powervm-power7-one-trunk-count", 2: "powervm-power7-two-trunks-count"}
    several = "one trunk" if trunk_count == 1 else "two trunks"
    return {
        "title": f"LPAR of a POWER7 machine through a Shared Ethernet Adapter with {several}",
        "description": (
            "A client LPAR, the VIOS with its trunk, and one 10 Gbit/s adapter. How much CPU LPAR "
            f"and VIOS take is not told: with too little of it they bind below the rest. {_TOOLS}"
        ),
        "unknown": [_COSTS, "whether the limit of a trunk counts payload or frames"],
        "defaults": _defaults(),
        **_sea(
            {
                "name": "trunk",
                "kind": "trunk",
                "counted_layer": 4,
                "servers": quoted(trunks[trunk_count]),
                "note": "of each trunk; counted as payload, as the tools of the article do",
                "line_rate": trunk,
            },
            {"name": "wire", "kind": "link", "line_rate": quoted("powervm-title-line-rate")},
        ),
    }


def _sea_power8() -> Document:
    return {
        "title": "LPAR of a POWER8 machine through a Shared Ethernet Adapter on two ports",
        "description": (
            "A client LPAR with one virtual adapter, the VIOS, and a link aggregation of two "
            "10 Gbit/s ports. More than 20 Gbit/s were seen on the virtual adapter, its limit was "
            f"not. How much CPU LPAR and VIOS take is not told. {_TOOLS}"
        ),
        "unknown": [_COSTS, "limit of a virtual adapter and of a trunk, above 20 Gbit/s"],
        "defaults": _defaults(),
        **_sea(
            {
                "name": "virtual-adapter",
                "kind": "trunk",
                "counted_layer": 4,
                "note": "at least this; counted as payload, as the tools of the article do",
                "line_rate": quoted("powervm-power8-20g") | {"relation": "censored_above"},
            },
            {
                "name": "ports",
                "kind": "link-aggregation",
                "servers": quoted("powervm-final-ports"),
                "line_rate": quoted("powervm-final-ports-line-rate"),
            },
        ),
    }


def _sea(*beyond: Document) -> Document:
    """LPAR and VIOS with one CPU each, and what lies beyond."""
    counts = dict.fromkeys(("client-lpar", "vios"), _one_cpu())
    return {
        "pools": {name: {"side": "client", "core_count": one} for name, one in counts.items()},
        "reference": {"pools": counts},
        "stages": [
            _cpu("client-cpu", "protocol-cpu", "client", "client-lpar"),
            _cpu("sea", "shared-ethernet-adapter", "client", "vios"),
            *beyond,
        ],
    }


def _cpu(name: str, kind: str, side: str, pool: str) -> Document:
    return {
        "name": name,
        "kind": kind,
        "side": side,
        "pool": pool,
        "relative": True,
        "both": {"per_byte": "1 ns"},
    }


def _one_cpu() -> Document:
    """A unit to count CPUs in, no number of the article."""
    return {"value": 1, "unit": "1"}


def _defaults() -> Document:
    told = statement("powervm-cpu-linear")
    return {
        "source": told.source,
        "locator": told.locator,
        "grade": "derived",
        "note": f"CPU times in units of that of one byte, to count CPUs in; statement {told.id}",
    }
