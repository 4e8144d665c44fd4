"""One case against others: ratios that documents print, else those of two predictions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from netmodel.api import kinds
from netmodel.api._compared_rows import compared_rows
from netmodel.api._compared_text import (
    answer_text,
    change_text,
    notes_of,
    row_name,
    title_text,
    words_of,
)
from netmodel.api.arguments import (
    WrongValueError,
    cases_of,
    distance_of,
    given_workload,
    in_base_units,
    ip_mtu,
    listed_values,
)
from netmodel.api.cases import CaseGiven, Condition, case_text, given_case
from netmodel.errors import ContradictionError, DomainError, UnknownRecordError
from netmodel.frames import frame_of
from netmodel.html import notes_list
from netmodel.published import Answer
from netmodel.results import short_repr
from netmodel.terminal import Column, columns_html, columns_table
from netmodel.text import argument, listed
from netmodel.units import format_time
from netmodel.units.prefixes import KILO

if TYPE_CHECKING:
    import pandas as pd

Variants: TypeAlias = Annotated[CaseGiven | Sequence[CaseGiven], kinds.Kind("case", repeats=True)]
Case = dict[str, Condition]
_Point: TypeAlias = tuple[Case, Mapping[str, Any]]
"""Conditions of a distance and a number of connections, and the distance as it was given."""
_OF_THE_VARIANT = frozenset({"window", "loss", "protocol"})
"""Conditions of a variant that the baseline has only where it names them too."""
_SEVERAL = ("km", "rtt_s", "window_bytes", "loss_ratio")
"""Arguments of which each value makes rows of its own."""
_PLACE_CHARACTERS = 18
"""Most characters of a place in a table: page titles are longer, and --verbose prints them."""
_KEYS = ("status", "relation", "value", "low", "high", "unit", "text")


@dataclass(frozen=True)
class Comparison:
    """
    A variant against a baseline.

    Parameters
    ----------
    baseline, variant : mapping of str to str or number
        Conditions of both cases, whole.
    rows : tuple of Answer
        Ratio of the variant to the baseline for each quantity, side and number of connections:
        status ``printed`` or ``two_figures``, else ``modelled`` (the ratio of two predictions), or
        ``not_published``. What tells rows of a quantity apart is in their `conditions`.
    notes : tuple of str
        The most important first.
    """

    baseline: Mapping[str, Condition]
    variant: Mapping[str, Condition]
    rows: tuple[Answer, ...]
    notes: tuple[str, ...]

    def row(self, quantity: str, **conditions: Condition) -> Answer:
        """
        Return the row of a quantity.

        Parameters
        ----------
        quantity : str
            Such as ``"throughput"`` or ``"cpu_consumption"``.
        **conditions
            Of the row where there are several, such as ``side="server"`` or ``connections=10``.

        Raises
        ------
        UnknownRecordError
            If there is no such row, or there are several; names those that there are.
        """
        of = [row for row in self.rows if row.quantity == quantity]
        found = [row for row in of if conditions.items() <= row.conditions.items()]
        if len(found) == 1:
            return found[0]
        names = listed(f"{row.quantity} {case_text(row.conditions)}".strip() for row in self.rows)
        asked = f"{quantity} {case_text(conditions)}".strip()
        number = "several rows" if found else "no row"
        raise UnknownRecordError(f"{number} of {asked}; there are: {names}")

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        return answer_text(title_text(self.variant, self.baseline), self.rows, self.variant)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the rows are those of the JSON of ``netmodel compare``."""
        cases = {"baseline": dict(self.baseline), "variant": dict(self.variant)}
        rows = [{**_plain(row), **cases} for row in self.rows]
        return {"answer": self.answer, **cases, "rows": rows, "notes": list(self.notes)}

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def columns(self, is_verbose: bool = False) -> list[Column]:
        """A row for each published or modelled ratio, and one for cases that have the same."""
        groups: dict[tuple[str, ...], list[Answer]] = {}
        # what follows from a printed row says least
        for row in sorted(self.rows, key=lambda row: row.is_converted):
            if row.status != "not_published":
                change = change_text(row).removeprefix("about ")
                point = (str(row.conditions.get(name, "")) for name in ("km", "connections"))
                groups.setdefault((*point, row_name(row), change), []).append(row)
        named = {"km", "connections", "side", *self.variant}
        cells = [
            {
                "km": key[0],
                "conn.": key[1],
                "quantity": key[2],
                "case": _cases(same, named),
                "change": change_text(same[0]),
                "status": same[0].status.replace("_", " "),
                "place": _places(same[0], is_verbose),
            }
            for key, same in groups.items()
        ]
        return [
            Column(name, [row[name] for row in cells], name in ("km", "conn."), name == "status")
            for name in (cells or [{"quantity": ""}])[0]
        ]

    def _repr_html_(self) -> str:
        return columns_html(self.answer, self.columns()) + notes_list(self.notes)

    def to_frame(self) -> "pd.DataFrame":
        """
        Return a row for each quantity and condition; ratios of the variant to the baseline.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        names = ("quantity", "side", "connection_count", *_KEYS[:5])
        return frame_of([{key: _plain(row)[key] for key in names} for row in self.rows], "quantity")


class Comparisons(tuple[Comparison, ...]):
    """Comparisons of several variants with one baseline, shown as their tables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n\n".join(f"{each.answer}\n\n{columns_table(each.columns())}" for each in self)

    def _repr_html_(self) -> str:
        return "".join(each._repr_html_() for each in self)


