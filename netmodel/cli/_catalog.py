"""Commands that look up: ``netmodel catalog``, ``explain``, ``published`` and ``schema``."""

from collections.abc import Iterator, Sequence
from functools import partial
from inspect import signature
from pkgutil import resolve_name
from typing import Annotated, Any, Literal, TypeAlias

import click

from netmodel.api.arguments import ArgumentsError, Kind, named_values, refusing
from netmodel.cli._derived import Question, Stated, print_json
from netmodel.errors import AmbiguousValueError
from netmodel.records import lookup
from netmodel.records.files import KINDS

_Kind: TypeAlias = (
    Literal["adapters", "hosts", "instances", "links", "measurements", "paths", "workloads"] | None
)
_Values: TypeAlias = Annotated[Sequence[str], Kind("name=value", repeats=True)]
_SHOWN_ROWS = 24
"""Printed rows that a screen holds; of more --verbose lists all."""
_CONDITIONS = ("workload", "mtu", "connections")
"""Conditions that have a column of their own; rows are sorted by them."""
_RESULTS = {"calibrate": "calibration.Fit calibration.FeasibleSet calibration.choices.ChosenModel"}
_RESULTS |= {"calibrate-host": "calibration.host_runs.HostCalibration", "check": "checking.Verdict"}
_RESULTS |= {"ceiling": "ceilings.LineCeiling", "plan": "planning.Plan planning.ScenarioPlan"}
_RESULTS |= {"explain": "symbolic.Explanation", "measure": "measuring.measured.MeasuredRun"}
_RESULTS |= {"compare": "published.Answer", "path-mtu": "framing.PathMtu"}
_RESULTS |= {"predict": "path.Prediction", "published": "published.Row"}
"""Classes of the objects that a command prints."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@Question
def list_(kind: _Kind = None, *, where: _Values = ()) -> Stated:
    """
    Print id, title, weakest grade and sources of each record.

    KIND is adapters, hosts, links, paths, workloads, instances of clouds, or measurements of
    others, such as packet rates of network cards. Default: all but the last two.

    \b
    Example: netmodel catalog list adapters --where line_rate=25Gbit/s

    Parameters
    ----------
    where : sequence of str
        Only what has this value, such as line_rate=25Gbit/s; a figure in any unit, or part of a
        text.
    """
    wanted = dict[str, str]()
    for name, mark, value in (each.partition("=") for each in where):
        if not (name and value) or wanted.setdefault(name, value) != value:
            problem = "is NAME=VALUE, each name once, such as line_rate=25Gbit/s"
            raise ArgumentsError(f"{{where}} {problem}; got {name}{mark}{value}")
    found = lookup.catalog_records(kind, wanted)
    keys = ("id", "kind", "grade", "source", "title")
    named = [r.named | {"kind": of} for of, r in found]
    return Stated(f"Records: {len(found)}", [{key: each[key] for key in keys} for each in named])


@partial(Question, text=lambda answer, _: [str(answer["record"])])
def show(name: Annotated[str, Kind("name|file")], *, kind: _Kind = None) -> Any:
    """
    Print a record, each value with its source.

    NAME is an id that catalog list prints, FILE your own record in a .toml file.

    Parameters
    ----------
    kind : str, optional
        Kind of the record, such as adapters; required for a file.
    """
    with refusing("kind", AmbiguousValueError):
        record = lookup.record(name, kind)
    return {"kind": kind or lookup.kind_of(name), "record": record}


@Question
def explain(
    formula: Annotated[str, Kind("formula")] = "", values: _Values = (), *, list_: bool = False
) -> Stated:
    """
    Print a calculation: formula, numbers, result and source.

    FORMULA is the name of a public formula, such as payload_rate_bps; values have a unit, or are in
    the base unit that their name ends in:

    \b
    netmodel explain payload_rate_bps line_rate_bps=25Gbit/s mtu_bytes=1500

    Parameters
    ----------
    list_ : bool
        List known layers, or formulas; with what they compute, those that have the words in place
        of FORMULA.
    """
    if list_:
        return _formulas(formula, *values)
    if not formula:
        raise ArgumentsError("name a formula, or list all with {list_}")
    from netmodel.symbolic import explain as explained

    found = explained(formula, **named_values(values))
    return Stated(str(found), data := found.to_dict(), [*data])


def _formulas(*words: str) -> Stated:
    """Formulas whose name, summary and arguments have all words."""
    from netmodel.symbolic.docstrings import documentation
    from netmodel.symbolic.formulas import formulas_by_name

    rows = []
    for name, function in formulas_by_name().items():
        known, arguments = documentation(function), list(signature(function).parameters)
        summary = known.summary.removeprefix("Return ")
        summary = f"{summary[0].upper()}{summary[1:]}"
        row = {"formula": name, "arguments": arguments, "summary": summary}
        is_number = known.result_type.startswith(("float", "int")) and "text" not in arguments
        if is_number and all(word.lower() in f"{row}".lower() for word in words):
            rows.append(row)
    return Stated(f"Formulas: {len(rows)}" if rows else "No formula has these words.", rows)


def _published_text(rows: Any, is_verbose: bool) -> Iterator[str]:
    from netmodel.published.rows import words_of
    from netmodel.terminal import Column, columns_table

    def cells(row: Any) -> tuple[str, ...]:
        own = (", ".join(map(str, row.of.get(key, ()))) for key in _CONDITIONS)
        case = words_of({key: x for key, x in row.of.items() if key not in _CONDITIONS})
        printed = row.amount() + ", doubtful" * bool(row.doubt)
        return row.quantity.replace("_", " "), *own, case, printed, row.place, row.doubt or row.note

    # numbers by their size, as all cells are aligned on the right for it
    found = sorted(map(cells, rows), key=lambda row: [cell.rjust(24) for cell in row[:4]])
    left = 0 if is_verbose else max(len(rows) - _SHOWN_ROWS, 0)
    heads = ("quantity", *_CONDITIONS, "case", "printed", "place", "note")
    columns = dict(zip(heads, zip(*found, strict=True), strict=True))
    alike = [head for head in heads[:3] if len({*columns[head]}) == 1 and columns[head][0]]
    of = ", ".join(("MTU " * (head == "mtu")) + columns.pop(head)[0] for head in alike)
    documents = " and ".join(sorted({row.document for row in rows}))
    yield f"Printed rows{of and ' of '}{of} in document {documents}: {len(rows)}."
    shown = ((head, column[: len(rows) - left]) for head, column in columns.items())
    yield columns_table((Column(*each, rank=int(each[0] == "note")) for each in shown), is_verbose)
    if left:
        yield f"{left} more rows: --verbose, or give --workload and --quantity."


@partial(Question, text=_published_text)
def published(
    ids: Annotated[Sequence[str], Kind("id", repeats=True)] = (),
    *,
    workload: Annotated[str | None, Kind("id|file")] = None,
    quantity: Annotated[str | None, Kind("name")] = None,
) -> Any:
    """
    List what documents print of adapters, paths, workloads.

    Each row is one printed figure, or one ratio of a case to another, with every condition that its
    document fixes, and the place in the document. With several ids, rows that name all of them.

    \b
    Example: netmodel published osa-express7s-25gbe roce-express2.1-25gbe
                 --quantity throughput

    Parameters
    ----------
    workload : str, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file; any by
        default.
    quantity : str, optional
        Quantity wanted; such as throughput or transaction_time.
    """
    from netmodel.published import listing

    if found := listing(ids, workload, quantity):
        return found
    raise ArgumentsError("no document has a row about all of these: leave one out")


@click.command("schema")
@click.argument("name", type=click.Choice((*sorted(_RESULTS), *KINDS, "scenarios")), metavar="NAME")
def schema(name: str) -> None:
    """Print the JSON Schema of an answer or of a file.

    NAME is a command, such as check: the schema holds for the object that it prints with --json,
    or for each in its list; not for what --list, --frame and --packets print. Or what a file has,
    for an editor: adapters, hosts, links, paths, workloads or scenarios.
    """
    from netmodel.schemas import schema_of

    if name not in _RESULTS:
        return print_json(lookup.schema_of(name))
    kinds = [resolve_name(f"netmodel.{place}") for place in _RESULTS[name].split()]
    return print_json({"$schema": _DIALECT, "anyOf": [*map(schema_of, kinds)]})


@click.group(commands=[list_, show])
def catalog() -> None:
    """Records of adapters, hosts, links, paths, workloads.

    They come with netmodel, each value with its source. Your own file prints the same way.
    """
