"""Settings under which the equipment of a path was measured: a prediction rests on them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host, PathRecord

EVERY_HOP_MTU = "mtu"
"""Name of the setting that is no offload: every hop of the path needs the MTU."""


class Setting(NamedTuple):
    """
    A setting that service times or limits of a record were measured with.

    Parameters
    ----------
    of : str
        Id of the record.
    name : str
        As ethtool has it, such as ``"tso"``, or the system, such as ``"mtu_bypass"``; ``"mtu"``
        for the rule on the hops of the path.
    value : str
        ``"on"`` or ``"off"``; of the MTU, where it is needed.
    source, locator : str
        Document and place.
    note : str
        What the record says of it.

    """

    of: str
    name: str
    value: str
    source: str
    locator: str
    note: str


def settings_of(records: "Iterable[Adapter | Host | PathRecord]") -> Iterator[Setting]:
    """Settings that records of adapters, hosts and paths have, each record once."""
    for record in {each.id: each for each in records}.values():
        if (known := record.measured_with) is None:
            continue
        for name, fact in [(each.name, each) for each in known.offloads] + (
            [(EVERY_HOP_MTU, known.every_hop_mtu)] if known.every_hop_mtu else []
        ):
            yield Setting(record.id, name, fact.value, fact.source, fact.locator, fact.note or "")


def settings_text(settings: Sequence[Setting]) -> str:
    """All settings in a line: offloads by adapter, and whether every hop needs the MTU."""
    by_adapter: dict[str, dict[str, list[str]]] = {}
    for each in settings:
        if each.name != EVERY_HOP_MTU:
            by_adapter.setdefault(each.of, {}).setdefault(each.value, []).append(each.name)
    texts = []
    for of, values in by_adapter.items():
        switched = (f"{', '.join(names)} {value}" for value, names in values.items())
        texts.append(f"{of}: {' and '.join(switched)}")
    hops = dict.fromkeys(each.value for each in settings if each.name == EVERY_HOP_MTU)
    texts += [f"MTU on {value}" for value in hops]
    return "; ".join(texts)