def _cases(rows: Sequence[Answer], named: Collection[str]) -> str:
    """Return the conditions of rows beyond those that are named; of a single one once."""
    cases = ({k: v for k, v in row.conditions.items() if k not in named} for row in rows)
    first, *others = dict.fromkeys(map(words_of, cases))
    lead = f"{first.partition(' ')[0]} "
    return " or ".join([first, *(each.removeprefix(lead) for each in others)])


def _places(row: Answer, is_verbose: bool) -> str:
    """Return the places of a row, without the titles of pages."""
    plain = (place.replace(" document", "") for place in row.places)
    most = None if is_verbose else _PLACE_CHARACTERS
    return "; ".join(dict.fromkeys(place[:most] for place in plain))


def _plain(row: Answer) -> dict[str, Any]:
    """Return the keys of a row in the JSON."""
    conditions = dict(row.conditions)
    nearest = [
        {
            **{key: getattr(match.row, key) for key in ("relation", "low", "high")},
            "text": match.text,
            "place": match.row.where,
            "differs": list(match.differs),
            "conditions": {key: list(values) for key, values in match.row.of.items()},
        }
        for match in row.nearest
    ]
    return {
        "quantity": row.quantity,
        "side": conditions.pop("side", None),
        "connection_count": conditions.pop("connections", None),
        **{key: getattr(row, key) for key in _KEYS},
        "places": list(row.places),
        "notes": list(row.notes),
        "conditions": conditions,
        "nearest": nearest,
    }


def _of_pair(baseline: Case, variant: Case, common: Case, points: Sequence[_Point]) -> Comparison:
    """Return the rows over all distances and numbers of connections of the question."""
    varied = {key for own, _ in points for key in own if own[key] != points[0][0][key]}
    rows: list[Answer] = []
    for own, distance in points:
        cases = completed(baseline, variant, {**common, **own})
        at = {key: own[key] for key in own if key in varied}
        found = compared_rows(*cases, distance)
        rows += [replace(row, conditions={**at, **row.conditions}) for row in found]
    named = [{key: case[key] for key in case if key not in varied} for case in cases]
    trip_s = points[-1][1]["rtt_s"]
    if trip_s is not None and "km" in named[0]:  # as it was given
        trip: Case = {"rtt": format_time(trip_s)}
        named = [trip | {key: c[key] for key in c if key != "km"} for c in named]
    notes = notes_of(rows)
    options = {
        "workload": argument("workload", "--workload"),
        "mtu": argument("mtu_bytes", "--mtu"),
    }
    missing = [each for key, each in options.items() if key not in cases[1]]
    if missing and all(row.status == "not_published" for row in rows):
        notes.insert(0, f"to compare predictions too, give {listed(missing)}")
    return Comparison(named[0], named[1], tuple(rows), tuple(notes))


def _points(connections: Any, distance: Mapping[str, Any]) -> list[_Point]:
    """Return the conditions of each number of connections over each distance, and that."""
    given = () if connections is None else listed_values(connections)
    counts = [{"connections": each} for each in given] or [{}]
    each_distance = cases_of(distance, _SEVERAL)
    return [({**_between(each), **count}, each) for each in each_distance for count in counts]


def _between(distance: Mapping[str, Any]) -> Case:
    """Return the conditions of a distance: the fibre that has its round trip, window, loss."""
    from netmodel.transport import propagation_delay_s

    between = distance_of(**distance)
    if between is None:
        return {}
    km = distance["km"]  # as it is given, without rounding
    if between.round_trip_s is not None and (km is None or distance["equipment_s"] is not None):
        km = between.round_trip_s / (2 * propagation_delay_s(KILO))
    found = {"km": km, "window": between.window_bytes, "loss": between.loss_ratio}
    plain = {key: float(value) for key, value in found.items() if value is not None}
    return {key: int(value) if value.is_integer() else value for key, value in plain.items()}


