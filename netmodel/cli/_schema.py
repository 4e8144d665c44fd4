"""``netmodel schema``: JSON Schema of what other commands print with ``--json``, and of files."""

from importlib import import_module

import click

from netmodel.cli._console import print_json
from netmodel.records.files import KINDS

_RESULTS = {
    "ceiling": ("netmodel.ceilings", ("LineCeiling",)),
    "check": ("netmodel.checking", ("Verdict",)),
    "explain": ("netmodel.symbolic", ("Explanation",)),
    "measure": ("netmodel.measuring.measured", ("MeasuredRun",)),
    "path-mtu": ("netmodel.framing", ("PathMtu",)),
    "plan": ("netmodel.planning", ("Plan", "ScenarioPlan")),
    "predict": ("netmodel.path", ("Prediction", "Unbounded")),
    "published": ("netmodel.published", ("Row",)),
}
"""Where the results of a command are, and their classes."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@click.command("schema")
@click.argument("name", type=click.Choice((*_RESULTS, *KINDS, "scenarios")), metavar="NAME")
def schema(name: str) -> None:
    """Print the JSON Schema of an answer or of a file.

    NAME is a command (ceiling, check, explain, measure, path-mtu, plan, predict or published): the
    schema holds for the object that it prints with --json, or for each in its list. Or what a file
    has, for an editor: adapters, hosts, links, paths, workloads or scenarios.
    """
    if name not in _RESULTS:
        from netmodel.records.lookup import schema_of as schema_of_files

        return print_json(schema_of_files(name))
    from netmodel.schemas import schema_of

    module, classes = _RESULTS[name]
    schemas = [schema_of(getattr(import_module(module), each)) for each in classes]
    return print_json({"$schema": _DIALECT, "anyOf": schemas})
