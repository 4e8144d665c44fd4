"""``netmodel schema``: JSON Schema of what other commands print with ``--json``, and of files."""

from importlib import import_module
from typing import Any

import click

from netmodel.cli._console import print_json
from netmodel.records.files import KINDS

_ANSWERS = {
    "calibrate": ("model source method parameters observation_count predictions next conditions",),
    "catalog": ("id kind grade source title", "kind record"),
    "ceiling": ("netmodel.ceilings.LineCeiling",),
    "check": ("netmodel.checking.Verdict",),
    "compare": (
        "quantity side connection_count status relation value low high unit text places nearest "
        "conditions baseline variant notes",
    ),
    "consumption": (
        "us_per_gbit ms_per_mb ms_per_mib ms_per_gb us_per_kib cores_per_gbps gbps_per_core "
        "ms_per_transaction cycles_per_byte",
        "us_per_gbit busy_cpus required_cpus payload_rate_bps max_utilisation_ratio",
        "consumption_ratio change",
    ),
    "explain": ("netmodel.symbolic.Explanation",),
    "measure": ("netmodel.measuring.measured.MeasuredRun",),
    "path-mtu": ("netmodel.framing.PathMtu",),
    "pcie": (
        "generation lanes max_payload_bytes max_read_request_bytes adapter raw_rate_bps "
        "tlp_rate_bps tlp_ceiling_bps write_rate_bps read_rate_bps bound frames",
    ),
    "plan": ("netmodel.planning.Plan", "netmodel.planning.ScenarioPlan"),
    "predict": ("netmodel.path.Prediction", "netmodel.path.Unbounded"),
    "published": ("netmodel.published.Row",),
    "rps": ("mask cpus",),
}
"""Objects that a command prints: their class, or the keys of one that has none."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@click.command("schema")
@click.argument("name", type=click.Choice((*_ANSWERS, *KINDS, "scenarios")), metavar="NAME")
def schema(name: str) -> None:
    """Print the JSON Schema of an answer or of a file.

    NAME is a command, such as check: the schema holds for the object that it prints with --json,
    or for each in its list. Or what a file has, for an editor: adapters, hosts, links, paths,
    workloads or scenarios.
    """
    if name not in _ANSWERS:
        from netmodel.records.lookup import schema_of as schema_of_files

        return print_json(schema_of_files(name))
    return print_json({"$schema": _DIALECT, "anyOf": [_schema(each) for each in _ANSWERS[name]]})


def _schema(answer: str) -> dict[str, Any]:
    from netmodel.schemas import schema_of, schema_of_names

    module, _, kind = answer.rpartition(".")
    if not module:
        return schema_of_names(answer.split())
    return schema_of(getattr(import_module(module), kind))