def _case(name: str, given: CaseGiven) -> Case:
    if not (given.strip() if isinstance(given, str) else given):
        raise WrongValueError(f"{{{name}}} names no condition: give an id, or one such as mtu=9000")
    return given_case(given)


def completed(baseline: Case, variant: Case, common: Case) -> tuple[Case, Case]:
    """
    Return both cases whole: what one side does not name is that of the other.

    Raises
    ------
    DomainError
        If the cases do not differ.
    ContradictionError
        If a side has another value of a condition that the question as a whole has too.
    """
    for key, value in (*baseline.items(), *variant.items()):
        if common.get(key, value) != value:
            raise ContradictionError(
                f"{key} is given with a case and for all cases: leave out one of them"
            )
    first, second = (_with_both_ends(case) for case in (baseline, variant))
    start = {key: value for key, value in second.items() if key not in _OF_THE_VARIANT}
    whole = {**common, **first, **second}
    # a setting of the variant may be all that differs: the baseline then does not have it
    for of_baseline in ({**common, **start, **first}, {**common, **first}):
        if of_baseline != whole:
            return of_baseline, whole
    raise DomainError("the variant does not differ from the baseline")


def _with_both_ends(case: Case) -> Case:
    """Return a case with its adapter at both ends, unless it is of a direction."""
    if "adapter" not in case or "direction" in case:
        return case
    others = {key: value for key, value in case.items() if key != "adapter"}
    return dict.fromkeys(("client", "server"), case["adapter"]) | others


@in_base_units
def compare(
    *,
    baseline: kinds.Conditions | None = None,
    variant: Variants = (),
    workload: kinds.AWorkload | None = None,
    mtu_bytes: kinds.Size | None = None,
    connections: kinds.Counts | None = None,
    km: kinds.Kilometres | None = None,
    rtt_s: kinds.Times | None = None,
    equipment_s: kinds.Time | None = None,
    window_bytes: kinds.Windows | None = None,
    loss_ratio: kinds.Losses | None = None,
    protocol: Literal["tcp", "smc-r"] | None = None,
) -> Comparisons:
    """
    What a change gains: ratios of throughput, transaction time and CPU cost.

    Parameters
    ----------
    baseline : str or mapping
        Case to start from: conditions such as ``"adapter=osa-express6s-10gbe mtu=1500"``, or
        values alone where they are ids (``"osa-express6s-10gbe"``). Names are `adapter` (or
        `client` and `server`), `path`, `layer`, `mtu`, `connections`, `rps`, `km`, `protocol`,
        `window`, `loss`, and the settings of published rows.
    variant : str, mapping or sequence of them
        What changes; what one side does not name is that of the other.
    workload : Workload, str or path, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file. Any by
        default.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; in all cases. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time; each printed number by default.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; a list or range gives a case for each. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues; in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other, such as ``1e-4``.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets; TCP by default.

    Returns
    -------
    comparisons : Comparisons
        One for each variant. Each has a row for each quantity, side and number of connections: the
        printed ratio, else that of two printed figures, else that of two predictions (status
        ``modelled``), else the nearest printed rows, each with what differs.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones.
    ContradictionError
        If a condition is given twice.
    DomainError
        If the cases do not differ, or a value cannot be.
    UnitError
        If a number is none.

    Examples
    --------
    >>> import netmodel
    >>> result, = netmodel.compare(
    ...     baseline="osa-express7s-25gbe", variant="roce-express2.1-25gbe",
    ...     workload="rr1c-200x1000", mtu_bytes=1500, connections=50)
    >>> result.row("transaction_time").value
    0.6
    """
    several = [variant] if isinstance(variant, str | Mapping) else [*variant]
    common: Case = {}
    if workload is not None:
        known = given_workload(workload)
        common |= given_case({"workload": known.id if hasattr(workload, "id") else workload})
    if mtu_bytes is not None:
        common["mtu"] = ip_mtu(mtu_bytes)
    if not several and baseline is None and protocol == "smc-r":
        pairs: list[tuple[Case, Case]] = [({"protocol": "tcp"}, {"protocol": "smc-r"})]
    elif baseline is None or not several:
        raise WrongValueError("give {baseline} and {variant}, or {protocol} smc-r")
    else:
        start = _case("baseline", baseline)
        pairs = [(start, _case("variant", each)) for each in several]
        common |= {} if protocol is None else {"protocol": protocol}
    distance = {"km": km, "rtt_s": rtt_s, "equipment_s": equipment_s, "protocol": protocol}
    distance |= {"window_bytes": window_bytes, "loss_ratio": loss_ratio}
    points = _points(connections, distance)
    return Comparisons(_of_pair(*pair, common, points) for pair in pairs)
