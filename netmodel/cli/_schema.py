"""``netmodel schema``: JSON Schema of what other commands print with ``--json``, and of files."""

from importlib import import_module

import click

from netmodel.cli._console import print_json
from netmodel.records.files import KINDS

_RESULTS = {
    "calibrate": ("calibration.Fit", "calibration.FeasibleSet", "calibration.choices.ChosenModel"),
    "calibrate-host": ("calibration.host_runs.HostCalibration",),
    "ceiling": ("ceilings.LineCeiling",),
    "check": ("checking.Verdict",),
    "explain": ("symbolic.Explanation",),
    "measure": ("measuring.measured.MeasuredRun",),
    "path-mtu": ("framing.PathMtu",),
    "plan": ("planning.Plan", "planning.ScenarioPlan"),
    "predict": ("path.Prediction",),
    "published": ("published.Row",),
}
"""Classes of the objects that a command prints."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@click.command("schema")
@click.argument("name", type=click.Choice((*_RESULTS, *KINDS, "scenarios")), metavar="NAME")
def schema(name: str) -> None:
    """Print the JSON Schema of an answer or of a file.

    NAME is a command, such as check: the schema holds for the object that it prints with --json,
    or for each in its list. Or what a file has, for an editor: adapters, hosts, links, paths,
    workloads or scenarios.
    """
    from netmodel.records.lookup import schema_of as schema_of_files
    from netmodel.schemas import schema_of

    if name not in _RESULTS:
        return print_json(schema_of_files(name))
    places = [each.rpartition(".") for each in _RESULTS[name]]
    kinds = [getattr(import_module(f"netmodel.{module}"), kind) for module, _, kind in places]
    return print_json({"$schema": _DIALECT, "anyOf": [*map(schema_of, kinds)]})
