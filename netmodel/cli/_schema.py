"""``netmodel schema``: JSON Schema of what other commands print with ``--json``."""

from importlib import import_module

import click

from netmodel.cli._console import print_json

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


@click.command("schema")
@click.argument("command", type=click.Choice(sorted(_RESULTS)))
def schema(command: str) -> None:
    """Print the JSON Schema of the JSON of another command.

    It holds for the object that the command prints, or for each in its list.
    """
    from netmodel.schemas import schema_of

    module, names = _RESULTS[command]
    schemas = [schema_of(getattr(import_module(module), name)) for name in names]
    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", "anyOf": schemas})
